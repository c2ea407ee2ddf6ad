"""Pictures of space, pixel by pixel: solids and ground as rays from far away meet them."""
