//! Stage: accepts a submission. It is durable before its sender is told, and taken once however often it is sent.

use openclaw_inbound::conversation::merge;
use openclaw_ports::stores::{Acceptance, InboxId, InboxKey, InboxMessage, InboxRow};
use openclaw_types::RunId;

use crate::error::FlowError;
use crate::flow::Inner;
use crate::runs::{EndedRun, RunState};
use crate::submission::{ChannelOrigin, Picture, Submission, SubmissionSurface};

/// A submission that was seen for the first time and is stored.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Accepted {
    id: InboxId,
    /// In a box: it is large, and goes through many hands.
    submission: Box<Submission>,
    /// Submissions that became part of this one before anything else happened.
    also: Vec<InboxId>,
    by: AcceptedBy,
}

/// Which process accepted a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AcceptedBy {
    ThisOne,
    AnEarlierOne,
}

/// What became of a submission when it was to be accepted.
#[derive(Debug)]
pub(crate) enum AcceptOutcome {
    /// It is new.
    New(Box<Accepted>),
    /// It came before, and its run is under way.
    InFlight,
    /// It came before and was dealt with.
    Ended(Option<EndedRun>),
}

impl Accepted {
    pub(crate) fn id(&self) -> InboxId {
        self.id
    }

    pub(crate) fn submission(&self) -> &Submission {
        &self.submission
    }

    /// The submission, and those that became part of it.
    pub(crate) fn ids(&self) -> Vec<InboxId> {
        std::iter::once(self.id).chain(self.also.iter().copied()).collect()
    }

    /// Whether this is one submission that was never begun: no other process knew it.
    pub(crate) fn is_fresh(&self) -> bool {
        self.by == AcceptedBy::ThisOne && self.also.is_empty()
    }

    /// One submission of several that came in quick succession: the last, with what all of them say. The runs of the others
    /// are handed to `joined`.
    pub(crate) fn merged(burst: Vec<Self>, joined: impl Fn(&RunId)) -> Option<Self> {
        let mut before = burst;
        let mut one = before.pop()?;
        if before.is_empty() {
            return Some(one);
        }
        let all = || before.iter().chain([&one]);
        let channel_origin: Vec<&ChannelOrigin> =
            all().filter_map(|each| each.submission.channel_origin.as_deref()).collect();
        let inbound = merge(channel_origin.iter().map(|each| each.inbound.clone()).collect())?;
        let history = channel_origin.iter().flat_map(|each| each.history.clone()).collect();
        let was_mentioned = channel_origin.iter().any(|each| each.was_mentioned);
        let texts: Vec<&str> =
            all().map(|each| each.submission.text.trim()).filter(|text| !text.is_empty()).collect();
        let text = texts.join("\n");
        for each in &before {
            joined(&each.submission.run);
        }
        one.also.extend(before.iter().flat_map(Self::ids));
        one.submission.text = text;
        if let Some(channel_origin) = &mut one.submission.channel_origin {
            channel_origin.inbound = inbound;
            channel_origin.history = history;
            channel_origin.was_mentioned = was_mentioned;
        }
        Some(one)
    }

    /// Takes in what its files are.
    pub(crate) fn attached(&mut self, pictures: Vec<Picture>, notes: Vec<String>) {
        self.submission.pictures.extend(pictures);
        if let Some(channel_origin) = &mut self.submission.channel_origin {
            channel_origin.notes = notes;
        }
    }

    pub(crate) fn run(&self) -> &RunId {
        &self.submission.run
    }

    /// A submission of the inbox that an earlier process accepted.
    pub(crate) fn found(row: &InboxRow) -> Result<Self, serde_json::Error> {
        let submission: Submission = serde_json::from_value(row.message.body.clone())?;
        Ok(Self {
            id: row.id,
            submission: Box::new(submission),
            also: Vec::new(),
            by: AcceptedBy::AnEarlierOne,
        })
    }
}

/// Accepts a submission.
pub(crate) async fn accept(flow: &Inner, submission: Submission) -> Result<AcceptOutcome, FlowError> {
    if submission.is_empty() {
        return Err(FlowError::Empty);
    }
    match flow.runs.state(&submission.run) {
        RunState::Active(_) => return Ok(AcceptOutcome::InFlight),
        RunState::Ended(ended) => return Ok(AcceptOutcome::Ended(Some(ended))),
        RunState::Unknown => {}
    }
    let message = message(&submission)?;
    // Noted first, so that two clients that send the same submission at once cannot both start it.
    flow.runs.accepted(&submission.run, &submission.key, &submission.raw_key);
    match flow.parts.inbox.accept(message).await {
        Ok(Acceptance::New(id)) => {
            flow.runs.stored(&submission.run, id);
            let accepted =
                Accepted { id, submission: Box::new(submission), also: Vec::new(), by: AcceptedBy::ThisOne };
            Ok(AcceptOutcome::New(Box::new(accepted)))
        }
        // Dealt with under another name: nobody here would ever end this one.
        Ok(Acceptance::Known(row)) => {
            flow.runs.forget(&submission.run);
            Ok(if row.end.is_none() { AcceptOutcome::InFlight } else { AcceptOutcome::Ended(None) })
        }
        Err(error) => {
            flow.runs.forget(&submission.run);
            Err(error.into())
        }
    }
}

/// Notes a word that is acted on at once and never answered by a run. Nothing when it came before.
pub(crate) async fn note_word(flow: &Inner, submission: &Submission) -> Result<Option<InboxId>, FlowError> {
    match flow.parts.inbox.accept(message(submission)?).await? {
        Acceptance::New(id) => Ok(Some(id)),
        Acceptance::Known(_) => Ok(None),
    }
}

/// A submission as the inbox keeps it.
fn message(submission: &Submission) -> Result<InboxMessage, FlowError> {
    let body = serde_json::to_value(submission)
        .map_err(|error| FlowError::Wrong(format!("the message cannot be written down: {error}")))?;
    let key = match &submission.channel_origin {
        Some(channel_origin) => InboxKey {
            source: channel_origin.inbound.channel.as_str().to_owned(),
            account: channel_origin.inbound.account.as_str().to_owned(),
            // Made from the event alone, so it is the same whenever the platform brings it.
            event: submission.run.as_str().to_owned(),
        },
        None => letter_key(submission.surface, &submission.run),
    };
    Ok(InboxMessage { key, session: submission.key.clone(), at: submission.at, body })
}

/// The key of a submission. One name for a message is enough on every surface: clients choose them at random.
pub(crate) fn letter_key(surface: SubmissionSurface, run: &RunId) -> InboxKey {
    InboxKey { source: surface.as_str().to_owned(), account: String::new(), event: run.as_str().to_owned() }
}
