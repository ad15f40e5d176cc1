//! Reads an object only from an object.
//!
//! Serde's derived readers also take a list and fill the fields by position. On a wire of named fields that would accept
//! what every schema refuses, so the derived reader of each wire object is given a view of the input that offers no lists.

use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};

/// Reads an optional field that is present: null is a value like any other, and refused unless the type allows it.
pub(crate) fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

/// The view: structs are maps, and nothing else.
pub(crate) struct ObjectOnly<D>(pub(crate) D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for ObjectOnly<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
