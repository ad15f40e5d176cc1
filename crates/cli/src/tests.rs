//! Tests of the program as a whole that need no process.
//!
//! The command line is held against the original's command tree, and the choice of the gateway to speak to against a
//! table of cases. Commands are tested beside their code, and end to end in `tests/`.

mod command_tree;
mod scopes;
mod target_choice;
