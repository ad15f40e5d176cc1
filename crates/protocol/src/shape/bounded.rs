//! Texts and numbers with bounds that hold from the moment they are read.
//!
//! Each type enforces its bounds when deserialised and shows them in its schema. They are for what clients send; results
//! are built by us and use plain types. Who needs the plain value calls `as_str`, `into_string` or `get`.

use std::borrow::Cow;
use std::fmt;

use openclaw_types::Secret;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Says that a value lies outside the bounds of its type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be {wanted}")]
pub struct OutOfBounds {
    /// The bounds, in words.
    pub wanted: String,
}

/// A text of at least `MIN` and at most `MAX` characters; `MAX` 0 means no upper bound.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Text<const MIN: usize, const MAX: usize>(String);

/// A text that is not empty.
pub type NonEmpty = Text<1, 0>;

impl<const MIN: usize, const MAX: usize> Text<MIN, MAX> {
    /// Takes a text that keeps the bounds.
    ///
    /// # Errors
    /// Refuses a text that is too short or too long.
    pub fn new(text: impl Into<String>) -> Result<Self, OutOfBounds> {
        let text = text.into();
        let fits = if MIN <= 1 && MAX == 0 {
            text.len() >= MIN
        } else {
            let length = text.chars().count();
            length >= MIN && (MAX == 0 || length <= MAX)
        };
        if fits { Ok(Self(text)) } else { Err(OutOfBounds { wanted: Self::wanted() }) }
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, given away.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }

    fn wanted() -> String {
        match (MIN, MAX) {
            (1, 0) => "a text that is not empty".to_owned(),
            (min, 0) => format!("a text of at least {min} characters"),
            (0, max) => format!("a text of at most {max} characters"),
            (min, max) => format!("a text of {min} to {max} characters"),
        }
    }
}

impl<const MIN: usize, const MAX: usize> fmt::Display for Text<MIN, MAX> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl<'de, const MIN: usize, const MAX: usize> Deserialize<'de> for Text<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Self::new(String::deserialize(from)?).map_err(D::Error::custom)
    }
}

impl<const MIN: usize, const MAX: usize> JsonSchema for Text<MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        Cow::Owned(format!("Text{MIN}To{MAX}"))
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut schema = json_schema!({"type": "string"});
        if MIN > 0 {
            schema.insert("minLength".to_owned(), MIN.into());
        }
        if MAX > 0 {
            schema.insert("maxLength".to_owned(), MAX.into());
        }
        schema
    }
}

/// A whole number from `MIN` to `MAX`; `MAX` of `i64::MAX` means no upper bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Int<const MIN: i64, const MAX: i64 = { i64::MAX }>(i64);

/// A whole number from 0 up.
pub type Natural = Int<0>;

/// A whole number from 1 up.
pub type Positive = Int<1>;

impl<const MIN: i64, const MAX: i64> Int<MIN, MAX> {
    /// Takes a number that keeps the bounds.
    ///
    /// # Errors
    /// Refuses a number outside of them.
    pub fn new(number: i64) -> Result<Self, OutOfBounds> {
        if (MIN..=MAX).contains(&number) {
            Ok(Self(number))
        } else {
            Err(OutOfBounds { wanted: Self::wanted() })
        }
    }

    /// The number.
    #[must_use]
    pub fn get(self) -> i64 {
        self.0
    }

    /// The number as an unsigned one; a negative number, which no type of the protocol allows, reads as 0.
    #[must_use]
    pub fn unsigned(self) -> u64 {
        u64::try_from(self.0).unwrap_or(0)
    }

    fn wanted() -> String {
        if MAX == i64::MAX {
            format!("a whole number from {MIN} up")
        } else {
            format!("a whole number from {MIN} to {MAX}")
        }
    }
}

impl<const MIN: i64, const MAX: i64> fmt::Display for Int<MIN, MAX> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// Reads whole numbers in every spelling JSON has for them, `5`, `5.0` and `5e0`.
struct WholeNumber<const MIN: i64, const MAX: i64>;

impl<const MIN: i64, const MAX: i64> Visitor<'_> for WholeNumber<MIN, MAX> {
    type Value = Int<MIN, MAX>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&Int::<MIN, MAX>::wanted())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        Int::new(number).map_err(E::custom)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        match i64::try_from(number) {
            Ok(number) => self.visit_i64(number),
            Err(_) => Err(E::invalid_value(Unexpected::Unsigned(number), &self)),
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "the value is checked to be whole and within the exact range of a double"
    )]
    fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
        if is_exact_integer(number) {
            self.visit_i64(number as i64)
        } else {
            Err(E::invalid_value(Unexpected::Float(number), &self))
        }
    }
}

impl<'de, const MIN: i64, const MAX: i64> Deserialize<'de> for Int<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_i64(WholeNumber)
    }
}

impl<const MIN: i64, const MAX: i64> JsonSchema for Int<MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        Cow::Owned(format!("Int{MIN}To{MAX}"))
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut schema = json_schema!({"type": "integer", "minimum": MIN});
        if MAX != i64::MAX {
            schema.insert("maximum".to_owned(), MAX.into());
        }
        schema
    }
}

/// Any number; a whole one is written without a decimal point, as clients in other languages do.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Deserialize)]
#[serde(transparent)]
pub struct Num(pub f64);

impl Serialize for Num {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the value is checked to be whole and within the exact range of a double"
    )]
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if is_exact_integer(self.0) { to.serialize_i64(self.0 as i64) } else { to.serialize_f64(self.0) }
    }
}

impl JsonSchema for Num {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("Num")
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "number"})
    }
}

fn is_exact_integer(number: f64) -> bool {
    number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0
}

/// The value `true`, where the wire allows no other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Yes;

impl Serialize for Yes {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bool(true)
    }
}

impl<'de> Deserialize<'de> for Yes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        if bool::deserialize(from)? {
            Ok(Self)
        } else {
            Err(D::Error::invalid_value(Unexpected::Bool(false), &"true"))
        }
    }
}

impl JsonSchema for Yes {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("Yes")
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "boolean", "const": true})
    }
}

/// A token or password on its way over the wire: hidden from `Debug`, wiped when dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretText(Secret<String>);

impl SecretText {
    /// Seals a text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(Secret::new(text.into()))
    }

    /// Shows the text to the one caller that needs it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        self.0.reveal()
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl Serialize for SecretText {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.0.reveal())
    }
}

impl<'de> Deserialize<'de> for SecretText {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from).map(Self::new)
    }
}

impl JsonSchema for SecretText {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("SecretText")
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string"})
    }
}
