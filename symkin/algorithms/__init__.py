"""Kinematics and dynamics as in the books, each algorithm once, over any scalar."""
