//! The command line against the original's command tree, and the choice of the gateway to speak to.

mod command_tree;
mod target_choice;
