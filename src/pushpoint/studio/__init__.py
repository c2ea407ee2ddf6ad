"""The live page: a simulation in a browser that is watched, changed, pushed and recorded while it runs."""
