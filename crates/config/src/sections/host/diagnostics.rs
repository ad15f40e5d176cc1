//! The `diagnostics` section: what is measured and traced.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::value::{Count, SecretText};

/// What is measured and traced.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiagnosticsSection {
    /// Whether diagnostic events are made.
    pub enabled: Option<bool>,
    /// Parts of the program that log more; a `*` stands for any text.
    pub flags: Option<Vec<String>>,
    /// Export to an OpenTelemetry collector.
    pub otel: Option<DiagnosticsOtel>,
    /// A file that shows why model caches hit or miss.
    pub cache_trace: Option<DiagnosticsCacheTrace>,
}

/// Export to an OpenTelemetry collector.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiagnosticsOtel {
    /// Whether anything is exported.
    pub enabled: Option<bool>,
    /// The collector's address.
    pub endpoint: Option<String>,
    /// How the collector is spoken to.
    pub protocol: Option<OtelProtocol>,
    /// Headers sent along, such as a key.
    #[serde(default)]
    pub headers: BTreeMap<String, SecretText>,
    /// The name the data appears under.
    pub service_name: Option<String>,
    /// Whether traces are exported.
    pub traces: Option<bool>,
    /// Whether metrics are exported.
    pub metrics: Option<bool>,
    /// Whether log lines are exported.
    pub logs: Option<bool>,
    /// The share of traces that are kept.
    #[schemars(range(min = 0, max = 1))]
    pub sample_rate: Option<f64>,
    /// The time between two exports, in milliseconds.
    pub flush_interval_ms: Option<Count>,
}

/// A file that shows what was sent to models.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiagnosticsCacheTrace {
    /// Whether it is written.
    pub enabled: Option<bool>,
    /// Where it is written.
    pub file_path: Option<String>,
    /// Whether the messages are included.
    pub include_messages: Option<bool>,
    /// Whether the prompt is included.
    pub include_prompt: Option<bool>,
    /// Whether the system prompt is included.
    pub include_system: Option<bool>,
}

/// How a collector is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum OtelProtocol {
    /// Protocol buffers over HTTP.
    #[serde(rename = "http/protobuf")]
    HttpProtobuf,
    /// gRPC.
    Grpc,
}
