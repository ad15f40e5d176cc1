//! The small value types every section is built from.
//!
//! Whole numbers with bounds, secrets, open JSON and the unions a person may write in more than one way. Each type
//! states its own schema, so that what is accepted and what is documented cannot drift apart.

mod number;
mod open;
mod secret;
mod union;

pub use number::{Count, Port, Positive, Whole, WholeError};
pub use open::Raw;
pub(crate) use secret::SECRET_MARK;
pub use secret::{EnvRef, ExecRef, FileRef, SecretInput, SecretRef, SecretText};
pub use union::{
    AutoWord, ModelChoice, ModelFallbacks, Off, Scalar, TextNumberOrOff, TextOrNumber, TextOrOff,
    ToggleOrAuto,
};
