"""symkin: kinematics and dynamics of robots as fast, proven C."""
