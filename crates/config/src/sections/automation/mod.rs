//! The sections about what happens without anybody writing: scheduled jobs and hooks.
//!
//! Heartbeats belong to the agents. One file for each section; the file is named like the section. No defaults here.

mod cron;
mod hooks;

pub use cron::{CronRunLog, CronSection};
pub use hooks::{
    ExtraDirs, GmailHook, GmailServe, GmailTailscale, HookAction, HookInstall, HookMapping, HookMatch,
    HookThinking, HookTransform, HooksSection, InternalHandler, InternalHookEntry, InternalHooks, WakeMode,
};
