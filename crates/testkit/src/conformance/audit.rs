//! What every `AuditLedger` does.

use openclaw_ports::stores::{AuditEntry, AuditLedger, AuditQuery, AuditRecord, ChainReport};
use openclaw_types::UnixMillis;
use serde_json::json;

/// Tests an `AuditLedger`; see the module for what `make` gives.
#[macro_export]
macro_rules! audit_ledger_conformance {
    ($make:path) => {
        $crate::conformance_tests!(
            audit,
            $make,
            [
                records_are_counted_from_one_and_carry_their_entry,
                equal_entries_get_different_hashes,
                the_hash_of_a_record_is_the_same_in_every_store,
                records_are_read_newest_first,
                a_query_can_ask_for_actions_by_their_beginning,
                a_prefix_is_plain_text,
                a_query_can_page_backwards,
                a_query_without_a_limit_gives_a_hundred,
                an_untouched_chain_verifies,
                an_empty_chain_verifies,
            ]
        );
    };
}

/// An entry with every field set.
#[must_use]
pub fn entry(action: &str) -> AuditEntry {
    AuditEntry {
        at: UnixMillis(1_767_225_600_000),
        actor: "device:cli".to_owned(),
        action: action.to_owned(),
        subject: Some("d1".to_owned()),
        detail: json!({"scopes": ["operator.read"], "count": 2}),
    }
}

async fn append(ledger: &dyn AuditLedger, action: &str) -> AuditRecord {
    ledger.append(entry(action)).await.expect("a ledger in order takes entries")
}

async fn query(ledger: &dyn AuditLedger, query: AuditQuery) -> Vec<AuditRecord> {
    ledger.query(query).await.expect("a ledger in order can be read")
}

/// What is appended is what is read.
pub async fn records_are_counted_from_one_and_carry_their_entry(ledger: &dyn AuditLedger) {
    let bare = AuditEntry { subject: None, detail: json!(null), ..entry("gateway.start") };
    let first = ledger.append(bare.clone()).await.expect("a ledger in order takes entries");
    let second = append(ledger, "device.pair.approve").await;
    assert_eq!((first.id, &first.entry), (1, &bare));
    assert_eq!((second.id, &second.entry), (2, &entry("device.pair.approve")));
    assert_eq!(query(ledger, AuditQuery::default()).await, [second, first]);
}

/// The place in the chain is part of the hash.
pub async fn equal_entries_get_different_hashes(ledger: &dyn AuditLedger) {
    assert_ne!(append(ledger, "gateway.start").await.hash, append(ledger, "gateway.start").await.hash);
}

/// The layout of the hashed bytes never changes, so a ledger can move between stores.
pub async fn the_hash_of_a_record_is_the_same_in_every_store(ledger: &dyn AuditLedger) {
    append(ledger, "gateway.start").await;
    let second = append(ledger, "device.pair.approve").await;
    assert_eq!(second.hash, "49618054c504c1801f4c979b596741b600ea02c04dfa4ae0a50ab7e2f18e9a56");
}

/// The newest is what people look for.
pub async fn records_are_read_newest_first(ledger: &dyn AuditLedger) {
    for action in ["a", "b", "c"] {
        append(ledger, action).await;
    }
    let ids: Vec<_> = query(ledger, AuditQuery::default()).await.iter().map(|record| record.id).collect();
    assert_eq!(ids, [3, 2, 1]);
}

/// Dotted names group actions.
pub async fn a_query_can_ask_for_actions_by_their_beginning(ledger: &dyn AuditLedger) {
    for action in ["device.pair.approve", "config.set", "device.token.rotate", "Device.pair.list"] {
        append(ledger, action).await;
    }
    let asked = AuditQuery { action_prefix: Some("device.".to_owned()), ..AuditQuery::default() };
    let ids: Vec<_> = query(ledger, asked).await.iter().map(|record| record.id).collect();
    assert_eq!(ids, [3, 1]);
}

/// No letter of a prefix stands for others.
pub async fn a_prefix_is_plain_text(ledger: &dyn AuditLedger) {
    for action in ["a%c", "abc", "a_c", "a*c", "\u{e9}t\u{e9}"] {
        append(ledger, action).await;
    }
    for (prefix, expected) in [("a%", 1), ("a_", 3), ("a*", 4), ("\u{e9}", 5)] {
        let asked = AuditQuery { action_prefix: Some(prefix.to_owned()), ..AuditQuery::default() };
        let ids: Vec<_> = query(ledger, asked).await.iter().map(|record| record.id).collect();
        assert_eq!(ids, [expected], "the prefix {prefix:?}");
    }
}

/// The oldest record of a page is where the next one goes on.
pub async fn a_query_can_page_backwards(ledger: &dyn AuditLedger) {
    for _ in 0..5 {
        append(ledger, "tick").await;
    }
    let mut pages = Vec::new();
    let mut before_id = None;
    loop {
        let asked = AuditQuery { before_id, limit: Some(2), ..AuditQuery::default() };
        let page: Vec<_> = query(ledger, asked).await.iter().map(|record| record.id).collect();
        let Some(oldest) = page.last() else { break };
        before_id = Some(*oldest);
        pages.push(page);
    }
    assert_eq!(pages, [vec![5, 4], vec![3, 2], vec![1]]);
}

/// A question without a limit stays small.
pub async fn a_query_without_a_limit_gives_a_hundred(ledger: &dyn AuditLedger) {
    for _ in 0..101 {
        append(ledger, "tick").await;
    }
    let ids: Vec<_> = query(ledger, AuditQuery::default()).await.iter().map(|record| record.id).collect();
    assert_eq!(ids, (2..=101).rev().collect::<Vec<_>>());
}

/// Every record fits the one before.
pub async fn an_untouched_chain_verifies(ledger: &dyn AuditLedger) {
    for action in ["a", "b", "c"] {
        append(ledger, action).await;
    }
    let report = ledger.verify().await.expect("a ledger in order can be checked");
    assert_eq!(report, ChainReport { records: 3, broken_at: None });
}

/// Nothing is also a chain.
pub async fn an_empty_chain_verifies(ledger: &dyn AuditLedger) {
    let report = ledger.verify().await.expect("a ledger in order can be checked");
    assert_eq!(report, ChainReport { records: 0, broken_at: None });
}
