//! The parts that depend on the session or the run. What changes most often comes last.

mod channel;
mod owners;
mod reactions;
mod reasoning;
mod reasoning_format;
mod runtime;
mod sandbox;
mod situation;
mod voice;

use super::build::Make;

/// The parts, in order.
pub(super) const PARTS: [(&str, Make); 9] = [
    ("sandbox", sandbox::part),
    ("people", owners::part),
    ("voice", voice::part),
    ("situation", situation::part),
    ("channel", channel::part),
    ("reactions", reactions::part),
    ("reasoning format", reasoning_format::part),
    ("runtime", runtime::part),
    ("reasoning", reasoning::part),
];
