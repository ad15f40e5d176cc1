//! The service's files, from fixed input.
//!
//! What the files say is kept as snapshots; what service managers answer is parsed from recorded text. Talking to a real
//! service manager is not tested here.

use std::path::Path;

use openclaw_config::{Environment, Locations, ProfileChoice};
use openclaw_types::Secret;

use super::supervisor::{Runtime, parse_print, parse_show};
use super::{PlanInput, ServicePlan, launchd, systemd};

fn plan(profile: &ProfileChoice, token: Option<&str>) -> ServicePlan {
    let variables = [
        ("OPENCLAW_STATE_DIR", "/srv/claw state"),
        ("HTTPS_PROXY", "http://proxy:3128/%20"),
        ("TMPDIR", "/var/tmp"),
    ];
    let environment = Environment::fake(variables, "/home/ana");
    let locations = Locations::resolve(&environment, profile).unwrap();
    ServicePlan::of(&PlanInput {
        environment: &environment,
        locations: &locations,
        program: Path::new("/home/ana/.local/bin/openclaw"),
        port: 18789,
        token: token.map(|token| Secret::new(token.to_owned())),
        version: "1.2.3",
    })
}

#[test]
fn the_unit_names_program_variables_and_restart_rules() {
    insta::assert_snapshot!(systemd::render(&plan(&ProfileChoice::FromEnvironment, None)).unwrap());
}

#[test]
fn a_profile_changes_names_and_a_token_stands_only_in_the_file() {
    let plan = plan(&ProfileChoice::Named("work".to_owned()), Some("hidden"));
    assert_eq!((plan.unit_name.as_str(), plan.label.as_str()), ("openclaw-gateway-work", "ai.openclaw.work"));
    assert!(!format!("{plan:?}").contains("hidden"));
    let unit = systemd::render(&plan).unwrap();
    assert!(unit.contains("Environment=OPENCLAW_GATEWAY_TOKEN=hidden\n"), "{unit}");
    assert!(unit.contains("Description=OpenClaw Gateway (profile: work, v1.2.3)\n"), "{unit}");
}

#[test]
fn the_launch_agent_holds_the_same() {
    insta::assert_snapshot!(launchd::render(&plan(&ProfileChoice::FromEnvironment, None)));
}

#[test]
fn a_line_break_cannot_smuggle_settings_into_a_unit() {
    let mut plan = plan(&ProfileChoice::FromEnvironment, None);
    plan.command.push("x\nExecStartPre=/bin/evil".to_owned());
    assert_eq!(
        systemd::render(&plan).unwrap_err().to_string(),
        "the command holds a line break and cannot be written into a service; unset it and try again"
    );
}

#[test]
fn odd_characters_in_a_command_are_quoted_for_systemd() {
    let mut plan = plan(&ProfileChoice::FromEnvironment, None);
    plan.command = vec!["/opt/my tools/open\"claw".to_owned(), "100%".to_owned(), "$HOME".to_owned()];
    let unit = systemd::render(&plan).unwrap();
    assert!(unit.contains("ExecStart=\"/opt/my tools/open\\\"claw\" 100%% $$HOME\n"), "{unit}");
}

#[test]
fn what_systemctl_shows_is_understood() {
    let text =
        "MainPID=4711\nExecMainStatus=0\nActiveState=active\nSubState=running\nUnitFileState=enabled\n";
    let runtime = Runtime {
        status: "running",
        state: Some("active".to_owned()),
        sub_state: Some("running".to_owned()),
        pid: Some(4711),
        last_exit_status: Some(0),
        detail: None,
    };
    assert_eq!(parse_show(text), (true, runtime));
    assert_eq!(parse_show("ActiveState=failed\nMainPID=0\nUnitFileState=disabled\n").1.status, "stopped");
}

#[test]
fn what_launchctl_prints_is_understood() {
    let text = "gui/501/ai.openclaw.gateway = {\n\tstate = running\n\tpid = 77\n\tlast exit code = 1\n}\n";
    let runtime = Runtime {
        status: "running",
        state: Some("running".to_owned()),
        pid: Some(77),
        last_exit_status: Some(1),
        ..Runtime::default()
    };
    assert_eq!(parse_print(text), runtime);
}
