//! Makes pictures fit for models: not larger than a model looks at anyway, and not heavier than vendors take.
//!
//! `decide` says what is too large and how much smaller to try, pure. `scale` reads, shrinks and writes pictures, and
//! `fit` does it for the content of a message, off the async threads. Runs call it for results of tools and messages of
//! people before they are stored, and whoever asks a model about pictures for these.

mod decide;
mod fit;
mod scale;

#[cfg(test)]
mod tests;

pub use decide::PictureLimits;
pub use fit::PictureRoom;
