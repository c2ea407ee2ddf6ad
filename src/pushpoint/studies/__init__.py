"""Studies over many worlds: controllers compared, plans driven, published claims run together."""
