//! Roles and scopes: what a connected principal may do.
//!
//! A scope belongs to the authenticated principal; what a client asks for only ever narrows it. `ScopeSet::covers`
//! is the one place that knows that admin implies everything and write implies read.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The part a client plays on the gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// A person or program that steers the gateway.
    Operator,
    /// A device that lends its abilities to agents.
    Node,
}

/// A name that is no role.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown role {0:?}; known roles are operator and node")]
pub struct UnknownRole(pub String);

impl Role {
    /// The role as it stands on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Operator => "operator",
            Self::Node => "node",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl FromStr for Role {
    type Err = UnknownRole;
    fn from_str(text: &str) -> Result<Self, UnknownRole> {
        match text {
            "operator" => Ok(Self::Operator),
            "node" => Ok(Self::Node),
            other => Err(UnknownRole(other.to_owned())),
        }
    }
}

macro_rules! scopes {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        /// One permission of an operator. Declared in the order of its text, which is the order sets print in.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum Scope {
            $($(#[$doc])* #[serde(rename = $text)] $name,)*
        }

        impl Scope {
            /// Every scope there is.
            pub const ALL: &'static [Scope] = &[$(Scope::$name,)*];

            /// The scope as it stands on the wire.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }

        impl FromStr for Scope {
            type Err = UnknownScope;
            fn from_str(text: &str) -> Result<Self, UnknownScope> {
                match text {
                    $($text => Ok(Self::$name),)*
                    other => Err(UnknownScope(other.to_owned())),
                }
            }
        }
    };
}

scopes! {
    /// Everything.
    Admin = "operator.admin";
    /// Answer questions about command execution.
    Approvals = "operator.approvals";
    /// Admit and remove devices and nodes.
    Pairing = "operator.pairing";
    /// Answer questions that agents ask (protocol 4).
    Questions = "operator.questions";
    /// Look, do not touch.
    Read = "operator.read";
    /// Read shared sessions (protocol 4).
    SessionsRead = "operator.sessions.read";
    /// Write to shared sessions (protocol 4).
    SessionsWrite = "operator.sessions.write";
    /// Use live speech (protocol 4).
    Talk = "operator.talk";
    /// Read the keys of speech services.
    TalkSecrets = "operator.talk.secrets";
    /// Talk to agents and change what they do; implies read.
    Write = "operator.write";
}

/// A name that is no scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown scope {0:?}")]
pub struct UnknownScope(pub String);

impl fmt::Display for Scope {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// A set of scopes, printed in a stable order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(transparent)]
pub struct ScopeSet(BTreeSet<Scope>);

impl ScopeSet {
    /// The empty set.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Whether a principal with this set may use something that needs `scope`.
    #[must_use]
    pub fn covers(&self, scope: Scope) -> bool {
        self.0.contains(&Scope::Admin)
            || self.0.contains(&scope)
            || (scope == Scope::Read && self.0.contains(&Scope::Write))
    }

    /// Whether every scope of `wanted` is covered.
    #[must_use]
    pub fn covers_all(&self, wanted: &Self) -> bool {
        wanted.iter().all(|scope| self.covers(scope))
    }

    /// Both sets together.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        self.iter().chain(other.iter()).collect()
    }

    /// The scopes in their stable order.
    pub fn iter(&self) -> impl Iterator<Item = Scope> + '_ {
        self.0.iter().copied()
    }

    /// Whether no scope is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<Scope> for ScopeSet {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Self(scopes.into_iter().collect())
    }
}
