//! Stage: finds who answers an admitted event, and writes the submission they get.
//!
//! The submission holds everything an answer needs, so that after a crash nothing is decided again. Its run is named by the
//! event, so that an event that comes again is the same submission.

use openclaw_agent::prompt::{FenceKind, fence};
use openclaw_config::sections::BroadcastStrategy;
use openclaw_inbound::access::{AuthorRights, command_text};
use openclaw_inbound::commands::Who;
use openclaw_inbound::conversation::{OverheardMessage, RoomBriefing, RoomTrigger, company, history_limit};
use openclaw_inbound::route::{AgentRoute, RouteQuery, parent_session};
use openclaw_types::{ChatKind, IdError, Inbound, InboundKind, RunId, SenderRank, UnixMillis};

use super::admit::{Admitted, us};
use crate::flow::Inner;
use crate::submission::{
    Author, ChannelOrigin, CommandRights, Rank, Submission, SubmissionOptions, SubmissionSurface,
};

/// The longest name of a run, in bytes.
const LONGEST_NAME: usize = 512;

/// A submission for one agent. Only what was admitted becomes one.
pub(super) struct Routed {
    submission: Submission,
}

impl Routed {
    pub(super) fn into_letter(self) -> Submission {
        self.submission
    }
}

/// The submissions of an admitted event: one for everybody who answers. With them goes what was heard there before.
pub(super) fn route(
    flow: &Inner,
    admitted: &Admitted,
    heard: &[OverheardMessage],
) -> Result<Vec<Routed>, IdError> {
    let inbound = admitted.inbound();
    let several = admitted.answering().routes.len() > 1;
    // Several agents that answer share what was said before.
    let most = limit(flow, admitted.view(), inbound);
    let history = heard.get(heard.len().saturating_sub(most)..).unwrap_or_default();
    let in_turn = admitted.answering().strategy == BroadcastStrategy::Sequential;
    let mut before: Option<RunId> = None;
    let submissions = admitted.answering().routes.iter().map(|route| {
        let mut name = format!("{}:{}:{}", inbound.channel, inbound.account, inbound.event);
        if several {
            name.push(':');
            name.push_str(route.agent.as_str());
        }
        let run = RunId::new(ending(&name))?;
        let mut submission = submission(admitted, route, run.clone(), history, flow.now());
        submission.options.after = before.replace(run).filter(|_| in_turn);
        if let Some(channel_origin) =
            submission.channel_origin.as_mut().filter(|_| admitted.view().manner.threads_inherit)
        {
            channel_origin.parent =
                parent_session(&flow.settings().session, &route.agent, &RouteQuery::of(inbound));
        }
        Ok(Routed { submission })
    });
    submissions.collect()
}

fn submission(
    admitted: &Admitted,
    route: &AgentRoute,
    run: RunId,
    history: &[OverheardMessage],
    now: UnixMillis,
) -> Submission {
    let (inbound, admission) = (admitted.inbound(), admitted.admission());
    let view = admitted.view();
    let group = company(&room(view.descriptor.label, inbound, admission));
    let prompts = [group.as_deref(), Some(view.descriptor.hints), admission.room.system_prompt.as_deref()];
    let extra = prompts.into_iter().flatten().map(str::trim).filter(|text| !text.is_empty());
    let extra = extra.collect::<Vec<_>>().join("\n\n");
    Submission {
        run,
        agent: route.agent.clone(),
        key: route.key.clone(),
        raw_key: route.key.to_string(),
        surface: SubmissionSurface::Channel,
        text: words(admitted),
        pictures: Vec::new(),
        at: now,
        from: author(inbound, admission),
        provenance: None,
        options: SubmissionOptions {
            extra_system: (!extra.is_empty()).then_some(extra),
            tools: admission.room.tools.clone(),
            ..SubmissionOptions::default()
        },
        channel_origin: Some(Box::new(ChannelOrigin {
            inbound: inbound.clone(),
            label: view.descriptor.label.to_owned(),
            history: history.to_vec(),
            was_mentioned: admission.mention.was_mentioned,
            mention_required: admission.mention.required && admission.mention.detectable,
            commands: rights(admission.commands),
            previous: None,
            notes: Vec::new(),
            parent: None,
        })),
    }
}

/// The room, as the agent is told of it. Its name comes from people and is data.
fn room<'a>(platform: &'a str, inbound: &Inbound, admission: &AuthorRights) -> RoomBriefing<'a> {
    let place = &inbound.place;
    let kind = if place.kind == ChatKind::Group { FenceKind::GroupSubject } else { FenceKind::ChannelName };
    let name = place.name.as_deref().map(str::trim).filter(|name| !name.is_empty());
    let by_name = admission.mention.required && admission.mention.detectable;
    RoomBriefing {
        platform,
        kind: place.kind,
        name: name.map(|name| fence(kind, name)),
        asked: if by_name { RoomTrigger::WhenNamed } else { RoomTrigger::Always },
    }
}

fn author(inbound: &Inbound, admission: &AuthorRights) -> Author {
    Author {
        standing: match admission.standing {
            SenderRank::Owner => Rank::Owner,
            SenderRank::Guest => Rank::Guest,
            SenderRank::System => Rank::System,
        },
        channel: Some(inbound.channel.clone()),
        account: Some(inbound.account.clone()),
        peer: Some(inbound.from.id.clone()),
        name: inbound.from.name.clone().or_else(|| inbound.from.handle.clone()),
        to: Some(inbound.place.to.clone()),
        thread: inbound.place.answer_thread().cloned(),
        group: inbound.place.kind != ChatKind::Direct,
        may_approve: admission.may_approve,
    }
}

fn rights(who: Who) -> CommandRights {
    match who {
        Who::Owner => CommandRights::Owner,
        Who::Allowed => CommandRights::Allowed,
        Who::Stranger | Who::Program => CommandRights::Stranger,
    }
}

/// The words that commands are read from.
fn words(admitted: &Admitted) -> String {
    let inbound = admitted.inbound();
    match &inbound.kind {
        InboundKind::Command(command) => {
            format!("/{} {}", command.name, command.arguments).trim_end().to_owned()
        }
        InboundKind::Press(press) => press.data.clone(),
        _ => command_text(&inbound.text, us(admitted.view())).unwrap_or_else(|| inbound.text.clone()),
    }
}

/// How much of what is said in a conversation is kept for the agent.
pub(super) fn limit(flow: &Inner, view: &super::AccountView, inbound: &Inbound) -> usize {
    let rules = flow.rules();
    let general = openclaw_config::MentionSettings::resolve(&rules.config.raw, &rules.routes.default_agent)
        .history_limit;
    history_limit(&view.manner.history, inbound, general)
}

/// The last part of a name, where it is too long: what tells events apart stands there.
fn ending(name: &str) -> &str {
    let start = name.ceil_char_boundary(name.len().saturating_sub(LONGEST_NAME));
    name.get(start..).unwrap_or(name)
}
