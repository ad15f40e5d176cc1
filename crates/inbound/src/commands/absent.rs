//! Commands of the original that this gateway does not have. Whoever gives one is told so: the model would only guess.

/// A command that is not there, and what there is instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Absent {
    /// Its name, without a slash.
    pub word: &'static str,
    /// What to do instead.
    pub instead: &'static str,
}

const ABSENT: [Absent; 7] = [
    Absent { word: "acp", instead: "Tasks can be handed to sub-agents with /subagents spawn." },
    Absent {
        word: "pair",
        instead: "Devices are let in with `openclaw devices approve` on the gateway's machine.",
    },
    Absent { word: "phone", instead: "It does not switch what a phone may do; the phone's own settings do." },
    Absent { word: "skill", instead: "There are no skills to run by name; say in words what you want done." },
    Absent { word: "tts", instead: "Answers are written, not spoken." },
    Absent { word: "voice", instead: "Answers are written, not spoken." },
    Absent { word: "vc", instead: "It does not join voice channels." },
];

/// The absent command that a message gives.
pub(super) fn find(name: &str) -> Option<&'static Absent> {
    let name = name.to_lowercase();
    ABSENT.iter().find(|absent| absent.word == name)
}
