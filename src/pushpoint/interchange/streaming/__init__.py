"""A controller of the library on somebody's robot: lines of joint references out, lines of measured states in."""
