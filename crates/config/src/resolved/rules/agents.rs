//! Rules about agents: heartbeats, pictures, references from other sections.
//!
//! Duplicate ids and the choice of the default agent are handled in `resolved::agents`. `rules::check` calls this.

use super::super::measure::{DurationUnit, parse_duration};
use super::super::problem::ConfigProblem;
use super::{sandbox, tools};
use crate::sections::{AgentEntry, HeartbeatEntry, RawConfig};

pub(super) fn check(raw: &RawConfig, problems: &mut Vec<ConfigProblem>) {
    let Some(agents) = &raw.agents else { return };
    if let Some(defaults) = &agents.defaults {
        check_heartbeat("agents.defaults.heartbeat", defaults.heartbeat.as_ref(), problems);
        sandbox::check("agents.defaults.sandbox", defaults.sandbox.as_ref(), problems);
    }
    let list = agents.list.as_deref().unwrap_or_default();
    for (index, entry) in list.iter().enumerate() {
        check_entry(&format!("agents.list[{index}]"), entry, problems);
    }
    if !list.is_empty() {
        check_broadcast(raw, list, problems);
    }
}

fn check_entry(path: &str, entry: &AgentEntry, problems: &mut Vec<ConfigProblem>) {
    check_heartbeat(&format!("{path}.heartbeat"), entry.heartbeat.as_ref(), problems);
    sandbox::check(&format!("{path}.sandbox"), entry.sandbox.as_ref(), problems);
    if let Some(tools) = &entry.tools {
        tools::check_shared(&format!("{path}.tools"), &tools.shared, problems);
    }
    let avatar = entry.identity.as_ref().and_then(|identity| identity.avatar.as_deref());
    if avatar.is_some_and(|avatar| !is_picture_place(avatar.trim())) {
        problems.push(
            ConfigProblem::error(
                format!("{path}.identity.avatar"),
                "must be a path inside the workspace or a web address",
            )
            .hint("write it like avatars/me.png or https://example.com/me.png"),
        );
    }
}

/// A relative path that stays below its directory, an `http` address or an embedded picture.
fn is_picture_place(avatar: &str) -> bool {
    let lower = avatar.to_lowercase();
    if ["http://", "https://", "data:"].iter().any(|start| lower.starts_with(start)) {
        return true;
    }
    let scheme = avatar.split_once(':').is_some_and(|(before, _)| {
        before.starts_with(|first: char| first.is_ascii_alphabetic())
            && before.chars().all(|letter| letter.is_ascii_alphanumeric() || "+.-".contains(letter))
    });
    !scheme && !avatar.starts_with(['~', '/', '\\']) && !avatar.split(['/', '\\']).any(|part| part == "..")
}

fn check_heartbeat(path: &str, heartbeat: Option<&HeartbeatEntry>, problems: &mut Vec<ConfigProblem>) {
    let Some(heartbeat) = heartbeat else { return };
    if let Some(every) = heartbeat.every.as_deref().filter(|every| !every.is_empty())
        && let Err(error) = parse_duration(every, DurationUnit::Minutes)
    {
        problems.push(ConfigProblem::error(format!("{path}.every"), error.to_string()));
    }
    let Some(hours) = &heartbeat.active_hours else { return };
    for (key, time, latest) in [("start", &hours.start, "23:59"), ("end", &hours.end, "24:00")] {
        if time.as_deref().is_some_and(|time| !time.is_empty() && !is_time_of_day(time, latest)) {
            problems.push(
                ConfigProblem::error(
                    format!("{path}.activeHours.{key}"),
                    format!("must be a time from 00:00 to {latest}"),
                )
                .hint("write it like 08:30"),
            );
        }
    }
}

fn is_time_of_day(time: &str, latest: &str) -> bool {
    let bytes = time.as_bytes();
    let digits = |range: std::ops::Range<usize>| bytes[range].iter().all(u8::is_ascii_digit);
    bytes.len() == 5 && bytes[2] == b':' && digits(0..2) && digits(3..5) && bytes[3] < b'6' && time <= latest
}

fn check_broadcast(raw: &RawConfig, list: &[AgentEntry], problems: &mut Vec<ConfigProblem>) {
    let Some(broadcast) = &raw.broadcast else { return };
    for (peer, agents) in &broadcast.extra {
        for (index, agent) in agents.iter().enumerate() {
            if !list.iter().any(|entry| entry.id == *agent) {
                problems.push(
                    ConfigProblem::error(
                        format!("broadcast.{peer}[{index}]"),
                        "is not the id of an agent in agents.list",
                    )
                    .hint("add the agent or correct the id"),
                );
            }
        }
    }
}
