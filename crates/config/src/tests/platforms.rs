//! Sections below `channels`, whose form a platform knows.

use openclaw_ports::channel::{
    AccountPlan, Capability, ChannelDescriptor, ChannelKind, ConfigFault, Measure, RepeatSafety, Resolver,
};
use openclaw_types::{ChatKind, RichText};
use serde_json::{Value, json};

use super::{World, brief};
use crate::{BaseHash, Offered, WriteError, redact};

/// A platform with three keys, of which two contradict each other.
struct Pigeon;

static DESCRIPTOR: ChannelDescriptor = ChannelDescriptor {
    id: "pigeon",
    aliases: &[],
    label: "Pigeon",
    blurb: "",
    chats: &[ChatKind::Direct],
    capabilities: &[Capability::Send],
    measure: Measure::MarkupChars,
    most: 10,
    caption_most: 0,
    albums: None,
    repeats: RepeatSafety::Visible,
    hints: "",
    format: plain,
};

fn plain(text: &RichText) -> String {
    text.text().to_owned()
}

impl ChannelKind for Pigeon {
    fn descriptor(&self) -> &'static ChannelDescriptor {
        &DESCRIPTOR
    }

    fn accounts(&self, _section: &Value, _resolver: &dyn Resolver) -> (Vec<AccountPlan>, Vec<ConfigFault>) {
        (Vec::new(), Vec::new())
    }

    fn form(&self) -> Value {
        json!({ "type": "object", "additionalProperties": false, "properties": {
            "dmPolicy": { "enum": ["pairing", "disabled"] },
            "fly": { "type": "boolean" }, "walk": { "type": "boolean" },
            "groupPolicy": { "enum": ["open", "disabled", "allowlist"], "default": "allowlist" },
        } })
    }

    fn contradictions(&self, section: &Value) -> Vec<ConfigFault> {
        let both = section["fly"] == true && section["walk"] == true;
        let fault = ConfigFault { path: "walk".to_owned(), message: "it does not do both".to_owned() };
        both.then_some(fault).into_iter().collect()
    }

    fn target(&self, text: &str) -> Result<String, String> {
        Ok(text.to_owned())
    }

    fn credentials(&self) -> openclaw_ports::channel::AccountCredentials {
        openclaw_ports::channel::AccountCredentials::default()
    }

    fn place(&self, _target: &openclaw_types::SendTarget) -> Option<openclaw_types::ChatPlace> {
        None
    }
}

fn world(text: &str) -> World {
    let mut world = World::with(text);
    world.file = world.file.with_channels(vec![Box::new(Pigeon)]);
    world
}

#[test]
fn unknown_keys_of_a_platform_warn_and_are_left_out_and_so_do_platforms_nobody_has() {
    let world = world("{ channels: {\n  pigeon: { fligh: 1, fly: true },\n  pidgeon: { x: 1 } } }");
    let snapshot = world.read();
    assert_eq!(brief(&snapshot.issues), Vec::<String>::new());
    assert_eq!(
        brief(&snapshot.warnings),
        [
            "channels.pigeon.fligh @ 2:13: unknown key 'fligh', ignored",
            "channels.pidgeon @ 3:3: this gateway has no such platform; the section has no effect",
        ]
    );
    assert_eq!(snapshot.config.raw.channels.meant("pigeon"), Some(json!({ "fly": true })));
}

#[test]
fn wrong_words_and_contradictions_of_a_platform_are_issues_with_their_place() {
    let snapshot = world("{ channels: { pigeon: {\n  dmPolicy: 'disabld' } } }").read();
    assert_eq!(
        brief(&snapshot.issues),
        [
            "channels.pigeon.dmPolicy @ 2:13: must be one of \"pairing\", \"disabled\" (did you mean \"disabled\"?)"
        ]
    );
    let snapshot = world("{ channels: { pigeon: {\n  fly: true, walk: true } } }").read();
    assert_eq!(brief(&snapshot.issues), ["channels.pigeon.walk @ 2:20: it does not do both"]);
}

#[test]
fn a_wrong_word_of_a_platform_leaves_the_running_configuration_as_it_is() {
    let world = world("{ channels: { pigeon: { dmPolicy: 'disabled' } } }");
    let (live, _) = crate::LiveConfig::open(&world.file);
    world.put("openclaw.json", "{ channels: { pigeon: { dmPolicy: 'off' } } }");
    assert!(matches!(live.reload(), Offered::Refused { .. }));
    assert_eq!(live.current().raw.channels.meant("pigeon"), Some(json!({ "dmPolicy": "disabled" })));
}

#[test]
fn what_holds_for_all_platforms_holds_where_one_says_nothing_itself() {
    let snapshot = world(
        "{ channels: { defaults: { groupPolicy: 'open' }, pigeon: {}, crow: { groupPolicy: 'disabled' } } }",
    )
    .read();
    let meant = |name| snapshot.config.raw.channels.meant(name);
    assert_eq!(meant("pigeon"), Some(json!({ "groupPolicy": "open" })));
    assert_eq!(meant("crow"), Some(json!({ "groupPolicy": "disabled" })));
    assert_eq!(meant("owl"), None);
    let wrong = world("{ channels: { defaults: { groupPolicy: 'opn' } } }").read();
    assert!(!wrong.valid);
}

#[test]
fn keys_that_this_gateway_does_nothing_with_are_told() {
    let snapshot = World::with("{ talk: {}, messages: { messagePrefix: 'x', queue: {} } }").read();
    assert_eq!(
        brief(&snapshot.warnings),
        [
            "messages.messagePrefix @ 1:25: only for WhatsApp, which this gateway does not have: it has no effect",
            "talk @ 1:3: not used by this gateway: it has no effect",
        ]
    );
    assert!(snapshot.valid);
}

#[test]
fn keys_of_platforms_that_have_no_effect_are_told_for_every_account_and_room() {
    let snapshot = World::with(
        "{ channels: { pigeon: { groups: { '-1': { skills: ['tea'], topics: { '4': { skills: [] } } } },\n\
         voice: { enabled: false }, accounts: { work: { voice: {}, threadBindings: { spawnAcpSessions: true } },\n\
         home: { threadBindings: { spawnAcpSessions: false } } } } } }",
    )
    .read();
    let told = brief(&snapshot.warnings).into_iter().filter(|line| line.contains("has no effect"));
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            "channels.pigeon.groups.-1.skills @ 1:43: this gateway offers no skills yet: it has no effect",
            "channels.pigeon.groups.-1.topics.4.skills @ 1:77: this gateway offers no skills yet: it has no effect",
            "channels.pigeon.accounts.work.threadBindings.spawnAcpSessions @ 2:77: this gateway connects no coding \
             agents: it has no effect",
            "channels.pigeon.accounts.work.voice @ 2:48: this gateway joins no voice channels: it has no effect",
        ]
    );
}

#[test]
fn keys_without_effect_are_found_in_lists_and_maps_and_those_with_one_are_not() {
    let text = "{ agents: { defaults: { heartbeat: { every: '5m', prompt: 'x' }, models: { 'a/b': { streaming: true } }, \
        sandbox: { mode: 'off', docker: {} } }, list: [ { id: 'ops', skills: ['x'], agentDir: '/elsewhere' }, \
        { id: 'home', agentDir: '~/.openclaw/agents/home/agent' } ] }, \
        session: { store: '/old/sessions.json', maintenance: { rotateBytes: '1mb' } }, tools: { links: {} } }";
    let snapshot = World::with(text).read();
    let mut paths: Vec<&str> = snapshot.warnings.iter().map(|warning| warning.path.as_str()).collect();
    paths.sort_unstable();
    assert_eq!(
        paths,
        [
            "agents.defaults.heartbeat.every",
            "agents.defaults.models.a/b.streaming",
            "agents.defaults.sandbox.docker",
            "agents.list[0].skills",
            "session.maintenance.rotateBytes",
            "tools.links",
        ]
    );
    let usual = "{ session: { store: '~/.openclaw/agents/{agentId}/sessions/sessions.json' }, commands: { nativeSkills: 'auto' } }";
    assert_eq!(brief(&World::with(usual).read().warnings), Vec::<String>::new());
}

#[test]
fn writers_that_refuse_unknown_keys_refuse_those_of_a_platform_and_platforms_nobody_has() {
    let world = world("{ channels: { dove: { x: 1 } } }");
    let file = world.file.refusing_unknown_keys();
    let refused = |patch: &str| match file.patch(patch, &BaseHash::Unchecked) {
        Ok(_) => Vec::new(),
        Err(WriteError::Invalid { issues }) => issues.iter().map(ToString::to_string).collect(),
        Err(other) => panic!("{other}"),
    };
    assert_eq!(
        refused("{ channels: { pigeon: { fligh: 1 }, pidgeon: {} } }"),
        [
            "channels.pigeon.fligh: unknown key 'fligh' (remove it, or check its spelling and indentation)",
            "channels.pidgeon: this gateway has no such platform; the section has no effect (did you mean 'pigeon'?)",
        ]
    );
    assert_eq!(refused("{ channels: { dove: { x: 2 }, pigeon: { fly: true } } }"), Vec::<String>::new());
}

#[test]
fn clients_see_what_a_platform_does_where_its_section_says_nothing() {
    let shown = |text: &str| redact(&world(text).read()).config["channels"].clone();
    assert_eq!(
        shown("{ channels: { pigeon: { fly: true } } }"),
        json!({ "pigeon": { "fly": true, "groupPolicy": "allowlist" } })
    );
    assert_eq!(
        shown("{ channels: { defaults: { groupPolicy: 'open' }, pigeon: {} } }"),
        json!({ "defaults": { "groupPolicy": "open" }, "pigeon": { "groupPolicy": "open" } })
    );
    assert_eq!(shown("{ channels: { defaults: {} } }"), json!({ "defaults": {} }));
    let world = world("{ channels: { pigeon: { fly: true } } }");
    let sent = redact(&world.read()).config.to_string();
    let written = world.file.write_text(&sent, &BaseHash::Unchecked).expect("it can be written");
    assert_eq!(written.parsed["channels"], json!({ "pigeon": { "fly": true } }));
}
