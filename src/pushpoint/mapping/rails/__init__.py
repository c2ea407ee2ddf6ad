"""The robot as a train on rails."""
