//! What to do with a message, decided without doing it: is it a command, what does it ask for, when is it answered.
