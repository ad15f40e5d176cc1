//! Sends one piece: waits for its moment and its line, tries, and notes what came of it until it is settled.
//!
//! What becomes of a failure is decided in `delivery::after_failure`. A piece whose fate is unknown is looked for first
//! where the platform can say.

use std::sync::Arc;
use std::time::Duration;

use openclaw_delivery::{Failure, GivenUp, PieceForm, RetryRules, RetryVerdict, SendAttempts, after_failure};
use openclaw_ports::Deadline;
use openclaw_ports::channel::{ChannelError, Landed, RepeatSafety, SendMessage, Sent, without_markup};
use openclaw_ports::stores::{OutboxChange, OutboxId, OutboxRow, OutboxState, StoreError};
use openclaw_types::{
    Outgoing, PeerId, PiecePayload, Receipt, RoomMoved, RunId, SendTarget, SessionKey, UnixMillis,
};

use super::rules::retry_rules;
use super::{chance, draft, withdraw};
use crate::channels::follow_room;
use crate::flow::Inner;

/// How long a platform has to take a piece.
const SENDING: Duration = Duration::from_secs(120);

/// How a piece left its lane.
pub(super) enum PieceEnd {
    /// It was sent, dropped or given up.
    Settled,
    /// The process stops; the piece stays in the outbox.
    Stopping,
}

/// A piece under way.
struct UnderWay {
    row: OutboxRow,
    /// Nobody knows whether the last attempt had its effect.
    doubtful: bool,
    moves: u32,
    /// How often in a row the platform did not answer, since this process took the piece up: only that makes pauses longer.
    silences: u32,
}

/// Sends a piece, however long that takes.
///
/// # Errors
/// The outbox cannot be written; the piece is to be tried again.
pub(super) async fn deliver(flow: &Arc<Inner>, row: OutboxRow) -> Result<PieceEnd, StoreError> {
    let doubtful = row.state == OutboxState::Sending;
    let mut piece = UnderWay { row, doubtful, moves: 0, silences: 0 };
    loop {
        let Some(send) = wait(flow, &piece).await else { return Ok(PieceEnd::Stopping) };
        // A person may have dropped it while it waited, or wanted it tried again.
        match flow.parts.outbox.find(piece.row.id).await?.filter(is_open) {
            Some(row) => piece.row = row,
            None => return Ok(PieceEnd::Settled),
        }
        // An attempt that could not be noted may have had its effect.
        piece.doubtful |= piece.row.state == OutboxState::Sending;
        let Some(send) = send else {
            if flow.now() < oldest(&piece.row) {
                continue;
            }
            give_up(flow, &piece, GivenUp::TooOld.text()).await?;
            return Ok(PieceEnd::Settled);
        };
        if is_void(flow, &piece.row.piece.key).await? {
            flow.parts.outbox.settle(piece.row.id, OutboxChange::Dropped { at: flow.now() }).await?;
            return Ok(PieceEnd::Settled);
        }
        let settled = match look(flow, &piece, send.as_ref()).await {
            Looked::There(receipt) => {
                settle_sent(flow, &piece, receipt).await?;
                true
            }
            Looked::NotThere => attempt(flow, &mut piece, send.as_ref()).await?,
            Looked::Later(error) => failed(flow, &mut piece, &error).await?,
        };
        if settled {
            return Ok(PieceEnd::Settled);
        }
    }
}

/// Gives a piece up whose sending broke off in a fault of the program.
///
/// # Errors
/// The outbox cannot be written.
pub(super) async fn broke(flow: &Inner, id: OutboxId) -> Result<(), StoreError> {
    let Some(row) = flow.parts.outbox.find(id).await?.filter(is_open) else { return Ok(()) };
    let piece = UnderWay { row, doubtful: true, moves: 0, silences: 0 };
    give_up(flow, &piece, "sending it broke off in a fault of this program").await
}

/// Whether a piece takes something back that people never saw.
async fn is_void(flow: &Inner, key: &str) -> Result<bool, StoreError> {
    match withdraw::taken_back(key) {
        Some(other) => Ok(withdraw::message_of(flow, other).await?.is_none()),
        None => Ok(false),
    }
}

fn is_open(row: &OutboxRow) -> bool {
    matches!(row.state, OutboxState::Waiting | OutboxState::Sending)
}

/// When a piece is too old to be of use.
fn oldest(row: &OutboxRow) -> UnixMillis {
    row.at.plus(RetryRules::default().oldest)
}

/// One attempt. Says whether the piece is settled.
async fn attempt(flow: &Inner, piece: &mut UnderWay, send: &dyn SendMessage) -> Result<bool, StoreError> {
    let clock = flow.parts.clock.as_ref();
    if !flow.parts.outbox.begin(piece.row.id, flow.now()).await? {
        return Ok(true);
    }
    piece.row.attempts += 1;
    let sent = Deadline::after(clock, SENDING).bound(clock, hand_over(flow, &piece.row, send)).await;
    let sent = match sent {
        Ok(sent) => Ok(sent?),
        Err(late) => Err(late),
    };
    let error = match sent {
        Ok(Ok(receipt)) => {
            settle_sent(flow, piece, receipt).await?;
            return Ok(true);
        }
        Ok(Err(error)) => error,
        Err(_late) => late(),
    };
    piece.doubtful = matches!(error, ChannelError::Unreachable { landed: Landed::Maybe, .. });
    failed(flow, piece, &error).await
}

/// Does with a piece what a failure asks for. Says whether it is settled.
async fn failed(flow: &Inner, piece: &mut UnderWay, error: &ChannelError) -> Result<bool, StoreError> {
    let text = error.to_string();
    let target = &piece.row.piece.target;
    tracing::warn!(subsystem = "outbox", channel = %target.channel, account = %target.account, attempts = piece.row.attempts, "a message was not taken: {text}");
    piece.silences = match error {
        ChannelError::RateLimited { .. } => 0,
        _ => piece.silences.saturating_add(1),
    };
    let tried = SendAttempts {
        attempts: piece.silences,
        age: flow.now().since(piece.row.at),
        form: form(&piece.row.piece),
        moves: piece.moves,
        answers: piece.row.piece.reply.is_some(),
    };
    let rules = retry_rules(flow, &target.channel, &target.account);
    match after_failure(&failure(error), tried, &rules, chance()) {
        RetryVerdict::Again { after } => {
            piece.row.due = flow.now().plus(after);
            let change = OutboxChange::Again { due: piece.row.due, error: text, landed: landed(piece) };
            flow.parts.outbox.settle(piece.row.id, change).await?;
        }
        RetryVerdict::Plain => {
            let plain = plain(piece.row.piece.clone());
            replace(flow, piece, plain, text).await?;
        }
        RetryVerdict::Elsewhere { to } => {
            let mut there = piece.row.piece.clone();
            let before = std::mem::replace(&mut there.target.to, to);
            piece.moves += 1;
            replace(flow, piece, there, text).await?;
            room_moved(flow, &piece.row.piece.target, &before).await;
        }
        RetryVerdict::Alone => {
            let alone = Outgoing { reply: None, ..piece.row.piece.clone() };
            replace(flow, piece, alone, text).await?;
        }
        RetryVerdict::GiveUp(why) => {
            give_up(flow, piece, &format!("{text}: {}", why.text())).await?;
            return Ok(true);
        }
    }
    Ok(false)
}

/// Has everything that is kept for a room follow it, as when the platform tells by itself that it has another id.
async fn room_moved(flow: &Inner, now: &SendTarget, before: &str) {
    let (Ok(from), Ok(to)) = (PeerId::new(before), PeerId::new(&now.to)) else { return };
    if let Some(view) = flow.parts.channels.view(&now.channel, &now.account) {
        follow_room(flow, &view, (&now.channel, &now.account), &RoomMoved { from, to }).await;
    }
}

/// Gives a piece to the platform: in the place of a draft, or as a message of its own; or takes another back.
async fn hand_over(
    flow: &Inner,
    row: &OutboxRow,
    send: &dyn SendMessage,
) -> Result<Result<Receipt, ChannelError>, StoreError> {
    let piece = &row.piece;
    if let Some(other) = withdraw::taken_back(&piece.key)
        && let Some(message) = withdraw::message_of(flow, other).await?
    {
        return Ok(withdraw::take_back(flow, &piece.target, message).await);
    }
    let Some(draft) = draft::replaced(flow, piece).await? else { return Ok(send.send(piece).await) };
    if let Some(put) = draft::put(flow, piece, &draft.message).await {
        return Ok(put);
    }
    // Before anything is sent: a crash leaves no draft beside the answer.
    withdraw::withdraw(flow, &piece.target, vec![draft.key], &row.source).await?;
    Ok(send.send(piece).await)
}

/// Waits until the piece is due and its line is up. Nothing when the process stops; nobody to send with when the piece
/// has grown too old meanwhile.
async fn wait(flow: &Inner, piece: &UnderWay) -> Option<Option<Arc<dyn SendMessage>>> {
    let tasks = &flow.parts.tasks;
    let oldest = oldest(&piece.row);
    pause(flow, piece).await?;
    let mut changes = flow.parts.channels.changes();
    let target = &piece.row.piece.target;
    loop {
        changes.borrow_and_update();
        let surface = flow.parts.channels.surface(&target.channel, &target.account);
        if let Some(send) = surface.and_then(|surface| surface.send.clone()) {
            return Some(Some(send));
        }
        if flow.now() >= oldest {
            return Some(None);
        }
        let _waits = flow.mail.waits();
        // Nothing is lost by any branch: all of them only end the wait.
        tokio::select! {
            changed = changes.changed() => changed.ok()?,
            () = flow.parts.clock.sleep(oldest.since(flow.now())) => {}
            () = tasks.cancelled() => return None,
        }
    }
}

/// Waits until a piece is due; nothing when the process stops. A person may want it tried earlier.
async fn pause(flow: &Inner, piece: &UnderWay) -> Option<()> {
    let tasks = &flow.parts.tasks;
    let mut nudges = flow.mail.nudges();
    let mut due = piece.row.due;
    loop {
        if tasks.is_cancelled() {
            return None;
        }
        if flow.now() >= due {
            return Some(());
        }
        let _waits = flow.mail.waits();
        // Nothing is lost by any branch: all of them only end the wait.
        tokio::select! {
            () = flow.parts.clock.sleep(due.since(flow.now())) => {}
            nudged = nudges.changed() => {
                nudged.ok()?;
                match flow.parts.outbox.find(piece.row.id).await {
                    Ok(Some(row)) if is_open(&row) => due = row.due,
                    Ok(_) => return Some(()),
                    Err(error) => tracing::warn!(subsystem = "outbox", %error, "a message cannot be looked at"),
                }
            }
            () = tasks.cancelled() => return None,
        }
    }
}

/// What looking for a piece gave.
enum Looked {
    There(Receipt),
    /// It is not there, or nobody can say, or its fate is known.
    NotThere,
    /// The platform could not be asked now.
    Later(ChannelError),
}

/// Looks for a piece whose fate is unknown, where the platform can say.
async fn look(flow: &Inner, piece: &UnderWay, send: &dyn SendMessage) -> Looked {
    let target = &piece.row.piece.target;
    let view = flow.parts.channels.view(&target.channel, &target.account);
    let findable = view.is_some_and(|view| view.descriptor.repeats == RepeatSafety::Findable);
    // What is taken back twice is gone all the same.
    let findable = findable && withdraw::taken_back(&piece.row.piece.key).is_none();
    if !piece.doubtful || !findable {
        return Looked::NotThere;
    }
    let clock = flow.parts.clock.as_ref();
    let since = piece.row.doubt.unwrap_or(piece.row.at);
    match Deadline::after(clock, SENDING).bound(clock, send.find(&piece.row.piece, since)).await {
        Ok(Ok(Sent::Yes(receipt))) => Looked::There(receipt),
        Ok(Ok(Sent::No | Sent::Unknown)) => Looked::NotThere,
        Ok(Err(error)) if error.is_passing() || matches!(error, ChannelError::Unauthorized { .. }) => {
            Looked::Later(error)
        }
        Ok(Err(error)) => {
            tracing::debug!(subsystem = "outbox", %error, "the platform does not say whether a message is there");
            Looked::NotThere
        }
        Err(_late) => Looked::Later(late()),
    }
}

/// Whether the platform may have a piece that no attempt brought there for certain.
fn landed(piece: &UnderWay) -> Landed {
    if piece.doubtful { Landed::Maybe } else { Landed::No }
}

fn late() -> ChannelError {
    ChannelError::Unreachable { reason: "no answer in time".to_owned(), landed: Landed::Maybe }
}

async fn settle_sent(flow: &Inner, piece: &UnderWay, receipt: Receipt) -> Result<(), StoreError> {
    let target = &piece.row.piece.target;
    flow.parts.channels.note_outbound(&target.channel, &target.account, None);
    let message = receipt.message.clone();
    flow.parts.outbox.settle(piece.row.id, OutboxChange::Sent { receipt, at: flow.now() }).await?;
    flow.mail.became(&piece.row.piece.key, Some(&message));
    Ok(())
}

async fn replace(flow: &Inner, piece: &mut UnderWay, new: Outgoing, error: String) -> Result<(), StoreError> {
    piece.row.piece = new.clone();
    flow.parts.outbox.settle(piece.row.id, OutboxChange::Replaced { piece: Box::new(new), error }).await
}

/// Gives a piece up, and sees to it that somebody hears of it.
async fn give_up(flow: &Inner, piece: &UnderWay, why: &str) -> Result<(), StoreError> {
    let target = &piece.row.piece.target;
    tracing::error!(subsystem = "outbox", channel = %target.channel, account = %target.account, id = piece.row.id.0, "a message was given up: {why}");
    flow.parts.channels.note_outbound(&target.channel, &target.account, Some(why.to_owned()));
    let change = OutboxChange::Failed { error: why.to_owned(), at: flow.now(), landed: landed(piece) };
    flow.parts.outbox.settle(piece.row.id, change).await?;
    if withdraw::taken_back(&piece.row.piece.key).is_some() {
        return Ok(());
    }
    let session = session_of(flow, &piece.row.source).await;
    let line = format!(
        "A message to {} on {} was not delivered: {why}. It is number {} of the outbox.",
        target.to, target.channel, piece.row.id.0
    );
    flow.notes.add(&session, &line, flow.now());
    Ok(())
}

/// The session whose agent is told: the one whose run sent the piece, else the main one.
async fn session_of(flow: &Inner, source: &str) -> SessionKey {
    if let Ok(run) = RunId::new(source) {
        if let Some(key) = flow.runs.session_of(&run) {
            return key;
        }
        for agent in flow.parts.store.agents().await.unwrap_or_default() {
            if let Ok(Some(record)) = flow.parts.store.run(&agent, &run).await {
                return record.start.key;
            }
        }
    }
    let rules = flow.rules();
    openclaw_inbound::route::main_session(&rules.config.session, &rules.routes.default_agent)
}

/// What a platform's answer means for what is tried again.
pub(crate) fn failure(error: &ChannelError) -> Failure {
    match error {
        ChannelError::RateLimited { after } => Failure::RateLimited { after: Some(*after) },
        ChannelError::Unreachable { .. } => Failure::Unreachable,
        ChannelError::Unauthorized { .. } => Failure::Unauthorized,
        ChannelError::Refused { .. } => Failure::Refused,
        ChannelError::Markup { .. } => Failure::Markup,
        ChannelError::Moved { to } => Failure::Moved { to: to.clone() },
        ChannelError::Conflict { .. } => Failure::Conflict,
        ChannelError::Wrong { .. } => Failure::Wrong,
    }
}

fn form(piece: &Outgoing) -> PieceForm {
    let text = match &piece.payload {
        PiecePayload::Text { text } => text,
        PiecePayload::Media { caption, .. } | PiecePayload::Album { caption, .. } => caption,
        PiecePayload::Panel(panel) => &panel.text,
        PiecePayload::Poll(_) => return PieceForm::Plain,
    };
    if text.styles().is_empty() && text.links().is_empty() { PieceForm::Plain } else { PieceForm::Rich }
}

fn plain(mut piece: Outgoing) -> Outgoing {
    match &mut piece.payload {
        PiecePayload::Text { text } => *text = without_markup(text),
        PiecePayload::Panel(panel) => panel.text = without_markup(&panel.text),
        PiecePayload::Media { caption, .. } | PiecePayload::Album { caption, .. } => {
            *caption = without_markup(caption);
        }
        PiecePayload::Poll(_) => {}
    }
    piece
}
