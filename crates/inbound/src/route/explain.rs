//! Says why an agent answers: for every tier which binding matched, or why none did.

use openclaw_config::{AccountMatch, BindingRule, PeerMatch, RouteSettings, SessionSettings};
use openclaw_types::AgentId;

use super::resolve::{AgentRoute, resolve};
use super::tier::{Address, MatchedBy, RouteQuery, Unfit, belongs, unfit};

/// A route and how it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// The route.
    pub route: AgentRoute,
    /// The tiers down to the one that decided, and those below it.
    pub tiers: Vec<ExplainedTier>,
    /// The agents that answer instead, where several do.
    pub broadcast: Vec<AgentId>,
}

/// What one tier found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedTier {
    /// Which tier.
    pub tier: MatchedBy,
    /// The binding that fits, by its place in the file.
    pub fits: Option<usize>,
    /// Whether this tier decided.
    pub decided: bool,
    /// The bindings of this tier that do not fit, and why.
    pub misses: Vec<(usize, Miss)>,
    /// Whether there is nothing for the tier to look at: no guild, no thread.
    pub idle: bool,
}

/// Why a binding of a tier does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Miss {
    /// It is about another channel.
    Channel,
    /// It is about another login.
    Account,
    /// It is about another conversation.
    Peer,
    /// It is about another guild.
    Guild,
    /// It is about another team.
    Team,
    /// The person has none of its roles.
    Roles,
}

impl Miss {
    /// A sentence for people.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Channel => "it is about another channel",
            Self::Account => {
                "it is about another account; without accountId a binding means the default one, * means all"
            }
            Self::Peer => "it is about another conversation",
            Self::Guild => "it is about another guild",
            Self::Team => "it is about another team",
            Self::Roles => "the person has none of its roles",
        }
    }
}

impl From<Unfit> for Miss {
    fn from(unfit: Unfit) -> Self {
        match unfit {
            Unfit::Peer => Self::Peer,
            Unfit::Guild => Self::Guild,
            Unfit::Team => Self::Team,
            Unfit::Roles => Self::Roles,
        }
    }
}

/// Finds the agent that answers and says why, tier by tier.
#[must_use]
pub fn explain(routes: &RouteSettings, sessions: &SessionSettings, seeker: &RouteQuery) -> Explained {
    let route = resolve(routes, sessions, seeker);
    let tiers = MatchedBy::ALL.map(|tier| look(routes, seeker, tier, route.matched)).to_vec();
    let group = routes.broadcast.get(seeker.place.id.as_str().trim());
    Explained { route, tiers, broadcast: group.map(|group| group.agents.clone()).unwrap_or_default() }
}

fn look(routes: &RouteSettings, seeker: &RouteQuery, tier: MatchedBy, decided: MatchedBy) -> ExplainedTier {
    let decided = tier == decided;
    let Some(scope) = seeker.scope(tier) else {
        let idle = tier != MatchedBy::Default;
        return ExplainedTier { tier, fits: None, decided, misses: Vec::new(), idle };
    };
    let address = seeker.address();
    let mut misses = Vec::new();
    let mut fits = None;
    for binding in routes.bindings.iter().filter(|binding| belongs(binding, tier)) {
        match missed(binding, &address).or_else(|| unfit(binding, &scope).map(Miss::from)) {
            Some(miss) => misses.push((binding.index, miss)),
            None => fits = fits.or(Some(binding.index)),
        }
    }
    ExplainedTier { tier, fits, decided, misses, idle: false }
}

fn missed(binding: &BindingRule, address: &Address) -> Option<Miss> {
    match (address.has_channel(binding), address.has_account(binding)) {
        (false, _) => Some(Miss::Channel),
        (true, false) => Some(Miss::Account),
        (true, true) => None,
    }
}

impl Explained {
    /// The explanation in lines for people, with the bindings it speaks of.
    #[must_use]
    pub fn lines(&self, routes: &RouteSettings) -> Vec<String> {
        let mut lines = vec![format!(
            "{} answers in {}: {}.",
            self.route.agent,
            self.route.key,
            self.route.matched.sentence()
        )];
        for tier in &self.tiers {
            lines.push(format!("{}: {}", tier.tier.as_str(), tier.outcome(routes)));
            let misses = tier.misses.iter();
            lines.extend(
                misses.map(|(index, miss)| format!("  {}: {}", named(*index, routes), miss.sentence())),
            );
        }
        if !self.broadcast.is_empty() {
            let agents: Vec<&str> = self.broadcast.iter().map(AgentId::as_str).collect();
            lines.push(format!("broadcast: {} answer instead", agents.join(", ")));
        }
        lines
    }
}

impl ExplainedTier {
    fn outcome(&self, routes: &RouteSettings) -> String {
        match (self.fits, self.decided, self.idle) {
            (Some(index), true, _) => format!("{} decides", named(index, routes)),
            (Some(index), false, _) => format!("{} fits, but a tier above decided", named(index, routes)),
            (None, true, _) => "decides".to_owned(),
            (None, false, true) => "nothing to look at here".to_owned(),
            (None, false, false) if self.tier == MatchedBy::Default => "not needed".to_owned(),
            (None, false, false) => "no binding fits".to_owned(),
        }
    }
}

fn named(index: usize, routes: &RouteSettings) -> String {
    let about = routes.bindings.get(index).map(describe).unwrap_or_default();
    format!("bindings[{index}] ({about})")
}

/// What a binding is about, in a line for people.
#[must_use]
pub fn describe(binding: &BindingRule) -> String {
    let mut parts = vec![binding.channel.clone()];
    match &binding.account {
        AccountMatch::Default => {}
        AccountMatch::Any => parts.push("account=*".to_owned()),
        AccountMatch::Only(account) => parts.push(format!("account={account}")),
    }
    match &binding.peer {
        PeerMatch::Any => {}
        PeerMatch::Nothing => parts.push("peer without an id".to_owned()),
        PeerMatch::Only(kind, id) => parts.push(format!("peer={kind}:{id}")),
    }
    parts.extend(binding.guild.iter().map(|guild| format!("guild={guild}")));
    parts.extend(binding.team.iter().map(|team| format!("team={team}")));
    if !binding.roles.is_empty() {
        parts.push(format!("roles={}", binding.roles.join("|")));
    }
    parts.join(" ")
}
