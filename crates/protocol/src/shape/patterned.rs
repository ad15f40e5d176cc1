//! Lists of bounded length, fixed numbers, and texts of a fixed form.
//!
//! The forms are few and simple, so each is checked by hand; the regular expression stands in the schema for others.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::OutOfBounds;

/// A list of at least `MIN` and at most `MAX` entries; `MAX` 0 means no upper bound.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct List<T, const MIN: usize, const MAX: usize>(Vec<T>);

impl<T, const MIN: usize, const MAX: usize> List<T, MIN, MAX> {
    /// Takes a list that keeps the bounds.
    ///
    /// # Errors
    /// Refuses a list that is too short or too long.
    pub fn new(entries: Vec<T>) -> Result<Self, OutOfBounds> {
        if entries.len() >= MIN && (MAX == 0 || entries.len() <= MAX) {
            return Ok(Self(entries));
        }
        let wanted = match MAX {
            0 => format!("a list of at least {MIN} entries"),
            max => format!("a list of {MIN} to {max} entries"),
        };
        Err(OutOfBounds { wanted })
    }

    /// The entries.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.0
    }

    /// The entries, given away.
    #[must_use]
    pub fn into_vec(self) -> Vec<T> {
        self.0
    }
}

impl<'de, T: Deserialize<'de>, const MIN: usize, const MAX: usize> Deserialize<'de> for List<T, MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Self::new(Vec::deserialize(from)?).map_err(D::Error::custom)
    }
}

impl<T: JsonSchema, const MIN: usize, const MAX: usize> JsonSchema for List<T, MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        Cow::Owned(format!("List{MIN}To{MAX}Of{}", T::schema_name()))
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema =
            json_schema!({"type": "array", "items": generator.subschema_for::<T>(), "minItems": MIN});
        if MAX > 0 {
            schema.insert("maxItems".to_owned(), MAX.into());
        }
        schema
    }
}

/// The number `N`, where the wire allows no other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Exactly<const N: i64>;

impl<const N: i64> Serialize for Exactly<N> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_i64(N)
    }
}

impl<'de, const N: i64> Deserialize<'de> for Exactly<N> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let number = i64::deserialize(from)?;
        if number == N { Ok(Self) } else { Err(D::Error::custom(format_args!("must be {N}"))) }
    }
}

impl<const N: i64> JsonSchema for Exactly<N> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        Cow::Owned(format!("Exactly{N}"))
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer", "const": N})
    }
}

macro_rules! patterned {
    ($( $(#[doc = $doc:literal])* $name:ident ($min:literal) $pattern:literal $wanted:literal $fits:path; )*) => {$(
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Takes a text of the right form.
            ///
            /// # Errors
            /// Refuses every other text.
            pub fn new(text: impl Into<String>) -> Result<Self, OutOfBounds> {
                let text = text.into();
                if $fits(&text) { Ok(Self(text)) } else { Err(OutOfBounds { wanted: $wanted.to_owned() }) }
            }

            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                Self::new(String::deserialize(from)?).map_err(D::Error::custom)
            }
        }

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> Cow<'static, str> {
                Cow::Borrowed(stringify!($name))
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                let mut schema = json_schema!({"type": "string", "pattern": $pattern});
                if $min > 0 {
                    schema.insert("minLength".to_owned(), $min.into());
                }
                schema
            }
        }
    )*};
}

patterned! {
    /// A day, `YYYY-MM-DD`.
    DayText (0) r"^\d{4}-\d{2}-\d{2}$" "a day as YYYY-MM-DD" is_day;
    /// A distance from UTC, `UTC+2` or `UTC-3:30`.
    UtcOffset (0) r"^UTC[+-]\d{1,2}(?::[0-5]\d)?$" "an offset as UTC+2 or UTC-3:30" is_utc_offset;
    /// The id of a job as it names a file: not empty, no slashes.
    JobFileId (1) r"^[^/\\]+$" "a text without slashes" is_job_file_id;
}

fn is_day(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 10
        && bytes.iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

fn is_utc_offset(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("UTC+").or_else(|| text.strip_prefix("UTC-")) else {
        return false;
    };
    let (hours, minutes) = rest.split_once(':').unwrap_or((rest, "00"));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    matches!(hours.len(), 1 | 2) && digits(hours) && minutes.len() == 2 && digits(minutes) && minutes < "60"
}

fn is_job_file_id(text: &str) -> bool {
    !text.is_empty() && !text.contains(['/', '\\'])
}
