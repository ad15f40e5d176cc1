//! Tables for each rule of reading.

use serde_json::{Value, json};

use super::parse::parse;
use super::substitute::{has_reference, is_only_a_reference, substitute, substitute_text};
use crate::Environment;
use crate::tests::{World, brief};

fn value(text: &str) -> Result<Value, String> {
    parse(text, 0).map(|parsed| parsed.node.to_value()).map_err(|error| error.message)
}

#[test]
fn json5_as_people_write_it_is_understood() {
    let rows = [
        ("{a: 1, 'b': \"two\", \"c\": [1, 2,], }", json!({"a": 1, "b": "two", "c": [1, 2]})),
        ("// first\n{ /* in */ $x_1: null, ünï: true }", json!({"$x_1": null, "ünï": true})),
        (
            "{a: 0x10, b: -0x1f, c: +5, d: .5, e: 5., f: 1e3}",
            json!({"a": 16, "b": -31, "c": 5, "d": 0.5, "e": 5.0, "f": 1000.0}),
        ),
        (
            "{a: 'it\\'s', b: \"\\x41\\u0042\", c: 'two\\\nlines'}",
            json!({"a": "it's", "b": "AB", "c": "twolines"}),
        ),
        ("\u{feff}{a: 1}", json!({"a": 1})),
        ("{a: 1, a: 2}", json!({"a": 2})),
        ("{true: 1, null: 2}", json!({"true": 1, "null": 2})),
    ];
    for (text, expected) in rows {
        assert_eq!(value(text), Ok(expected), "{text}");
    }
}

#[test]
fn what_the_original_parser_refuses_is_refused() {
    for text in [
        "",
        "// only a comment",
        "{a: 1 b: 2}",
        "{a-b: 1}",
        "{1a: 1}",
        "{a: NaN}",
        "{a: -Infinity}",
        "{a: 1",
        "[1 2]",
        "{} {}",
        "{a: 1e999}",
        "{a: 'x",
    ] {
        assert!(value(text).is_err(), "{text} was accepted as {:?}", value(text));
    }
}

#[test]
fn hostile_depth_is_refused_before_anything_recurses() {
    let deep = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    assert_eq!(value(&deep), Err("the file nests deeper than 100 levels".to_owned()));
    let brackets_in_texts_and_comments = format!("{{a: '{0}', /* {0} */ b: 1 // {0}\n}}", "[".repeat(500));
    assert!(value(&brackets_in_texts_and_comments).is_ok());
}

#[test]
fn variables_are_substituted_in_texts() {
    let environment = Environment::fake([("NAME", "ana"), ("_X1", "x"), ("EMPTY", "")], "/home/ana");
    let rows = [
        ("plain", Ok("plain")),
        ("${NAME}", Ok("ana")),
        ("a ${NAME} b ${_X1}${NAME}", Ok("a ana b xana")),
        ("$${NAME}", Ok("${NAME}")),
        ("$$${NAME}", Ok("$${NAME}")),
        ("${name} $NAME ${1A} ${} ${NAME", Ok("${name} $NAME ${1A} ${} ${NAME")),
        ("${MISSING}", Err("MISSING")),
        ("${EMPTY}", Err("EMPTY")),
        ("ä$", Ok("ä$")),
    ];
    for (text, expected) in rows {
        let expected = expected.map(str::to_owned).map_err(str::to_owned);
        assert_eq!(substitute_text(text, &environment), expected, "{text}");
    }
    assert!(has_reference("x${A}") && !has_reference("$${A}") && !has_reference("$A"));
    assert!(is_only_a_reference("${A}") && !is_only_a_reference("x${A}") && !is_only_a_reference("${A}${B}"));
}

#[test]
fn substitution_reaches_every_text_and_names_what_is_missing() {
    let environment = Environment::fake([("A", "1")], "/");
    let config = json!({"x": ["${A}", {"y": "${B}"}], "${A}": 2});
    let (resolved, missing) = substitute(&config, &environment);
    assert_eq!(resolved, json!({"x": ["1", {"y": "${B}"}], "${A}": 2}));
    let missing: Vec<_> =
        missing.iter().map(|one| (crate::key_path::dotted(&one.path), one.name.as_str())).collect();
    assert_eq!(missing, [("x[1].y".to_owned(), "B")]);
}

#[test]
fn a_missing_variable_is_one_issue_and_the_rest_loads() {
    let world = World::with("{\n  gateway: { port: 20001, auth: { token: '${NO_SUCH}' } }\n}");
    let snapshot = world.read();
    assert_eq!(
        brief(&snapshot.issues),
        ["gateway.auth.token @ 2:42: the environment variable NO_SUCH is not set"]
    );
    assert!(!snapshot.valid);
    assert_eq!(snapshot.config.gateway.port, 20001);
}

#[test]
fn the_env_section_counts_where_the_process_sets_nothing() {
    let world = World::with_variables([("SET", "process"), ("BLANK", "  ")]);
    world.put(
        "openclaw.json",
        "{env: {SET: 'file', BLANK: 'file', vars: {LISTED: 'yes', OWN: 'listed', LD_PRELOAD: 'evil', HOME: '/x'}, OWN: 'own', LOOP: '${SET}'}, \
          ui: {seamColor: '${LISTED}'}}",
    );
    let snapshot = world.read();
    let get = |name: &str| snapshot.environment.get(name);
    assert_eq!(
        (get("SET"), get("BLANK"), get("LISTED"), get("OWN"), get("LD_PRELOAD"), get("LOOP")),
        (Some("process"), Some("file"), Some("yes"), Some("own"), None, None)
    );
    assert_eq!(snapshot.resolved["ui"]["seamColor"], "yes");
}

#[test]
fn includes_merge_and_keys_beside_them_win() {
    let world = World::with(
        "{ $include: ['base.json5', './sub/more.json5'], gateway: { port: 3000 }, agents: { $include: 'agents.json5' } }",
    );
    std::fs::create_dir(world.home.path("sub")).expect("a fresh folder takes a child");
    world.put("base.json5", "{ gateway: { port: 1000, bind: 'auto' }, hooks: { allowedAgentIds: ['a'] }, logging: {level: 'debug'} }");
    world.put("sub/more.json5", "{ $include: 'deep.json5', hooks: { allowedAgentIds: ['b'] } }");
    world.put("sub/deep.json5", "{ logging: { level: 'warn' } }");
    world.put("agents.json5", "{ list: [{ id: 'main' }] }");
    let snapshot = world.read();
    assert_eq!(brief(&snapshot.issues), Vec::<String>::new());
    assert_eq!(
        snapshot.source,
        json!({
            "gateway": { "port": 3000, "bind": "auto" },
            "hooks": { "allowedAgentIds": ["a", "b"] },
            "logging": { "level": "warn" },
            "agents": { "list": [{ "id": "main" }] },
        })
    );
    assert_eq!(snapshot.files.len(), 5);
    assert_eq!(snapshot.parsed["$include"], json!(["base.json5", "./sub/more.json5"]));
}

#[test]
fn an_include_that_cannot_be_used_is_an_issue_with_its_place() {
    let rows = [
        (
            "{\n $include: 'gone.json5', ui: {}}",
            " @ 2:12: cannot include gone.json5: No such file or directory (os error 2)",
        ),
        ("{\n $include: 5}", " @ 2:12: $include takes a file name or a list of file names"),
        (
            "{ui: {\n $include: ['list.json5'], seamColor: '#fff'}}",
            "ui @ 2:12: keys stand beside $include, but the included file does not hold an object",
        ),
        (
            "{$include: 'broken.json5'}",
            " @ 2:6: the included file broken.json5 is not JSON5: unexpected close brace",
        ),
    ];
    for (text, expected) in rows {
        let world = World::with(text);
        world.put("list.json5", "[1]");
        world.put("broken.json5", "{\n  a: }");
        let issues = brief(&world.read().issues);
        assert_eq!(issues.first().map(String::as_str).unwrap_or_default(), expected, "{issues:?}");
    }
}

#[test]
fn includes_stay_inside_the_directory_of_the_configuration() {
    let world = World::empty();
    let outside = world.home.state_dir().parent().expect("a home").join("outside.json5");
    std::fs::write(&outside, "{ui: {seamColor: '#111'}}").expect("the home is writable");
    std::os::unix::fs::symlink(&outside, world.home.path("link.json5")).expect("links work here");
    for name in [
        "../outside.json5".to_owned(),
        outside.display().to_string(),
        "link.json5".to_owned(),
        "/etc/passwd".to_owned(),
    ] {
        world.put("openclaw.json", &format!("{{$include: '{name}'}}"));
        let snapshot = world.read();
        assert_eq!(snapshot.source, json!({}), "{name}");
        assert!(snapshot.issues[0].message.contains("lies outside"), "{name}: {}", snapshot.issues[0]);
    }
}

#[test]
fn a_circle_of_includes_is_named_with_its_chain() {
    let world = World::with("{$include: 'a.json5'}");
    world.put("a.json5", "{$include: 'b.json5'}");
    world.put("b.json5", "{$include: 'a.json5', ui: {seamColor: '#123456'}}");
    let snapshot = world.read();
    let message = &snapshot.issues[0].message;
    let names: Vec<&str> = message
        .rsplit(": ")
        .next()
        .unwrap_or("")
        .split(" → ")
        .filter_map(|path| path.rsplit('/').next())
        .collect();
    assert_eq!(names, ["openclaw.json", "a.json5", "b.json5", "a.json5"]);
    assert_eq!(snapshot.resolved, json!({"ui": {"seamColor": "#123456"}}));
}

#[test]
fn depth_and_number_of_includes_are_limited() {
    let world = World::with("{$include: '1.json5'}");
    for number in 1..=11 {
        world.put(&format!("{number}.json5"), &format!("{{$include: '{}.json5'}}", number + 1));
    }
    world.put("12.json5", "{}");
    assert!(world.read().issues[0].message.contains("more than 10 files deep"));

    let world = World::with("{$include: 'a.json5'}");
    for (name, next) in [("a", "b"), ("b", "c"), ("c", "d")] {
        let many = vec![format!("'{next}.json5'"); 100].join(",");
        world.put(&format!("{name}.json5"), &format!("{{$include: [{many}]}}"));
    }
    world.put("d.json5", "{}");
    let snapshot = world.read();
    assert_eq!(snapshot.files.len(), 256);
    assert!(snapshot.issues[0].message.contains("too many"));
}

#[test]
fn an_unknown_key_is_a_warning_and_is_left_out() {
    let world = World::with("{\n  gateway: { port: 4000, prot: 5 },\n  loging: {}\n}");
    let snapshot = world.read();
    assert_eq!(
        brief(&snapshot.warnings),
        ["gateway.prot @ 2:26: unknown key 'prot', ignored", "loging @ 3:3: unknown key 'loging', ignored"]
    );
    let hints: Vec<_> = snapshot.warnings.iter().filter_map(|warning| warning.hint.as_deref()).collect();
    assert_eq!(hints, ["did you mean 'port'?", "did you mean 'logging'?"]);
    assert!(snapshot.valid);
    assert_eq!(snapshot.effective, json!({"gateway": {"port": 4000}}));
    assert_eq!(snapshot.config.gateway.port, 4000);
}

#[test]
fn a_wrong_value_is_an_issue_with_place_and_advice_and_the_rest_loads() {
    let world = World::with(
        "{\n  gateway: {\n    port: 'many',\n    bind: 'lon',\n  },\n  logging: { level: 'debug' }\n}",
    );
    let snapshot = world.read();
    assert!(!snapshot.valid);
    let issues = brief(&snapshot.issues);
    assert!(issues[0].starts_with("gateway.port @ 3:11: must be"), "{issues:?}");
    assert!(issues[1].starts_with("gateway.bind @ 4:11: must be one of"), "{issues:?}");
    assert_eq!(issues.len(), 2, "{issues:?}");
    assert!(snapshot.issues.iter().all(|issue| issue.hint.is_some()));
    assert_eq!(
        snapshot.config.raw.logging.as_ref().and_then(|logging| logging.level),
        Some(crate::sections::LogLevel::Debug)
    );
}

#[test]
fn an_issue_in_an_included_file_points_into_that_file() {
    let world = World::with("{ gateway: { $include: 'gateway.json5' } }");
    world.put("gateway.json5", "{\n\n  port: 'x' }");
    let snapshot = world.read();
    let place = snapshot.issues[0].place.as_ref().expect("it has a place");
    assert_eq!((place.file.clone(), place.line, place.column), (world.home.path("gateway.json5"), 3, 9));
}

#[test]
fn broken_text_is_one_issue_with_line_and_column() {
    for (text, place) in
        [("{\n  a: 1\n  b: 2\n}", "2:7"), ("{\n  \"ä\": 1,\n  ]", "3:3"), ("", "1:1"), ("[]", "1:1")]
    {
        let snapshot = World::with(text).read();
        assert_eq!(snapshot.issues.len(), 1, "{text}");
        let found = snapshot.issues[0].place.as_ref().map(|place| format!("{}:{}", place.line, place.column));
        assert_eq!(found.as_deref(), Some(place), "{text}: {}", snapshot.issues[0]);
        assert!(!snapshot.valid && snapshot.exists);
    }
}

#[test]
fn a_key_that_stands_twice_is_a_warning() {
    let snapshot = World::with("{ui: {\n seamColor: '#111111',\n seamColor: '#222222'}}").read();
    assert_eq!(
        brief(&snapshot.warnings),
        [" @ 3:2: the key 'seamColor' stands twice in one object; the later one counts"]
    );
    assert_eq!(snapshot.resolved["ui"]["seamColor"], "#222222");
}

#[test]
fn many_issues_are_counted_not_listed() {
    let keys: Vec<String> = (0..150).map(|number| format!("k{number}: 1")).collect();
    let snapshot = World::with(&format!("{{{}}}", keys.join(","))).read();
    assert_eq!(snapshot.warnings.len(), 101);
    assert_eq!(snapshot.warnings[100].message, "and 50 more");
}
