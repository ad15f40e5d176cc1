//! Commands of the original that this gateway does not have. Whoever gives one is told so: the model would only guess.

/// A command that is not there, and what there is instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Absent {
    /// Its name, without a slash.
    pub word: &'static str,
    /// What to do instead.
    pub instead: &'static str,
}

const ABSENT: [Absent; 3] = [
    Absent { word: "acp", instead: "Tasks can be handed to sub-agents with /subagents spawn." },
    Absent { word: "tts", instead: "Answers are written, not spoken." },
    Absent { word: "vc", instead: "It does not join voice channels." },
];

/// The absent command that a message gives.
pub(super) fn find(name: &str) -> Option<&'static Absent> {
    let name = name.to_lowercase();
    ABSENT.iter().find(|absent| absent.word == name)
}
