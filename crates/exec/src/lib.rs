//! Commands: whether they may run, who is asked, and how they run, in the foreground or behind.
