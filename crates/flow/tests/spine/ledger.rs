//! What must hold after any number of crashes: one answer for each submission, whole transcripts, no deed twice.

use std::collections::{BTreeMap, HashSet};

use openclaw_ports::stores::{Inbox as _, SessionStore as _};
use openclaw_types::{AgentId, LineRecord, Message, ToolCallId};

use crate::world::{Machine, messages, short};

/// A submission that was sent.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    pub(crate) key: String,
    pub(crate) run: String,
    pub(crate) text: String,
}

impl Sent {
    pub(crate) fn new(key: &str, run: &str, text: &str) -> Self {
        Self { key: key.to_owned(), run: run.to_owned(), text: text.to_owned() }
    }
}

/// Checks everything. Submissions begin with `#` and their own name, or are commands.
pub(crate) async fn expect_in_order(machine: &Machine, sent: &[Sent], when: &str) {
    assert_eq!(machine.inbox.open_messages().await.unwrap().len(), 0, "submissions are left {when}");
    let mut heard: BTreeMap<String, usize> = BTreeMap::new();
    let mut commands = 0;
    let mut shown = Vec::new();
    let keys: HashSet<&str> = sent.iter().map(|sent| sent.key.as_str()).collect();
    for key in keys {
        let branch = machine.branch(key).await;
        let all: Vec<&Message> = messages(&branch).collect();
        shown.extend(all.iter().map(|message| format!("{key}: {}", short(message))));
        expect_whole(&all, when);
        expect_rooted(machine, key, when).await;
        for text in all
            .iter()
            .filter(|message| matches!(message, Message::Assistant(_)))
            .map(|message| message.plain_text())
        {
            match text.strip_prefix("Heard ") {
                Some(names) => names.trim_end_matches('.').split(' ').for_each(|name| {
                    *heard.entry(name.trim_start_matches('#').to_owned()).or_default() += 1;
                }),
                None if text != "One moment." => commands += 1,
                None => {}
            }
        }
    }
    let (asked, told): (Vec<&Sent>, Vec<&Sent>) = sent.iter().partition(|sent| sent.text.starts_with('#'));
    let expected: BTreeMap<String, usize> = asked.iter().map(|sent| (sent.run.clone(), 1)).collect();
    assert_eq!(heard, expected, "each submission has one answer {when}: {shown:#?}");
    assert_eq!(commands, told.len(), "each command has one answer {when}");
    expect_once(machine, &asked, when).await;
}

/// Each call has one result, before the model speaks again; no result without its call.
pub(crate) fn expect_whole(all: &[&Message], when: &str) {
    let shown = || all.iter().map(|message| short(message)).collect::<Vec<_>>();
    let mut open: Vec<&ToolCallId> = Vec::new();
    for message in all {
        match message {
            Message::Assistant(message) => {
                assert!(open.is_empty(), "a call has no result {when}: {:#?}", shown());
                open = message.tool_calls().map(|call| &call.id).collect();
            }
            Message::ToolResult(result) => {
                let place = open.iter().position(|call| **call == result.call);
                let place = place.unwrap_or_else(|| panic!("a result has no call {when}: {:#?}", shown()));
                open.remove(place);
            }
            _ => {}
        }
    }
    assert!(open.is_empty(), "a call has no result {when}: {:#?}", shown());
}

/// Every entry's parent is there, and was written before it.
async fn expect_rooted(machine: &Machine, key: &str, when: &str) {
    let agent = AgentId::main();
    let Some(entry) = machine.sessions.entry(&agent, &key.parse().unwrap()).await.unwrap() else { return };
    let mut known = HashSet::new();
    for stored in machine.sessions.transcript(&agent, &entry.session_id).await.unwrap() {
        let LineRecord::Entry(entry) = &stored.line.record else { continue };
        let parent = entry.parent.as_ref();
        assert!(parent.is_none_or(|parent| known.contains(parent)), "an entry has no parent {when}");
        known.extend(entry.id.clone());
    }
}

/// What was ordered was done once, or the model was told that nobody knows.
async fn expect_once(machine: &Machine, asked: &[&Sent], when: &str) {
    let deeds = machine.deeds();
    for sent in asked {
        for what in sent.text.split_whitespace().filter_map(|word| word.strip_prefix("do:")) {
            let done = deeds.iter().filter(|deed| *deed == what).count();
            let results = machine.transcript(&sent.key).await;
            let result = results.iter().find(|line| line.starts_with("change: ") && line.ends_with(what));
            match result {
                Some(_) => assert_eq!(done, 1, "{what} was said to be done {when}"),
                None => assert!(done <= 1, "{what} was done twice {when}"),
            }
        }
    }
}
