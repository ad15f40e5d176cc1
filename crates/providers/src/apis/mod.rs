//! One folder for each wire protocol.

mod answer;
mod blocks;
mod claude;
mod shared;

mod anthropic_messages;

#[cfg(test)]
mod conformance;

pub use anthropic_messages::AnthropicMessages;
