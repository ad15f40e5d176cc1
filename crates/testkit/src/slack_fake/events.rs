//! Holds events against Slack's own description of them.
//!
//! The description is of 2021. What came later is named here: kinds of events it does not know, and the list of
//! installations that took the place of `authed_users`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

const TABLE: &str = include_str!("../../specs/slack-events.json");
/// Kinds that are newer than the description.
const NEWER: &[&str] = &["app_home_opened", "channel_id_changed"];
/// What newer events bring instead.
const REPLACED: (&str, &str) = ("authed_users", "authorizations");

#[derive(Deserialize)]
struct Table {
    wrapper: Shape,
    event: Shape,
    kinds: Vec<String>,
}

#[derive(Deserialize)]
struct Shape {
    fields: BTreeMap<String, String>,
    required: Vec<String>,
}

/// Whether an event is one that Slack could bring.
///
/// # Errors
/// What is wrong with it.
pub fn slack_event_fits(event: &Value) -> Result<(), String> {
    let table: Table = serde_json::from_str(TABLE).expect("the table is JSON");
    // The one thing that is brought without an event inside.
    if event["type"] == "app_rate_limited" {
        return Ok(());
    }
    table.wrapper.fits(event)?;
    table.event.fits(&event["event"])?;
    let kind = event["event"]["type"].as_str().unwrap_or_default();
    match table.kinds.iter().any(|known| known == kind) || NEWER.contains(&kind) {
        true => Ok(()),
        false => Err(format!("Slack has no event {kind}")),
    }
}

impl Shape {
    fn fits(&self, value: &Value) -> Result<(), String> {
        let (old, new) = REPLACED;
        let has = |name: &str| value.get(name).is_some();
        let is_there = |name: &str| has(name) || (name == old && has(new));
        let missing = self.required.iter().find(|name| !is_there(name));
        if let Some(name) = missing {
            return Err(format!("{name} is missing"));
        }
        let odd = self
            .fields
            .iter()
            .find(|(name, kind)| value.get(name.as_str()).is_some_and(|field| !is_of(field, kind)));
        odd.map_or(Ok(()), |(name, kind)| Err(format!("{name} is no {kind}")))
    }
}

fn is_of(value: &Value, kind: &str) -> bool {
    match kind {
        "string" => value.is_string(),
        "integer" => value.is_i64(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => unreachable!("the table has no {other}"),
    }
}
