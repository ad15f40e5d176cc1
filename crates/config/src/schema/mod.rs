//! The JSON Schema of the configuration file, made from the section types.
//!
//! One schema serves the checker of the loader, the `config.schema` method and the reference docs. Also here: the
//! hints with which a form is drawn, and the one decision which paths hold secrets.

mod carried;
mod generate;
mod hints;
mod label;
mod sensitive;

#[cfg(test)]
mod tests;

pub use carried::{ConfigSchema, config_schema, root_schema};
pub use generate::GeneratedSchema;
pub use sensitive::is_sensitive_path;
pub(crate) use sensitive::may_name_a_secret;
