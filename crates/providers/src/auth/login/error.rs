//! Why a sign-in did not come about, by what the person can do. Never holds a secret.

use openclaw_ports::model::ModelFault;

use crate::auth::oauth::Denied;

/// A sign-in that did not come about.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LoginError {
    /// The person stopped.
    #[error("the sign-in was cancelled")]
    Cancelled,
    /// The person, or their company, said no at the vendor.
    #[error("the sign-in was declined at the vendor; start again and approve it")]
    Declined,
    /// Nobody came back in time.
    #[error("nobody signed in in time; start again")]
    TimedOut,
    /// The code ran out.
    #[error("the code has run out; start again to get a new one")]
    CodeExpired,
    /// What was pasted belongs to another sign-in.
    #[error("what was pasted belongs to another sign-in; start again and paste the newest address")]
    WrongState,
    /// What was pasted holds no code.
    #[error("there is no code in what was pasted; paste the whole address of the page the browser ended on")]
    NoCode,
    /// People cannot sign in at this vendor here.
    #[error(
        "there is no sign-in for {provider} here; use a key: openclaw models auth paste-token --provider {provider}"
    )]
    NoSuchWay {
        /// The vendor.
        provider: String,
    },
    /// What a person gave cannot be used.
    #[error("{problem}")]
    Unusable {
        /// Why, and what to do.
        problem: String,
    },
    /// The vendor refused for a reason of its own.
    #[error("the vendor refused the sign-in ({code}); start again")]
    Refused {
        /// Its code for it.
        code: String,
    },
    /// The vendor could not be reached, or answered something else than its protocol says.
    #[error("{0}")]
    Trouble(ModelFault),
}

impl From<ModelFault> for LoginError {
    fn from(fault: ModelFault) -> Self {
        Self::Trouble(fault)
    }
}

impl LoginError {
    /// What a denied code or poll means to the person.
    pub(super) fn denied(denied: Denied) -> Self {
        match denied {
            Denied::ByPerson => Self::Declined,
            Denied::CodeExpired => Self::CodeExpired,
            Denied::InvalidGrant => Self::Refused { code: "invalid_grant".to_owned() },
            Denied::RateLimit | Denied::SlowDown | Denied::Pending => {
                Self::Refused { code: "too many attempts".to_owned() }
            }
            Denied::Overloaded => Self::Refused { code: "the vendor is in trouble".to_owned() },
            Denied::Other(code) => Self::Refused { code },
            Denied::Malformed => Self::Refused { code: "an answer without tokens".to_owned() },
        }
    }
}
