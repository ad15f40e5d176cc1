//! The transcript of a run: what is stored of it, and the same in memory for the next call of the model.
//!
//! Everything is stored before the run acts on it. What a model sees of the transcript is `session`'s business, which
//! branch is current the store's.

use std::sync::Arc;

use openclaw_ports::stores::{
    Append, BranchQuery, BranchReach, EntryChange, Flush, RunStart, SessionStore, StoredEntry,
};
use openclaw_session::{Finish, Journal, SessionError, Writing};
use openclaw_types::{
    AgentId, AssistantMessage, AssistantSource, EntryBody, EntryId, LineEntry, LineRecord, Message,
    RunEnding, RunId, SessionEntry, SessionId, ToolCall, ToolCallId, TranscriptLine, UnixMillis,
};

/// The transcript of a run.
pub(super) struct Record {
    pub(super) sessions: Arc<dyn SessionStore>,
    pub(super) journal: Arc<Journal>,
    pub(super) agent: AgentId,
    pub(super) session: SessionId,
    pub(super) run: RunId,
    /// The run, until its first words are stored: it is noted together with them.
    pub(super) begins: Option<RunStart>,
    branch: Vec<StoredEntry>,
}

impl Record {
    pub(super) fn new(
        sessions: Arc<dyn SessionStore>,
        journal: Arc<Journal>,
        (agent, session, run): (AgentId, SessionId, RunId),
    ) -> Self {
        Self { sessions, journal, agent, session, run, begins: None, branch: Vec::new() }
    }

    /// Reads the branch anew: at the start, and after something else wrote to it.
    pub(super) async fn load(&mut self) -> Result<(), SessionError> {
        let query = BranchQuery {
            agent: self.agent.clone(),
            session: self.session.clone(),
            leaf: None,
            reach: BranchReach::SinceCompaction,
        };
        self.branch = self.sessions.branch(query).await?;
        Ok(())
    }

    /// The current branch, back to what the newest compaction kept.
    pub(super) fn branch(&self) -> &[StoredEntry] {
        &self.branch
    }

    /// Appends. After a loss of power it may be missing, and the run goes on from before it.
    pub(super) async fn append(&mut self, bodies: Vec<EntryBody>) -> Result<(), SessionError> {
        self.write(bodies, Flush::WithNext).await
    }

    async fn write(&mut self, bodies: Vec<EntryBody>, flush: Flush) -> Result<(), SessionError> {
        if bodies.is_empty() {
            return Ok(());
        }
        let writing = Writing {
            agent: self.agent.clone(),
            session: self.session.clone(),
            run: Some(self.run.clone()),
            begins: self.begins.clone(),
            flush,
            bodies: bodies.clone(),
        };
        let written = self.journal.append(writing).await?;
        self.begins = None;
        self.remember(bodies, written.entries, written.at);
        Ok(())
    }

    /// Appends a message of the model that is acted upon next: it is on the disk before anything is done.
    pub(super) async fn say_before_deeds(&mut self, message: AssistantMessage) -> Result<(), SessionError> {
        self.write(vec![Message::Assistant(message).into()], Flush::Now).await
    }

    /// Appends messages.
    pub(super) async fn say(&mut self, messages: Vec<Message>) -> Result<(), SessionError> {
        self.append(messages.into_iter().map(EntryBody::from).collect()).await
    }

    /// Ends the run together with its last messages and what its session counts of it. Gives the session.
    pub(super) async fn finish(
        &mut self,
        how: RunEnding,
        last: Vec<Message>,
        count: Option<EntryChange>,
    ) -> Result<Option<Arc<SessionEntry>>, SessionError> {
        let bodies: Vec<_> = last.into_iter().map(EntryBody::from).collect();
        let finish = Finish {
            agent: self.agent.clone(),
            session: self.session.clone(),
            run: self.run.clone(),
            how,
            begins: self.begins.clone(),
            bodies: bodies.clone(),
        };
        let (written, session) = self.journal.finish(finish, count).await?;
        self.begins = None;
        self.remember(bodies, written.entries, written.at);
        Ok(session)
    }

    /// Puts other entries in the place of the last ones: a new branch off the entry before them.
    ///
    /// Nobody writes to the transcript meanwhile, and the branch is read anew first: what others put in since belongs
    /// on the new branch as well. Says whether there was anything to put in.
    pub(super) async fn rebranch(
        &mut self,
        change: impl FnOnce(&[StoredEntry]) -> Option<(usize, Vec<TranscriptLine>)> + Send,
    ) -> Result<Rebranched, SessionError> {
        let (journal, session) = (Arc::clone(&self.journal), self.session.clone());
        let work = async {
            self.load().await?;
            match change(&self.branch) {
                None => Ok(Rebranched::No),
                Some((first, lines)) => self.replace_from(first, lines).await,
            }
        };
        journal.alone(&session, work).await
    }

    async fn replace_from(
        &mut self,
        first: usize,
        lines: Vec<TranscriptLine>,
    ) -> Result<Rebranched, SessionError> {
        let append = Append {
            agent: self.agent.clone(),
            session: self.session.clone(),
            run: Some(self.run.clone()),
            begins: None,
            flush: Flush::Now,
            lines: lines.clone(),
        };
        self.sessions.append(append).await?;
        let runs: Vec<_> = self.branch.drain(first..).map(|stored| (stored.sequence, stored.run)).collect();
        let entries = lines.into_iter().zip(runs);
        self.branch.extend(entries.map(|(line, (sequence, run))| StoredEntry {
            sequence,
            run,
            line: line.into(),
        }));
        Ok(Rebranched::Yes)
    }

    /// Whether a person's message is stored already.
    pub(super) async fn holds(&self, key: &str) -> Result<bool, SessionError> {
        Ok(self.sessions.holds_message(&self.agent, &self.session, key).await?)
    }

    /// The messages of the branch and the runs that wrote them, oldest first.
    pub(super) fn messages(&self) -> impl DoubleEndedIterator<Item = (Option<&RunId>, &Message)> {
        self.branch.iter().filter_map(|stored| match &stored.line.record {
            LineRecord::Entry(entry) => match &entry.body {
                EntryBody::Message(message) => Some((stored.run.as_ref(), &**message)),
                _ => None,
            },
            _ => None,
        })
    }

    /// The messages that this run wrote, oldest first.
    pub(super) fn own_messages(&self) -> impl Iterator<Item = &Message> {
        self.messages().filter(|(run, _)| *run == Some(&self.run)).map(|(_, message)| message)
    }

    /// The first entry that this run wrote.
    pub(super) fn first_entry_of_run(&self) -> Option<&EntryId> {
        let own = self.branch.iter().find(|stored| stored.run.as_ref() == Some(&self.run))?;
        entry(own)?.id.as_ref()
    }

    /// Those of them that make the answer: what the agent wrote down for itself before it is left out.
    pub(super) fn answer_messages(&self) -> impl Iterator<Item = &Message> {
        let mut is_inner = false;
        self.own_messages().filter(move |message| {
            if let Message::User(asked) = message {
                is_inner = asked.is_inner();
            }
            !is_inner
        })
    }

    /// The calls that have a result.
    pub(super) fn results(&self) -> impl Iterator<Item = &ToolCallId> {
        self.messages().filter_map(|(_, message)| match message {
            Message::ToolResult(result) => Some(&result.call),
            _ => None,
        })
    }

    /// The calls of the last message of the model that have no result yet, in order.
    pub(super) fn open_calls(&self) -> Vec<ToolCall> {
        let mut answered: Vec<&ToolCallId> = Vec::new();
        for (run, message) in self.messages().rev() {
            match message {
                Message::ToolResult(result) => answered.push(&result.call),
                Message::Assistant(message) if is_put_in(run, message) => {}
                Message::Assistant(message) => {
                    return message
                        .tool_calls()
                        .filter(|call| !answered.contains(&&call.id))
                        .cloned()
                        .collect();
                }
                _ => {}
            }
        }
        Vec::new()
    }

    fn remember(&mut self, bodies: Vec<EntryBody>, ids: Vec<EntryId>, at: UnixMillis) {
        let mut parent = self.branch.last().and_then(|stored| entry(stored)?.id.clone());
        let mut sequence = self.branch.last().map_or(0, |stored| stored.sequence);
        for (body, id) in bodies.into_iter().zip(ids) {
            sequence = sequence.saturating_add(1);
            let entry = LineEntry { id: Some(id.clone()), parent: parent.replace(id), at: Some(at), body };
            let line = Arc::new(TranscriptLine::new(LineRecord::Entry(Box::new(entry))));
            self.branch.push(StoredEntry { sequence, run: Some(self.run.clone()), line });
        }
    }
}

/// Whether a transcript goes on along a new branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rebranched {
    /// It does.
    Yes,
    /// There was nothing to change.
    No,
}

/// Whether a message was put into the session from outside of every run: an answer to a chat command, a note.
pub(super) fn is_put_in(run: Option<&RunId>, message: &AssistantMessage) -> bool {
    run.is_none() && message.source() != AssistantSource::Model
}

/// The entry of a stored line.
pub(super) fn entry(stored: &StoredEntry) -> Option<&LineEntry> {
    match &stored.line.record {
        LineRecord::Entry(entry) => Some(entry),
        LineRecord::Header(_) | LineRecord::Foreign(_) => None,
    }
}
