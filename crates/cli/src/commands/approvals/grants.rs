//! `openclaw approvals grants`: what people allowed for good when an agent asked, read from the store and taken back.
//!
//! Works beside a running gateway, which looks into the store whenever a command is about to run.

use std::sync::Arc;

use clap::Subcommand;
use openclaw_ports::stores::{ArgumentPattern, AuditEntry, AuditLedger as _, Grant, GrantStore as _};
use openclaw_stores::sqlite::{StateDatabase, StateHealth, StateLocation};
use serde_json::json;

use crate::call::block_on;
use crate::context::Context;
use crate::exit::{Exit, Output, answering};
use crate::print::{self, TextTable};

/// `openclaw approvals grants`
#[derive(Debug, Subcommand)]
pub(super) enum GrantsCommand {
    /// List them
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Take one back
    Revoke {
        /// The grant, or the beginning of its id, from `openclaw approvals grants list`
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// Runs a command about grants.
pub(super) fn run(context: &Context, command: &GrantsCommand) -> anyhow::Result<Exit> {
    match command {
        GrantsCommand::List { json } => answering(Output::of(*json), || list(context, Output::of(*json))),
        GrantsCommand::Revoke { id, json } => {
            answering(Output::of(*json), || revoke(context, id.trim(), Output::of(*json)))
        }
    }
}

fn list(context: &Context, output: Output) -> anyhow::Result<Exit> {
    let grants = with_store(context, async |store| Ok(store.all().await?))?.unwrap_or_default();
    match output {
        Output::Json => print::json(&json!({ "grants": grants }))?,
        Output::Text => print::line(&render(&grants, context.clock.now().0))?,
    }
    Ok(Exit::Done)
}

fn revoke(context: &Context, written: &str, output: Output) -> anyhow::Result<Exit> {
    let at = context.clock.now();
    let revoked = with_store(context, async |store| {
        let grants = store.all().await?;
        let Some(grant) = named(&grants, written) else { return Ok(None) };
        if !store.revoke(&grant.id).await? {
            return Ok(None);
        }
        let entry = AuditEntry {
            at,
            actor: "cli".to_owned(),
            action: "exec.grant.revoke".to_owned(),
            subject: Some(grant.id.clone()),
            detail: json!({ "agent": grant.agent, "program": grant.executable }),
        };
        store.append(entry).await?;
        Ok(Some(grant.clone()))
    })?;
    let Some(grant) = revoked.flatten() else {
        anyhow::bail!("there is no grant {written}; `openclaw approvals grants list` shows what there is");
    };
    match output {
        Output::Json => print::json(&json!({ "ok": true, "id": grant.id }))?,
        Output::Text => {
            print::line(&format!("{} has to ask again before it runs {}.", grant.agent, command(&grant)))?;
        }
    }
    Ok(Exit::Done)
}

/// The grant that a text names: its id, or the beginning of one and no other.
fn named<'a>(grants: &'a [Grant], written: &str) -> Option<&'a Grant> {
    if let Some(exact) = grants.iter().find(|grant| grant.id == written) {
        return Some(exact);
    }
    let mut fitting = grants.iter().filter(|grant| written.len() >= 4 && grant.id.starts_with(written));
    fitting.next().filter(|_| fitting.next().is_none())
}

/// Opens the store, does the work and closes it; nothing when there is no store yet.
fn with_store<T>(
    context: &Context,
    work: impl AsyncFnOnce(&StateDatabase) -> anyhow::Result<T>,
) -> anyhow::Result<Option<T>> {
    let location = StateLocation::within(&context.locations.state_dir);
    if matches!(StateDatabase::examine(&location), Ok(StateHealth::Absent)) {
        return Ok(None);
    }
    block_on(async {
        let store = StateDatabase::open(location, Arc::clone(&context.clock)).await?;
        let done = work(&store).await;
        let closed = store.close().await;
        let done = done?;
        closed?;
        Ok(Some(done))
    })
}

fn render(grants: &[Grant], now: i64) -> String {
    if grants.is_empty() {
        return print::muted("Nothing was allowed for good.");
    }
    let mut table = TextTable::pairs();
    for grant in grants {
        table.row([grant.id.as_str(), &format!("{} may run {}", grant.agent, command(grant))]);
        table.row(["", &print::muted(&conditions(grant, now))]);
    }
    table.render()
}

/// What may run, as it would be typed.
fn command(grant: &Grant) -> String {
    let program = word(&grant.executable);
    let words = |words: &[String]| words.iter().map(|next| format!(" {}", word(next))).collect::<String>();
    match &grant.arguments {
        ArgumentPattern::Exact(exact) => format!("{program}{}", words(exact)),
        ArgumentPattern::Prefix(first) => format!("{program}{} with any further arguments", words(first)),
        ArgumentPattern::Any => format!("{program} with any arguments"),
    }
}

/// Where, for whom and until when, and by whose word.
fn conditions(grant: &Grant, now: i64) -> String {
    let folder = grant
        .directory
        .as_ref()
        .map_or_else(|| "in any folder".to_owned(), |folder| format!("in {} and below", word(folder)));
    let session = grant
        .session
        .as_ref()
        .map_or_else(|| "in every session".to_owned(), |session| format!("in session {session}"));
    let variables =
        grant.variables.as_ref().map(|bound| format!("with {} as it was", bound.names.join(", ")));
    let until = match grant.expires_at {
        None => "until it is taken back".to_owned(),
        Some(at) if at.0 <= now => "over".to_owned(),
        Some(at) => format!("for another {}", print::ago(at.0, now).trim_end_matches(" ago")),
    };
    let used = grant
        .last_used_at
        .map_or_else(|| "never used".to_owned(), |at| format!("used {}", print::ago(now, at.0)));
    let given = format!("given by {} {}", word(&grant.granted_by), print::ago(now, grant.created_at.0));
    let said = [Some(folder), variables, Some(session), Some(until), Some(used), Some(given)];
    said.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// A word as it would be typed: quoted where it is not plain, and with nothing hidden in it.
fn word(text: &str) -> String {
    let plain = |next: char| next.is_alphanumeric() || "/._-+:=@%,~".contains(next);
    if !text.is_empty() && text.chars().all(plain) { text.to_owned() } else { format!("{text:?}") }
}

#[cfg(test)]
mod tests {
    use openclaw_ports::stores::GrantedVariables;
    use openclaw_types::{AgentId, SessionKey, SessionScope, UnixMillis};

    use super::*;

    fn grant(id: &str, arguments: ArgumentPattern) -> Grant {
        Grant {
            id: id.to_owned(),
            agent: AgentId::main(),
            executable: "/usr/bin/git".to_owned(),
            arguments,
            variables: None,
            directory: None,
            session: None,
            created_at: UnixMillis(0),
            granted_by: "webchat:owner".to_owned(),
            expires_at: None,
            last_used_at: None,
        }
    }

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn grants_are_told_in_words() {
        let agent = AgentId::main();
        let narrow = Grant {
            variables: Some(GrantedVariables { names: words(&["MODE", "X"]), digest: "0a".to_owned() }),
            directory: Some("/srv/my things".to_owned()),
            session: Some(SessionKey::new(&agent, SessionScope::Main)),
            expires_at: Some(UnixMillis(7_265_000)),
            last_used_at: Some(UnixMillis(5_000)),
            ..grant("aaaa-1", ArgumentPattern::Exact(words(&["commit", "-m", "a b", "x\u{1b}y"])))
        };
        let over = Grant {
            expires_at: Some(UnixMillis(1)),
            ..grant("bbbb-1", ArgumentPattern::Prefix(words(&["log"])))
        };
        let wide = grant("cccc-1", ArgumentPattern::Any);
        let text = print::without_colours(&render(&[narrow, over, wide], 65_000));
        insta::assert_snapshot!(text, @r#"
        aaaa-1  main may run /usr/bin/git commit -m "a b" "x\u{1b}y"
                in "/srv/my things" and below, with MODE, X as it was, in session agent:main:main, for another 2h, used 1m ago, given by webchat:owner 1m 5s ago
        bbbb-1  main may run /usr/bin/git log with any further arguments
                in any folder, in every session, over, never used, given by webchat:owner 1m 5s ago
        cccc-1  main may run /usr/bin/git with any arguments
                in any folder, in every session, until it is taken back, never used, given by webchat:owner 1m 5s ago
        "#);
    }

    #[test]
    fn a_grant_is_named_by_the_beginning_of_its_id_when_no_other_begins_so() {
        let grants = [
            grant("abcd-1", ArgumentPattern::Any),
            grant("abcd-2", ArgumentPattern::Any),
            grant("abcd", ArgumentPattern::Any),
        ];
        let found = |text: &str| named(&grants, text).map(|grant| grant.id.as_str());
        assert_eq!(found("abcd"), Some("abcd"));
        assert_eq!(found("abcd-"), None);
        assert_eq!(found("abcd-2"), Some("abcd-2"));
        assert_eq!(found("abc"), None);
        assert_eq!(found(""), None);
    }
}
