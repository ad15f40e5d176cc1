//! What the protocols share that speak in content blocks: `anthropic-messages` and `bedrock-converse-stream`.
//!
//! `answer` lets an answer of keyed blocks grow, `claude` knows what each generation of the models takes, `request`
//! holds rules for pictures, schemas and caches. No wire type lives here; each protocol has its own.

mod answer;
mod claude;
mod request;

pub(super) use answer::{BlockAnswer, Draft, Ending, Growth};
pub(super) use claude::{AnswerPlan, Claude, ThinkingPlan, plan};
pub(super) use request::{PictureKind, is_cache_end, tool_schema, tools_called};
