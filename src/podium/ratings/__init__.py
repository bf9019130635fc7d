"""What is believed: beliefs, the fold over contests, ladders, predictions and explanations."""
