//! `openclaw doctor`: looks at the installation and, with `--fix`, repairs what can be repaired safely.
//!
//! `checks` looks and decides (each check is one function giving findings), `agents` looks at what agents keep, `repair`
//! acts, `restore` replaces a broken configuration first. Without `--fix` nothing is changed; only the replacement is
//! asked about.

mod agents;
mod checks;
mod old_sign_ins;
mod repair;
mod restore;

use clap::Args;

use crate::context::Context;
use crate::exit::Exit;
use crate::print;

/// `openclaw doctor`
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Leave out what is about workspaces
    #[arg(long)]
    no_workspace_suggestions: bool,
    /// Answer yes: with --fix a broken configuration is replaced by its newest copy that works
    #[arg(long)]
    yes: bool,
    /// Repair what can be repaired
    #[arg(long)]
    repair: bool,
    /// Repair what can be repaired
    #[arg(long)]
    fix: bool,
    /// With --fix: also replace a service that differs from what would be installed now
    #[arg(long)]
    force: bool,
    /// Do not ask; what would be asked about is left alone unless --yes is given
    #[arg(long)]
    non_interactive: bool,
    /// Make a new gateway token and keep it in the configuration
    #[arg(long)]
    generate_gateway_token: bool,
    /// Look for other gateway services too
    #[arg(long)]
    deep: bool,
}

/// How serious a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Severity {
    /// As it should be.
    Fine,
    /// Worth knowing.
    Note,
    /// Should be changed.
    Warning,
    /// Does not work.
    Failure,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DoctorFinding {
    /// What was looked at.
    pub(super) topic: &'static str,
    /// How serious it is.
    pub(super) severity: Severity,
    /// What was found, and what to do.
    pub(super) text: String,
    /// What `--fix` would do about it.
    pub(super) repair: Option<repair::Repair>,
}

impl DoctorFinding {
    pub(super) fn new(topic: &'static str, severity: Severity, text: impl Into<String>) -> Self {
        Self { topic, severity, text: text.into(), repair: None }
    }

    pub(super) fn with(mut self, repair: repair::Repair) -> Self {
        self.repair = Some(repair);
        self
    }
}

/// Looks, repairs when asked to, and prints.
pub(crate) fn run(context: &Context, arguments: &DoctorArgs) -> anyhow::Result<Exit> {
    let fixing = arguments.fix || arguments.repair;
    if fixing {
        restore::offer(context, consent(arguments))?;
    }
    if arguments.generate_gateway_token {
        let told = repair::apply(context, &repair::Repair::MakeToken)?;
        print::line(&format!("{} {told}", print::good("fixed")))?;
    }
    let workspaces =
        if arguments.no_workspace_suggestions { agents::Hints::Unwanted } else { agents::Hints::Wanted };
    let depth = checks::Depth { other_services: arguments.deep, service_drift: arguments.force, workspaces };
    let findings = checks::all(context, depth)?;
    let (mut worst, mut repairable) = (Severity::Fine, 0);
    for finding in findings {
        let after = match (&finding.repair, fixing) {
            (Some(repair), true) => fix(context, &finding, repair)?,
            (repair, _) => {
                repairable += usize::from(repair.is_some());
                print::line(&render(&finding))?;
                finding.severity
            }
        };
        worst = worst.max(after);
    }
    if repairable > 0 {
        print::line(&format!("\n{repairable} finding(s) can be repaired with `openclaw doctor --fix`."))?;
    }
    Ok(if worst == Severity::Failure { Exit::NotInOrder } else { Exit::Done })
}

fn consent(arguments: &DoctorArgs) -> restore::Consent {
    if arguments.yes {
        restore::Consent::Given
    } else if arguments.non_interactive || !print::can_ask() {
        restore::Consent::Missing
    } else {
        restore::Consent::Ask
    }
}

fn fix(context: &Context, finding: &DoctorFinding, repair: &repair::Repair) -> anyhow::Result<Severity> {
    match repair::apply(context, repair) {
        Ok(told) => {
            print::line(&format!("{} {}: {told}", print::good("fixed"), finding.topic))?;
            Ok(Severity::Fine)
        }
        Err(error) => {
            print::line(&render(finding))?;
            print::line(&format!("      {} {error:#}", print::bad("could not be repaired:")))?;
            Ok(finding.severity.max(Severity::Warning))
        }
    }
}

fn render(finding: &DoctorFinding) -> String {
    let mark = match finding.severity {
        Severity::Fine => print::good("ok   "),
        Severity::Note => print::muted("note "),
        Severity::Warning => print::warn("warn "),
        Severity::Failure => print::bad("fail "),
    };
    format!("{mark} {}: {}", finding.topic, finding.text)
}
