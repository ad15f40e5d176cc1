//! Which agent a message would reach, and why: for people who wonder about their bindings.
//!
//! Reads a question in people's words; `inbound::route` answers it by the same rules as for messages.

use openclaw_inbound::route::{Explained, RouteQuery, explain as walk};
use openclaw_types::{AccountId, ChannelId, ChatKind, ChatPlace, GroupId, PeerId, ThreadId};

use crate::flow::Inner;

/// A message that might come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RouteQuestion {
    /// The platform.
    pub channel: String,
    /// Our login there; nothing said means the default one.
    pub account: Option<String>,
    /// The conversation: `direct:123`, `group:456`, `channel:789`. Nothing said means somebody nobody knows.
    pub peer: Option<String>,
    /// The conversation above a thread.
    pub parent: Option<String>,
    /// The thread.
    pub thread: Option<String>,
    /// The guild.
    pub guild: Option<String>,
    /// The team.
    pub team: Option<String>,
    /// The roles of the person.
    pub roles: Vec<String>,
}

/// A question that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RouteFault(String);

/// Answers a question.
pub(crate) fn explain(
    flow: &Inner,
    question: &RouteQuestion,
) -> Result<(Explained, Vec<String>), RouteFault> {
    let kind = flow.parts.channels.kind(&question.channel);
    let channel = kind.map_or(question.channel.trim(), |kind| kind.descriptor().id);
    let channel = id(ChannelId::new(channel))?;
    let usual = flow.parts.channels.accounts_of(&channel).into_iter().next();
    let seeker = RouteQuery {
        account: match (given(question.account.as_deref()), usual) {
            (None, Some(usual)) => usual,
            (named, _) => id(AccountId::new(named.unwrap_or("default")))?,
        },
        channel,
        place: place(question)?,
        roles: question.roles.iter().map(|role| role.trim().to_owned()).collect(),
    };
    let rules = flow.rules();
    let explained = walk(&rules.routes, &rules.config.session, &seeker);
    let lines = explained.lines(&rules.routes);
    Ok((explained, lines))
}

fn place(question: &RouteQuestion) -> Result<ChatPlace, RouteFault> {
    let (kind, peer) = match given(question.peer.as_deref()) {
        Some(text) => conversation(text)?,
        None => (ChatKind::Direct, "somebody"),
    };
    let group = |text: Option<&str>| given(text).map(|text| id(GroupId::new(text))).transpose();
    let parent = given(question.parent.as_deref()).map(conversation).transpose()?;
    Ok(ChatPlace {
        parent: parent.map(|(_, peer)| id(PeerId::new(peer))).transpose()?,
        thread: given(question.thread.as_deref()).map(|text| id(ThreadId::new(text))).transpose()?,
        guild: group(question.guild.as_deref())?,
        team: group(question.team.as_deref())?,
        ..ChatPlace::new(kind, id(PeerId::new(peer))?, peer)
    })
}

/// `group:456` in its parts; an id alone is a person.
fn conversation(text: &str) -> Result<(ChatKind, &str), RouteFault> {
    let kinds = [
        ("direct", ChatKind::Direct),
        ("dm", ChatKind::Direct),
        ("group", ChatKind::Group),
        ("channel", ChatKind::Channel),
    ];
    let named = text.split_once(':').and_then(|(word, id)| {
        let kind = kinds.iter().find(|(name, _)| name.eq_ignore_ascii_case(word.trim()))?.1;
        Some((kind, id.trim()))
    });
    let (kind, peer) = named.unwrap_or((ChatKind::Direct, text));
    if peer.is_empty() {
        return Err(RouteFault(format!(
            "\"{text}\" names nobody: write direct:<id>, group:<id> or channel:<id>"
        )));
    }
    Ok((kind, peer))
}

fn given(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

fn id<T, E: std::fmt::Display>(made: Result<T, E>) -> Result<T, RouteFault> {
    made.map_err(|error| RouteFault(error.to_string()))
}
