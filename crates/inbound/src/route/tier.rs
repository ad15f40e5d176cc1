//! The tiers of routing, and whether a binding belongs to one and fits.
//!
//! A binding belongs to a tier by what it says. It fits when everything it says is so; what it does not say does not
//! matter. Channels are compared in lower case, accounts as ids, everything else letter by letter, as the original does.

use std::borrow::Cow;

use openclaw_config::{AccountMatch, BindingRule, PeerMatch};
use openclaw_types::{AccountId, ChannelId, ChatKind, ChatPlace, Inbound};

use super::key;

/// Who looks for an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteQuery {
    /// The channel.
    pub channel: ChannelId,
    /// Our login there.
    pub account: AccountId,
    /// The conversation.
    pub place: ChatPlace,
    /// The roles of the person, by id.
    pub roles: Vec<String>,
}

/// How an agent was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MatchedBy {
    /// A binding names the conversation.
    Peer,
    /// A binding names the conversation above the thread.
    ParentPeer,
    /// A binding names the guild and a role of the person.
    GuildRoles,
    /// A binding names the guild.
    Guild,
    /// A binding names the team.
    Team,
    /// A binding names our login, or none, which means the default one.
    Account,
    /// A binding names the channel for all our logins.
    Channel,
    /// No binding fits.
    Default,
}

impl MatchedBy {
    /// The tiers, the most exact first.
    pub const ALL: [Self; 8] = [
        Self::Peer,
        Self::ParentPeer,
        Self::GuildRoles,
        Self::Guild,
        Self::Team,
        Self::Account,
        Self::Channel,
        Self::Default,
    ];

    /// The tier that a binding belongs to; the first one, where it says enough for several.
    #[must_use]
    pub fn of(binding: &BindingRule) -> Self {
        Self::ALL.into_iter().find(|tier| belongs(binding, *tier)).unwrap_or(Self::Default)
    }

    /// The word for it, as clients know it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Peer => "binding.peer",
            Self::ParentPeer => "binding.peer.parent",
            Self::GuildRoles => "binding.guild+roles",
            Self::Guild => "binding.guild",
            Self::Team => "binding.team",
            Self::Account => "binding.account",
            Self::Channel => "binding.channel",
            Self::Default => "default",
        }
    }

    /// A sentence for people.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Peer => "a binding names this conversation",
            Self::ParentPeer => "a binding names the conversation that this thread hangs below",
            Self::GuildRoles => "a binding names the guild and a role of the person",
            Self::Guild => "a binding names the guild",
            Self::Team => "a binding names the team",
            Self::Account => "a binding names this account of the channel",
            Self::Channel => "a binding names the channel for all accounts",
            Self::Default => "no binding fits, so the default agent answers",
        }
    }
}

/// A channel and a login, as bindings name them.
pub(super) struct Address {
    channel: String,
    account: AccountId,
}

impl Address {
    /// Whether a binding is about the channel.
    pub(super) fn has_channel(&self, binding: &BindingRule) -> bool {
        binding.channel == self.channel
    }

    /// Whether a binding is about the login.
    pub(super) fn has_account(&self, binding: &BindingRule) -> bool {
        match &binding.account {
            AccountMatch::Default => self.account == AccountId::sanitized(""),
            AccountMatch::Any => true,
            AccountMatch::Only(wanted) => *wanted == self.account,
        }
    }
}

/// What a tier looks at.
pub(super) struct Scope<'a> {
    kind: ChatKind,
    /// The conversation; nothing when the tier has none.
    peer: Option<Cow<'a, str>>,
    guild: Option<&'a str>,
    team: Option<&'a str>,
    roles: &'a [String],
}

/// What of a binding is not so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Unfit {
    /// The conversation is another one.
    Peer,
    /// The guild is another one.
    Guild,
    /// The team is another one.
    Team,
    /// The person has none of the roles.
    Roles,
}

impl RouteQuery {
    /// Who looks for an agent for an event.
    #[must_use]
    pub fn of(inbound: &Inbound) -> Self {
        Self {
            channel: inbound.channel.clone(),
            account: inbound.account.clone(),
            place: inbound.place.clone(),
            roles: inbound.from.roles.clone(),
        }
    }

    /// Our channel and login, as bindings name them.
    pub(super) fn address(&self) -> Address {
        Address {
            channel: self.channel.as_str().trim().to_lowercase(),
            account: AccountId::sanitized(self.account.as_str()),
        }
    }

    /// What a tier looks at; nothing when there is nothing for it to look at.
    pub(super) fn scope(&self, tier: MatchedBy) -> Option<Scope<'_>> {
        let place = &self.place;
        let scope = Scope {
            kind: place.kind,
            peer: Some(self.peer()),
            guild: place.guild.as_ref().map(|guild| guild.as_str().trim()),
            team: place.team.as_ref().map(|team| team.as_str().trim()),
            roles: &self.roles,
        };
        match tier {
            MatchedBy::Peer | MatchedBy::Account | MatchedBy::Channel => Some(scope),
            MatchedBy::ParentPeer => self.parent().map(|parent| Scope { peer: Some(parent), ..scope }),
            MatchedBy::GuildRoles => (scope.guild.is_some() && !self.roles.is_empty()).then_some(scope),
            MatchedBy::Guild => scope.guild.is_some().then_some(scope),
            MatchedBy::Team => scope.team.is_some().then_some(scope),
            MatchedBy::Default => None,
        }
    }

    /// The conversation as bindings name it: a topic has its own name.
    fn peer(&self) -> Cow<'_, str> {
        match key::topic(&self.place) {
            Some(topic) => Cow::Owned(format!("{}:topic:{}", self.place.id.as_str().trim(), topic)),
            None => Cow::Borrowed(self.place.id.as_str().trim()),
        }
    }

    /// The conversation above a thread.
    fn parent(&self) -> Option<Cow<'_, str>> {
        match (&self.place.parent, key::topic(&self.place)) {
            (Some(parent), _) => Some(Cow::Borrowed(parent.as_str().trim())),
            (None, Some(_)) => Some(Cow::Borrowed(self.place.id.as_str().trim())),
            (None, None) => None,
        }
    }
}

/// Whether a binding belongs to a tier.
pub(super) fn belongs(binding: &BindingRule, tier: MatchedBy) -> bool {
    match tier {
        MatchedBy::Peer | MatchedBy::ParentPeer => matches!(binding.peer, PeerMatch::Only(..)),
        MatchedBy::GuildRoles => binding.guild.is_some() && !binding.roles.is_empty(),
        MatchedBy::Guild => binding.guild.is_some() && binding.roles.is_empty(),
        MatchedBy::Team => binding.team.is_some(),
        MatchedBy::Account => binding.account != AccountMatch::Any,
        MatchedBy::Channel => binding.account == AccountMatch::Any,
        MatchedBy::Default => false,
    }
}

/// What of a binding is not so; nothing when it fits.
pub(super) fn unfit(binding: &BindingRule, scope: &Scope<'_>) -> Option<Unfit> {
    let same_peer = match &binding.peer {
        PeerMatch::Any => true,
        PeerMatch::Nothing => false,
        PeerMatch::Only(kind, id) => *kind == scope.kind && scope.peer.as_deref() == Some(id.as_str()),
    };
    if !same_peer {
        return Some(Unfit::Peer);
    }
    if binding.guild.is_some() && binding.guild.as_deref() != scope.guild {
        return Some(Unfit::Guild);
    }
    if binding.team.is_some() && binding.team.as_deref() != scope.team {
        return Some(Unfit::Team);
    }
    let has_role = binding.roles.is_empty() || binding.roles.iter().any(|role| scope.roles.contains(role));
    (!has_role).then_some(Unfit::Roles)
}
