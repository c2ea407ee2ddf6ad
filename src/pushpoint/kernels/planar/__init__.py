"""The planar engine: Transeth2008a."""
