//! The list of what can be searched.

use openclaw_ports::model::ApiName;
use openclaw_providers::codec;

use crate::{decoder, framing, words};

/// One thing that reads bytes from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// The decoder of a protocol.
    Api(ApiName),
    /// Lines.
    Lines,
    /// Server-sent events.
    Sse,
    /// The AWS event stream.
    AwsEventStream,
    /// Markdown that is read and cut into messages.
    Markdown,
}

impl Target {
    /// Every target.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let mut all: Vec<Self> = ApiName::ALL.iter().map(|api| Self::Api(*api)).collect();
        all.extend([Self::Lines, Self::Sse, Self::AwsEventStream, Self::Markdown]);
        all
    }

    /// The target as commands and folders name it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Api(api) => api.as_str(),
            Self::Lines => "framing-lines",
            Self::Sse => "framing-sse",
            Self::AwsEventStream => "framing-aws-event-stream",
            Self::Markdown => "markdown",
        }
    }

    /// The target with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|target| target.name() == name)
    }

    /// Reads the bytes as this target would.
    ///
    /// # Panics
    /// When a promise is broken.
    pub fn check(self, data: &[u8]) {
        match self {
            Self::Api(name) => decoder::check(codec(name), data),
            Self::Lines => framing::lines(data),
            Self::Sse => framing::sse(data),
            Self::AwsEventStream => framing::aws_event_stream(data),
            Self::Markdown => words::check(data),
        }
    }
}
