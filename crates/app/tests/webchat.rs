//! The web chat held to the suite of all platforms, with the real gateway on a real socket.
//!
//! It is no `ChannelKind`: its clients speak our own protocol (`docs/decisions/0016-web-chat-in-the-suite.md`). Each case
//! of the suite has its namesake here, or a reason why there is nothing to prove; a case that is new has to choose. That
//! what is acknowledged is kept and answered once is proven in `kill9` as well, by killing the process.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails where something is wrong")]

mod gateway_world;
#[path = "webchat_suite/mod.rs"]
mod suite;

use gateway_world::{Operator, PATIENCE, configure, options};
use openclaw_app::{ExitRequest, Running, shutdown, start};
use openclaw_client::{ConnectError, RefusalKind, RequestError};
use openclaw_providers::{Gate, Script, Scripts};
use openclaw_testkit::conformance::channel::CASES;
use openclaw_testkit::{ScriptedModelServer, TempHome};
use serde_json::{Value, json};

const KEY: &str = "agent:main:main";

/// Cases of the suite that say nothing about the web chat.
const ELSEWHERE: &[(&str, &str)] = &[
    (
        "the_descriptor_makes_sense",
        "it has no descriptor: the protocol's table of methods is its description",
    ),
    (
        "a_broken_section_never_panics_and_says_what_is_wrong",
        "it has no section: `gateway` is checked as a core section",
    ),
    ("several_accounts_inherit_and_stay_apart", "it has no accounts: clients are devices, paired one by one"),
    ("the_fingerprint_follows_the_line_alone", "its line is the gateway's socket, made once for a start"),
    (
        "targets_are_read_as_places_write_them",
        "nothing is sent to it by a target: answers go to the session's watchers",
    ),
    (
        "a_message_is_changed_and_the_same_words_again_are_no_error",
        "the protocol cannot change a message: deltas bring the whole text so far",
    ),
    (
        "a_message_is_taken_back_and_one_that_is_gone_is_no_error",
        "the protocol cannot take a message back: a session is reset",
    ),
    ("a_reaction_is_set_and_taken_back", "the protocol has no reactions"),
    (
        "an_account_knows_who_it_is_and_how_its_line_is",
        "it has no account: `health` tells of the gateway itself",
    ),
    ("the_menu_is_what_was_published_last", "clients have the commands built in"),
    ("a_thread_is_made_and_can_be_written_into", "a thread is a session of its own"),
    ("actions_are_named_and_say_what_they_lack", "there is nobody to act upon"),
    ("a_message_is_read_back_and_pinned", "`chat.history` reads; nothing can be pinned"),
    (
        "requests_are_checked_and_answered_when_kept",
        "nothing comes over HTTP: the handshake checks who writes",
    ),
];

struct World {
    home: TempHome,
    vendor: ScriptedModelServer,
}

impl World {
    async fn new(scripts: Scripts) -> Self {
        let home = TempHome::new();
        let vendor = ScriptedModelServer::start(scripts).await;
        configure(&home, &vendor, "followup");
        Self { home, vendor }
    }

    async fn start(&self) -> (Running, Operator) {
        let running = start(options(self.home.state_dir().parent().unwrap())).await.unwrap();
        let client = Operator::connect(running.addresses()[0].port()).await;
        (running, client)
    }
}

/// What the session holds: who, and what they said.
async fn history(client: &Operator) -> Vec<(String, String)> {
    let history = client.request("chat.history", &json!({ "sessionKey": KEY })).await.unwrap();
    let all = history["messages"].as_array().unwrap().iter();
    all.map(|message| (message["role"].as_str().unwrap().to_owned(), words(message))).collect()
}

/// Waits for the next end of a run as clients see it, and how it ended.
async fn next_end(client: &mut Operator) -> (String, String) {
    let ended = async {
        loop {
            let (name, payload) = client.event().await.expect("the gateway is there");
            if name == "chat" && payload["state"] != "delta" && payload["state"] != "status" {
                let text = |key: &str| payload[key].as_str().unwrap().to_owned();
                return (text("runId"), text("state"));
            }
        }
    };
    tokio::time::timeout(PATIENCE, ended).await.expect("the run ends")
}

fn end(run: &str, state: &str) -> (String, String) {
    (run.to_owned(), state.to_owned())
}

fn words(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        parts => parts.as_array().unwrap().iter().filter_map(|part| part["text"].as_str()).collect(),
    }
}

/// The suite's cases that hold here: each is an `async fn` of `suite` with the same name.
macro_rules! held {
    ($($case:ident),* $(,)?) => {
        const HELD: &[&str] = &[$(stringify!($case)),*];
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                suite::$case().await;
            }
        )*
    };
}

held![
    recorded_events_have_ids_that_last,
    what_can_come_in_is_recorded,
    written_markup_is_accepted,
    declared_capabilities_are_the_filled_slots,
    a_piece_gets_a_receipt_and_is_seen,
    trouble_becomes_typed_errors,
    what_was_not_kept_comes_again,
    a_line_that_is_cancelled_ends_at_once,
    what_is_sent_beside_words_is_taken,
    writing_is_shown_while_it_goes_on,
    a_file_is_fetched_as_far_as_the_limit,
];

#[test]
fn every_case_of_the_suite_holds_here_or_has_a_reason_not_to() {
    let mut answered: Vec<&str> =
        HELD.iter().copied().chain(ELSEWHERE.iter().map(|(case, _)| *case)).collect();
    let mut asked = CASES.to_vec();
    answered.sort_unstable();
    asked.sort_unstable();
    assert_eq!(answered, asked);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_ends_the_run_for_everybody_and_the_next_message_is_answered() {
    let scripts = Scripts::new()
        .when(|asked| asked.last_user.contains("go on"), Script::new().say("On and on").endless())
        .otherwise_echo();
    let world = World::new(scripts).await;
    let (running, mut client) = world.start().await;
    client.send(KEY, "run-1", "go on").await.unwrap();
    let stopped =
        client.request("chat.abort", &json!({ "sessionKey": KEY, "runId": "run-1" })).await.unwrap();
    assert_eq!(stopped["aborted"], true);
    assert_eq!(next_end(&mut client).await, end("run-1", "aborted"));
    client.send(KEY, "run-2", "still there?").await.unwrap();
    assert_eq!(next_end(&mut client).await, end("run-2", "final"));
    drop(client);
    assert!(shutdown(running, ExitRequest::Stop).await.is_clean());
}
