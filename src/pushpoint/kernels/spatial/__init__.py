"""The spatial engine: links that lift, Transeth2008b, over real ground."""
