"""One rewriting of graphs a file: a function from graph to graph that keeps every value."""
