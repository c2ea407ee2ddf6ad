"""Contact laws for dense local problems, without a chain behind them."""
