//! From the text of a configuration file to a checked configuration.
//!
//! The order matters: parse, include, take the `env` block, substitute variables, migrate old keys, check. Nothing
//! here fails: each step reports what it cannot use and the rest goes on. Who decides whether to run on the result is
//! `live`.

mod env_block;
mod include;
mod legacy;
mod node;
mod parse;
mod substitute;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use openclaw_ports::channel::ChannelKind;
use openclaw_schema::PathStep;
use serde_json::{Map, Value};

use crate::defaults;
use crate::issue::{ConfigIssue, FilePosition};
use crate::key_path::dotted;
use crate::resolved::{Config, ConfigProblem, Context, Severity};
use crate::sections::RawConfig;
use crate::validate::{self, Findings, IssuePart};
use crate::{Environment, KeyPath};

pub(crate) use legacy::migrate;
use node::Node;
pub(crate) use parse::{SyntaxError, options, parse};
pub(crate) use substitute::{has_reference, is_only_a_reference, substitute_text};

/// The outcome of loading one text.
pub(crate) struct Loaded {
    /// The main file as written.
    pub(crate) parsed: Value,
    /// With includes resolved; references to variables are still there.
    pub(crate) source: Value,
    /// With variables in place and old keys moved.
    pub(crate) resolved: Value,
    /// The same without unknown keys.
    pub(crate) effective: Value,
    pub(crate) config: Config,
    /// The environment with the variables of the `env` block.
    pub(crate) environment: Environment,
    pub(crate) issues: Vec<ConfigIssue>,
    pub(crate) warnings: Vec<ConfigIssue>,
    pub(crate) legacy_issues: Vec<ConfigIssue>,
    /// The keys nobody knows.
    pub(crate) unknown: Vec<Vec<PathStep>>,
    /// What platforms do where their sections say nothing.
    pub(crate) platform_defaults: Map<String, Value>,
    /// Every file that was read, the main one first.
    pub(crate) files: Vec<PathBuf>,
}

/// Loads a text as if it were the content of `path`. `owners` know the sections below `channels`.
pub(crate) fn load(
    path: &Path,
    text: &str,
    context: &Context<'_>,
    owners: &[Box<dyn ChannelKind>],
) -> Loaded {
    let mut sources = node::Sources::default();
    let main = sources.add(path.to_path_buf(), text.to_owned());
    let parsed = match parse::parse(text, main) {
        Ok(parsed) => parsed,
        Err(error) => return unreadable(path, context, vec![syntax_issue(&error, &sources, main)]),
    };
    let written = parsed.node.to_value();
    if !written.is_object() {
        let mut issue =
            ConfigIssue::about_file("the configuration must be an object", "put everything inside { }");
        issue.place = sources.place(main, parsed.node.origin.value);
        return unreadable(path, context, vec![issue]);
    }
    let expanded = include::expand(parsed.node, path, &mut sources);
    let duplicates = parsed.duplicates.into_iter().map(|(offset, name)| (main, offset, name));
    let mut findings = Findings::default();
    findings.issues.extend(expanded.issues);
    for (source, offset, name) in duplicates.chain(expanded.duplicates) {
        findings.warnings.add(|| duplicate_key(&name, sources.place(source, offset)));
    }
    let draft = Draft { written, node: expanded.node, findings };
    finish(draft, &sources, context, owners)
}

/// What is known once all files are read.
struct Draft {
    written: Value,
    node: Node,
    findings: Findings,
}

fn finish(
    draft: Draft,
    sources: &node::Sources,
    context: &Context<'_>,
    owners: &[Box<dyn ChannelKind>],
) -> Loaded {
    let Draft { written, node, mut findings } = draft;
    let source = node.to_value();
    let environment = context.environment.with_missing(env_block::variables(&source));
    let (mut resolved, missing) = substitute::substitute(&source, &environment);
    let place = |path: &[PathStep], part: IssuePart| {
        let origin = node.origin_of(path);
        sources.place(origin.source, if part == IssuePart::Key { origin.key } else { origin.value })
    };
    let mut unusable = Vec::new();
    for variable in missing {
        findings.issues.add(|| missing_variable(&variable, place(&variable.path, IssuePart::Value)));
        unusable.push(variable.path);
    }
    let changes = legacy::migrate(&mut resolved);
    let legacy_issues = changes
        .iter()
        .map(|change| ConfigIssue {
            path: dotted(&change.from),
            message: change.message.clone(),
            hint: Some("openclaw doctor --fix writes the new form".to_owned()),
            place: place(&change.from, IssuePart::Key),
        })
        .collect();
    let unusable: Vec<Vec<PathStep>> =
        unusable.iter().map(|path| legacy::moved_path(&changes, path)).collect();
    let place_now = |path: &[PathStep], part: IssuePart| place(&legacy::written_path(&changes, path), part);
    let checked = validate::check(&resolved, &unusable, owners, &place_now, &mut findings);
    let (config, problems) = Config::resolve(checked.raw, &Context { environment: &environment, ..*context });
    for problem in problems {
        let path: KeyPath = problem.path.parse().unwrap_or_default();
        let place = place_now(path.steps(), IssuePart::Value);
        let error = problem.severity == Severity::Error;
        let list = if error { &mut findings.issues } else { &mut findings.warnings };
        list.add(|| problem_issue(problem, place));
    }
    Loaded {
        parsed: written,
        source,
        resolved,
        platform_defaults: defaults::of_platforms(&checked.effective, owners),
        effective: checked.effective,
        unknown: checked.unknown,
        config,
        environment,
        issues: findings.issues.into_issues(),
        warnings: findings.warnings.into_issues(),
        legacy_issues,
        files: sources.paths().cloned().collect(),
    }
}

/// A configuration of which nothing could be used.
pub(crate) fn unreadable(path: &Path, context: &Context<'_>, mut issues: Vec<ConfigIssue>) -> Loaded {
    let (config, problems) = Config::resolve(RawConfig::default(), context);
    let (errors, warnings): (Vec<_>, Vec<_>) =
        problems.into_iter().partition(|problem| problem.severity == Severity::Error);
    issues.extend(errors.into_iter().map(|problem| problem_issue(problem, None)));
    let warnings = warnings.into_iter().map(|problem| problem_issue(problem, None)).collect();
    Loaded {
        parsed: Value::Object(Map::new()),
        source: Value::Object(Map::new()),
        resolved: Value::Object(Map::new()),
        effective: Value::Object(Map::new()),
        config,
        environment: context.environment.clone(),
        issues,
        warnings,
        legacy_issues: Vec::new(),
        unknown: Vec::new(),
        platform_defaults: Map::new(),
        files: vec![path.to_path_buf()],
    }
}

fn syntax_issue(error: &SyntaxError, sources: &node::Sources, source: usize) -> ConfigIssue {
    ConfigIssue {
        path: String::new(),
        message: format!("JSON5 parse failed: {}", error.message),
        hint: Some("look just before this place for a missing comma, quote or bracket".to_owned()),
        place: sources.place(source, error.offset),
    }
}

fn missing_variable(variable: &substitute::MissingVariable, place: Option<FilePosition>) -> ConfigIssue {
    ConfigIssue {
        path: dotted(&variable.path),
        message: format!("the environment variable {} is not set", variable.name),
        hint: Some(format!(
            "set it, add it to the env section or to .env in the state directory, or write $${{{}}} if the text is meant",
            variable.name
        )),
        place,
    }
}

fn problem_issue(problem: ConfigProblem, place: Option<FilePosition>) -> ConfigIssue {
    ConfigIssue { path: problem.path, message: problem.message, hint: problem.hint, place }
}

fn duplicate_key(name: &str, place: Option<FilePosition>) -> ConfigIssue {
    ConfigIssue {
        path: String::new(),
        message: format!("the key '{name}' stands twice in one object; the later one counts"),
        hint: Some("remove one of them".to_owned()),
        place,
    }
}
