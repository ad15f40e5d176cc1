//! Writes the whole protocol down as one JSON Schema document.
//!
//! The document is made from the same types that serve the wire: every frame, every method's params and result, every
//! event's payload, with the rights from the tables. `cargo xtask schema` writes it to disk and makes TypeScript types
//! from it; nothing at run time needs it.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::connect::{ConnectParams, ConnectParamsV3};
use crate::error::{DetailCode, ErrorCode, ErrorShape};
use crate::events::{EVENTS, EventSpec, WhenSlow};
use crate::frame::{EventFrame, RequestFrame, ResponseFrame};
use crate::hello::HelloOk;
use crate::table::{METHODS, MethodAccess, MethodListing, MethodSpec, RateClass};
use crate::version::Dialect;

/// The protocol as one document: `frames`, `methods`, `events`, `errorCodes`, `detailCodes` and, under `$defs`, every
/// named type they refer to.
#[must_use]
pub fn schemas() -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let frames = frames(&mut generator);
    let methods: Map<String, Value> =
        METHODS.iter().map(|spec| (spec.name.to_owned(), method(spec, &mut generator))).collect();
    let events: Map<String, Value> =
        EVENTS.iter().map(|spec| (spec.name.to_owned(), event(spec, &mut generator))).collect();
    let mut definitions: Vec<(String, Value)> = generator.take_definitions(true).into_iter().collect();
    definitions.sort_by(|one, other| one.0.cmp(&other.0));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "OpenClaw gateway protocol",
        "protocols": [Dialect::OLDEST.number(), Dialect::NEWEST.number()],
        "errorCodes": ErrorCode::KNOWN.iter().map(ErrorCode::as_str).collect::<Vec<_>>(),
        "detailCodes": DetailCode::ALL.iter().map(|code| code.as_str()).collect::<Vec<_>>(),
        "frames": frames,
        "methods": methods,
        "events": events,
        "$defs": definitions.into_iter().collect::<Map<String, Value>>(),
    })
}

fn frames(generator: &mut SchemaGenerator) -> Map<String, Value> {
    [
        named::<RequestFrame>(generator),
        named::<ResponseFrame>(generator),
        named::<EventFrame>(generator),
        named::<ErrorShape>(generator),
        named::<ConnectParams>(generator),
        named::<ConnectParamsV3>(generator),
        named::<HelloOk>(generator),
    ]
    .into_iter()
    .collect()
}

fn named<T: JsonSchema>(generator: &mut SchemaGenerator) -> (String, Value) {
    (T::schema_name().into_owned(), generator.subschema_for::<T>().to_value())
}

fn method(spec: &MethodSpec, generator: &mut SchemaGenerator) -> Value {
    let (role, scope) = match spec.access {
        MethodAccess::Handshake => ("handshake", None),
        MethodAccess::Anyone => ("anyone", None),
        MethodAccess::Operator(scope) => ("operator", Some(scope.as_str())),
        MethodAccess::Node => ("node", None),
    };
    let mut entry = Map::new();
    entry.insert("params".to_owned(), spec.params_schema(generator).to_value());
    entry.insert("result".to_owned(), spec.result_schema(generator).to_value());
    entry.insert("role".to_owned(), json!(role));
    if let Some(scope) = scope {
        entry.insert("scope".to_owned(), json!(scope));
    }
    entry.insert("listed".to_owned(), json!(spec.listing == MethodListing::Listed));
    if spec.rate == RateClass::ControlPlane {
        entry.insert("rate".to_owned(), json!("control-plane"));
    }
    Value::Object(entry)
}

fn event(spec: &EventSpec, generator: &mut SchemaGenerator) -> Value {
    let when_slow = match spec.when_slow {
        WhenSlow::Drop => "drop",
        WhenSlow::DropDeltas => "drop-deltas",
        WhenSlow::Disconnect => "disconnect",
    };
    let payload: Schema = spec.payload_schema(generator);
    let mut entry = Map::new();
    entry.insert("payload".to_owned(), payload.to_value());
    entry.insert("whenSlow".to_owned(), json!(when_slow));
    for (key, dialect) in [("scope", Dialect::V3), ("scopeV4", Dialect::V4)] {
        if let Some(scope) = spec.guard(dialect) {
            entry.insert(key.to_owned(), json!(scope.as_str()));
        }
    }
    Value::Object(entry)
}
