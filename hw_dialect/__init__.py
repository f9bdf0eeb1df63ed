"""The hardware dialect: netlists and their file formats."""
