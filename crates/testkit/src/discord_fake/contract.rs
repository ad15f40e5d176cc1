//! The platform's own description of its API, and a check of requests and answers against it.
//!
//! `specs/discord.json` is the published description (API v10), trimmed to operations, types, required fields and
//! limits. What it does not say, and the platform enforces all the same, is added here: 2,000 characters.

use serde_json::{Map, Value, json};

const SPEC: &str = include_str!("../../specs/discord.json");
const MOST_CHARACTERS: usize = 2000;

/// The description.
#[derive(Debug)]
pub(super) struct Contract {
    root: Value,
}

impl Contract {
    pub(super) fn read() -> Self {
        Self { root: serde_json::from_str(SPEC).expect("the description is JSON") }
    }

    /// The operation of a path, as the description names it.
    pub(super) fn operation(&self, method: &str, path: &str) -> Option<String> {
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let operations = self.root["operations"].as_object().expect("there are operations");
        let fits = |name: &&String| {
            let Some((verb, shape)) = name.split_once(' ') else { return false };
            let shape: Vec<&str> = shape.split('/').filter(|part| !part.is_empty()).collect();
            verb == method
                && shape.len() == parts.len()
                && shape.iter().zip(&parts).all(|(wanted, part)| wanted == part || wanted.starts_with('{'))
        };
        // A word of the path wins over a name that stands for anything.
        operations.keys().filter(fits).min_by_key(|name| name.matches('{').count()).cloned()
    }

    /// What is wrong with a request.
    pub(super) fn request(&self, operation: &str, query: &str, body: Option<&Value>) -> Vec<String> {
        let described = &self.root["operations"][operation];
        let mut wrong = Vec::new();
        let known: Vec<&str> =
            described["query"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for name in query.split('&').filter_map(|pair| pair.split('=').next()).filter(|name| !name.is_empty())
        {
            if !known.contains(&name) {
                wrong.push(format!("{operation}: there is no parameter {name}"));
            }
        }
        match (body, described.get("request")) {
            (Some(body), Some(schema)) => {
                wrong.extend(
                    self.problems(schema, body).into_iter().map(|problem| format!("{operation}: {problem}")),
                );
                let words = body["content"].as_str().or_else(|| body["message"]["content"].as_str());
                if words.is_some_and(|words| words.chars().count() > MOST_CHARACTERS) {
                    wrong.push(format!("{operation}: more than {MOST_CHARACTERS} characters"));
                }
            }
            (Some(body), None) if *body != Value::Object(Map::new()) => {
                wrong.push(format!("{operation}: takes no body"));
            }
            _ => {}
        }
        wrong
    }

    /// Fields of a request that the description does not know. The platform takes no notice of them.
    pub(super) fn strangers(&self, operation: &str, body: &Value) -> Vec<String> {
        let schema = &self.root["operations"][operation]["request"];
        unknown(self, schema, body)
            .into_iter()
            .map(|field| format!("{operation}: no field {field}"))
            .collect()
    }

    /// What is wrong with an answer.
    pub(super) fn answer(&self, operation: &str, status: u16, body: &Value) -> Vec<String> {
        let answers = &self.root["operations"][operation]["responses"];
        let problems = match answers.get(status.to_string()) {
            None => vec![format!("never answers with {status}")],
            Some(Value::Null) if body.is_null() => Vec::new(),
            Some(Value::Null) => vec!["answers with nothing".to_owned()],
            Some(schema) => self.problems(schema, body),
        };
        problems.into_iter().map(|problem| format!("answer of {operation}: {problem}")).collect()
    }

    /// What is wrong with a thing of a kind.
    pub(super) fn thing(&self, kind: &str, value: &Value) -> Vec<String> {
        let schema = &self.root["components"]["schemas"][kind];
        assert!(schema.is_object(), "the description knows no {kind}");
        self.problems(schema, value).into_iter().map(|problem| format!("{kind}: {problem}")).collect()
    }

    /// What is wrong with an event, as far as what it holds is described: messages, rooms and people are what the API
    /// shows.
    pub(super) fn event(&self, name: &str, body: &Value) -> Vec<String> {
        let body = &as_described(body);
        let mut things = match name {
            "MESSAGE_CREATE" | "MESSAGE_UPDATE" => vec![("MessageResponse", body.clone())],
            "THREAD_CREATE" | "THREAD_UPDATE" => vec![("ThreadResponse", body.clone())],
            "CHANNEL_CREATE" | "CHANNEL_UPDATE" => vec![("GuildChannelResponse", body.clone())],
            "INTERACTION_CREATE" => vec![("MessageResponse", body["message"].clone())],
            _ => Vec::new(),
        };
        let mut member = body["member"].clone();
        if member.is_object() && member.get("user").is_none() {
            // Whose member it is, the author says.
            member["user"] = body["author"].clone();
        }
        things.push(("GuildMemberResponse", member));
        let told = things.into_iter().filter(|(_, thing)| thing.is_object());
        told.flat_map(|(kind, thing)| self.thing(kind, &thing))
            .map(|wrong| format!("event {name}: {wrong}"))
            .collect()
    }

    fn problems(&self, schema: &Value, value: &Value) -> Vec<String> {
        let mut found = Vec::new();
        self.walk(schema, value, "", &mut found);
        found
    }

    fn resolve<'a>(&'a self, schema: &'a Value) -> &'a Value {
        match schema["$ref"].as_str().and_then(|name| name.rsplit('/').next()) {
            Some(name) => &self.root["components"]["schemas"][name],
            None => schema,
        }
    }

    fn walk(&self, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
        let schema = self.resolve(schema);
        if !has_kind(&schema["type"], value) {
            found.push(format!("{at} is {value} and not {}", schema["type"]));
            return;
        }
        if schema["enum"].as_array().is_some_and(|allowed| !allowed.contains(value)) {
            found.push(format!("{at} is {value} and not one of {}", schema["enum"]));
        }
        if schema.get("const").is_some_and(|wanted| wanted != value) {
            found.push(format!("{at} is {value} and not {}", schema["const"]));
        }
        for part in list(&schema["allOf"]) {
            self.walk(part, value, at, found);
        }
        for word in ["oneOf", "anyOf"] {
            let choices = list(&schema[word]);
            if !choices.is_empty() && !choices.iter().any(|choice| self.problems(choice, value).is_empty()) {
                let tried: Vec<_> = choices.iter().map(|choice| self.problems(choice, value)).collect();
                let nearest = tried.into_iter().min_by_key(Vec::len).unwrap_or_default();
                found.push(format!("{at} fits none of {word}: {}", nearest.join("; ")));
            }
        }
        match value {
            Value::Object(fields) => self.fields(schema, fields, at, found),
            Value::Array(items) => {
                sizes(schema, items.len(), ("minItems", "maxItems"), at, found);
                for (index, item) in items.iter().enumerate() {
                    self.walk(&schema["items"], item, &format!("{at}[{index}]"), found);
                }
            }
            Value::String(text) => sizes(schema, text.chars().count(), ("minLength", "maxLength"), at, found),
            Value::Number(number) => {
                let number = number.as_f64().unwrap_or(0.0);
                let low = schema["minimum"].as_f64().is_some_and(|least| number < least);
                let high = schema["maximum"].as_f64().is_some_and(|most| number > most);
                if low || high {
                    found.push(format!("{at} is {number}, out of bounds"));
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn fields(&self, schema: &Value, fields: &Map<String, Value>, at: &str, found: &mut Vec<String>) {
        for name in list(&schema["required"]).iter().filter_map(Value::as_str) {
            if !fields.contains_key(name) {
                found.push(format!("{at} lacks {name}"));
            }
        }
        for (name, value) in fields {
            if let Some(inner) = schema["properties"].get(name) {
                self.walk(inner, value, &format!("{at}.{name}"), found);
            } else if schema["additionalProperties"].is_object() {
                self.walk(&schema["additionalProperties"], value, &format!("{at}.{name}"), found);
            }
        }
    }
}

/// An event as the description knows it. That is of the API alone, and the gateway leaves out some of what the API always
/// shows: a person's `flags`, the `results` of a poll, and the `application_id` of a webhook that is nobody's. And it does
/// not know that messages are forwarded (a reference of type 1).
fn as_described(told: &Value) -> Value {
    let fields = match told {
        Value::Object(fields) => fields,
        Value::Array(items) => return items.iter().map(as_described).collect(),
        other => return other.clone(),
    };
    let mut shown: Map<String, Value> = fields
        .iter()
        .filter(|(name, value)| *name != "application_id" || !value.is_null())
        .map(|(name, value)| (name.clone(), as_described(value)))
        .collect();
    if let Some(flags) = shown.get("public_flags").cloned() {
        shown.entry("flags").or_insert(flags);
    }
    if shown.get("type") == Some(&json!(1)) && shown.contains_key("message_id") {
        shown.insert("type".to_owned(), json!(0));
    }
    if shown.contains_key("allow_multiselect") {
        shown.entry("results").or_insert_with(|| json!({ "is_finalized": false, "answer_counts": [] }));
    }
    Value::Object(shown)
}

/// Fields of a request that the description does not know, at its top.
fn unknown(contract: &Contract, schema: &Value, body: &Value) -> Vec<String> {
    let mut names = Vec::new();
    collect(contract, schema, &mut names);
    let fields = body.as_object().into_iter().flatten();
    fields.map(|(name, _)| name).filter(|name| !names.is_empty() && !names.contains(name)).cloned().collect()
}

fn collect(contract: &Contract, schema: &Value, names: &mut Vec<String>) {
    let schema = contract.resolve(schema);
    names.extend(schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()));
    for word in ["oneOf", "anyOf", "allOf"] {
        list(&schema[word]).iter().for_each(|part| collect(contract, part, names));
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn sizes(schema: &Value, size: usize, (least, most): (&str, &str), at: &str, found: &mut Vec<String>) {
    let size = size as u64;
    let low = schema[least].as_u64().is_some_and(|least| size < least);
    let high = schema[most].as_u64().is_some_and(|most| size > most);
    if low || high {
        found.push(format!("{at} has a size of {size}"));
    }
}

fn has_kind(wanted: &Value, value: &Value) -> bool {
    let is = |kind: &str| match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    };
    match wanted {
        Value::String(kind) => is(kind),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).any(is),
        _ => true,
    }
}
