"""Recordings of other tools: CSV, MCAP and bags of ROS 1 and 2, read through a mapping file, with their losses said."""
