//! Sessions: what is kept of conversations, when they begin anew, and what is read out of them.
