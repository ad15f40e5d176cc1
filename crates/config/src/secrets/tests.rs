//! Secrets looked up for real: variables, files with real permissions, and small programs that are really run.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use openclaw_ports::{Clock, SystemClock};
use openclaw_testkit::SimClock;
use openclaw_types::Secret;
use serde_json::{Value, json};

use super::{SecretResolver, SecretSources, read_secret_ref, secret_ref_value};
use crate::Environment;
use crate::error::SecretError;
use crate::sections::{SecretInput, SecretRef, SecretsSection};

/// The secret that must be found, and must not be seen anywhere else.
const PLANTED: &str = "planted-5ecr3t-value";

struct World {
    home: tempfile::TempDir,
    resolver: SecretResolver,
}

impl World {
    fn new() -> Self {
        Self::with_clock(Arc::new(SystemClock::new()))
    }

    fn with_clock(clock: Arc<dyn Clock>) -> Self {
        let home = tempfile::tempdir().unwrap();
        std::fs::set_permissions(home.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
        Self { home, resolver: SecretResolver::new(clock) }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn file(&self, name: &str, text: &str, mode: u32) -> String {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path.display().to_string()
    }

    fn program(&self, name: &str, script: &str) -> String {
        self.file(name, &format!("#!/bin/sh\n{script}\n"), 0o700)
    }

    async fn find(&self, section: Value, reference: Value) -> Result<String, SecretError> {
        let section: SecretsSection = serde_json::from_value(section).unwrap();
        let reference: SecretRef = serde_json::from_value(reference).unwrap();
        let variables =
            [("API_KEY", PLANTED), ("PASSED", "handed-on"), ("BLANK", "  "), ("HIDDEN", "not for children")];
        let environment = Environment::fake(variables, self.home.path());
        let sources = SecretSources { section: Some(&section), environment: &environment };
        let found = self.resolver.resolve(&reference, sources).await;
        if let Err(error) = &found {
            let said = format!("{error} {error:?}");
            assert!(!said.contains(PLANTED), "{said}");
        }
        found.map(|secret| secret.reveal().clone())
    }

    /// What a person is told.
    async fn refusal(&self, section: Value, reference: Value) -> String {
        let error = self.find(section, reference).await.unwrap_err().to_string();
        error.replace(&self.home.path().display().to_string(), "HOME")
    }
}

fn file(path: &str, more: Value) -> Value {
    with(json!({ "source": "file", "path": path }), more)
}

fn exec(path: &str, more: Value) -> Value {
    with(json!({ "source": "exec", "command": path }), more)
}

fn with(mut provider: Value, more: Value) -> Value {
    for (name, value) in more.as_object().unwrap() {
        provider[name] = value.clone();
    }
    json!({ "providers": { "vault": provider } })
}

fn from_file(id: &str) -> Value {
    json!({ "source": "file", "provider": "vault", "id": id })
}

fn from_exec(id: &str) -> Value {
    json!({ "source": "exec", "provider": "vault", "id": id })
}

#[tokio::test]
async fn a_variable_is_read_when_it_is_allowed() {
    let world = World::new();
    let any = json!({ "source": "env", "provider": "default", "id": "API_KEY" });
    assert_eq!(world.find(json!({}), any.clone()).await.unwrap(), PLANTED);
    let listed =
        |names: Value| json!({ "providers": { "default": { "source": "env", "allowlist": names } } });
    assert_eq!(world.find(listed(json!(["API_KEY"])), any.clone()).await.unwrap(), PLANTED);
    world.resolver.clear();
    assert_eq!(
        world.refusal(listed(json!(["OTHER"])), any).await,
        "the variable API_KEY may not be read; add it to secrets.providers.default.allowlist"
    );
    let blank = json!({ "source": "env", "provider": "default", "id": "BLANK" });
    assert_eq!(
        world.refusal(json!({}), blank).await,
        "the variable BLANK is not set or blank; set it where the gateway starts, or in the env section"
    );
}

#[tokio::test]
async fn a_reference_must_fit_a_provider_that_is_set_up() {
    let world = World::new();
    assert_eq!(
        world.refusal(json!({}), from_file("/a")).await,
        "file:vault:/a names a secret provider that is not set up; add secrets.providers.vault"
    );
    assert_eq!(
        world.refusal(json!({ "providers": { "vault": { "source": "env" } } }), from_exec("a")).await,
        "exec:vault:a does not fit the kind of secrets.providers.vault; make both the same source"
    );
}

#[tokio::test]
async fn a_file_gives_one_value_or_a_place_in_json() {
    let world = World::new();
    let one = world.file("planted-one", &format!("{PLANTED}\r\n"), 0o600);
    let found = world.find(file(&one, json!({ "mode": "singleValue" })), from_file("value")).await;
    assert_eq!(found.unwrap(), PLANTED);
    world.resolver.clear();
    let text = json!({ "deep": { "a/b": [PLANTED] }, "number": 4 }).to_string();
    world.file("planted-many.json", &text, 0o600);
    let many = || file("~/planted-many.json", json!({}));
    assert_eq!(world.find(many(), from_file("/deep/a~1b/0")).await.unwrap(), PLANTED);
    for (id, told) in [
        ("/gone", "the secret provider vault cannot be used: /gone is not in the file"),
        ("/number", "the secret provider vault cannot be used: /number is not a text there"),
        (
            "deep",
            "the secret provider vault cannot be used: its file needs ids that are JSON pointers, such as /vendors/main/key",
        ),
    ] {
        assert_eq!(world.refusal(many(), from_file(id)).await, told);
    }
}

#[tokio::test]
async fn a_file_that_others_could_read_is_refused_with_the_repair() {
    let world = World::new();
    let open = world.file("planted-open.json", &json!({ "a": PLANTED }).to_string(), 0o640);
    assert_eq!(
        world.refusal(file(&open, json!({})), from_file("/a")).await,
        "HOME/planted-open.json can be read or changed by other users; run: chmod 600 HOME/planted-open.json"
    );
    symlink(
        world.file("planted-real.json", &json!({ "a": PLANTED }).to_string(), 0o600),
        world.path("link.json"),
    )
    .unwrap();
    assert_eq!(
        world.refusal(file("~/link.json", json!({})), from_file("/a")).await,
        "HOME/link.json is a symbolic link; name the file it leads to"
    );
    assert_eq!(
        world.refusal(file("~", json!({})), from_file("/a")).await,
        "HOME is not a regular file; name a regular file"
    );
    assert!(
        world
            .refusal(file("~/gone", json!({})), from_file("/a"))
            .await
            .starts_with("cannot read HOME/gone: ")
    );
}

#[tokio::test]
async fn a_broken_or_large_file_is_refused_without_being_quoted() {
    let world = World::new();
    let broken = world.file("planted-broken.json", &format!("{{\"a\": \"{PLANTED}\""), 0o600);
    assert_eq!(
        world.refusal(file(&broken, json!({})), from_file("/a")).await,
        "the secret provider vault cannot be used: its file does not hold valid JSON"
    );
    assert_eq!(
        world.refusal(file(&broken, json!({ "maxBytes": 10 })), from_file("/a")).await,
        "HOME/planted-broken.json is over the limit of 10; raise maxBytes if that is right"
    );
    let empty = world.file("empty", "\n", 0o600);
    assert_eq!(
        world.refusal(file(&empty, json!({ "mode": "singleValue" })), from_file("value")).await,
        "file:vault:value leads to an empty value; store the secret there"
    );
}

#[tokio::test]
async fn a_program_is_asked_in_json_and_sees_only_what_it_is_given() {
    let world = World::new();
    let script = r#"request=$(cat)
printf '{"protocolVersion":1,"values":{"db/key":"%s|%s|%s|%s|%s"}}' "$1" "$PASSED" "$GIVEN" "$HIDDEN" "$(echo "$request" | tr -d '"')""#;
    let program = world.program("ask", script);
    let settings =
        json!({ "args": ["; touch pwned"], "passEnv": ["PASSED", "ABSENT"], "env": { "GIVEN": "here" } });
    assert_eq!(
        world.find(exec(&program, settings), from_exec("db/key")).await.unwrap(),
        "; touch pwned|handed-on|here||{protocolVersion:1,provider:vault,ids:[db/key]}"
    );
    assert!(!world.path("pwned").exists());
}

#[tokio::test]
async fn a_program_may_print_one_bare_text_where_that_is_allowed() {
    let world = World::new();
    let bare = world.program("planted-bare", &format!("echo ' {PLANTED} '"));
    assert_eq!(world.find(exec(&bare, json!({ "jsonOnly": false })), from_exec("a")).await.unwrap(), PLANTED);
    world.resolver.clear();
    assert_eq!(
        world.refusal(exec(&bare, json!({})), from_exec("a")).await,
        "the secret provider vault cannot be used: its program printed something that is not JSON"
    );
}

#[tokio::test]
async fn what_a_program_answers_wrongly_is_said_without_quoting_it() {
    let world = World::new();
    let rows = [
        ("true", "printed nothing"),
        ("echo '[1]'", "printed JSON that is not an object"),
        ("echo '{\"values\":{\"a\":\"planted-5ecr3t-value\"}}'", "must answer with \"protocolVersion\": 1"),
        ("echo '{\"protocolVersion\":1}'", "answered without \"values\""),
        ("echo '{\"protocolVersion\":1,\"values\":{\"b\":\"planted-5ecr3t-value\"}}'", "did not answer a"),
        (
            "echo '{\"protocolVersion\":1,\"values\":{\"a\":[\"planted-5ecr3t-value\"]}}'",
            "answered a with something that is not a text",
        ),
        (
            "echo '{\"protocolVersion\":1,\"values\":{},\"errors\":{\"a\":{\"message\":\"vault is locked\"}}}'",
            "has no secret for a (vault is locked)",
        ),
        ("echo planted-5ecr3t-value >&2; exit 3", "ended with code 3"),
    ];
    for (number, (script, told)) in rows.into_iter().enumerate() {
        let program = world.program(&format!("planted-wrong{number}"), script);
        assert_eq!(
            world.refusal(exec(&program, json!({})), from_exec("a")).await,
            format!("the secret provider vault cannot be used: its program {told}"),
            "{script}"
        );
    }
}

#[tokio::test]
async fn a_program_that_hangs_or_floods_is_killed_with_its_children() {
    let world = World::new();
    let silent = world.program("silent", "sleep 600 & echo $! > \"$0.pid\"; wait");
    assert_eq!(
        world.refusal(exec(&silent, json!({ "noOutputTimeoutMs": 50 })), from_exec("a")).await,
        "the secret provider vault did not answer within 50ms; check it, or raise its noOutputTimeoutMs"
    );
    let child = std::fs::read_to_string(world.path("silent.pid")).unwrap();
    assert!(has_ended(child.trim()).await, "a child of a killed program went on");
    let chatty = world.program("chatty", "while :; do echo x; done");
    assert_eq!(
        world.refusal(exec(&chatty, json!({ "maxOutputBytes": 1000 })), from_exec("a")).await,
        "what the program of the secret provider vault printed is over the limit of 1000; raise maxOutputBytes if that is right"
    );
    let slow = world.program("slow", "while :; do echo x; sleep 0.02; done");
    assert_eq!(
        world.refusal(exec(&slow, json!({ "timeoutMs": 150 })), from_exec("a")).await,
        "the secret provider vault did not answer within 150ms; check it, or raise its timeoutMs"
    );
}

/// Whether a process is gone, or dead and only waiting to be counted.
async fn has_ended(process: &str) -> bool {
    for _ in 0..1_000_000 {
        match std::fs::read_to_string(format!("/proc/{process}/stat")) {
            Ok(stat) if !stat.contains(") Z ") => tokio::task::yield_now().await,
            _ => return true,
        }
    }
    false
}

#[tokio::test]
async fn a_program_that_others_could_change_is_not_run() {
    let world = World::new();
    let answer = "echo '{\"protocolVersion\":1,\"values\":{\"a\":\"x\"}}'";
    let program = world.program("open", answer);
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o722)).unwrap();
    assert_eq!(
        world.refusal(exec(&program, json!({})), from_exec("a")).await,
        "HOME/open can be changed by other users; run: chmod go-w HOME/open"
    );
    assert_eq!(
        world.find(exec(&program, json!({ "allowInsecurePath": true })), from_exec("a")).await.unwrap(),
        "x"
    );
    world.resolver.clear();
    assert_eq!(
        world.refusal(exec("bin/tool", json!({})), from_exec("a")).await,
        "bin/tool is not a full path; write the program with its full path, such as /usr/local/bin/op"
    );
    let safe = world.program("safe", answer);
    symlink(&safe, world.path("link")).unwrap();
    let link = world.path("link").display().to_string();
    assert_eq!(
        world.refusal(exec(&link, json!({})), from_exec("a")).await,
        "HOME/link is a symbolic link; name the program it leads to, or set allowSymlinkCommand together with trustedDirs"
    );
    let home = Path::new(&safe).parent().unwrap().display().to_string();
    let trusted = json!({ "allowSymlinkCommand": true, "trustedDirs": [home] });
    assert_eq!(world.find(exec(&link, trusted), from_exec("a")).await.unwrap(), "x");
    world.resolver.clear();
    assert_eq!(
        world.refusal(exec(&safe, json!({ "trustedDirs": ["/usr/bin"] })), from_exec("a")).await,
        "HOME/safe is outside trustedDirs; add its directory to trustedDirs, or move the program"
    );
}

#[tokio::test]
async fn no_directory_on_the_way_to_a_program_may_be_changed_by_others() {
    let answer = "echo '{\"protocolVersion\":1,\"values\":{\"a\":\"x\"}}'";
    let rows = [
        (0o755, 0o755, None),
        (0o775, 0o755, Some("outer")),
        (0o757, 0o755, Some("outer")),
        (0o755, 0o775, Some("outer/inner")),
        (0o755, 0o757, Some("outer/inner")),
        (0o1777, 0o1775, None),
    ];
    for (outer, inner, blamed) in rows {
        let world = World::new();
        std::fs::create_dir_all(world.path("outer/inner")).unwrap();
        let program = world.program("outer/inner/tool", answer);
        for (name, mode) in [("outer", outer), ("outer/inner", inner)] {
            std::fs::set_permissions(world.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
        }
        match blamed {
            None => assert_eq!(world.find(exec(&program, json!({})), from_exec("a")).await.unwrap(), "x"),
            Some(directory) => assert_eq!(
                world.refusal(exec(&program, json!({})), from_exec("a")).await,
                format!(
                    "HOME/outer/inner/tool is in a directory that other users may change; run: chmod go-w HOME/{directory}"
                ),
                "{outer:o} {inner:o}"
            ),
        }
        let insecure = json!({ "allowInsecurePath": true });
        world.resolver.clear();
        assert_eq!(world.find(exec(&program, insecure), from_exec("a")).await.unwrap(), "x");
    }
}

#[tokio::test]
async fn a_directory_that_is_a_link_is_judged_by_where_it_leads() {
    let world = World::new();
    // Prints the path it was run by.
    let answer = "printf '{\"protocolVersion\":1,\"values\":{\"a\":\"%s\"}}' \"$0\"";
    for name in ["real", "trusted"] {
        std::fs::create_dir(world.path(name)).unwrap();
    }
    let real = world.program("real/tool", answer);
    symlink(world.path("real"), world.path("trusted/link")).unwrap();
    let linked = world.path("trusted/link/tool").display().to_string();
    assert_eq!(world.find(exec(&linked, json!({})), from_exec("a")).await.unwrap(), real);
    world.resolver.clear();
    assert_eq!(
        world.refusal(exec(&linked, json!({ "trustedDirs": ["~/trusted"] })), from_exec("a")).await,
        "HOME/real/tool is outside trustedDirs; add its directory to trustedDirs, or move the program"
    );
    let trusted = json!({ "trustedDirs": ["~/gone", "~/trusted/link"] });
    assert_eq!(world.find(exec(&linked, trusted), from_exec("a")).await.unwrap(), real);
    world.resolver.clear();
    std::fs::set_permissions(world.path("real"), std::fs::Permissions::from_mode(0o777)).unwrap();
    assert_eq!(
        world.refusal(exec(&linked, json!({})), from_exec("a")).await,
        "HOME/real/tool is in a directory that other users may change; run: chmod go-w HOME/real"
    );
}

#[test]
fn the_directories_of_other_users_are_not_trusted() {
    use super::trust::{Facts, Kind, judge_directory};
    let facts = |owner: u32, mode: u32| Facts { owner, mode, kind: Kind::Other };
    let rows = [
        (facts(1000, 0o700), true),
        (facts(0, 0o755), true),
        (facts(0, 0o1777), true),
        (facts(1001, 0o755), false),
        // Whoever owns a sticky directory may still replace what is in it.
        (facts(1001, 0o1777), false),
        (facts(1000, 0o775), false),
    ];
    for (facts, expected) in rows {
        assert_eq!(judge_directory(Path::new("/d"), facts, 1000).is_ok(), expected, "{facts:?}");
    }
}

#[tokio::test]
async fn a_secret_is_forgotten_only_if_it_is_the_one_that_was_refused() {
    let world = World::new();
    let path = world.file("one", "first", 0o600);
    let section: SecretsSection =
        serde_json::from_value(file(&path, json!({ "mode": "singleValue" }))).unwrap();
    let environment = Environment::fake([("API_KEY", PLANTED)], world.home.path());
    let sources = SecretSources { section: Some(&section), environment: &environment };
    let reference: SecretRef = serde_json::from_value(from_file("value")).unwrap();
    let find = || async { world.resolver.resolve(&reference, sources).await.unwrap().reveal().clone() };
    assert_eq!(find().await, "first");
    world.file("one", "second", 0o600);
    world.resolver.forget(&reference, |found| found == "an older one");
    assert_eq!(find().await, "first");
    world.resolver.forget(&reference, |found| found == "first");
    assert_eq!(find().await, "second");
}

#[tokio::test]
async fn an_answer_is_kept_for_a_minute_and_asked_for_once() {
    let clock = Arc::new(SimClock::new());
    let world = Arc::new(World::with_clock(clock.clone()));
    let program = world
        .program("count", "echo run >> \"$0.log\"; echo '{\"protocolVersion\":1,\"values\":{\"a\":\"x\"}}'");
    let runs = || std::fs::read_to_string(world.path("count.log")).unwrap().lines().count();
    let many = (0..20).map(|_| world.find(exec(&program, json!({})), from_exec("a")));
    for found in futures_util::future::join_all(many).await {
        assert_eq!(found.unwrap(), "x");
    }
    assert_eq!(runs(), 1);
    clock.advance(Duration::from_secs(61)).await;
    assert_eq!(world.find(exec(&program, json!({})), from_exec("a")).await.unwrap(), "x");
    assert_eq!(runs(), 2);
    world.resolver.clear();
    assert_eq!(world.find(exec(&program, json!({})), from_exec("a")).await.unwrap(), "x");
    assert_eq!(runs(), 3);
    assert_eq!(format!("{:?}", world.resolver), "SecretResolver { found: 1, .. }");
}

#[tokio::test]
async fn several_references_to_one_source_are_one_question() {
    let world = World::new();
    let script = "cat > \"$0.log\"; echo '{\"protocolVersion\":1,\"values\":{\"a\":\"1\",\"b\":\"2\"}}'";
    let program = world.program("batch", script);
    let section: SecretsSection = serde_json::from_value(exec(&program, json!({}))).unwrap();
    let environment = Environment::fake([("API_KEY", PLANTED)], world.home.path());
    let sources = SecretSources { section: Some(&section), environment: &environment };
    let wanted =
        [from_exec("b"), json!({ "source": "env", "provider": "default", "id": "API_KEY" }), from_exec("a")];
    let wanted: Vec<SecretRef> =
        wanted.into_iter().map(|value| serde_json::from_value(value).unwrap()).collect();
    let found = world.resolver.resolve_all(&wanted, sources).await.unwrap();
    assert_eq!(found, ["2", PLANTED, "1"].map(|text| Secret::new(text.to_owned())));
    let asked = std::fs::read_to_string(world.path("batch.log")).unwrap();
    assert_eq!(asked, r#"{"protocolVersion":1,"provider":"vault","ids":["a","b"]}"#);
    let limited: SecretsSection = serde_json::from_value(
        with(json!({ "source": "exec", "command": program }), json!({}))
            .as_object_mut()
            .map(|section| {
                section.insert("resolution".to_owned(), json!({ "maxRefsPerProvider": 1 }));
                Value::Object(section.clone())
            })
            .unwrap(),
    )
    .unwrap();
    world.resolver.clear();
    let sources = SecretSources { section: Some(&limited), environment: &environment };
    let error = world.resolver.resolve_all(&wanted, sources).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the number of secrets asked of the provider vault is over the limit of 1; raise resolution.maxRefsPerProvider if that is right"
    );
}

#[tokio::test]
async fn a_written_secret_is_itself() {
    let world = World::new();
    let input: SecretInput = serde_json::from_value(json!(PLANTED)).unwrap();
    let environment = Environment::fake([("A", "b")], world.home.path());
    let sources = SecretSources { section: None, environment: &environment };
    assert_eq!(world.resolver.resolve_input(&input, sources).await.unwrap().reveal(), PLANTED);
}

#[test]
fn references_are_read_in_every_form() {
    let defaults = serde_json::from_value(json!({ "env": "mine", "file": "disk" })).unwrap();
    let rows = [
        (
            json!({ "source": "env", "provider": "p", "id": "A" }),
            Some(json!({ "source": "env", "provider": "p", "id": "A" })),
        ),
        (
            json!({ "source": "file", "id": "/a" }),
            Some(json!({ "source": "file", "provider": "disk", "id": "/a" })),
        ),
        (
            json!({ "source": "exec", "id": "a" }),
            Some(json!({ "source": "exec", "provider": "default", "id": "a" })),
        ),
        (json!("${API_KEY}"), Some(json!({ "source": "env", "provider": "mine", "id": "API_KEY" }))),
        (json!("${api}"), None),
        (json!("plain"), None),
        (json!({ "source": "env", "provider": "", "id": "A" }), None),
        (json!({ "source": "other", "id": "A" }), None),
        (json!(4), None),
    ];
    for (written, expected) in rows {
        let read = read_secret_ref(&written, Some(&defaults));
        assert_eq!(read.as_ref().map(secret_ref_value), expected, "{written}");
    }
}
