"""Hooks of schemathesis: nothing so far."""
