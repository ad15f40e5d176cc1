//! Which protocol number two sides speak.
//!
//! Pure: a range in, a dialect or a typed refusal out. The gateway answers with `Dialect::number` and shapes events for
//! that connection accordingly; `connect` uses the range to choose how strictly the params are read.

use serde_json::json;

use crate::error::{DetailCode, ErrorShape};

/// A protocol this implementation speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dialect {
    /// Protocol 3, of the releases up to 2026.2.
    V3,
    /// Protocol 4, of the releases up to 2026.9.
    V4,
}

impl Dialect {
    /// The oldest one.
    pub const OLDEST: Self = Self::V3;
    /// The newest one.
    pub const NEWEST: Self = Self::V4;

    /// The number on the wire.
    #[must_use]
    pub fn number(self) -> u32 {
        match self {
            Self::V3 => 3,
            Self::V4 => 4,
        }
    }

    /// The dialect with this number.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Self> {
        match number {
            3 => Some(Self::V3),
            4 => Some(Self::V4),
            _ => None,
        }
    }
}

/// The two sides have no protocol in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the client speaks protocols {min} to {max}, this gateway 3 and 4")]
pub struct ProtocolMismatch {
    /// Lowest protocol of the client.
    pub min: i64,
    /// Highest protocol of the client.
    pub max: i64,
}

impl ProtocolMismatch {
    /// The error for the client. `expectedProtocol` names the nearest protocol it could learn.
    #[must_use]
    pub fn to_error(self) -> ErrorShape {
        let nearest =
            if self.max < i64::from(Dialect::OLDEST.number()) { Dialect::OLDEST } else { Dialect::NEWEST };
        ErrorShape::invalid_request("protocol mismatch").with_details(json!({
            "code": DetailCode::ProtocolMismatch.as_str(),
            "clientMinProtocol": self.min,
            "clientMaxProtocol": self.max,
            "expectedProtocol": nearest.number(),
            "minimumProbeProtocol": Dialect::OLDEST.number(),
        }))
    }
}

/// Chooses the newest protocol both sides speak.
///
/// # Errors
/// Says what the client speaks when there is none.
pub fn negotiate(min: i64, max: i64) -> Result<Dialect, ProtocolMismatch> {
    let speaks = |dialect: Dialect| (min..=max).contains(&i64::from(dialect.number()));
    [Dialect::V4, Dialect::V3]
        .into_iter()
        .find(|dialect| speaks(*dialect))
        .ok_or(ProtocolMismatch { min, max })
}
