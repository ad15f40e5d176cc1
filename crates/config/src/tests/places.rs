//! Environment, `.env` files and locations.

use std::fs;
use std::path::Path;

use openclaw_testkit::TempHome;
use openclaw_types::AgentId;

use crate::{
    Adoption, AgentPlaces, Environment, LocationError, Locations, ProfileChoice, adopt_legacy_state_dir,
};

fn resolve<const N: usize>(variables: [(&str, &str); N], choice: &ProfileChoice) -> Locations {
    Locations::resolve(&Environment::fake(variables, "/home/ana"), choice)
        .expect("the profile's name is fine")
}

#[test]
fn the_state_directory_follows_variables_then_profile_then_default() {
    let named = ProfileChoice::Named("work".to_owned());
    let rows: [(Locations, &str, &str); 7] = [
        (
            resolve([], &ProfileChoice::FromEnvironment),
            "/home/ana/.openclaw",
            "/home/ana/.openclaw/openclaw.json",
        ),
        (resolve([], &named), "/home/ana/.openclaw-work", "/home/ana/.openclaw-work/openclaw.json"),
        (
            resolve([("OPENCLAW_PROFILE", "p")], &ProfileChoice::FromEnvironment),
            "/home/ana/.openclaw-p",
            "/home/ana/.openclaw-p/openclaw.json",
        ),
        (
            resolve([("OPENCLAW_PROFILE", "Default")], &ProfileChoice::FromEnvironment),
            "/home/ana/.openclaw",
            "/home/ana/.openclaw/openclaw.json",
        ),
        (
            resolve([("OPENCLAW_STATE_DIR", "~/state")], &named),
            "/home/ana/state",
            "/home/ana/state/openclaw.json",
        ),
        (
            resolve([("CLAWDBOT_STATE_DIR", "rel/../state")], &named),
            "/home/ana/state",
            "/home/ana/state/openclaw.json",
        ),
        (
            resolve([("OPENCLAW_CONFIG_PATH", "/etc/claw.json5")], &named),
            "/home/ana/.openclaw-work",
            "/etc/claw.json5",
        ),
    ];
    for (found, state, config) in rows {
        assert_eq!(
            (found.state_dir.as_path(), found.config_path.as_path()),
            (Path::new(state), Path::new(config))
        );
    }
}

#[test]
fn the_dev_profile_has_a_port_of_its_own_unless_one_is_set() {
    assert_eq!(resolve([], &ProfileChoice::Dev).port_override(), Some(19001));
    assert_eq!(resolve([("OPENCLAW_GATEWAY_PORT", "7")], &ProfileChoice::Dev).port_override(), Some(7));
    assert_eq!(resolve([], &ProfileChoice::Dev).state_dir, Path::new("/home/ana/.openclaw-dev"));
}

#[test]
fn a_port_that_is_none_is_refused() {
    for text in ["zzz", "0", "65536", "-1"] {
        let environment = Environment::fake([("OPENCLAW_GATEWAY_PORT", text)], "/home/ana");
        assert_eq!(
            Locations::resolve(&environment, &ProfileChoice::FromEnvironment),
            Err(LocationError::Port { text: text.to_owned() })
        );
    }
}

#[test]
fn a_profile_name_that_is_no_directory_name_is_refused() {
    for name in ["../x", "", "a b", "-a", "ä", &"x".repeat(65)] {
        let choice = ProfileChoice::Named(name.to_owned());
        assert_eq!(
            Locations::resolve(&Environment::fake::<&str, &str>([], "/home/ana"), &choice),
            Err(LocationError::ProfileName { name: name.to_owned() })
        );
    }
}

#[test]
fn a_directory_of_an_earlier_name_is_used_in_place_until_it_is_moved() {
    let home = TempHome::new();
    let user = home.state_dir().parent().expect("a home").join("user");
    fs::create_dir_all(user.join(".moltbot")).expect("writable");
    fs::write(user.join(".moltbot/clawdbot.json"), "{}").expect("writable");
    let environment = Environment::fake::<&str, &str>([], &user);
    let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment).expect("no profile");
    assert_eq!(locations.config_path, user.join(".moltbot/clawdbot.json"));

    assert_eq!(
        adopt_legacy_state_dir(&environment),
        Adoption::Moved { from: user.join(".moltbot"), to: user.join(".openclaw") }
    );
    assert_eq!(fs::read_to_string(user.join(".openclaw/clawdbot.json")).expect("moved"), "{}");
    assert_eq!(fs::read_link(user.join(".moltbot")).expect("a link stays"), user.join(".openclaw"));
    assert_eq!(adopt_legacy_state_dir(&environment), Adoption::Nothing);
}

#[test]
fn two_state_directories_are_never_merged() {
    let home = TempHome::new();
    let user = home.state_dir().parent().expect("a home");
    fs::create_dir(user.join(".clawdbot")).expect("writable");
    let adoption = adopt_legacy_state_dir(&Environment::fake::<&str, &str>([], user));
    assert!(matches!(adoption, Adoption::Skipped { .. }), "{adoption:?}");
    assert!(user.join(".clawdbot").is_dir() && home.state_dir().is_dir());
}

#[test]
fn dotenv_lines_are_read_as_people_write_them() {
    let text = "# note\nA=1\nexport B = two words # rest\nC='single # kept'\nD=\"line\\nbreak \\\"q\\\"\"\nbad line\nhttp://x\nY: colon\nE=`back`\nF=\nLD_PRELOAD=x\n\
                G=\"over\ntwo lines\"\nH=last";
    let found = crate::dotenv::parse(text);
    let expected = [
        ("A", "1"),
        ("B", "two words"),
        ("C", "single # kept"),
        ("D", "line\nbreak \"q\""),
        ("Y", "colon"),
        ("E", "back"),
        ("F", ""),
        ("G", "over\ntwo lines"),
        ("H", "last"),
    ];
    assert_eq!(found, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
}

#[test]
fn the_process_wins_over_the_working_directory_over_the_state_directory() {
    let home = TempHome::new();
    let work = home.path("work");
    fs::create_dir(&work).expect("writable");
    fs::write(work.join(".env"), "A=work\nB=work\n").expect("writable");
    fs::write(home.path(".env"), "A=state\nB=state\nC=state\n").expect("writable");
    let environment = Environment::fake([("A", "process")], "/home/ana")
        .with_working_directory(&work)
        .with_dotenv(home.state_dir());
    assert_eq!(
        ["A", "B", "C"].map(|name| environment.get(name)),
        [Some("process"), Some("work"), Some("state")]
    );
}

#[test]
fn the_working_directory_has_no_say_in_how_the_gateway_works() {
    let home = TempHome::new();
    let work = home.path("work");
    fs::create_dir(&work).expect("writable");
    let names = ["OPENCLAW_GATEWAY_TOKEN", "clawdbot_gateway_password", "XDG_STATE_HOME", "TMPDIR"];
    let lines: String = names.iter().map(|name| format!("{name}=work\n")).collect();
    fs::write(work.join(".env"), format!("{lines}OTHER=work\n")).expect("writable");
    let environment = Environment::fake::<&str, &str>([], "/home/ana").with_working_directory(&work);
    let filled = environment.with_dotenv(home.state_dir());
    assert_eq!(names.map(|name| filled.get(name)), [None; 4]);
    assert_eq!(filled.get("OTHER"), Some("work"));

    fs::write(home.path(".env"), "OPENCLAW_GATEWAY_TOKEN=state\n").expect("writable");
    let filled = environment.with_dotenv(home.state_dir());
    assert_eq!(filled.get("OPENCLAW_GATEWAY_TOKEN"), Some("state"));
}

#[test]
fn a_gateway_started_in_its_state_directory_takes_everything_of_the_one_file() {
    let home = TempHome::new();
    fs::write(home.path(".env"), "OPENCLAW_GATEWAY_TOKEN=state\n").expect("writable");
    let environment =
        Environment::fake::<&str, &str>([], "/home/ana").with_working_directory(home.state_dir());
    let filled = environment.with_dotenv(home.state_dir());
    assert_eq!(filled.get("OPENCLAW_GATEWAY_TOKEN"), Some("state"));
}

#[test]
fn paths_of_people_are_expanded() {
    let environment = Environment::fake::<&str, &str>([], "/home/ana").with_working_directory("/srv/here");
    let rows = [
        ("~", "/home/ana"),
        ("~/x", "/home/ana/x"),
        (" rel/./y ", "/srv/here/rel/y"),
        ("/a/../b", "/b"),
        ("~bob/x", "/srv/here/~bob/x"),
    ];
    for (text, expected) in rows {
        assert_eq!(environment.user_path(text), Path::new(expected), "{text}");
    }
    for (text, expected) in [("~/x", "/home/ana/x"), ("rel/y", "/home/ana/rel/y"), ("/a/../b", "/b")] {
        assert_eq!(environment.home_path(text), Path::new(expected), "{text}");
    }
}

#[test]
fn an_environment_never_shows_its_values() {
    let shown = format!("{:?}", Environment::fake([("SOME_TOKEN", "hush-hush")], "/home/ana"));
    assert!(!shown.contains("hush") && !shown.contains("SOME_TOKEN"), "{shown}");
}

#[test]
fn what_belongs_to_an_agent_is_where_the_original_keeps_it() {
    let state = resolve([], &ProfileChoice::FromEnvironment).state_dir;
    let (places, main) = (AgentPlaces::default(), AgentId::main());
    let root = Path::new("/home/ana/.openclaw/agents/main");
    assert_eq!(
        (places.agent_dir(&state, &main), places.session_list(&state, &main)),
        (root.join("agent"), root.join("sessions/sessions.json"))
    );
    // A name that a client made up stays inside.
    let odd = AgentId::new("../../elsewhere").unwrap();
    assert_eq!(places.agent_dir(&state, &odd), Path::new("/home/ana/.openclaw/agents/elsewhere/agent"));
}
