"""What readers can play with: each device is an extension of its own."""
