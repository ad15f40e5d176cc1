//! Answers that are shown while they are made, with Slack's own streams: `chat.startStream`, `appendStream`, `stopStream`.
//!
//! A stream is a message in a thread that only grows. What is shown therefore ends where nothing before it can change
//! any more: between words, outside of marks. The piece that is sent in the end becomes the stream's message: the rest is
//! added and the stream is stopped with the piece's key. Where words that were shown have changed, the message is written
//! anew. Where Slack does not let us stream, the host edits messages instead.
//!
//! Once a stream was to be stopped for a piece it may be that piece's message, whether Slack's answer came or not. From
//! then on it is never taken away: the piece is found in it, or sent into it once more.

mod notes;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use openclaw_ports::channel::{ChannelError, Draft, Landed};
use openclaw_ports::stores::StateStore;
use openclaw_types::{MessageId, Outgoing, Receipt, RichText, SendTarget};
use tokio::sync::Notify;

use super::super::api::{As, Fault, SlackArguments};
use super::super::format::{format, markdown};
use super::super::target::SlackDestination;
use super::desk::Desk;
use super::{blocks, metadata, receipt_of, thread_of};
use notes::Notes;

/// The most characters that are streamed; Slack takes no more at once.
const LONGEST: usize = 11_000;
/// Refusals that mean that streaming will never work with this app.
const FOR_GOOD: &[&str] =
    &["unknown_method", "missing_scope", "not_allowed_token_type", "access_denied", "feature_not_enabled"];
/// Slack's word for a stream that has ended already.
const ENDED: &[&str] = &["message_not_in_streaming_state"];

/// The streams that are open. Cloning is cheap.
#[derive(Clone)]
pub(in super::super) struct Streams {
    shelf: Arc<Shelf>,
    notes: Notes,
}

#[derive(Default)]
struct Shelf {
    /// The stream of each thread; nothing while somebody has it in hand.
    streams: Mutex<HashMap<Spot, Option<Stream>>>,
    put_back: Notify,
}

/// A thread of a conversation.
type Spot = (String, String);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Stream {
    number: u64,
    spot: Spot,
    room: String,
    ts: String,
    shown: String,
    /// Whether what is shown is known: a call that was cut off may have had its effect.
    sure: bool,
    /// The key of the piece whose message it may be by now.
    piece: Option<String>,
}

/// A thread in hand: nobody else touches its stream. Put back when this is dropped, also in the middle of a call.
struct InHand {
    shelf: Arc<Shelf>,
    spot: Spot,
    stream: Option<Stream>,
}

/// Shows answers while they are made.
pub(in super::super) struct SlackDraft {
    desk: Desk,
    streams: Streams,
    works: AtomicBool,
}

impl SlackDraft {
    /// Shows answers from a desk.
    pub(in super::super) fn new(desk: Desk, streams: Streams) -> Self {
        Self { desk, streams, works: AtomicBool::new(true) }
    }

    async fn start(&self, spot: &Spot, target: &SendTarget, shown: &str) -> Result<(String, String), Fault> {
        let room = self.desk.room(target).await?;
        let asker = self.desk.known.asker(&target.to, &spot.1);
        let arguments = SlackArguments::default()
            .with("channel", &room)
            .with("thread_ts", &spot.1)
            .with("markdown_text", shown)
            .maybe("recipient_user_id", asker.clone())
            .maybe("recipient_team_id", asker.and(self.desk.us.team.clone()));
        let answer = self.desk.api.call(As::Us, "chat.startStream", arguments).await?;
        let ts = receipt_of(&answer)?.message.as_str().to_owned();
        Ok((room, ts))
    }
}

#[async_trait]
impl Draft for SlackDraft {
    fn works(&self, target: &SendTarget) -> bool {
        self.works.load(Ordering::Relaxed)
            && self.desk.api.login().habits.native_streams
            && spot(&self.desk, target).is_some()
    }

    async fn draft(&self, target: &SendTarget, number: u64, text: &RichText) -> Result<(), ChannelError> {
        let Some(spot) = spot(&self.desk, target) else { return Ok(()) };
        let written = markdown(&settled(text));
        if written.trim().is_empty() || written.chars().count() > LONGEST {
            return Ok(());
        }
        let mut hand = self.streams.take(&spot).await;
        let is_old = |stream: &mut Stream| stream.number != number || stream.piece.is_some();
        if let Some(old) = hand.stream.take_if(is_old) {
            self.streams.withdraw(&self.desk, &old).await;
        }
        if let Some(stream) = &mut hand.stream {
            return stream.append(&self.desk, written).await;
        }
        match self.start(&spot, target, &written).await {
            Ok((room, ts)) => {
                let stream = Stream { number, spot, room, ts, shown: written, sure: true, piece: None };
                self.streams.notes.note(hand.stream.insert(stream)).await;
                Ok(())
            }
            Err(fault) => {
                if fault.says(FOR_GOOD) {
                    self.works.store(false, Ordering::Relaxed);
                }
                Err(fault.into())
            }
        }
    }

    async fn withdraw(&self, target: &SendTarget) -> Result<(), ChannelError> {
        self.streams.give_up(&self.desk, target).await;
        Ok(())
    }
}

impl Streams {
    /// None is open. What is noted goes into the account's state.
    pub(in super::super) fn new(state: Arc<dyn StateStore>, namespace: String) -> Self {
        Self { shelf: Arc::default(), notes: Notes::new(state, namespace) }
    }

    /// Takes back what an earlier line left open. What may be a piece's message is kept for that piece.
    pub(in super::super) async fn clear(&self, desk: &Desk) {
        for stream in self.notes.left().await {
            match stream.piece {
                Some(_) => self.shelf.put(stream),
                None => self.withdraw(desk, &stream).await,
            }
        }
    }

    /// A piece was found in a message: a stream that became it is over.
    pub(super) async fn settle(&self, piece: &Outgoing, found: &Receipt) {
        let Some(thread) = thread_of(piece) else { return };
        let mut hand = self.take(&(piece.target.to.clone(), thread.to_owned())).await;
        if let Some(stream) = hand.stream.take_if(|stream| stream.ts == found.message.as_str()) {
            self.notes.strike(&stream).await;
        }
    }

    /// Makes the stream of a thread the message of a piece; nothing where none is open.
    pub(super) async fn finish(
        &self,
        desk: &Desk,
        piece: &Outgoing,
        text: &RichText,
    ) -> Result<Option<Receipt>, ChannelError> {
        let Some(thread) = thread_of(piece) else { return Ok(None) };
        let mut hand = self.take(&(piece.target.to.clone(), thread.to_owned())).await;
        let is_anothers = |stream: &mut Stream| stream.piece.as_ref().is_some_and(|key| *key != piece.key);
        if let Some(other) = hand.stream.take_if(is_anothers) {
            self.withdraw(desk, &other).await;
        }
        let Some(stream) = &mut hand.stream else { return Ok(None) };
        let message =
            MessageId::new(&stream.ts).map_err(|error| ChannelError::Wrong { reason: error.to_string() })?;
        let was_tried = stream.piece.replace(piece.key.clone()).is_some();
        // Noted first: a later process takes back nothing that may have been sent.
        self.notes.note(stream).await;
        let fault = match stream.stop(desk, piece, text).await {
            Ok(()) => {
                self.strike(&mut hand).await;
                return Ok(Some(Receipt { message, moved_to: None }));
            }
            Err(fault) => fault,
        };
        if let Fault::Refused { reason, .. } = fault {
            // The message goes out as any other; what was shown so far would stand there twice.
            tracing::debug!(subsystem = "channels", reason, "a stream could not be ended");
            if let Some(mut stream) = hand.stream.take() {
                stream.piece = None;
                self.withdraw(desk, &stream).await;
            }
            return Ok(None);
        }
        let error = ChannelError::from(fault);
        if !was_tried && !matches!(error, ChannelError::Unreachable { landed: Landed::Maybe, .. }) {
            // The piece is not in it, so it is still to be taken back if the piece never comes.
            stream.piece = None;
            self.notes.note(stream).await;
        }
        Err(error)
    }

    /// Takes back what was shown in a thread that is answered with something else.
    pub(super) async fn give_up(&self, desk: &Desk, target: &SendTarget) {
        let Some(spot) = spot(desk, target) else { return };
        let mut hand = self.take(&spot).await;
        if let Some(stream) = hand.stream.take() {
            self.withdraw(desk, &stream).await;
        }
    }

    /// Nobody has to do with a stream any more.
    async fn strike(&self, hand: &mut InHand) {
        if let Some(stream) = hand.stream.take() {
            self.notes.strike(&stream).await;
        }
    }

    /// Ends a stream and takes its message away, unless a piece may be in it. People see nothing of it, so nobody waits
    /// for it.
    async fn withdraw(&self, desk: &Desk, stream: &Stream) {
        let methods: &[&str] = match stream.piece {
            Some(_) => &["chat.stopStream"],
            None => &["chat.stopStream", "chat.delete"],
        };
        for method in methods {
            if let Err(fault) = desk.api.call(As::Us, method, stream.arguments()).await {
                let error = ChannelError::from(fault);
                tracing::debug!(subsystem = "channels", %method, %error, "a stream could not be taken back");
            }
        }
        self.notes.strike(stream).await;
    }

    /// Takes the stream of a thread in hand, once nobody else has it.
    async fn take(&self, spot: &Spot) -> InHand {
        loop {
            let put_back = self.shelf.put_back.notified();
            tokio::pin!(put_back);
            // Made known before looking, so that nothing that is put back meanwhile is missed.
            put_back.as_mut().enable();
            if let Some(stream) = self.shelf.take(spot) {
                return InHand { shelf: Arc::clone(&self.shelf), spot: spot.clone(), stream };
            }
            put_back.await;
        }
    }
}

impl Shelf {
    /// The stream of a thread, which may be none; nothing while somebody has it in hand.
    fn take(&self, spot: &Spot) -> Option<Option<Stream>> {
        let mut streams = self.streams();
        match streams.get_mut(spot) {
            None => {
                streams.insert(spot.clone(), None);
                Some(None)
            }
            Some(there) => there.take().map(Some),
        }
    }

    fn put(&self, stream: Stream) {
        self.streams().insert(stream.spot.clone(), Some(stream));
    }

    fn streams(&self) -> MutexGuard<'_, HashMap<Spot, Option<Stream>>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for InHand {
    fn drop(&mut self) {
        let mut streams = self.shelf.streams();
        match self.stream.take() {
            Some(stream) => streams.insert(self.spot.clone(), Some(stream)),
            None => streams.remove(&self.spot),
        };
        drop(streams);
        self.shelf.put_back.notify_waiters();
    }
}

impl Stream {
    fn arguments(&self) -> SlackArguments {
        SlackArguments::default().with("channel", &self.room).with("ts", &self.ts)
    }

    /// Shows what is new, where the rest stayed as it was.
    async fn append(&mut self, desk: &Desk, written: String) -> Result<(), ChannelError> {
        let more = written.strip_prefix(&self.shown).filter(|more| !more.is_empty() && self.sure);
        let Some(more) = more else { return Ok(()) };
        let arguments = self.arguments().with("markdown_text", more);
        self.sure = false;
        match desk.api.call(As::Us, "chat.appendStream", arguments).await {
            Ok(_) => {
                self.shown = written;
                self.sure = true;
                Ok(())
            }
            Err(fault) => {
                let error = ChannelError::from(fault);
                self.sure = !matches!(error, ChannelError::Unreachable { landed: Landed::Maybe, .. });
                Err(error)
            }
        }
    }

    /// Adds what is missing and ends the stream with the key of the piece. Where words that were shown have changed, or
    /// nobody knows what is shown, all is written anew.
    async fn stop(&mut self, desk: &Desk, piece: &Outgoing, text: &RichText) -> Result<(), Fault> {
        let whole = markdown(text);
        let rest = whole.strip_prefix(&self.shown).filter(|_| self.sure);
        let mut arguments = self.arguments();
        // The key comes with the call that makes the message whole: whoever looks for the piece must not find half of it.
        if let Some(rest) = rest {
            arguments = arguments
                .json("metadata", &metadata(&piece.key))
                .maybe("markdown_text", Some(rest).filter(|rest| !rest.is_empty()));
            if piece.buttons.iter().any(|row| !row.is_empty()) {
                arguments = arguments.json("blocks", &blocks::with_buttons("", &piece.buttons));
            }
        }
        // Whether the rest was added is not known if this is cut off; then all is written anew.
        self.sure = false;
        let is_whole = match desk.api.call(As::Us, "chat.stopStream", arguments).await {
            Ok(_) => rest.is_some(),
            Err(fault) if fault.says(ENDED) => false,
            Err(fault) => return Err(fault),
        };
        if !is_whole {
            let written = format(text);
            let arguments = self
                .arguments()
                .with("text", &written)
                .json("blocks", &blocks::anew(&written, &piece.buttons))
                .json("metadata", &metadata(&piece.key));
            desk.api.call(As::Us, "chat.update", arguments).await?;
        }
        Ok(())
    }
}

/// The thread that an answer to a target goes into; nothing where it goes into none.
fn spot(desk: &Desk, target: &SendTarget) -> Option<Spot> {
    if let Ok(SlackDestination::OnlyFor { .. }) | Err(_) = desk.place(target) {
        return None;
    }
    let thread = target.thread.as_ref()?;
    Some((target.to.clone(), thread.as_str().to_owned()))
}

/// The part of an answer that will not change: up to the last space that no mark goes over.
pub(in super::super) fn settled(text: &RichText) -> RichText {
    let words = text.text();
    let space = words.rfind(char::is_whitespace);
    let mut end = space.map_or(0, |at| at + words[at..].chars().next().map_or(1, char::len_utf8));
    let spans = text.styles().iter().map(|span| (span.start, span.end));
    let spans: Vec<(usize, usize)> =
        spans.chain(text.links().iter().map(|link| (link.start, link.end))).collect();
    // A mark that ends where the words end may still grow.
    while let Some((start, _)) = spans
        .iter()
        .find(|(start, stop)| *start < end && (end < *stop || (*stop == words.len() && *stop >= end)))
    {
        end = *start;
    }
    text.slice(0, end)
}
