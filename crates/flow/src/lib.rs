//! The spine: a message's life from acceptance to answer, one file for each stage, one way only.
