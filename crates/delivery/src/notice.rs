//! What people are told when there is no better answer, in plain words and with what to do next.
//!
//! The only place where faults become sentences. Texts given to a notice are for people already and hold no secret;
//! names from outside are shortened and kept on one line.

use std::time::Duration;

use crate::media_path::MediaRefusal;
use crate::retry::GivenUp;

/// The longest name or detail from outside, in characters.
const SHOWN: usize = 200;
/// How many side effects are listed.
const LISTED: usize = 8;

/// Something to tell people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// An answer took too long.
    TimedOut {
        /// How long it was allowed to take.
        after: Duration,
    },
    /// Somebody stopped the answer.
    Aborted {
        /// How many sub-agents were stopped with it.
        subagents: usize,
    },
    /// A newer message took the place of the answer.
    Superseded,
    /// The conversation is longer than the model can read, and nothing helped.
    ContextOverflow,
    /// Summing up older parts failed.
    CompactionFailed,
    /// The vendor does not accept the order of messages.
    RoleOrdering,
    /// A picture is too large for the model.
    ImageTooLarge {
        /// What is allowed, where the vendor said so.
        limit: Option<String>,
    },
    /// The agent went round in circles.
    LoopStopped {
        /// The tool it kept calling.
        tool: Option<String>,
    },
    /// There is no money left for it.
    Budget {
        /// Why, for people.
        explanation: String,
    },
    /// No model could be called.
    ModelFailed {
        /// Why, for people.
        explanation: String,
    },
    /// Something is wrong on our side.
    Internal,
    /// The gateway was restarted in the middle of the answer.
    Interrupted {
        /// What may have been done already.
        effects: Vec<SideEffect>,
    },
    /// The gateway was restarted while a command was carried out.
    CommandInterrupted,
    /// Somebody gave a command that is not theirs to give.
    CommandNotAllowed,
    /// The gateway was restarted again and again in the middle of the same answer.
    GivenUp,
    /// Too many messages waited.
    QueueFull {
        /// How many get no answer.
        dropped: usize,
    },
    /// Messages that waited were withdrawn.
    Withdrawn {
        /// How many.
        dropped: usize,
    },
    /// The result of a sub-agent could not be given.
    SubagentLost(LostResult),
    /// The model said nothing at all.
    EmptyAnswer,
    /// A message could not be delivered.
    Undelivered {
        /// Where it was to go, as people call it.
        place: String,
        /// Why not.
        reason: GivenUp,
    },
    /// A file could not be attached.
    FileLeftOut {
        /// The file as the answer named it.
        name: String,
        /// Why not.
        reason: MediaRefusal,
    },
}

/// Something that a tool may have done before a restart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideEffect {
    /// The tool.
    pub tool: String,
    /// What it was to do, in a few words.
    pub what: Option<String>,
}

/// The result of a sub-agent that could not be given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostResult {
    /// What the sub-agent was called.
    pub label: String,
    /// Why, for people.
    pub reason: String,
}

impl Notice {
    /// The notice in words.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::TimedOut { after } => format!(
                "⚠️ I ran out of time: an answer may take {}. Ask for a smaller step, or raise agents.defaults.timeoutSeconds.",
                span(*after)
            ),
            Self::Aborted { subagents } => match subagents {
                0 => "⚙️ Stopped, as you asked.".to_owned(),
                count => format!("⚙️ Stopped, as you asked, together with {}.", counted(*count, "sub-agent", "sub-agents")),
            },
            Self::Superseded => "⚙️ I left that and turned to your newer message.".to_owned(),
            Self::ContextOverflow => {
                "⚠️ This conversation has grown longer than the model can read, and shortening it did not help. Begin a new one with /new, or choose a model that reads more with /model.".to_owned()
            }
            Self::CompactionFailed => {
                "⚠️ The conversation is full and could not be summed up. Try /compact again, or begin a new one with /new.".to_owned()
            }
            Self::RoleOrdering => {
                "⚠️ The model does not accept the order of the messages in this conversation. Begin a new one with /new; the old one is kept.".to_owned()
            }
            Self::ImageTooLarge { limit } => match limit {
                Some(limit) => format!("⚠️ That picture is too large for the model (it takes {}). Send a smaller one.", shown(limit)),
                None => "⚠️ That picture is too large for the model. Send a smaller one.".to_owned(),
            },
            Self::LoopStopped { tool } => match tool {
                Some(tool) => format!("⚠️ I stopped myself: I kept calling {} without getting anywhere. Tell me what to do differently.", shown(tool)),
                None => "⚠️ I stopped myself: I was going round in circles. Tell me what to do differently.".to_owned(),
            },
            Self::Budget { explanation } => format!("⚠️ {}", explanation.trim()),
            Self::ModelFailed { explanation } => format!("⚠️ {}", explanation.trim()),
            Self::Internal => {
                "⚠️ Something went wrong on my side, and the details are in the gateway's log. Try again; if it happens again, run openclaw doctor.".to_owned()
            }
            Self::Interrupted { effects } => interrupted(effects),
            Self::CommandInterrupted => "⚠️ The gateway restarted while this command was carried out, so it may have \
                had no effect. Look, and send it again if needed."
                .to_owned(),
            Self::CommandNotAllowed => {
                "⚠️ You may not use this command here. Whoever runs this assistant can allow it.".to_owned()
            }
            Self::GivenUp => "⚠️ The gateway stopped several times in the middle of this answer, so I do not try it \
                again. `openclaw logs` says what happened; send the message once more when that is put right."
                .to_owned(),
            Self::QueueFull { dropped } => format!(
                "⚠️ Too many messages were waiting, so {} without an answer. Send what still matters again, or let more wait with /queue cap:50.",
                left(*dropped)
            ),
            Self::Withdrawn { dropped } => format!("⚙️ {} withdrawn.", was(*dropped)),
            Self::SubagentLost(lost) => format!(
                "⚠️ The sub-agent {} has finished, but its result could not be given here: {}. /subagents log shows what it did.",
                shown(&lost.label),
                shown(&lost.reason).trim_end_matches('.')
            ),
            Self::EmptyAnswer => "⚠️ The model gave an empty answer. Ask again, or choose another with /model.".to_owned(),
            Self::Undelivered { place, reason } => {
                format!("⚠️ A message to {} was not delivered: {}.", shown(place), reason.text())
            }
            Self::FileLeftOut { name, reason } => {
                format!("⚠️ The file {} was not attached: {}.", shown(name), reason.text())
            }
        }
    }
}

impl GivenUp {
    /// The reason for people, with what to do next.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::TooOften => {
                "the platform did not take it after many attempts; try it again with `openclaw outbox retry`"
            }
            Self::TooOld => "it waited too long to be of use; `openclaw outbox retry` sends it all the same",
            Self::Refused => "the platform refuses it; check that the account may write there",
            Self::Wrong => "the platform cannot show it; send it in another form",
            Self::MovedTooOften => "the conversation moved again and again; check where it is now",
        }
    }
}

impl MediaRefusal {
    /// The reason for people, with what to do next.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Empty => "its name cannot be read; name a file or an address",
            Self::Scheme => "only files and web addresses can be attached; save it to a file first",
            Self::Foreign => "its path is not one of this machine; name a file that is here",
            Self::Outside => {
                "it lies outside the folders that files are sent from; copy it into the workspace first"
            }
            Self::Absent => "it cannot be read; check its name and whether it is there",
            Self::NoFiles => {
                "files cannot be sent here; put it where it has an address, or ask for it elsewhere"
            }
            Self::Guarded => {
                "it leads out of its folder or is one of the gateway's own files; those are never sent"
            }
            Self::TooLarge => "it is larger than may be sent there; make it smaller first",
        }
    }
}

fn interrupted(effects: &[SideEffect]) -> String {
    let mut text =
        String::from("⚠️ The gateway was restarted while I was answering, so this answer is not complete.");
    if effects.is_empty() {
        text.push_str(" Nothing had been changed. Send your message again.");
        return text;
    }
    text.push_str(" These steps had begun, and may or may not have been carried out; look before you ask for them again:");
    for effect in effects.iter().take(LISTED) {
        text.push_str("\n- ");
        text.push_str(&shown(&effect.tool));
        if let Some(what) = &effect.what {
            text.push_str(": ");
            text.push_str(&shown(what));
        }
    }
    match effects.len().saturating_sub(LISTED) {
        0 => {}
        more => text.push_str(&format!("\n- and {more} more")),
    }
    text
}

fn left(count: usize) -> String {
    match count {
        1 => "one was left".to_owned(),
        count => format!("{count} were left"),
    }
}

fn was(count: usize) -> String {
    match count {
        1 => "One waiting message was".to_owned(),
        count => format!("{count} waiting messages were"),
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn span(span: Duration) -> String {
    match span.as_secs() {
        seconds if seconds < 120 => {
            counted(usize::try_from(seconds).unwrap_or(usize::MAX), "second", "seconds")
        }
        seconds => counted(usize::try_from(seconds / 60).unwrap_or(usize::MAX), "minute", "minutes"),
    }
}

/// Text from outside on one line, shortened.
fn shown(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
