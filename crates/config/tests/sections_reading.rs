//! Reads samples of the whole format into the section types, made from the original's schema.
//!
//! Every key is there once, for every alternative of every union, so that no type is narrower than the schema it
//! states. The same samples carry planted secrets, to prove that printing a configuration never shows one.

use openclaw_config::sections::RawConfig;
use openclaw_config::{
    Config, Context, Environment, Locations, Overrides, ProfileChoice, is_sensitive_path, root_schema,
};
use openclaw_schema::Checker;
use serde_json::{Map, Value, json};

/// More alternatives than any union of the format has.
const ALTERNATIVES: usize = 4;
const PLANTED: &str = "planted-secret";

#[test]
fn every_alternative_of_every_key_is_read() {
    let schema = original();
    let checker = Checker::from_value(root_schema());
    for alternative in 0..ALTERNATIVES {
        let sample = Sampler { alternative }.sample(&schema, &mut Vec::new());
        assert_eq!(checker.check(&sample), vec![], "alternative {alternative}");
        let read: Result<RawConfig, _> = serde_json::from_value(sample);
        assert!(read.is_ok(), "alternative {alternative}: {read:?}");
    }
}

#[test]
fn printing_a_configuration_shows_no_secret() {
    let schema = original();
    let environment = Environment::fake(
        [("OPENCLAW_GATEWAY_TOKEN", PLANTED), ("OPENCLAW_GATEWAY_PASSWORD", PLANTED)],
        "/home/ana",
    );
    let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment).unwrap();
    for alternative in 0..ALTERNATIVES {
        let mut sample = Sampler { alternative }.sample(&schema, &mut Vec::new());
        sample["channels"] = json!({ "somewhere": { "note": PLANTED, "list": [PLANTED] } });
        sample["plugins"]["entries"] = json!({ "any": { "config": { "note": PLANTED } } });
        sample["env"] = json!({ "vars": { "X": PLANTED }, "Y": PLANTED });
        assert!(sample.to_string().matches(PLANTED).count() > 30);
        let raw: RawConfig = serde_json::from_value(sample).unwrap();
        let context =
            Context { environment: &environment, locations: &locations, overrides: &Overrides::default() };
        let (config, problems) = Config::resolve(raw, &context);
        let printed = format!("{config:?} {config:#?} {problems:?}");
        assert!(!printed.contains(PLANTED), "alternative {alternative}");
    }
}

#[test]
fn unknown_keys_do_not_stop_reading() {
    let read: RawConfig = serde_json::from_value(json!({
        "gatewey": 1, "gateway": { "prot": 2, "port": 5, "auth": { "tokken": "x" } },
        "tools": { "execc": {}, "exec": { "hots": 1 } },
    }))
    .unwrap();
    assert_eq!(read.gateway.unwrap().port.unwrap().get(), 5);
}

#[test]
fn whole_numbers_may_be_written_as_floats() {
    let port = |value: Value| -> Result<u64, String> {
        let read: Result<RawConfig, _> = serde_json::from_value(json!({ "gateway": { "port": value } }));
        read.map(|raw| raw.gateway.unwrap().port.unwrap().get()).map_err(|error| error.to_string())
    };
    assert_eq!(port(json!(18789.0)), Ok(18789));
    assert_eq!(port(json!(1e3)), Ok(1000));
    for wrong in [json!(1.5), json!(0), json!(-1), json!(1e300), json!("80"), json!(true)] {
        assert!(port(wrong.clone()).is_err(), "{wrong}");
    }
}

fn original() -> Value {
    serde_json::from_str(include_str!("fixtures/config-schema-2026.2.26.json"))
        .unwrap_or_else(|error| panic!("the fixture is not JSON: {error}"))
}

/// Makes values that a schema accepts. Texts at sensitive paths are planted secrets.
struct Sampler {
    alternative: usize,
}

impl Sampler {
    fn sample(&self, node: &Value, path: &mut Vec<String>) -> Value {
        if path.as_slice() == ["channels"] {
            return json!({});
        }
        if let Some(constant) = node.get("const") {
            return constant.clone();
        }
        for word in ["enum", "anyOf", "oneOf"] {
            if let Some(list) = node.get(word).and_then(Value::as_array) {
                let chosen = &list[self.alternative.min(list.len() - 1)];
                return if word == "enum" { chosen.clone() } else { self.sample(chosen, path) };
            }
        }
        match node.get("type") {
            Some(Value::Array(kinds)) => {
                let kind = &kinds[self.alternative.min(kinds.len() - 1)];
                self.sample(&json!({ "type": kind }), path)
            }
            Some(Value::String(kind)) => self.of_kind(kind, node, path),
            _ => json!({ "anything": [1, PLANTED] }),
        }
    }

    fn of_kind(&self, kind: &str, node: &Value, path: &mut Vec<String>) -> Value {
        match kind {
            "boolean" => json!(self.alternative == 0),
            "string" => text(node, path),
            "integer" | "number" => number(node),
            "array" => {
                path.push("[]".to_owned());
                let item = self.sample(&node["items"], path);
                path.pop();
                json!([item])
            }
            "object" => self.object(node, path),
            other => panic!("kind {other} at {path:?}"),
        }
    }

    fn object(&self, node: &Value, path: &mut Vec<String>) -> Value {
        let mut object = Map::new();
        let properties = node.get("properties").and_then(Value::as_object);
        let more = node.get("additionalProperties").filter(|more| more.is_object());
        let keys = properties.into_iter().flatten().map(|(key, child)| (key.as_str(), child));
        for (key, child) in keys.chain(more.map(|more| ("sample", more))) {
            path.push(key.to_owned());
            object.insert(key.to_owned(), self.sample(child, path));
            path.pop();
        }
        Value::Object(object)
    }
}

fn text(node: &Value, path: &[String]) -> Value {
    let keys: Vec<&str> = path.iter().map(String::as_str).collect();
    match (node.get("pattern").and_then(Value::as_str), node.get("format")) {
        (Some(pattern), _) if pattern.contains("0-9a-fA-F") => json!("ff4500"),
        (Some(pattern), _) if pattern.starts_with("^[A-Z][") => json!("SOME_NAME"),
        (Some(_), _) => json!("name"),
        (None, Some(_)) => json!("https://example.com/hook"),
        (None, None) if is_sensitive_path(&keys) || is_in_secret_map(&keys) => json!(PLANTED),
        (None, None) => json!("text"),
    }
}

/// Headers and variables handed to others often hold keys, under names that nobody can know.
fn is_in_secret_map(keys: &[&str]) -> bool {
    keys.len() > 1 && ["headers", "env"].contains(&keys[keys.len() - 2])
}

fn number(node: &Value) -> Value {
    let bound = |key: &str| node.get(key).and_then(Value::as_f64);
    let least =
        bound("minimum").or(bound("exclusiveMinimum").map(|bound| bound + 1.0)).filter(|least| *least >= 0.0);
    let value = least.unwrap_or(1.0);
    if node["type"] == "integer" { json!(value as u64) } else { json!(value) }
}
