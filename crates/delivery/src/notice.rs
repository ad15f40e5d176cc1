//! What people are told when there is no better answer, in plain words and with what to do next.
//!
//! The only place where faults become sentences. Texts given to a notice are for people already and hold no secret;
//! names from outside are shortened and kept on one line.

use crate::media_path::MediaRefusal;
use crate::retry::GivenUp;

/// The longest name or detail from outside, in characters.
const SHOWN: usize = 200;

/// Something to tell people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoticeText {
    /// Somebody stopped the answer.
    Aborted {
        /// How many sub-agents were stopped with it.
        subagents: usize,
    },
    /// Something is wrong on our side.
    Internal,
    /// The gateway was restarted while a command was carried out.
    CommandInterrupted,
    /// Somebody gave a command that is not theirs to give.
    CommandNotAllowed,
    /// The gateway was restarted again and again in the middle of the same answer.
    GivenUp,
    /// Too many messages waited, and this one gets no answer.
    QueueFull,
    /// A file could not be attached.
    FileLeftOut {
        /// The file as the answer named it.
        name: String,
        /// Why not.
        reason: MediaRefusal,
    },
}

impl NoticeText {
    /// The notice in words.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Aborted { subagents } => match subagents {
                0 => "⚙️ Stopped, as you asked.".to_owned(),
                count => format!("⚙️ Stopped, as you asked, together with {}.", counted(*count, "sub-agent", "sub-agents")),
            },
            Self::Internal => {
                "⚠️ Something went wrong on my side, and the details are in the gateway's log. Try again; if it happens again, run openclaw doctor.".to_owned()
            }
            Self::CommandInterrupted => "⚠️ The gateway restarted while this command was carried out, so it may have \
                had no effect. Look, and send it again if needed."
                .to_owned(),
            Self::CommandNotAllowed => {
                "⚠️ You may not use this command here. Whoever runs this assistant can allow it.".to_owned()
            }
            Self::GivenUp => "⚠️ The gateway stopped several times in the middle of this answer, so I do not try it \
                again. `openclaw logs` says what happened; send the message once more when that is put right."
                .to_owned(),
            Self::QueueFull => "⚠️ Too many messages were waiting, so one was left without an answer. Send what still \
                matters again, or let more wait with /queue cap:50."
                .to_owned(),
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

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Text from outside on one line, shortened.
fn shown(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
