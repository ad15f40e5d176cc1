//! Texts that must have a form a pattern cannot say: programs, modules, addresses; keys that need one another.
//!
//! Nothing is looked up: whether a program or module exists is found out where it is used. `rules::check` calls this.

use super::super::problem::ConfigProblem;
use crate::sections::{RawConfig, SecretText};

pub(super) fn check(raw: &RawConfig, problems: &mut Vec<ConfigProblem>) {
    check_programs(raw, problems);
    check_modules(raw, problems);
    check_browser(raw, problems);
    let webhook = raw.cron.as_ref().and_then(|cron| cron.webhook.as_ref()).map(SecretText::reveal);
    if webhook.is_some_and(|address| !is_web_address(address)) {
        problems.push(ConfigProblem::error("cron.webhook", "must be an http or https address"));
    }
}

fn check_programs(raw: &RawConfig, problems: &mut Vec<ConfigProblem>) {
    let transcription = raw.audio.as_ref().and_then(|audio| audio.transcription.as_ref());
    if transcription.is_some_and(|settings| !settings.command.first().is_some_and(|name| is_program(name))) {
        problems.push(
            ConfigProblem::error("audio.transcription.command[0]", "must be the name or path of a program")
                .hint("put arguments into further items; no shell is involved"),
        );
    }
}

/// The name or path of a program without anything a shell would act on.
fn is_program(name: &str) -> bool {
    let name = name.trim();
    let plain = !name.contains(|letter: char| letter.is_control() || ";&|`$<>\"'".contains(letter));
    let path = name.starts_with(['.', '~']) || name.contains(['/', '\\']);
    let bare = !name.is_empty()
        && !name.starts_with('-')
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "._+-".contains(letter));
    plain && (path || bare)
}

fn check_modules(raw: &RawConfig, problems: &mut Vec<ConfigProblem>) {
    let Some(hooks) = &raw.hooks else { return };
    for (index, mapping) in hooks.mappings.iter().flatten().enumerate() {
        if mapping.transform.as_ref().is_some_and(|transform| !is_module(&transform.module)) {
            problems.push(not_a_module(format!("hooks.mappings[{index}].transform.module")));
        }
    }
    let handlers =
        hooks.internal.as_ref().and_then(|internal| internal.handlers.as_deref()).unwrap_or_default();
    for (index, handler) in handlers.iter().enumerate() {
        if !is_module(&handler.module) {
            problems.push(not_a_module(format!("hooks.internal.handlers[{index}].module")));
        }
    }
}

fn not_a_module(path: String) -> ConfigProblem {
    ConfigProblem::error(path, "must be a relative path that stays below its directory")
        .hint("write it like mail/filter.mjs")
}

/// A relative path that cannot leave the directory it is looked up in.
fn is_module(module: &str) -> bool {
    let module = module.trim();
    !module.is_empty()
        && !module.starts_with(['/', '\\', '~'])
        && !module.contains(':')
        && !module.split(['/', '\\']).any(|part| part == "..")
}

fn check_browser(raw: &RawConfig, problems: &mut Vec<ConfigProblem>) {
    let Some(browser) = &raw.browser else { return };
    for (name, profile) in &browser.profiles {
        if profile.cdp_port.is_none() && profile.cdp_url.is_none() {
            problems.push(
                ConfigProblem::error(format!("browser.profiles.{name}"), "needs cdpPort or cdpUrl")
                    .hint("give cdpPort a free port to start a browser here"),
            );
        }
    }
}

fn is_web_address(address: &str) -> bool {
    let lower = address.trim().to_lowercase();
    let rest = lower.strip_prefix("https://").or_else(|| lower.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/') && !rest.contains(char::is_whitespace))
}
