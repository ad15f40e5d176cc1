//! Reads the record of a transcript line: header, event, or something foreign.
//!
//! Lenient and total. A line that lacks what its kind needs is kept as an unknown event rather than bent into shape.

use serde_json::Value;

use super::entry::{
    BranchSummary, Compaction, CustomEntry, EntryBody, Label, OtherEntry, SessionHeader, SummaryAuthor,
};
use super::fields::Fields;
use super::line::{LineEntry, LineRecord};
use super::read_message;
use super::tape::Node;
use crate::{CustomMessage, ModelRef, ProviderId, ThinkingLevel, UnixMillis, Visibility};

/// The fields every event has, apart from what happened.
const BASE_FIELDS: [&str; 4] = ["type", "id", "parentId", "timestamp"];

/// Reads any JSON value.
pub(super) fn record(value: Node<'_>) -> LineRecord {
    let Some(line) = Fields::of(value) else { return LineRecord::Foreign(value.to_value()) };
    match line.text("type") {
        None => LineRecord::Foreign(value.to_value()),
        Some("session") => LineRecord::Header(Box::new(header(line))),
        Some(kind) => LineRecord::Entry(Box::new(LineEntry {
            id: line.parsed("id"),
            parent: line.parsed("parentId"),
            at: line.time("timestamp"),
            body: body(kind, line).unwrap_or_else(|| other(kind, line)),
        })),
    }
}

fn header(line: Fields<'_>) -> SessionHeader {
    SessionHeader {
        id: line.parsed("id"),
        version: line.count(&["version"]),
        at: line.time("timestamp"),
        cwd: line.string("cwd"),
        parent_session: line.string("parentSession"),
    }
}

fn body(kind: &str, line: Fields<'_>) -> Option<EntryBody> {
    match kind {
        "message" => Some(read_message::message(line.object("message")?).into()),
        "compaction" => Some(EntryBody::Compaction(compaction(line)?)),
        "branch_summary" => Some(EntryBody::BranchSummary(branch_summary(line)?)),
        "model_change" => Some(EntryBody::ModelChange(model_change(line)?)),
        "thinking_level_change" => {
            ThinkingLevel::from_word(line.text("thinkingLevel")?).map(EntryBody::ThinkingLevelChange)
        }
        "custom" => Some(EntryBody::Custom(CustomEntry {
            kind: line.string("customType")?,
            data: line.present("data"),
        })),
        "custom_message" => Some(EntryBody::CustomMessage(custom_message(line, line.time("timestamp"))?)),
        "label" => {
            Some(EntryBody::Label(Label { target: line.parsed("targetId")?, label: line.string("label") }))
        }
        "session_info" => Some(EntryBody::SessionName(line.string("name"))),
        _ => kind
            .strip_prefix("custom:")
            .filter(|kind| !kind.is_empty())
            .map(|kind| prefixed_custom(kind, line)),
    }
}

fn compaction(line: Fields<'_>) -> Option<Compaction> {
    Some(Compaction {
        summary: line.string("summary")?,
        first_kept: line.parsed("firstKeptEntryId"),
        tokens_before: line.count(&["tokensBefore"]),
        tokens_after: line.count(&["tokensAfter"]),
        details: line.present("details"),
        author: author(line),
    })
}

fn branch_summary(line: Fields<'_>) -> Option<BranchSummary> {
    Some(BranchSummary {
        from: line.parsed("fromId"),
        summary: line.string("summary")?,
        details: line.present("details"),
        author: author(line),
    })
}

fn author(line: Fields<'_>) -> SummaryAuthor {
    match line.flag("fromHook") {
        Some(true) => SummaryAuthor::Extension,
        _ => SummaryAuthor::Agent,
    }
}

fn model_change(line: Fields<'_>) -> Option<ModelRef> {
    let provider: ProviderId = line.parsed("provider")?;
    ModelRef::new(provider, &line.any_string(&["modelId", "model"])?).ok()
}

/// Reads what an extension said, from an event or from a message.
pub(super) fn custom_message(line: Fields<'_>, at: Option<UnixMillis>) -> Option<CustomMessage> {
    Some(CustomMessage {
        kind: line.string("customType")?,
        content: read_message::contents(line.value("content")),
        for_people: match line.flag("display") {
            Some(true) => Visibility::Shown,
            _ => Visibility::Hidden,
        },
        details: line.present("details"),
        at,
    })
}

/// Some files put the kind of a note into the type, and its fields beside it.
fn prefixed_custom(kind: &str, line: Fields<'_>) -> EntryBody {
    let data = line.present("data").or_else(|| {
        let beside = line.without(&BASE_FIELDS);
        (!beside.is_empty()).then_some(Value::Object(beside))
    });
    EntryBody::Custom(CustomEntry { kind: kind.to_owned(), data })
}

fn other(kind: &str, line: Fields<'_>) -> EntryBody {
    EntryBody::Other(OtherEntry { kind: kind.to_owned(), fields: line.without(&BASE_FIELDS) })
}
