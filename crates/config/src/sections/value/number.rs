//! Whole numbers with bounds that are part of the type.
//!
//! JSON does not tell `5` from `5.0`, and the original accepts both, so a whole number written as a float is read
//! here too. Range violations are found by the schema check first; reading repeats the check for callers without one.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer};

/// The largest whole number a JSON number carries exactly.
const LARGEST: u64 = 9_007_199_254_740_991;

/// A whole number between `MIN` and `MAX`, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Whole<const MIN: u64, const MAX: u64 = LARGEST>(u64);

/// A whole number that may be zero.
pub type Count = Whole<0>;
/// A whole number of at least one.
pub type Positive = Whole<1>;
/// A TCP port.
pub type Port = Whole<1, 65_535>;

/// Says that a number lies outside the bounds of its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{value} is not between {min} and {max}")]
pub struct WholeError {
    value: u64,
    min: u64,
    max: u64,
}

impl<const MIN: u64, const MAX: u64> Whole<MIN, MAX> {
    /// Accepts a number within the bounds.
    ///
    /// # Errors
    /// When the number is outside the bounds.
    pub fn new(value: u64) -> Result<Self, WholeError> {
        if (MIN..=MAX).contains(&value) {
            Ok(Self(value))
        } else {
            Err(WholeError { value, min: MIN, max: MAX })
        }
    }

    /// The plain number.
    #[must_use]
    pub fn get(self) -> u64 {
        self.0
    }
}

impl<const MIN: u64, const MAX: u64> JsonSchema for Whole<MIN, MAX> {
    fn schema_name() -> Cow<'static, str> {
        format!("Whole{MIN}To{MAX}").into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        if MAX == LARGEST {
            json_schema!({ "type": "integer", "minimum": MIN })
        } else {
            json_schema!({ "type": "integer", "minimum": MIN, "maximum": MAX })
        }
    }
}

impl<'de, const MIN: u64, const MAX: u64> Deserialize<'de> for Whole<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_u64(WholeVisitor)
    }
}

struct WholeVisitor<const MIN: u64, const MAX: u64>;

impl<const MIN: u64, const MAX: u64> Visitor<'_> for WholeVisitor<MIN, MAX> {
    type Value = Whole<MIN, MAX>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "a whole number between {MIN} and {MAX}")
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
        Whole::new(value).map_err(E::custom)
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
        match u64::try_from(value) {
            Ok(value) => self.visit_u64(value),
            Err(_negative) => Err(E::invalid_value(de::Unexpected::Signed(value), &self)),
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "the guard admits only whole numbers that a float holds exactly"
    )]
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Self::Value, E> {
        if value.fract() == 0.0 && (0.0..=LARGEST as f64).contains(&value) {
            self.visit_u64(value as u64)
        } else {
            Err(E::invalid_value(de::Unexpected::Float(value), &self))
        }
    }
}
