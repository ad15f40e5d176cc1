//! What every `Outbox` does.

use openclaw_ports::channel::Landed;
use openclaw_ports::stores::{NewPiece, Outbox, OutboxChange, OutboxId, OutboxQuery, OutboxRow, OutboxState};
use openclaw_types::{
    AccountId, ChannelId, MessageId, Outgoing, PiecePayload, Receipt, RichText, SendTarget, UnixMillis,
};

/// Tests an `Outbox`; see the module for what `make` gives.
#[macro_export]
macro_rules! outbox_conformance {
    ($make:path) => {
        $crate::conformance_tests!(
            outbox,
            $make,
            [
                a_new_outbox_is_empty,
                pieces_wait_in_order_and_come_back_whole,
                a_piece_is_written_once,
                an_attempt_shows_until_it_is_settled,
                a_piece_that_was_sent_waits_no_more_and_stays_sent,
                a_piece_that_failed_for_now_waits_for_its_moment,
                a_piece_that_may_have_been_taken_stays_in_doubt,
                a_piece_can_go_out_in_another_form,
                a_piece_that_was_given_up_can_be_tried_again_and_dropped,
                pieces_are_listed_by_state_and_place,
                old_pieces_are_forgotten_and_others_are_not,
            ]
        );
    };
}

/// A piece of words to a conversation.
#[must_use]
pub fn piece(key: &str, to: &str) -> NewPiece {
    let target = SendTarget {
        channel: ChannelId::new("sim").expect("an id"),
        account: AccountId::new("default").expect("an id"),
        to: to.to_owned(),
        thread: None,
    };
    let payload = PiecePayload::Text { text: RichText::plain(format!("words of {key} \u{1f980}")) };
    let piece = Outgoing {
        key: key.to_owned(),
        target,
        payload,
        reply: None,
        silent: false,
        link_preview: true,
        buttons: Vec::new(),
    };
    NewPiece { piece, at: UnixMillis(5), source: "run r1".to_owned() }
}

fn receipt() -> Receipt {
    Receipt { message: MessageId::new("m1").expect("an id"), moved_to: None }
}

fn waiting(id: OutboxId, new: NewPiece) -> OutboxRow {
    OutboxRow {
        id,
        piece: new.piece,
        source: new.source,
        at: new.at,
        state: OutboxState::Waiting,
        attempts: 0,
        last_error: None,
        due: new.at,
        receipt: None,
        doubt: None,
    }
}

async fn add(outbox: &dyn Outbox, key: &str, to: &str) -> OutboxId {
    outbox.add(vec![piece(key, to)]).await.expect("an outbox in order takes pieces")[0]
}

async fn open(outbox: &dyn Outbox) -> Vec<OutboxRow> {
    outbox.open_pieces().await.expect("an outbox in order can be read")
}

async fn settle(outbox: &dyn Outbox, id: OutboxId, change: OutboxChange) {
    outbox.settle(id, change).await.expect("an outbox in order takes changes");
}

async fn begin(outbox: &dyn Outbox, id: OutboxId) {
    assert!(outbox.begin(id, UnixMillis(6)).await.expect("an outbox in order takes changes"));
}

async fn row(outbox: &dyn Outbox, id: OutboxId) -> OutboxRow {
    outbox.find(id).await.expect("an outbox in order can be read").expect("the piece is there")
}

/// Nothing is there at first.
pub async fn a_new_outbox_is_empty(outbox: &dyn Outbox) {
    assert_eq!(open(outbox).await, []);
    assert_eq!(outbox.find(OutboxId(1)).await.expect("reads"), None);
    assert_eq!(outbox.named("a").await.expect("reads"), None);
}

/// What was added is what waits.
pub async fn pieces_wait_in_order_and_come_back_whole(outbox: &dyn Outbox) {
    let ids = outbox.add(vec![piece("a", "x"), piece("b", "y"), piece("c", "x")]).await.expect("takes");
    assert!(ids.is_sorted());
    let expected = ids
        .iter()
        .zip([("a", "x"), ("b", "y"), ("c", "x")])
        .map(|(id, (key, to))| waiting(*id, piece(key, to)));
    assert_eq!(open(outbox).await, expected.collect::<Vec<_>>());
    assert_eq!(outbox.named("b").await.expect("reads"), Some(row(outbox, ids[1]).await));
}

/// The key decides, whatever else is different.
pub async fn a_piece_is_written_once(outbox: &dyn Outbox) {
    let first = add(outbox, "a", "x").await;
    assert_eq!(add(outbox, "a", "y").await, first);
    settle(outbox, first, OutboxChange::Sent { receipt: receipt(), at: UnixMillis(9) }).await;
    assert_eq!(add(outbox, "a", "x").await, first);
    assert_eq!(open(outbox).await, []);
}

/// After a crash one sees what was being sent.
pub async fn an_attempt_shows_until_it_is_settled(outbox: &dyn Outbox) {
    let id = add(outbox, "a", "x").await;
    begin(outbox, id).await;
    let row = &open(outbox).await[0];
    assert_eq!((row.state, row.attempts, row.doubt), (OutboxState::Sending, 1, Some(UnixMillis(6))));
}

/// Sent is the end.
pub async fn a_piece_that_was_sent_waits_no_more_and_stays_sent(outbox: &dyn Outbox) {
    let id = add(outbox, "a", "x").await;
    begin(outbox, id).await;
    settle(outbox, id, OutboxChange::Sent { receipt: receipt(), at: UnixMillis(9) }).await;
    assert!(!outbox.begin(id, UnixMillis(10)).await.expect("takes changes"), "it is not sent again");
    for change in [
        OutboxChange::Again { due: UnixMillis(10), error: "late".into(), landed: Landed::No },
        OutboxChange::Failed { error: "late".into(), at: UnixMillis(10), landed: Landed::No },
        OutboxChange::Dropped { at: UnixMillis(10) },
        OutboxChange::Retry { at: UnixMillis(10) },
    ] {
        settle(outbox, id, change).await;
    }
    let row = row(outbox, id).await;
    assert_eq!((row.state, row.receipt, row.last_error), (OutboxState::Sent, Some(receipt()), None));
    assert_eq!(open(outbox).await, []);
}

/// Why and until when is told.
pub async fn a_piece_that_failed_for_now_waits_for_its_moment(outbox: &dyn Outbox) {
    let id = add(outbox, "a", "x").await;
    begin(outbox, id).await;
    let later = OutboxChange::Again { due: UnixMillis(99), error: "busy".into(), landed: Landed::No };
    settle(outbox, id, later).await;
    let row = row(outbox, id).await;
    assert_eq!(
        (row.state, row.attempts, row.due, row.last_error.as_deref(), row.doubt),
        (OutboxState::Waiting, 1, UnixMillis(99), Some("busy"), None)
    );
}

/// Whoever comes later has to look for it first.
pub async fn a_piece_that_may_have_been_taken_stays_in_doubt(outbox: &dyn Outbox) {
    let id = add(outbox, "a", "x").await;
    begin(outbox, id).await;
    let later = OutboxChange::Again { due: UnixMillis(99), error: "cut".into(), landed: Landed::Maybe };
    settle(outbox, id, later).await;
    let doubtful = row(outbox, id).await;
    assert_eq!(
        (doubtful.state, doubtful.due, doubtful.last_error.as_deref()),
        (OutboxState::Sending, UnixMillis(99), Some("cut"))
    );
    settle(outbox, id, OutboxChange::Retry { at: UnixMillis(20) }).await;
    let again = row(outbox, id).await;
    assert_eq!(
        (again.state, again.attempts, again.due, again.at),
        (OutboxState::Sending, 0, UnixMillis(20), UnixMillis(20))
    );
    outbox.begin(id, UnixMillis(21)).await.expect("an outbox in order takes changes");
    let gone = OutboxChange::Failed { error: "cut".into(), at: UnixMillis(22), landed: Landed::Maybe };
    for change in [gone, OutboxChange::Dropped { at: UnixMillis(23) }] {
        settle(outbox, id, change).await;
        settle(outbox, id, OutboxChange::Retry { at: UnixMillis(30) }).await;
        let again = row(outbox, id).await;
        let first = Some(UnixMillis(6));
        assert_eq!(
            (again.state, again.doubt),
            (OutboxState::Sending, first),
            "it is looked for from the first on"
        );
    }
}

/// Its key and its place in the order stay.
pub async fn a_piece_can_go_out_in_another_form(outbox: &dyn Outbox) {
    let id = add(outbox, "a", "x").await;
    let mut other = piece("a", "z").piece;
    other.silent = true;
    let change = OutboxChange::Replaced { piece: Box::new(other.clone()), error: "moved".into() };
    settle(outbox, id, change).await;
    let row = row(outbox, id).await;
    assert_eq!(
        (row.piece, row.state, row.last_error.as_deref()),
        (other, OutboxState::Waiting, Some("moved"))
    );
}

/// People decide over what was given up.
pub async fn a_piece_that_was_given_up_can_be_tried_again_and_dropped(outbox: &dyn Outbox) {
    let id = add(outbox, "a", "x").await;
    begin(outbox, id).await;
    settle(outbox, id, OutboxChange::Failed { error: "no".into(), at: UnixMillis(9), landed: Landed::No })
        .await;
    assert_eq!(open(outbox).await, []);
    settle(outbox, id, OutboxChange::Retry { at: UnixMillis(20) }).await;
    let again = &open(outbox).await[0];
    assert_eq!(
        (again.state, again.attempts, again.due, again.at),
        (OutboxState::Waiting, 0, UnixMillis(20), UnixMillis(20)),
        "it is as old as the wish"
    );
    settle(outbox, id, OutboxChange::Dropped { at: UnixMillis(30) }).await;
    assert_eq!(row(outbox, id).await.state, OutboxState::Dropped);
    assert_eq!(open(outbox).await, []);
}

/// Newest first.
pub async fn pieces_are_listed_by_state_and_place(outbox: &dyn Outbox) {
    let ids = outbox.add(vec![piece("a", "x"), piece("b", "y"), piece("c", "x")]).await.expect("takes");
    settle(
        outbox,
        ids[0],
        OutboxChange::Failed { error: "no".into(), at: UnixMillis(9), landed: Landed::No },
    )
    .await;
    let list = async |query| -> Vec<OutboxId> {
        let rows = outbox.list(query).await.expect("an outbox in order can be read");
        rows.into_iter().map(|row| row.id).collect()
    };
    assert_eq!(list(OutboxQuery::default()).await, [ids[2], ids[1], ids[0]]);
    assert_eq!(list(OutboxQuery { limit: Some(1), ..OutboxQuery::default() }).await, [ids[2]]);
    let failed = OutboxQuery { state: Some(OutboxState::Failed), ..OutboxQuery::default() };
    assert_eq!(list(failed).await, [ids[0]]);
    let place = OutboxQuery { target: Some(piece("", "x").piece.target), ..OutboxQuery::default() };
    assert_eq!(list(place).await, [ids[2], ids[0]]);
}

/// What waits is never forgotten.
pub async fn old_pieces_are_forgotten_and_others_are_not(outbox: &dyn Outbox) {
    let ids = outbox.add(vec![piece("a", "x"), piece("b", "x"), piece("c", "x")]).await.expect("takes");
    settle(outbox, ids[0], OutboxChange::Sent { receipt: receipt(), at: UnixMillis(10) }).await;
    settle(
        outbox,
        ids[1],
        OutboxChange::Failed { error: "no".into(), at: UnixMillis(10), landed: Landed::No },
    )
    .await;
    let forget =
        async |sent, failed| outbox.forget(UnixMillis(sent), UnixMillis(failed)).await.expect("forgets");
    assert_eq!(forget(10, 10).await, 0);
    assert_eq!(forget(11, 10).await, 1);
    assert_eq!(forget(i64::MAX, i64::MAX).await, 1);
    assert_eq!(open(outbox).await.len(), 1);
}
