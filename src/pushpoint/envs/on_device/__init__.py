"""The vector environment that stays on its device."""
