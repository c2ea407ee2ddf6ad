"""What the page shows in 3D: the course, the robot with its forces, and where one looks from."""
