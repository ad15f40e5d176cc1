//! The notation wire types are written in, and the small types their fields are made of.
//!
//! `object!` mirrors the notation of protocol references: `name: Type` is required, `name?: Type` may be absent (but not
//! null), a leading text gives the wire's own spelling when camelCase would be wrong, `..rest` keeps unknown keys. A
//! `closed` object refuses unknown keys, an `open` one ignores them. Each macro writes the serde and the schema side from
//! the same line, so the two cannot drift. Nothing here knows any method; `methods` and `events` are the users.

mod bounded;
mod patterned;
mod read;
mod schema;

#[cfg(test)]
mod tests;

pub use bounded::{Int, Natural, NonEmpty, Num, OutOfBounds, Positive, SecretText, Text, Yes};
pub use patterned::{DayText, Exactly, JobFileId, List, UtcOffset};
pub(crate) use read::{ObjectOnly, present};
pub(crate) use schema::{ObjectSchema, alternatives, choice, tagged_alternatives};

/// Declares wire objects; see the module's words for the notation.
macro_rules! object {
    ($( $(#[doc = $doc:literal])* $(#[derive($($derive:ident),*)])? $mode:ident $name:ident { $($body:tt)* } )*) => {
        $( $crate::shape::object!(@munch $mode $name [$($doc)*] [$($($derive)*)?] [] [] $($body)*); )*
    };

    // Optional, camelCase.
    (@munch $mode:ident $name:ident $docs:tt $derive:tt [$($fields:tt)*] [$($props:tt)*]
        $(#[doc = $doc:literal])* $field:ident ? : $ty:ty, $($rest:tt)*) => {
        $crate::shape::object!(@munch $mode $name $docs $derive
            [$($fields)*
                $(#[doc = $doc])*
                #[serde(default, deserialize_with = "crate::shape::present", skip_serializing_if = "Option::is_none")]
                #[allow(missing_docs, reason = "a field has the wire's own name; its type says what it is for")]
                pub $field: Option<$ty>,]
            [$($props)* .optional::<$ty>(&$crate::shape::camel(stringify!($field)), concat!($($doc, "\n"),*))]
            $($rest)*);
    };
    // Optional, spelled out.
    (@munch $mode:ident $name:ident $docs:tt $derive:tt [$($fields:tt)*] [$($props:tt)*]
        $(#[doc = $doc:literal])* $wire:literal $field:ident ? : $ty:ty, $($rest:tt)*) => {
        $crate::shape::object!(@munch $mode $name $docs $derive
            [$($fields)*
                $(#[doc = $doc])*
                #[serde(rename = $wire, default, deserialize_with = "crate::shape::present", skip_serializing_if = "Option::is_none")]
                #[allow(missing_docs, reason = "a field has the wire's own name; its type says what it is for")]
                pub $field: Option<$ty>,]
            [$($props)* .optional::<$ty>($wire, concat!($($doc, "\n"),*))]
            $($rest)*);
    };
    // Required, camelCase.
    (@munch $mode:ident $name:ident $docs:tt $derive:tt [$($fields:tt)*] [$($props:tt)*]
        $(#[doc = $doc:literal])* $field:ident : $ty:ty, $($rest:tt)*) => {
        $crate::shape::object!(@munch $mode $name $docs $derive
            [$($fields)*
                $(#[doc = $doc])*
                #[allow(missing_docs, reason = "a field has the wire's own name; its type says what it is for")]
                pub $field: $ty,]
            [$($props)* .required::<$ty>(&$crate::shape::camel(stringify!($field)), concat!($($doc, "\n"),*))]
            $($rest)*);
    };
    // Required, spelled out.
    (@munch $mode:ident $name:ident $docs:tt $derive:tt [$($fields:tt)*] [$($props:tt)*]
        $(#[doc = $doc:literal])* $wire:literal $field:ident : $ty:ty, $($rest:tt)*) => {
        $crate::shape::object!(@munch $mode $name $docs $derive
            [$($fields)*
                $(#[doc = $doc])*
                #[serde(rename = $wire)]
                #[allow(missing_docs, reason = "a field has the wire's own name; its type says what it is for")]
                pub $field: $ty,]
            [$($props)* .required::<$ty>($wire, concat!($($doc, "\n"),*))]
            $($rest)*);
    };
    // All fields of another object, in line.
    (@munch $mode:ident $name:ident $docs:tt $derive:tt [$($fields:tt)*] [$($props:tt)*] + $field:ident : $ty:ty, $($rest:tt)*) => {
        $crate::shape::object!(@munch $mode $name $docs $derive
            [$($fields)*
                #[doc = "The fields of this object stand in line with the others."]
                #[serde(flatten)]
                pub $field: $ty,]
            [$($props)* .include::<$ty>()]
            $($rest)*);
    };
    // Unknown keys are kept.
    (@munch $mode:ident $name:ident $docs:tt $derive:tt [$($fields:tt)*] [$($props:tt)*] .. $field:ident) => {
        $crate::shape::object!(@munch $mode $name $docs $derive
            [$($fields)*
                #[doc = "Keys this version does not know, kept as they are."]
                #[serde(flatten)]
                pub $field: serde_json::Map<String, serde_json::Value>,]
            [$($props)*]);
    };

    (@munch closed $name:ident [$($doc:literal)*] [$($derive:ident)*] [$($fields:tt)*] [$($props:tt)*]) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, $($derive,)*)]
        #[serde(remote = "Self", rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name { $($fields)* }
        $crate::shape::object!(@schema $name [$($doc)*] [$($props)* .close()]);
    };
    (@munch open $name:ident [$($doc:literal)*] [$($derive:ident)*] [$($fields:tt)*] [$($props:tt)*]) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, $($derive,)*)]
        #[serde(remote = "Self", rename_all = "camelCase")]
        pub struct $name { $($fields)* }
        $crate::shape::object!(@schema $name [$($doc)*] [$($props)*]);
    };

    (@schema $name:ident [$($doc:literal)*] [$($props:tt)*]) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                Self::serialize(self, to)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                Self::deserialize($crate::shape::ObjectOnly(from))
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                std::borrow::Cow::Borrowed(stringify!($name))
            }
            fn schema_id() -> std::borrow::Cow<'static, str> {
                std::borrow::Cow::Borrowed(concat!(module_path!(), "::", stringify!($name)))
            }
            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $crate::shape::ObjectSchema::new(generator, concat!($($doc, "\n"),*))$($props)*.finish()
            }
        }
    };
}
pub(crate) use object;

/// Declares a fixed set of words.
macro_rules! choices {
    ($( $(#[doc = $doc:literal])* $name:ident { $( $(#[doc = $vdoc:literal])* $variant:ident = $text:literal ),* $(,)? } )*) => {$(
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name { $(
            $(#[doc = $vdoc])*
            #[doc = concat!("`", $text, "` on the wire.")]
            #[serde(rename = $text)]
            $variant,
        )* }

        impl $name {
            /// Every word of the set.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The word as it stands on the wire.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str(self.as_str())
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                std::borrow::Cow::Borrowed(stringify!($name))
            }
            fn schema_id() -> std::borrow::Cow<'static, str> {
                std::borrow::Cow::Borrowed(concat!(module_path!(), "::", stringify!($name)))
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $crate::shape::choice(concat!($($doc, "\n"),*), &[$($text),*])
            }
        }
    )*};
}
pub(crate) use choices;

/// Declares a union whose members are told apart by one field.
macro_rules! tagged {
    ($(#[doc = $doc:literal])* $name:ident by $tag:literal { $($variant:ident = $text:literal : $ty:ty),* $(,)? }) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(tag = $tag)]
        #[allow(clippy::large_enum_variant, reason = "a message is read once and taken apart")]
        pub enum $name { $(
            #[doc = concat!("`", $text, "` on the wire.")]
            #[serde(rename = $text)]
            $variant($ty),
        )* }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                std::borrow::Cow::Borrowed(stringify!($name))
            }
            fn schema_id() -> std::borrow::Cow<'static, str> {
                std::borrow::Cow::Borrowed(concat!(module_path!(), "::", stringify!($name)))
            }
            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let members = vec![$(($text, <$ty as schemars::JsonSchema>::json_schema(generator)),)*];
                $crate::shape::tagged_alternatives(concat!($($doc, "\n"),*), $tag, members)
            }
        }
    };
}
pub(crate) use tagged;

/// Declares a union whose members are told apart by their shape; the first that fits is taken.
macro_rules! either {
    ($(#[doc = $doc:literal])* $name:ident { $($(#[doc = $vdoc:literal])* $variant:ident($ty:ty)),* $(,)? }) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(untagged)]
        #[allow(clippy::large_enum_variant, reason = "a message is read once and taken apart")]
        pub enum $name { $(
            $(#[doc = $vdoc])*
            $variant($ty),
        )* }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                std::borrow::Cow::Borrowed(stringify!($name))
            }
            fn schema_id() -> std::borrow::Cow<'static, str> {
                std::borrow::Cow::Borrowed(concat!(module_path!(), "::", stringify!($name)))
            }
            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let members = vec![$(generator.subschema_for::<$ty>(),)*];
                $crate::shape::alternatives(concat!($($doc, "\n"),*), members)
            }
        }
    };
}
pub(crate) use either;

/// Turns `session_key` into `sessionKey`, the way serde's `camelCase` does.
pub(crate) fn camel(field: &str) -> String {
    let mut text = String::with_capacity(field.len());
    let mut upper = false;
    for letter in field.trim_start_matches("r#").chars() {
        match (letter, upper) {
            ('_', _) => upper = true,
            (letter, true) => {
                text.push(letter.to_ascii_uppercase());
                upper = false;
            }
            (letter, false) => text.push(letter),
        }
    }
    text
}
