//! The words for levels and choices, with everything people may type instead.
//!
//! Case does not matter. What a level means for a model or a tool is known elsewhere.

use openclaw_config::QueueMode;
use openclaw_config::sections::QueueDrop;
use openclaw_types::ThinkingLevel;

macro_rules! choices {
    ($(#[doc = $doc:literal])* $name:ident { $( $(#[doc = $what:literal])* $variant:ident = $word:literal $(| $other:literal)*; )* }) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {
            $( $(#[doc = $what])* $variant, )*
        }

        impl $name {
            /// The words of every choice.
            pub const WORDS: &[&str] = &[$($word),*];

            /// The choice as it stands in a session.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $( Self::$variant => $word, )*
                }
            }

            /// Reads a choice as people type it.
            #[must_use]
            pub fn parse(word: &str) -> Option<Self> {
                match word.trim().to_lowercase().as_str() {
                    $( $word $(| $other)* => Some(Self::$variant), )*
                    _ => None,
                }
            }
        }
    };
}

choices! {
    /// How much of the tools is shown.
    VerboseLevel {
        /// Nothing.
        Off = "off" | "false" | "no" | "0";
        /// What they do.
        On = "on" | "minimal" | "true" | "yes" | "1";
        /// What they do and give.
        Full = "full" | "all" | "everything";
    }
}

choices! {
    /// Whether thoughts are shown.
    ReasoningLevel {
        /// They are not.
        Off = "off" | "false" | "no" | "0" | "hide" | "hidden" | "disable" | "disabled";
        /// As a message of their own.
        On = "on" | "true" | "yes" | "1" | "show" | "visible" | "enable" | "enabled";
        /// As they come.
        Stream = "stream" | "streaming" | "draft" | "live";
    }
}

choices! {
    /// Whether commands may leave the sandbox.
    ElevatedLevel {
        /// They may not.
        Off = "off" | "false" | "no" | "0";
        /// They may, under the rules for approval.
        On = "on" | "true" | "yes" | "1";
        /// They may after a person was asked.
        Ask = "ask" | "prompt" | "approval" | "approve";
        /// They may, and nobody is asked.
        Full = "full" | "auto" | "auto-approve" | "autoapprove";
    }
}

choices! {
    /// How much is told about what an answer took.
    UsageDisplay {
        /// Nothing.
        Off = "off" | "false" | "no" | "0" | "disable" | "disabled";
        /// Tokens.
        Tokens = "tokens" | "token" | "tok" | "minimal" | "min" | "on" | "true" | "yes" | "1" | "enable" | "enabled";
        /// Tokens, cost and the session.
        Full = "full" | "session";
    }
}

choices! {
    /// Where commands run.
    ExecHost {
        /// In a container.
        Sandbox = "sandbox";
        /// On the gateway's machine.
        Gateway = "gateway";
        /// On a node.
        Node = "node";
    }
}

choices! {
    /// Which commands may run.
    ExecSecurity {
        /// None.
        Deny = "deny";
        /// Those on the list.
        Allowlist = "allowlist";
        /// All.
        Full = "full";
    }
}

choices! {
    /// When a person is asked before a command runs.
    ExecAsk {
        /// Never.
        Off = "off";
        /// When it is not on the list.
        OnMiss = "on-miss";
        /// Always.
        Always = "always";
    }
}

impl UsageDisplay {
    /// What a bare `/usage` changes to.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Off => Self::Tokens,
            Self::Tokens => Self::Full,
            Self::Full => Self::Off,
        }
    }
}

/// Reads how hard to think, as people type it.
#[must_use]
pub fn parse_thinking(word: &str) -> Option<ThinkingLevel> {
    ThinkingLevel::from_typed(word)
}

/// Reads what becomes of messages while an answer is made, as people type it.
#[must_use]
pub fn parse_queue_mode(word: &str) -> Option<QueueMode> {
    match word.trim().to_lowercase().as_str() {
        "steer" | "steering" | "queue" | "queued" => Some(QueueMode::Steer),
        "interrupt" | "interrupts" | "abort" => Some(QueueMode::Interrupt),
        "followup" | "followups" | "follow-up" | "follow-ups" => Some(QueueMode::Followup),
        "collect" | "coalesce" => Some(QueueMode::Collect),
        "steer-backlog" | "steer+backlog" | "steer_backlog" => Some(QueueMode::SteerBacklog),
        _ => None,
    }
}

/// Reads which messages go when too many wait, as people type it.
#[must_use]
pub fn parse_queue_drop(word: &str) -> Option<QueueDrop> {
    match word.trim().to_lowercase().as_str() {
        "old" | "oldest" => Some(QueueDrop::Old),
        "new" | "newest" => Some(QueueDrop::New),
        "summarize" | "summary" => Some(QueueDrop::Summarize),
        _ => None,
    }
}
