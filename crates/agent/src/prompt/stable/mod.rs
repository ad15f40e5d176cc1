//! The parts that stay the same from turn to turn, for every session of an agent. The files of the workspace, which
//! change most often, come last.

mod aliases;
mod cli;
mod docs;
mod heartbeat;
pub(super) mod identity;
mod memory_recall;
mod messaging;
mod project;
mod reply_tags;
mod safety;
mod self_update;
mod silence;
mod skills;
mod time_zone;
mod tool_style;
mod tooling;
mod workspace;

use super::build::Make;

pub(crate) use skills::skill_text;
pub(crate) use tooling::tool_text;

/// The parts, in order.
pub(super) const PARTS: [(&str, Make); 17] = [
    ("identity", identity::part),
    ("tooling", tooling::part),
    ("tool style", tool_style::part),
    ("safety", safety::part),
    ("command line", cli::part),
    ("skills", skills::part),
    ("memory recall", memory_recall::part),
    ("self-update", self_update::part),
    ("model aliases", aliases::part),
    ("workspace", workspace::part),
    ("documentation", docs::part),
    ("time zone", time_zone::part),
    ("reply tags", reply_tags::part),
    ("messaging", messaging::part),
    ("silent replies", silence::part),
    ("heartbeats", heartbeat::part),
    ("project context", project::part),
];
