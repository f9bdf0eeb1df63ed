"""What tests share: data locations, oracles, generators."""
