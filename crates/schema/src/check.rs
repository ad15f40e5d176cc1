//! The walk over a value and its schema.
//!
//! A `Checker` resolves local references once per lookup and never recurses deeper than the value does, so hostile
//! values cannot make it loop. Alternatives (`anyOf`, `oneOf`) report the problems of the one alternative that was
//! clearly meant, by type or by its discriminating constant, and otherwise name all of them.

use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value};

use crate::issue::{Issue, PathStep, SchemaProblem};
use crate::suggest::closest;

/// A schema ready to check values.
#[derive(Debug, Clone)]
pub struct Checker {
    root: Value,
}

impl Checker {
    /// The checker for what a type accepts when it is read.
    #[must_use]
    pub fn of<T: JsonSchema>() -> Self {
        let generator: SchemaGenerator = SchemaSettings::draft07().into_generator();
        Self::from_schema(&generator.into_root_schema_for::<T>())
    }

    /// The checker for a given schema.
    #[must_use]
    pub fn from_schema(schema: &Schema) -> Self {
        Self::from_value(schema.as_value().clone())
    }

    /// The same for a schema that was written down.
    #[must_use]
    pub fn from_value(root: Value) -> Self {
        Self { root }
    }

    /// Every problem of a value, in the order of the value.
    #[must_use]
    pub fn check(&self, value: &Value) -> Vec<Issue> {
        let mut walk = Walk { root: &self.root, path: Vec::new(), issues: Vec::new() };
        walk.value(&self.root, value);
        walk.issues
    }
}

struct Walk<'a> {
    root: &'a Value,
    path: Vec<PathStep>,
    issues: Vec<Issue>,
}

impl<'a> Walk<'a> {
    fn value(&mut self, schema: &'a Value, value: &Value) {
        let schema = self.resolve(schema);
        let Some(rules) = schema.as_object() else {
            // `true` allows everything; `false` stands for "no such key" and is met in `object`.
            return;
        };
        if !self.kind(rules, value) {
            return;
        }
        self.choice(rules, value);
        match value {
            Value::Object(object) => self.object(rules, object),
            Value::Array(items) => self.array(rules, items),
            Value::String(text) => self.text(rules, text),
            Value::Number(number) => self.number(rules, number),
            Value::Null | Value::Bool(_) => {}
        }
        for part in list(rules, "allOf") {
            self.value(part, value);
        }
        for word in ["anyOf", "oneOf"] {
            let alternatives = list(rules, word);
            if !alternatives.is_empty() {
                self.alternatives(alternatives, value);
            }
        }
    }

    fn report(&mut self, problem: SchemaProblem) {
        self.issues.push(Issue { path: self.path.clone(), problem });
    }

    fn resolve(&self, schema: &'a Value) -> &'a Value {
        let mut current = schema;
        // A chain of references is finite in what schemars emits; the bound keeps a hand-made cycle from hanging us.
        for _ in 0..32 {
            let Some(target) = current.get("$ref").and_then(Value::as_str) else { break };
            match target.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer)) {
                Some(next) => current = next,
                None => break,
            }
        }
        current
    }

    /// Checks the JSON type. When it is wrong nothing else about the value is worth saying.
    fn kind(&mut self, rules: &Map<String, Value>, value: &Value) -> bool {
        let wanted = types_of(rules);
        if wanted.is_empty() || wanted.iter().any(|name| has_type(value, name)) {
            return true;
        }
        self.report(SchemaProblem::WrongType { expected: in_words(&wanted), found: type_name(value) });
        false
    }

    fn choice(&mut self, rules: &Map<String, Value>, value: &Value) {
        let allowed: Vec<Value> = match (rules.get("enum"), rules.get("const")) {
            (Some(Value::Array(values)), _) => values.clone(),
            (_, Some(one)) => vec![one.clone()],
            _ => return,
        };
        if !allowed.contains(value) {
            let suggestion = value
                .as_str()
                .and_then(|text| closest(text, allowed.iter().filter_map(Value::as_str)))
                .map(str::to_owned);
            self.report(SchemaProblem::NotAllowed { allowed, suggestion });
        }
    }

    fn object(&mut self, rules: &'a Map<String, Value>, object: &Map<String, Value>) {
        let known = rules.get("properties").and_then(Value::as_object);
        for (key, inner) in object {
            let described =
                known.and_then(|known| known.get(key)).filter(|schema| **schema != Value::Bool(false));
            match (described, rules.get("additionalProperties")) {
                (Some(schema), _) => self.inside(PathStep::Key(key.clone()), schema, inner),
                (None, Some(Value::Bool(false))) => {
                    let names = known.into_iter().flat_map(Map::keys).map(String::as_str);
                    let suggestion = closest(key, names).map(str::to_owned);
                    self.report(SchemaProblem::UnknownKey { key: key.clone(), suggestion });
                }
                (None, Some(schema)) => self.inside(PathStep::Key(key.clone()), schema, inner),
                (None, None) => {}
            }
        }
        for key in list(rules, "required").iter().filter_map(Value::as_str) {
            if !object.contains_key(key) {
                self.report(SchemaProblem::MissingKey { key: key.to_owned() });
            }
        }
        self.size(
            rules,
            object.len(),
            &Sizes { least: "minProperties", most: "maxProperties", unit: "entries" },
        );
    }

    fn array(&mut self, rules: &'a Map<String, Value>, items: &[Value]) {
        let tuple = rules.get("items").and_then(Value::as_array);
        for (index, item) in items.iter().enumerate() {
            let schema = match tuple {
                Some(each) => each.get(index),
                None => rules.get("items"),
            };
            if let Some(schema) = schema {
                self.inside(PathStep::Index(index), schema, item);
            }
        }
        self.size(rules, items.len(), &Sizes { least: "minItems", most: "maxItems", unit: "items" });
    }

    fn text(&mut self, rules: &Map<String, Value>, text: &str) {
        let sizes = Sizes { least: "minLength", most: "maxLength", unit: "characters" };
        self.size(rules, text.chars().count(), &sizes);
        if let Some(pattern) = rules.get("pattern").and_then(Value::as_str) {
            // A pattern we cannot compile is a bug of the schema, not of the value.
            if regex_lite::Regex::new(pattern).is_ok_and(|regex| !regex.is_match(text)) {
                self.report(SchemaProblem::Pattern { pattern: pattern.to_owned() });
            }
        }
    }

    fn number(&mut self, rules: &Map<String, Value>, number: &serde_json::Number) {
        let Some(found) = number.as_f64() else { return };
        let bound = |word: &str| rules.get(word).and_then(Value::as_f64);
        let broken = bound("minimum").is_some_and(|least| found < least)
            || bound("maximum").is_some_and(|most| found > most)
            || bound("exclusiveMinimum").is_some_and(|least| found <= least)
            || bound("exclusiveMaximum").is_some_and(|most| found >= most);
        if broken {
            self.report(SchemaProblem::OutOfRange { wanted: range_in_words(rules) });
        }
    }

    fn size(&mut self, rules: &Map<String, Value>, found: usize, words: &Sizes) {
        let bound = |word: &str| rules.get(word).and_then(Value::as_u64);
        let found = found as u64;
        let (least, most) = (bound(words.least), bound(words.most));
        if least.is_some_and(|least| found < least) || most.is_some_and(|most| found > most) {
            let unit = words.unit;
            let wanted = match (least, most) {
                (Some(1), None) => "non-empty".to_owned(),
                (Some(least), None) => format!("at least {least} {unit} long"),
                (None, Some(most)) => format!("at most {most} {unit} long"),
                (Some(least), Some(most)) => format!("{least} to {most} {unit} long"),
                (None, None) => return,
            };
            self.report(SchemaProblem::WrongSize { wanted });
        }
    }

    fn inside(&mut self, step: PathStep, schema: &'a Value, value: &Value) {
        self.path.push(step);
        self.value(schema, value);
        self.path.pop();
    }

    fn alternatives(&mut self, alternatives: &'a [Value], value: &Value) {
        let mut attempts: Vec<(&'a Value, Vec<Issue>)> = Vec::new();
        for alternative in alternatives {
            let mut attempt = Walk { root: self.root, path: self.path.clone(), issues: Vec::new() };
            attempt.value(alternative, value);
            if attempt.issues.is_empty() {
                return;
            }
            attempts.push((alternative, attempt.issues));
        }
        let issues = self.meant(attempts, value);
        self.issues.extend(issues);
    }

    /// Picks what to say when no alternative fits: the problems of the one that was clearly meant, a merged list of
    /// constants, or the alternatives in words.
    fn meant(&self, attempts: Vec<(&'a Value, Vec<Issue>)>, value: &Value) -> Vec<Issue> {
        let depth = self.path.len();
        let at_top = |issue: &Issue| issue.path.len() == depth;
        let constants = attempts.iter().flat_map(|(_, issues)| issues).filter(|issue| at_top(issue));
        let allowed: Vec<Value> = constants
            .filter_map(|issue| match &issue.problem {
                SchemaProblem::NotAllowed { allowed, .. } => Some(allowed.clone()),
                _ => None,
            })
            .flatten()
            .collect();
        let mut fitting: Vec<Vec<Issue>> = Vec::new();
        for (schema, issues) in &attempts {
            let wrong_kind = issues.iter().any(|issue| {
                at_top(issue)
                    && matches!(
                        issue.problem,
                        SchemaProblem::WrongType { .. } | SchemaProblem::NotAllowed { .. }
                    )
            });
            if !wrong_kind && !self.other_variant(schema, value) {
                fitting.push(issues.clone());
            }
        }
        if fitting.len() == 1 {
            return fitting.swap_remove(0);
        }
        let problem = if !fitting.is_empty() || allowed.is_empty() {
            let expected = attempts.iter().map(|(schema, _)| self.describe(schema)).collect::<Vec<_>>();
            SchemaProblem::NoAlternative { expected: without_repeats(expected) }
        } else {
            let suggestion = value
                .as_str()
                .and_then(|text| closest(text, allowed.iter().filter_map(Value::as_str)))
                .map(str::to_owned);
            SchemaProblem::NotAllowed { allowed, suggestion }
        };
        vec![Issue { path: self.path.clone(), problem }]
    }

    /// Whether an object alternative names a constant (its tag) that the value contradicts.
    fn other_variant(&self, schema: &'a Value, value: &Value) -> bool {
        let Some(object) = value.as_object() else { return false };
        let properties = self.resolve(schema).get("properties").and_then(Value::as_object);
        properties.into_iter().flatten().any(|(key, inner)| {
            let inner = self.resolve(inner);
            let constant = inner.get("const").or_else(|| match inner.get("enum").and_then(Value::as_array) {
                Some(values) if values.len() == 1 => values.first(),
                _ => None,
            });
            constant.is_some_and(|constant| object.get(key).is_some_and(|found| found != constant))
        })
    }

    fn describe(&self, schema: &'a Value) -> String {
        let schema = self.resolve(schema);
        let Some(rules) = schema.as_object() else { return "any value".to_owned() };
        if let Some(constant) = rules.get("const") {
            return constant.to_string();
        }
        if let Some(values) = rules.get("enum").and_then(Value::as_array) {
            return values.iter().map(Value::to_string).collect::<Vec<_>>().join(" or ");
        }
        let types = types_of(rules);
        if types.is_empty() { "another form".to_owned() } else { in_words(&types) }
    }
}

struct Sizes {
    least: &'static str,
    most: &'static str,
    unit: &'static str,
}

fn list<'a>(rules: &'a Map<String, Value>, word: &str) -> &'a [Value] {
    rules.get(word).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn types_of(rules: &Map<String, Value>) -> Vec<&str> {
    match rules.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        // As in JSON Schema, 5.0 is an integer.
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        other => type_name(value) == other,
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn in_words(types: &[&str]) -> String {
    types.join(" or ")
}

fn range_in_words(rules: &Map<String, Value>) -> String {
    let mut parts = Vec::new();
    let words = [
        ("minimum", "at least"),
        ("exclusiveMinimum", "greater than"),
        ("maximum", "at most"),
        ("exclusiveMaximum", "less than"),
    ];
    for (word, text) in words {
        if let Some(bound) = rules.get(word) {
            parts.push(format!("{text} {bound}"));
        }
    }
    parts.join(" and ")
}

fn without_repeats(mut texts: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::BTreeSet::new();
    texts.retain(|text| seen.insert(text.clone()));
    texts
}
