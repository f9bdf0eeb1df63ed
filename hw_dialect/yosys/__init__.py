"""What the cells of Yosys mean."""
