"""A run as a log of messages: one MCAP file that Foxglove and the tools of ROS 2 open."""
