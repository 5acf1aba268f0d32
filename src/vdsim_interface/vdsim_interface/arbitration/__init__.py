"""Which of several command sources drives, and what is sent when none can."""
