//! Short names for background commands that people and models can read and type.
//!
//! Pure apart from chance. A name that is taken gets a number.

const FIRST: [&str; 32] = [
    "amber", "brisk", "calm", "clear", "cool", "crisp", "dawn", "deep", "early", "fair", "fine", "fresh",
    "gentle", "glad", "golden", "green", "keen", "kind", "light", "lucky", "mild", "neat", "plain", "proud",
    "quick", "quiet", "silver", "smooth", "steady", "sunny", "swift", "warm",
];
const SECOND: [&str; 32] = [
    "basin", "beacon", "birch", "bridge", "brook", "canyon", "cedar", "cliff", "delta", "dune", "ember",
    "fern", "field", "fjord", "forest", "garden", "glade", "harbor", "hill", "island", "lake", "maple",
    "meadow", "moss", "oak", "orchard", "pebble", "pine", "river", "spring", "stone", "wave",
];

/// A name that is not taken.
pub(crate) fn fresh(is_taken: impl Fn(&str) -> bool) -> String {
    let chance = usize::from(u16::from_le_bytes(chance()));
    let base = format!("{}-{}", FIRST[chance % FIRST.len()], SECOND[(chance / FIRST.len()) % SECOND.len()]);
    let numbered = (2..).map(|number: u64| format!("{base}-{number}"));
    std::iter::once(base.clone()).chain(numbered).find(|name| !is_taken(name)).unwrap_or(base)
}

/// Two bytes of chance; without any, names are only less varied.
fn chance() -> [u8; 2] {
    let mut bytes = [0; 2];
    if let Err(error) = getrandom::fill(&mut bytes) {
        tracing::debug!(%error, "no chance for a name");
    }
    bytes
}
