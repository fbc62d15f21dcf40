"""The experiments behind seed_dynamics.py, one module each."""
