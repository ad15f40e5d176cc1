//! Models that play a script: what is said, thought and called, and everything that can go wrong on the way.
//!
//! `script` and `rejection` are the words, `gate` holds an answer back, `scripts` chooses the script for a request that
//! `asked` describes, `beats` cuts a script into steps for a player. `play` is the player in process, `line` a model
//! line over it, `demo` the built-in demonstration model. The server of the test kit plays the same beats over sockets.

mod asked;
mod beats;
mod demo;
mod gate;
mod line;
mod play;
mod rejection;
mod script;
mod scripts;

#[cfg(test)]
mod tests;

pub use asked::{Asked, LastTurn};
pub use beats::{AnswerPart, Beat, Finish, Stop};
pub use demo::{DEMO_MODEL, DEMO_PROVIDER, DemoLine, demo_provider};
pub use gate::Gate;
pub use line::ScriptedLine;
pub use rejection::Rejection;
pub use script::{SCRIPTED_USAGE, Script};
pub use scripts::Scripts;
