"""What there is to say about robots, graphs and checks: for the terminal, as JSON, as Markdown."""
