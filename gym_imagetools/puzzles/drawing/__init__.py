"""What every family draws on: the canvas, pen strokes and characters, grainy prints."""
