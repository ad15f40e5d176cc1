//! What is searched for inputs that break a promise: every decoder of a model's answer, every framing below them, and what
//! makes messages of a model's Markdown, in the words of every platform.
//!
//! A `Target` takes any bytes and panics when a promise is broken. The binary hands it to libFuzzer, the test replays
//! the kept corpus and the recorded answers. What is promised to whom stands in `ports::model::StreamDecoder`.

mod cuts;
mod decoder;
mod framing;
mod mend;
mod renderings;
mod target;
mod words;

pub use renderings::check_renderings;
pub use target::Target;
