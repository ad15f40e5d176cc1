//! Lines up the credentials of one vendor.
//!
//! A person's order comes first, stored before configured; else the profiles the configuration names; else all that
//! are stored. Without an order the kind decides, then the one that was left alone longest. What rests comes last,
//! the one that is back soonest first. Credentials of the environment and the configuration follow the stored ones.

use openclaw_config::SignInRules;
use openclaw_ports::model::{CredentialOrigin, ProfileFacts, normal_provider};
use openclaw_types::{AuthProfileId, ProviderId, UnixMillis};

use crate::models::{Pin, PinStrength};

/// What decides the order besides the credentials themselves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OrderRules<'a> {
    /// The order a person stored for this agent and vendor.
    pub(crate) stored: Option<&'a [AuthProfileId]>,
    /// What the configuration says.
    pub(crate) configured: &'a SignInRules,
    /// What this session or person wants.
    pub(crate) pin: Option<&'a Pin>,
}

/// How a credential is, seen from one model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Rest {
    /// When it was last used with any model.
    pub(crate) last_used: Option<UnixMillis>,
    /// Until when it is left alone, when it is.
    pub(crate) until: Option<UnixMillis>,
}

/// A credential in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ordered {
    pub(crate) facts: ProfileFacts,
    /// Until when it is left alone, when it is.
    pub(crate) resting: Option<UnixMillis>,
}

/// The credentials to try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CredentialOrder {
    /// These, in order.
    Free(Vec<Ordered>),
    /// A person wants this one and no other.
    Locked(Box<Ordered>),
    /// A person wants one that the rules leave out.
    LockedOut(AuthProfileId),
}

/// Lines up what a vendor's server could be signed in to with.
pub(crate) fn line_up(
    provider: &ProviderId,
    known: &[ProfileFacts],
    rules: &OrderRules<'_>,
    rest: impl Fn(&AuthProfileId) -> Rest,
) -> CredentialOrder {
    let (stored, others): (Vec<_>, Vec<_>) =
        known.iter().partition(|facts| facts.origin == CredentialOrigin::Stored);
    let mut line = match person_order(provider, rules) {
        Some(order) => in_order(&order, known, &rest),
        None => by_kind(base(provider, &stored, rules), &rest),
    };
    let mut others = others;
    others.sort_by(|one, other| one.origin.cmp(&other.origin));
    for facts in others {
        if !line.iter().any(|ordered| ordered.facts.id == facts.id) {
            line.push(Ordered { facts: facts.clone(), resting: rest(&facts.id).until });
        }
    }
    let mut line = resting_last(line);
    let Some(pin) = rules.pin.filter(|pin| known.iter().any(|facts| facts.id == pin.profile)) else {
        return CredentialOrder::Free(line);
    };
    let place = line.iter().position(|ordered| ordered.facts.id == pin.profile);
    match (place, pin.strength) {
        (Some(place), PinStrength::Locked) => CredentialOrder::Locked(Box::new(line.swap_remove(place))),
        (None, PinStrength::Locked) => CredentialOrder::LockedOut(pin.profile.clone()),
        (Some(place), PinStrength::Preferred) if line.get(place).is_some_and(|it| it.resting.is_none()) => {
            let preferred = line.remove(place);
            line.insert(0, preferred);
            CredentialOrder::Free(line)
        }
        (_, PinStrength::Preferred) => CredentialOrder::Free(line),
    }
}

/// The order a person wrote down, for the agent or for everyone.
fn person_order(provider: &ProviderId, rules: &OrderRules<'_>) -> Option<Vec<String>> {
    let stored = rules.stored.filter(|order| !order.is_empty());
    if let Some(order) = stored {
        return Some(order.iter().map(|id| id.as_str().to_owned()).collect());
    }
    let written = rules.configured.order.iter().find(|(key, _)| normal_provider(key) == provider.as_str());
    written.map(|(_, order)| order.clone()).filter(|order| !order.is_empty())
}

fn in_order(
    order: &[String],
    known: &[ProfileFacts],
    rest: &impl Fn(&AuthProfileId) -> Rest,
) -> Vec<Ordered> {
    let mut line: Vec<Ordered> = Vec::new();
    for id in order {
        let found = known.iter().find(|facts| facts.id.as_str() == id.trim());
        if let Some(facts) = found.filter(|facts| !line.iter().any(|ordered| ordered.facts.id == facts.id)) {
            line.push(Ordered { facts: facts.clone(), resting: rest(&facts.id).until });
        }
    }
    line
}

/// The stored profiles that the configuration names, or all when it names none that exist.
fn base<'a>(
    provider: &ProviderId,
    stored: &[&'a ProfileFacts],
    rules: &OrderRules<'_>,
) -> Vec<&'a ProfileFacts> {
    let named: Vec<&'a ProfileFacts> = stored
        .iter()
        .copied()
        .filter(|facts| {
            let vendor = rules.configured.profiles.get(facts.id.as_str());
            vendor.is_some_and(|vendor| normal_provider(vendor) == provider.as_str())
        })
        .collect();
    if named.is_empty() { stored.to_vec() } else { named }
}

fn by_kind(profiles: Vec<&ProfileFacts>, rest: &impl Fn(&AuthProfileId) -> Rest) -> Vec<Ordered> {
    let mut line: Vec<(Rest, &ProfileFacts)> =
        profiles.into_iter().map(|facts| (rest(&facts.id), facts)).collect();
    line.sort_by(|(rest_of_one, one), (rest_of_other, other)| {
        (one.kind, rest_of_one.last_used, &one.id).cmp(&(other.kind, rest_of_other.last_used, &other.id))
    });
    line.into_iter().map(|(rest, facts)| Ordered { facts: facts.clone(), resting: rest.until }).collect()
}

fn resting_last(line: Vec<Ordered>) -> Vec<Ordered> {
    let (mut ready, mut resting): (Vec<_>, Vec<_>) =
        line.into_iter().partition(|ordered| ordered.resting.is_none());
    resting.sort_by_key(|ordered| ordered.resting);
    ready.append(&mut resting);
    ready
}
