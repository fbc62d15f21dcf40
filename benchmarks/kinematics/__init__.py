"""The experiments behind seed_kinematics.py, one module each."""
