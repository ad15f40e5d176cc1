//! How an answer shows while it is made, from what the account and the agent's settings say.

use std::time::Duration;

use openclaw_config::sections::{
    AgentDefaults, BlockBreak, BreakPreference as RawPreference, HumanDelay as RawDelay, HumanDelayMode,
    OnOff, RawConfig,
};
use openclaw_delivery::{BlockSettings, FlushAt, HumanDelay, coalesce_settings};
use openclaw_types::{AgentId, BreakPreference, ChunkMode, Coalesce, DraftChunk, DraftMode, WritingRules};

/// How an answer shows while it is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manners {
    /// Not at all.
    Whole,
    /// In blocks.
    Blocks(BlockManner),
    /// As a draft.
    Draft(DraftMode, DraftChunk),
}

/// How blocks are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BlockManner {
    pub(super) blocks: BlockSettings,
    /// Nothing where every block is a message of its own.
    pub(super) coalesce: Option<Coalesce>,
    pub(super) delay: HumanDelay,
}

impl Manners {
    /// What holds for an agent on an account. Who gets blocks gets no draft beside them.
    pub(super) fn of(raw: &RawConfig, agent: &AgentId, manner: &WritingRules) -> Self {
        let none = AgentDefaults::default();
        let defaults = raw.agents.as_ref().and_then(|agents| agents.defaults.as_ref()).unwrap_or(&none);
        let usual = defaults.block_streaming_default == Some(OnOff::On);
        if manner.blocks.unwrap_or(usual) {
            return Self::Blocks(block_manner(defaults, delay(raw, agent, defaults), manner));
        }
        match manner.draft {
            DraftMode::Off => Self::Whole,
            mode => Self::Draft(mode, manner.draft_chunk),
        }
    }
}

fn block_manner(defaults: &AgentDefaults, delay: HumanDelay, manner: &WritingRules) -> BlockManner {
    let usual = BlockSettings::default();
    let chunk = defaults.block_streaming_chunk.clone().unwrap_or_default();
    let blocks = BlockSettings {
        least: chunk.min_chars.map_or(usual.least, |least| size(least.get())),
        most: chunk.max_chars.map_or(usual.most, |most| size(most.get())),
        prefer: match chunk.break_preference {
            None | Some(RawPreference::Paragraph) => BreakPreference::Paragraph,
            Some(RawPreference::Newline) => BreakPreference::Newline,
            Some(RawPreference::Sentence) => BreakPreference::Sentence,
        },
        flush: match defaults.block_streaming_break {
            None | Some(BlockBreak::TextEnd) => FlushAt::TextEnd,
            Some(BlockBreak::MessageEnd) => FlushAt::MessageEnd,
        },
    };
    let blocks = blocks.within(manner.text_limit);
    if manner.chunks == ChunkMode::Newline {
        return BlockManner { blocks: blocks.by_paragraph(), coalesce: None, delay };
    }
    let asked = manner.coalesce.or_else(|| general(defaults, &blocks));
    BlockManner { blocks, coalesce: Some(coalesce_settings(asked, &blocks, manner.text_limit)), delay }
}

/// `agents.defaults.blockStreamingCoalesce`.
fn general(defaults: &AgentDefaults, blocks: &BlockSettings) -> Option<Coalesce> {
    let written = defaults.block_streaming_coalesce.as_ref()?;
    Some(Coalesce {
        least: written.min_chars.map_or(blocks.least, |least| size(least.get())),
        most: written.max_chars.map_or(usize::MAX, |most| size(most.get())),
        idle: written.idle_ms.map_or(Duration::from_secs(1), |idle| Duration::from_millis(idle.get())),
    })
}

fn delay(raw: &RawConfig, agent: &AgentId, defaults: &AgentDefaults) -> HumanDelay {
    let entries = raw.agents.as_ref().and_then(|agents| agents.list.as_deref()).unwrap_or_default();
    let own = entries
        .iter()
        .find(|entry| entry.id.eq_ignore_ascii_case(agent.as_str()))
        .and_then(|entry| entry.human_delay.as_ref());
    let Some(RawDelay { mode, min_ms, max_ms }) = own.or(defaults.human_delay.as_ref()) else {
        return HumanDelay::Off;
    };
    let span = |millis: u64| Duration::from_millis(millis);
    match mode {
        None | Some(HumanDelayMode::Off) => HumanDelay::Off,
        Some(HumanDelayMode::Natural) => HumanDelay::Natural,
        Some(HumanDelayMode::Custom) => HumanDelay::Custom {
            least: min_ms.as_ref().map(|least| span(least.get())),
            most: max_ms.as_ref().map(|most| span(most.get())),
        },
    }
}

fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
