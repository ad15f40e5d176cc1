//! What every `SessionStore` does with transcripts: trees that only grow, and the branches in them.

use std::sync::Arc;

use futures_util::future::join_all;
use openclaw_ports::stores::{
    Append, Archive, ArchiveReason, Archived, BranchQuery, BranchReach, Flush, SessionStore, StoredEntry,
};
use openclaw_types::{
    AgentId, Compaction, Content, EntryBody, EntryId, LineRecord, Message, RunId, SummaryAuthor, Text,
    TranscriptEntry, TranscriptLine, UnixMillis, UserMessage,
};
use serde_json::json;

use super::sessions::{agent, key, session};

/// Tests transcripts of a `SessionStore`; see the module for what `make` gives.
#[macro_export]
macro_rules! transcript_conformance {
    ($make:path) => {
        $crate::conformance_tests!(
            transcripts,
            $make,
            [
                a_transcript_that_does_not_exist_is_empty,
                entries_come_back_whole_and_in_order,
                a_line_of_an_older_file_comes_back_as_it_was,
                lines_beside_the_tree_are_kept_once_and_in_no_branch,
                the_last_entry_of_an_append_is_the_leaf,
                a_repeated_append_changes_nothing,
                an_entry_that_is_known_is_not_overwritten,
                two_branches_from_one_entry_are_read_apart,
                a_leaf_that_is_not_there_changes_nothing,
                the_newest_entries_are_counted_from_the_leaf,
                a_branch_since_its_compaction_begins_with_what_was_kept,
                the_newest_compaction_of_the_branch_counts,
                a_compaction_that_kept_nothing_of_the_branch_is_its_beginning,
                entries_without_an_id_follow_the_leaf_under_ids_of_their_own,
                an_entry_that_follows_nothing_known_is_refused_with_all_of_its_append,
                equal_ids_in_two_transcripts_are_two_entries,
                messages_are_found_by_their_key,
                appends_at_once_are_all_kept,
                an_archived_transcript_stays_readable_and_is_listed_newest_first,
                an_erased_transcript_is_gone_and_the_others_stay,
            ]
        );
    };
}

/// The name of an entry.
///
/// # Panics
/// When the name is no id.
#[must_use]
pub fn id(name: &str) -> EntryId {
    EntryId::new(name).expect("an id")
}

/// A message of a person. An empty `parent` makes it a root.
#[must_use]
pub fn said(name: &str, parent: &str) -> TranscriptLine {
    let message = UserMessage {
        content: vec![Content::Text(Text { text: format!("words of {name}"), signature: None })],
        at: Some(UnixMillis(7)),
        provenance: None,
        idempotency_key: Some(format!("key of {name}")),
    };
    line(name, parent, Message::User(message).into())
}

/// A compaction. An empty `kept` keeps nothing.
#[must_use]
pub fn compacted(name: &str, parent: &str, kept: &str) -> TranscriptLine {
    let compaction = Compaction {
        summary: "what was".to_owned(),
        first_kept: (!kept.is_empty()).then(|| id(kept)),
        tokens_before: Some(100),
        tokens_after: None,
        details: Some(json!({"readFiles": ["a"]})),
        author: SummaryAuthor::Agent,
    };
    line(name, parent, EntryBody::Compaction(compaction))
}

fn line(name: &str, parent: &str, body: EntryBody) -> TranscriptLine {
    let parent = (!parent.is_empty()).then(|| id(parent));
    let entry = TranscriptEntry { id: id(name), parent, at: UnixMillis(1_767_225_600_123), body };
    TranscriptLine::new(LineRecord::Entry(Box::new(entry.into())))
}

/// An append to a transcript of `main`.
#[must_use]
pub fn lines(name: &str, lines: Vec<TranscriptLine>) -> Append {
    Append {
        agent: AgentId::main(),
        session: session(name),
        run: None,
        begins: None,
        flush: Flush::Now,
        lines,
    }
}

async fn append(store: &dyn SessionStore, name: &str, added: Vec<TranscriptLine>) {
    store.append(lines(name, added)).await.expect("a store in order takes entries");
}

async fn branch(store: &dyn SessionStore, leaf: &str, reach: BranchReach) -> Vec<StoredEntry> {
    let leaf = (!leaf.is_empty()).then(|| id(leaf));
    let query = BranchQuery { agent: AgentId::main(), session: session("s"), leaf, reach };
    store.branch(query).await.expect("a store in order can be read")
}

/// The names in a branch; an empty `leaf` is the current one.
async fn names(store: &dyn SessionStore, leaf: &str, reach: BranchReach) -> Vec<String> {
    branch(store, leaf, reach).await.iter().map(name_of).collect()
}

fn name_of(stored: &StoredEntry) -> String {
    match &stored.line.record {
        LineRecord::Entry(entry) => entry.id.as_ref().expect("an entry has an id").as_str().to_owned(),
        _ => String::new(),
    }
}

async fn transcript(store: &dyn SessionStore, name: &str) -> Vec<StoredEntry> {
    store.transcript(&AgentId::main(), &session(name)).await.expect("a store in order can be read")
}

async fn leaf(store: &dyn SessionStore) -> Option<EntryId> {
    store.leaf(&AgentId::main(), &session("s")).await.expect("a store in order can be read")
}

async fn set_leaf(store: &dyn SessionStore, name: &str) -> bool {
    store.set_leaf(&AgentId::main(), &session("s"), &id(name)).await.expect("a store in order")
}

/// A transcript with the entries `a`, `b`, … in one branch.
async fn chain(store: &dyn SessionStore, letters: &str) {
    let parents = std::iter::once(String::new()).chain(letters.chars().map(String::from));
    let chain = letters.chars().zip(parents).map(|(name, parent)| said(&name.to_string(), &parent));
    append(store, "s", chain.collect()).await;
}

/// Another transcript of the agent changes nothing about that.
pub async fn a_transcript_that_does_not_exist_is_empty(store: &dyn SessionStore) {
    append(store, "other", vec![said("a", "")]).await;
    assert_eq!(transcript(store, "s").await, []);
    assert_eq!(branch(store, "", BranchReach::Whole).await, []);
    assert_eq!(branch(store, "a", BranchReach::SinceCompaction).await, []);
    assert_eq!(leaf(store).await, None);
}

/// Order of writing and the run are kept.
pub async fn entries_come_back_whole_and_in_order(store: &dyn SessionStore) {
    append(store, "s", vec![said("a", ""), compacted("b", "a", "a")]).await;
    let run = RunId::new("r1").expect("an id");
    let more = Append { run: Some(run.clone()), ..lines("s", vec![said("c", "b")]) };
    store.append(more).await.expect("a store in order takes entries");
    let expected = [
        StoredEntry { sequence: 1, run: None, line: said("a", "").into() },
        StoredEntry { sequence: 2, run: None, line: compacted("b", "a", "a").into() },
        StoredEntry { sequence: 3, run: Some(run), line: said("c", "b").into() },
    ];
    assert_eq!(transcript(store, "s").await, expected);
    assert_eq!(branch(store, "", BranchReach::Whole).await, expected);
}

/// Whatever a line said beyond what we know of it.
pub async fn a_line_of_an_older_file_comes_back_as_it_was(store: &dyn SessionStore) {
    let text = r#"{"future":1,"type":"message","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z",
        "message":{"role":"user","content":"bare","timestamp":7,"unheard":{"of":[]}}}"#;
    let kept = TranscriptLine::parse(text).expect("a line");
    // An older file had neither ids nor parents; whoever reads it gives them.
    let old = r#"{"type":"message","message":{"role":"user","content":"older"}}"#;
    let mut given = TranscriptLine::parse(old).expect("a line");
    if let LineRecord::Entry(entry) = &mut given.record {
        entry.id = Some(id("b"));
        entry.parent = Some(id("a"));
    }
    let unknown = r#"{"type":"unheard_of","id":"c","parentId":"b","x":[1.5,"y"]}"#;
    let unknown = TranscriptLine::parse(unknown).expect("a line");
    let all = vec![kept, given, unknown];
    append(store, "s", all.clone()).await;
    let stored: Vec<_> = branch(store, "", BranchReach::Whole)
        .await
        .into_iter()
        .map(|stored| Arc::unwrap_or_clone(stored.line))
        .collect();
    assert_eq!(stored, all);
}

/// A header, and something that is no line of a transcript.
pub async fn lines_beside_the_tree_are_kept_once_and_in_no_branch(store: &dyn SessionStore) {
    let header =
        r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w","x":1}"#;
    let header = TranscriptLine::parse(header).expect("a line");
    let foreign = TranscriptLine::parse("[1,2]").expect("a line");
    let all = vec![header, said("a", ""), foreign.clone(), said("b", "a")];
    for _ in 0..2 {
        append(store, "s", all.clone()).await;
    }
    append(store, "s", vec![foreign]).await;
    let stored: Vec<_> =
        transcript(store, "s").await.into_iter().map(|stored| Arc::unwrap_or_clone(stored.line)).collect();
    assert_eq!(stored, all);
    assert_eq!(names(store, "", BranchReach::Whole).await, ["a", "b"]);
    assert_eq!(leaf(store).await, Some(id("b")));
}

/// Also when it branches off elsewhere.
pub async fn the_last_entry_of_an_append_is_the_leaf(store: &dyn SessionStore) {
    chain(store, "ab").await;
    assert_eq!(leaf(store).await, Some(id("b")));
    append(store, "s", vec![said("c", "b"), said("d", "a")]).await;
    assert_eq!(leaf(store).await, Some(id("d")));
    append(store, "s", vec![]).await;
    assert_eq!(leaf(store).await, Some(id("d")));
}

/// Not even the leaf, when that was moved in between.
pub async fn a_repeated_append_changes_nothing(store: &dyn SessionStore) {
    chain(store, "abc").await;
    assert!(set_leaf(store, "a").await);
    chain(store, "abc").await;
    assert_eq!(leaf(store).await, Some(id("a")));
    assert_eq!(transcript(store, "s").await.iter().map(name_of).collect::<Vec<_>>(), ["a", "b", "c"]);
    chain(store, "abcd").await;
    assert_eq!(leaf(store).await, Some(id("d")));
    assert_eq!(names(store, "", BranchReach::Whole).await, ["a", "b", "c", "d"]);
}

/// The first one counts.
pub async fn an_entry_that_is_known_is_not_overwritten(store: &dyn SessionStore) {
    chain(store, "a").await;
    append(store, "s", vec![compacted("a", "", ""), said("a", "nowhere")]).await;
    let kept = StoredEntry { sequence: 1, run: None, line: said("a", "").into() };
    assert_eq!(transcript(store, "s").await, [kept]);
}

/// What was said in one is not in the other.
pub async fn two_branches_from_one_entry_are_read_apart(store: &dyn SessionStore) {
    chain(store, "abcd").await;
    assert!(set_leaf(store, "b").await);
    assert_eq!(names(store, "", BranchReach::Whole).await, ["a", "b"]);
    append(store, "s", vec![said("x", "b"), said("y", "x")]).await;
    assert_eq!(names(store, "", BranchReach::Whole).await, ["a", "b", "x", "y"]);
    assert_eq!(names(store, "d", BranchReach::Whole).await, ["a", "b", "c", "d"]);
    assert_eq!(names(store, "c", BranchReach::Newest(2)).await, ["b", "c"]);
    append(store, "s", vec![said("root", "")]).await;
    assert_eq!(names(store, "", BranchReach::Whole).await, ["root"]);
    assert_eq!(transcript(store, "s").await.len(), 7);
}

/// Nor does one of another transcript.
pub async fn a_leaf_that_is_not_there_changes_nothing(store: &dyn SessionStore) {
    assert!(!set_leaf(store, "a").await);
    chain(store, "ab").await;
    append(store, "other", vec![said("elsewhere", "")]).await;
    assert!(!set_leaf(store, "elsewhere").await);
    assert_eq!(leaf(store).await, Some(id("b")));
    assert_eq!(names(store, "elsewhere", BranchReach::Whole).await, [""; 0]);
}

/// Zero is none, and more than there is is everything.
pub async fn the_newest_entries_are_counted_from_the_leaf(store: &dyn SessionStore) {
    chain(store, "abcde").await;
    for (most, expected) in [(0, ""), (1, "e"), (2, "de"), (5, "abcde"), (6, "abcde"), (usize::MAX, "abcde")]
    {
        assert_eq!(names(store, "", BranchReach::Newest(most)).await.concat(), expected, "{most}");
    }
}

/// The compaction itself is among it.
pub async fn a_branch_since_its_compaction_begins_with_what_was_kept(store: &dyn SessionStore) {
    chain(store, "abcd").await;
    assert_eq!(names(store, "", BranchReach::SinceCompaction).await.concat(), "abcd");
    append(store, "s", vec![compacted("K", "d", "c"), said("e", "K")]).await;
    assert_eq!(names(store, "", BranchReach::SinceCompaction).await.concat(), "cdKe");
    assert_eq!(names(store, "d", BranchReach::SinceCompaction).await.concat(), "abcd");
    // A branch that left before the compaction knows nothing of it; one that left behind it does.
    append(store, "s", vec![said("x", "b"), said("y", "K")]).await;
    assert_eq!(names(store, "x", BranchReach::SinceCompaction).await.concat(), "abx");
    assert_eq!(names(store, "y", BranchReach::SinceCompaction).await.concat(), "cdKy");
    assert_eq!(names(store, "y", BranchReach::Whole).await.concat(), "abcdKy");
}

/// The one before it may be among what was kept, or not.
pub async fn the_newest_compaction_of_the_branch_counts(store: &dyn SessionStore) {
    chain(store, "abcd").await;
    append(store, "s", vec![compacted("K", "d", "b"), said("e", "K"), said("f", "e")]).await;
    append(store, "s", vec![compacted("L", "f", "f"), said("g", "L")]).await;
    assert_eq!(names(store, "", BranchReach::SinceCompaction).await.concat(), "fLg");
    append(store, "s", vec![compacted("M", "f", "c"), said("h", "M")]).await;
    assert_eq!(names(store, "", BranchReach::SinceCompaction).await.concat(), "cdKefMh");
}

/// It kept nothing, something unknown, or something of another branch.
pub async fn a_compaction_that_kept_nothing_of_the_branch_is_its_beginning(store: &dyn SessionStore) {
    chain(store, "abc").await;
    append(store, "s", vec![said("x", "a"), said("y", "x")]).await;
    append(store, "s", vec![compacted("K", "c", ""), said("d", "K")]).await;
    assert_eq!(names(store, "", BranchReach::SinceCompaction).await.concat(), "Kd");
    append(store, "s", vec![compacted("L", "d", "unknown"), said("e", "L")]).await;
    assert_eq!(names(store, "", BranchReach::SinceCompaction).await.concat(), "Le");
    append(store, "s", vec![compacted("M", "e", "x"), said("f", "M")]).await;
    assert_eq!(names(store, "", BranchReach::SinceCompaction).await.concat(), "Mf");
}

/// Who writes at the end of a conversation does not have to know where that is.
pub async fn entries_without_an_id_follow_the_leaf_under_ids_of_their_own(store: &dyn SessionStore) {
    chain(store, "ab").await;
    store.set_leaf(&AgentId::main(), &session("s"), &id("a")).await.expect("the leaf moves");
    let nameless = || {
        let line = r#"{"type":"message","message":{"role":"user","content":"x"}}"#;
        TranscriptLine::parse(line).expect("a line")
    };
    let given =
        store.append(lines("s", vec![nameless(), said("c", "a"), nameless()])).await.expect("appends");
    let [first, named, last] = given.as_slice() else { panic!("three entries have three ids: {given:?}") };
    assert_eq!((named, leaf(store).await.as_ref()), (&id("c"), Some(last)));
    assert_eq!(names(store, first.as_str(), BranchReach::Whole).await, ["a", first.as_str()]);
    assert_eq!(names(store, "", BranchReach::Whole).await, ["a", "c", last.as_str()]);
    let begun = store.append(lines("new", vec![nameless(), nameless()])).await.expect("appends");
    let new: Vec<_> = transcript(store, "new").await.iter().map(name_of).collect();
    assert_eq!(new, begun.iter().map(|id| id.as_str().to_owned()).collect::<Vec<_>>());
}

/// A branch never has a gap.
pub async fn an_entry_that_follows_nothing_known_is_refused_with_all_of_its_append(store: &dyn SessionStore) {
    chain(store, "a").await;
    append(store, "other", vec![said("elsewhere", "")]).await;
    for parent in ["c", "unknown", "elsewhere", "d"] {
        let gap = vec![said("b", "a"), said("c", parent), said("d", "b")];
        assert!(store.append(lines("s", gap)).await.is_err(), "{parent}");
    }
    assert_eq!(transcript(store, "s").await.len(), 1);
    assert_eq!(leaf(store).await, Some(id("a")));
}

/// Short ids repeat.
pub async fn equal_ids_in_two_transcripts_are_two_entries(store: &dyn SessionStore) {
    chain(store, "ab").await;
    append(store, "other", vec![said("b", ""), said("a", "b")]).await;
    assert_eq!(names(store, "", BranchReach::Whole).await, ["a", "b"]);
    let other = transcript(store, "other").await;
    assert_eq!(other.iter().map(name_of).collect::<Vec<_>>(), ["b", "a"]);
    assert_eq!(other.iter().map(|stored| stored.sequence).collect::<Vec<_>>(), [1, 2]);
}

/// In their own transcript, whatever the branch.
pub async fn messages_are_found_by_their_key(store: &dyn SessionStore) {
    chain(store, "ab").await;
    append(store, "s", vec![said("x", "a")]).await;
    append(store, "other", vec![said("elsewhere", "")]).await;
    for (key, expected) in [("key of b", true), ("key of x", true), ("key of elsewhere", false), ("", false)]
    {
        let held = store.holds_message(&AgentId::main(), &session("s"), key).await;
        assert_eq!(held.expect("a store in order can be read"), expected, "{key}");
    }
}

/// Each with an order of its own.
pub async fn appends_at_once_are_all_kept(store: &dyn SessionStore) {
    append(store, "s", vec![said("root", "")]).await;
    let appends = (0..50).map(|number| {
        let (first, second) = (format!("{number}-1"), format!("{number}-2"));
        store.append(lines("s", vec![said(&first, "root"), said(&second, &first)]))
    });
    for outcome in join_all(appends).await {
        outcome.expect("a store in order takes entries");
    }
    let stored = transcript(store, "s").await;
    let sequences: Vec<_> = stored.iter().map(|stored| stored.sequence).collect();
    assert_eq!(sequences, (1..=101).collect::<Vec<_>>());
    for pair in stored.split_at(1).1.chunks(2) {
        let [first, second] = pair else { panic!("an append came apart") };
        assert_eq!(name_of(first).replace("-1", "-2"), name_of(second));
    }
}

/// The note of the last archiving counts.
pub async fn an_archived_transcript_stays_readable_and_is_listed_newest_first(store: &dyn SessionStore) {
    let archive = |name: &str, reason, at| Archive {
        agent: AgentId::main(),
        session: session(name),
        key: key("main"),
        reason,
        at: UnixMillis(at),
    };
    append(store, "s", vec![said("a", ""), said("b", "a")]).await;
    append(store, "live", vec![said("a", "")]).await;
    let first = archive("s", ArchiveReason::Reset, 1);
    let again = archive("s", ArchiveReason::Deleted, 4);
    let empty = archive("empty", ArchiveReason::Compacted, 5);
    let older = archive("older", ArchiveReason::Reset, 2);
    for note in [first, again.clone(), empty.clone(), older.clone()] {
        store.archive(note).await.expect("a store in order takes notes");
    }
    let bytes = [said("a", ""), said("b", "a")].iter().map(|line| line.to_text().len() as u64).sum();
    let expected = [
        Archived { archive: empty, entries: 0, bytes: 0 },
        Archived { archive: again, entries: 2, bytes },
        Archived { archive: older, entries: 0, bytes: 0 },
    ];
    assert_eq!(store.archived(&AgentId::main()).await.expect("a store in order can be read"), expected);
    assert_eq!(names(store, "", BranchReach::Whole).await, ["a", "b"]);
}

/// Erasing again is not an error, and the name can be used anew.
pub async fn an_erased_transcript_is_gone_and_the_others_stay(store: &dyn SessionStore) {
    chain(store, "abc").await;
    append(store, "other", vec![said("a", ""), said("b", "a")]).await;
    let note = Archive {
        agent: AgentId::main(),
        session: session("s"),
        key: key("main"),
        reason: ArchiveReason::Deleted,
        at: UnixMillis(1),
    };
    store.archive(note).await.expect("a store in order takes notes");
    for _ in 0..2 {
        store.erase(&AgentId::main(), &session("s")).await.expect("a store in order erases");
    }
    assert_eq!(transcript(store, "s").await, []);
    assert_eq!(leaf(store).await, None);
    assert_eq!(store.archived(&AgentId::main()).await.expect("a store in order"), []);
    assert_eq!(store.archived(&agent("nobody")).await.expect("a store in order"), []);
    assert_eq!(transcript(store, "other").await.len(), 2);
    chain(store, "xy").await;
    assert_eq!(names(store, "", BranchReach::Whole).await, ["x", "y"]);
    assert_eq!(transcript(store, "s").await.first().map(|stored| stored.sequence), Some(1));
}
