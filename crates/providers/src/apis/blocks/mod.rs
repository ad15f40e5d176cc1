//! What the protocols share that speak in content blocks: `anthropic-messages` and `bedrock-converse-stream`.
//!
//! `answer` lets an answer of keyed blocks grow, with `sealed` for thoughts in Base64; `claude` knows what each
//! generation of the models takes; `request` holds rules for pictures, schemas and caches; `turns` makes the two sides
//! alternate. The one wire shape here is a turn, which both write alike; all others are in each protocol's `wire.rs`.

mod answer;
mod claude;
mod request;
mod sealed;
mod turns;

pub(super) use answer::{AnswerEnd, BlockAnswer, Draft, Growth};
pub(super) use claude::{AnswerPlan, Claude, ThinkingPlan, plan};
pub(super) use request::{PictureKind, is_cache_end, tool_schema, tools_called};
pub(super) use turns::{OPENING, Speaker, SpokenTurn, alternate};
