//! How tools read their arguments. The reading itself is in `ports`, where what stands behind a tool finds it too.

pub(crate) use openclaw_ports::tool::{ToolArguments, WrongArgument};

#[cfg(test)]
pub(crate) mod tests;
