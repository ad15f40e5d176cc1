//! Stage: tells commands from messages, and takes settings out of messages.
//!
//! What a text means is decided in `inbound::commands`; this gives it what it must know and turns the result into the
//! next stage. A submission is read anew after a crash, with the same result.

use openclaw_agent::prompt::{clean_block, person_zone};
use openclaw_agent::{Reasoning, RunOrder, Selection};
use openclaw_config::{CommandSettings, Config, EnvelopeSettings, ExecSettings, QueueOverrides};
use openclaw_inbound::commands::{
    ChatCommand, Directives, Fresh, Level, MessageReading, ModelDirective, Prompt, QueueDirective,
    ReasoningLevel, Rights, Shortcut, Who, is_abort_word, read,
};
use openclaw_inbound::conversation::{Telling, Zone, tell};
use openclaw_ports::tool::ExecChoices;
use openclaw_session::reset_trigger;
use openclaw_types::{InboundKind, SessionId, UserMessage};

use crate::channels::Seen;
use crate::commands::exec_once;
use crate::flow::Inner;
use crate::intake::Accepted;
use crate::publish::Verbose;
use crate::stamp::stamped;
use crate::submission::{ChannelOrigin, Submission};

/// A submission for the model: what it says, and which settings hold for it alone.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Prompted {
    accepted: Accepted,
    /// What the model gets, without the time.
    text: String,
    /// The same with the time before it, where it gets one.
    words: String,
    overrides: Directives,
    /// The transcript a run goes on in that a crash cut off.
    resumed: Option<SessionId>,
    /// Whether the submission joins a run and is answered afterwards as well.
    answered_again: bool,
    /// The sign on its message that it was seen.
    seen: Option<Seen>,
}

/// What a submission asks for.
pub(crate) enum SubmissionKind {
    /// An answer of the model; short commands first.
    Answer(Box<Prompted>, Vec<Shortcut>),
    /// Something that needs no model.
    Carry(Box<Accepted>, Box<MessageReading>),
}

impl Prompted {
    pub(crate) fn submission(&self) -> &Submission {
        self.accepted.submission()
    }

    pub(crate) fn accepted(&self) -> &Accepted {
        &self.accepted
    }

    /// What the model gets, without the time.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// What the model gets.
    pub(crate) fn words(&self) -> &str {
        &self.words
    }

    /// The message to steer into a run. One that is answered again afterwards has another name then.
    pub(crate) fn steered(&self) -> UserMessage {
        let mut message = self.submission().message(self.words.clone());
        if self.answered_again {
            message.idempotency_key = Some(format!("{}/steered", self.submission().run));
        }
        message
    }

    /// The transcript a run goes on in; nothing for a submission that is new.
    pub(crate) fn resumed(&self) -> Option<&SessionId> {
        self.resumed.as_ref()
    }

    /// The same submission, with the sign on its message that it was seen.
    pub(crate) fn with_sign(mut self, seen: Option<Seen>) -> Self {
        self.seen = seen;
        self
    }

    /// The sign on its message that it was seen.
    pub(crate) fn seen(&self) -> Option<&Seen> {
        self.seen.as_ref()
    }

    pub(crate) fn is_answered_again(&self) -> bool {
        self.answered_again
    }

    pub(crate) fn answered_again(mut self) -> Self {
        self.answered_again = true;
        self
    }

    /// The same submission, for going on with a run in a transcript.
    pub(crate) fn resuming(mut self, session: SessionId) -> Self {
        self.resumed = Some(session);
        self
    }

    /// What holds for this submission alone.
    pub(crate) fn overrides(&self) -> &Directives {
        &self.overrides
    }

    /// What holds about commands for this submission alone, or why it may not say so. Nothing when it does not say anything.
    pub(crate) fn exec(&self, config: &Config, now: &ExecChoices) -> Option<Result<ExecChoices, String>> {
        let settings = ExecSettings::of(config, &self.submission().agent);
        let wanted = self.overrides.exec.as_ref()?;
        Some(exec_once(&settings, &self.submission().from, now, wanted))
    }

    /// A submission with other words: what is left of a command that goes on with the model.
    pub(crate) fn with_text(accepted: Accepted, text: String, config: &Config) -> Self {
        Self::new(accepted, text, Directives::default(), config)
    }

    fn new(accepted: Accepted, text: String, overrides: Directives, config: &Config) -> Self {
        let submission = accepted.submission();
        let words = match &submission.channel_origin {
            Some(channel_origin) => told(channel_origin, &text, config),
            None if submission.options.stamped => stamped(&text, submission.at, &person_zone(config)),
            None => text.clone(),
        };
        Self { accepted, text, words, overrides, resumed: None, answered_again: false, seen: None }
    }
}

/// A message of a platform as the model reads it.
fn told(channel_origin: &ChannelOrigin, text: &str, config: &Config) -> String {
    let settings = EnvelopeSettings::resolve(&config.raw);
    let mut words = text.to_owned();
    for note in &channel_origin.notes {
        words.push('\n');
        words.push_str(note);
    }
    tell(&Telling {
        inbound: &channel_origin.inbound,
        words: Some(words.trim()),
        channel: &channel_origin.label,
        previous: channel_origin.previous,
        starter: None,
        history: &channel_origin.history,
        was_mentioned: channel_origin.was_mentioned,
        zone: &Zone::of(&settings.zone),
        settings: &settings,
        clean: clean_block,
    })
}

/// Reads a submission.
pub(crate) fn ask(flow: &Inner, accepted: Accepted) -> SubmissionKind {
    let config = flow.settings();
    let submission = accepted.submission();
    if !submission.surface.takes_commands() {
        let text = submission.text.clone();
        return SubmissionKind::Answer(
            Box::new(Prompted::new(accepted, text, Directives::default(), &config)),
            Vec::new(),
        );
    }
    match reading(flow, &config, submission) {
        MessageReading::Prompt(prompt) => {
            let prompted = Prompted::new(accepted, prompt.text, prompt.overrides, &config);
            SubmissionKind::Answer(Box::new(prompted), prompt.shortcuts)
        }
        other => SubmissionKind::Carry(Box::new(accepted), Box::new(other)),
    }
}

/// Whether a submission asks to stop.
pub(crate) fn is_abort(flow: &Inner, submission: &Submission) -> bool {
    submission.surface.takes_commands()
        && matches!(reading(flow, &flow.settings(), submission), MessageReading::Abort)
}

/// Whether a submission asks for something that needs no model.
pub(crate) fn is_command(flow: &Inner, submission: &Submission) -> bool {
    submission.surface.takes_commands()
        && !matches!(reading(flow, &flow.settings(), submission), MessageReading::Prompt(_))
}

fn reading(flow: &Inner, config: &Config, submission: &Submission) -> MessageReading {
    let settings = CommandSettings::resolve(&config.raw);
    let aliases = flow.model_aliases();
    let who = submission.who();
    if !reads_commands(flow, submission) && !is_abort_word(&submission.text) {
        return MessageReading::Prompt(Prompt { text: submission.text.clone(), ..Prompt::default() });
    }
    if let Some(reading) = configured_reset(config, who, &submission.text) {
        return reading;
    }
    read(&submission.text, &Rights { who, settings: &settings, model_aliases: &aliases })
}

/// Whether words of a submission may be commands. On a platform with a menu of them, written ones can be switched off.
fn reads_commands(flow: &Inner, submission: &Submission) -> bool {
    let Some(channel_origin) = &submission.channel_origin else { return true };
    let inbound = &channel_origin.inbound;
    let view = flow.parts.channels.view(&inbound.channel, &inbound.account);
    inbound.kind != InboundKind::Message
        || view.is_none_or(|view| flow.rules().access_on(view.descriptor).text)
}

/// A conversation that begins anew with one of the words the configuration adds to `/new` and `/reset`.
fn configured_reset(config: &Config, who: Who, text: &str) -> Option<MessageReading> {
    if !matches!(who, Who::Owner | Who::Allowed) {
        return None;
    }
    let trigger = reset_trigger(&config.session.reset_triggers, text)?;
    // The two built-in words are commands of their own, with hints for a model.
    if ["/new", "/reset"].contains(&trigger.word.to_lowercase().as_str()) {
        return None;
    }
    let text = (!trigger.rest.is_empty()).then(|| trigger.rest.to_owned());
    Some(MessageReading::Command(ChatCommand::Reset(Fresh { text })))
}

/// The order with what holds for one submission alone. What its author may not say about commands does not hold.
pub(crate) fn overridden(mut order: RunOrder, prompted: &Prompted, config: &Config) -> RunOrder {
    let overrides = &prompted.overrides;
    if let Some(Level::Set(level)) = &overrides.think {
        order.thinking = Some(*level);
    }
    if let Some(Level::Set(level)) = &overrides.reasoning {
        order.reasoning = match level {
            ReasoningLevel::Off => Reasoning::Hidden,
            ReasoningLevel::On => Reasoning::Shown,
            ReasoningLevel::Stream => Reasoning::Streamed,
        };
    }
    if let Some(Level::Set(level)) = &overrides.elevated {
        order.exec.elevated = Some(level.as_str().to_owned());
    }
    if let Some(Ok(exec)) = prompted.exec(config, &order.exec) {
        order.exec = exec;
    }
    if let Some(ModelDirective::Set { model, profile }) = &overrides.model {
        let text = match profile {
            Some(profile) => format!("{model}@{profile}"),
            None => model.clone(),
        };
        order.model = Selection::Run(text);
    }
    order
}

/// What holds for the queue: what a submission says for itself, else what was chosen for its session.
pub(crate) fn queue_choices(overrides: &Directives, session: QueueOverrides) -> QueueOverrides {
    match &overrides.queue {
        Some(QueueDirective::Set { choices, .. }) => choices.or(session),
        Some(QueueDirective::Reset) => QueueOverrides::default(),
        Some(QueueDirective::Show) | None => session,
    }
}

/// What a submission alone shows of its tools.
pub(crate) fn shown(overrides: &Directives) -> Option<Verbose> {
    match &overrides.verbose {
        Some(Level::Set(level)) => Verbose::from_word(level.as_str()),
        _ => None,
    }
}
