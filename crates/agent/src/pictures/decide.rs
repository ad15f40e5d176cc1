//! Decides which pictures are too large, and which smaller ones are tried. Pure.

use openclaw_config::Config;

/// How large pictures for models may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PictureLimits {
    /// The longest side, in pixels.
    pub side: u32,
    /// The most bytes. Base64 makes a third more of them.
    pub bytes: usize,
}

/// The longest side, unless the configuration says otherwise. More costs tokens and shows models little more.
const SIDE: u32 = 1200;
/// What all vendors take: 5 MB of Base64.
const BYTES: usize = 3_750_000;

/// What is tried after a vendor found a picture too large.
const SIDE_AGAIN: u32 = 800;
const BYTES_AGAIN: usize = 750_000;
/// No picture is made smaller than this: nothing could be seen on it.
const SMALLEST_SIDE: u32 = 64;

/// How well JPEG keeps a picture, out of a hundred, from the first attempt to the last.
const QUALITIES: [u8; 3] = [85, 70, 50];

impl PictureLimits {
    /// The limits that the configuration sets.
    #[must_use]
    pub fn of(config: &Config) -> Self {
        let defaults = config.raw.agents.as_ref().and_then(|agents| agents.defaults.as_ref());
        let side = defaults.and_then(|defaults| defaults.image_max_dimension_px);
        let side = side.map_or(SIDE, |side| u32::try_from(side.get()).unwrap_or(u32::MAX));
        Self { side: side.max(SMALLEST_SIDE), bytes: BYTES }
    }

    /// The limits for another attempt, after a vendor found a picture too large.
    pub(crate) fn tighter(self) -> Self {
        Self { side: self.side.min(SIDE_AGAIN), bytes: self.bytes.min(BYTES_AGAIN) }
    }

    /// Whether a picture is small enough as it is.
    pub(super) fn hold(self, (width, height): (u32, u32), bytes: usize) -> bool {
        width.max(height) <= self.side && bytes <= self.bytes
    }

    /// The sides and qualities to try for a picture, until one is light enough: first how it looks best.
    pub(super) fn attempts(self, (width, height): (u32, u32)) -> impl Iterator<Item = (u32, u8)> {
        let mut side = width.max(height).min(self.side);
        let sides = std::iter::from_fn(move || {
            let now = (side >= SMALLEST_SIDE.min(width.max(height))).then_some(side)?;
            side = side / 3 * 2;
            Some(now)
        });
        sides.take_while(|side| *side > 0).flat_map(|side| QUALITIES.map(|quality| (side, quality)))
    }
}
