//! Answers: what is told, stored and counted when nothing goes wrong.

use std::sync::{Arc, Mutex};

use openclaw_agent::{Reasoning, RunInput, RunOrder};
use openclaw_ports::stores::SessionStore;
use openclaw_providers::{Script, Scripts};
use openclaw_types::{AgentId, RunEnding, RunId, SessionEntry, SessionKey, UnixMillis, Usage};
use serde_json::json;

use super::stage::{Stage, said, session};

#[tokio::test]
async fn a_plain_answer_is_told_stored_and_counted() {
    let stage = Stage::new(Script::new().say("Hello Ana.")).await;
    let told = stage.run(stage.ask("hi")).await;
    assert_eq!(
        told.story(),
        ["started", "took hi", "message", "words Hello Ana.", "whole", "ended answered"]
    );
    assert_eq!(told.replies(), ["Hello Ana."]);
    assert_eq!(stage.transcript().await, ["user: hi", "assistant: Hello Ana."]);
    assert_eq!(told.outcome.model, Some("alpha/one".parse().unwrap()));
    assert_eq!(told.outcome.context_window, Some(100_000));
    assert_eq!((told.outcome.usage.input, told.outcome.usage.output), (12, 8));
    let record = stage.sessions.run(&AgentId::main(), &RunId::new("run-1").unwrap()).await.unwrap().unwrap();
    assert_eq!(record.end.map(|(_, how)| how), Some(RunEnding::Answered));
}

#[tokio::test]
async fn a_session_counts_a_run_where_it_is_kept_whoever_answers() {
    for (key, agent) in [("agent:main:main", "main"), ("global", "ops")] {
        let stage = Stage::new(Script::new().say("Hello Ana.")).await;
        let (key, agent): (SessionKey, _) = (key.parse().unwrap(), AgentId::new(agent).unwrap());
        let entry = SessionEntry::new(session(), UnixMillis(0));
        stage.sessions.change(&AgentId::main(), &key, Box::new(move |_| Some(entry))).await.unwrap();
        let order = RunOrder { key: key.clone(), agent, ..stage.ask("hi") };
        let told = stage.run(order).await;
        let stored = stage.sessions.entry(&AgentId::main(), &key).await.unwrap().unwrap();
        assert_eq!((stored.facts.input_tokens, stored.facts.output_tokens), (Some(12), Some(8)), "{key}");
        assert_eq!(stored.facts.aborted_last_run, Some(false));
        assert_eq!(told.outcome.session, Some(stored));
    }
}

#[tokio::test]
async fn usage_is_summed_over_the_run_and_the_last_call_stands_apart() {
    let usage = |input, output| Usage { input, output, cache_read: 100, ..Usage::default() };
    let stage = Stage::new([
        Script::new().call_tool("look", json!({ "what": "a" })).usage(usage(10, 5)),
        Script::new().say("seen").usage(usage(20, 7)),
    ])
    .await;
    let outcome = stage.run(stage.ask("look")).await.outcome;
    assert_eq!((outcome.usage.input, outcome.usage.output, outcome.usage.cache_read), (30, 12, 200));
    assert_eq!(outcome.usage.total_tokens, 20 + 100 + 12);
    let last = outcome.last_call.unwrap();
    assert_eq!((last.input, last.output), (20, 7));
}

#[tokio::test]
async fn tools_run_between_two_calls_and_words_before_them_are_kept() {
    let stage = Stage::new([
        Script::new().say("One moment.").call_tool("change", json!({ "what": "a" })),
        Script::new().say("Done, I've saved the file."),
    ])
    .await;
    let told = stage.run(stage.ask("go")).await;
    assert_eq!(
        told.story(),
        [
            "started",
            "took go",
            "message",
            "words One moment.",
            "whole",
            "change begins",
            "change done",
            "message",
            "words Done, I've saved the file.",
            "whole",
            "ended answered"
        ]
    );
    assert_eq!(told.replies(), ["One moment.", "Done, I've saved the file."]);
    assert_eq!(
        stage.transcript().await,
        [
            "user: go",
            "assistant: One moment.[change]",
            "change: change did a",
            "assistant: Done, I've saved the file."
        ]
    );
}

#[tokio::test]
async fn thoughts_are_told_only_when_somebody_wants_them() {
    for (reasoning, story, replies) in [
        (Reasoning::Hidden, vec!["words Yes."], vec!["Yes."]),
        (Reasoning::Streamed, vec!["thoughts Hm.", "words Yes."], vec!["Yes."]),
        (Reasoning::Shown, vec!["words Thoughts:\nHm.", "words Yes."], vec!["thought: Hm.", "Yes."]),
    ] {
        let stage = Stage::new(Script::new().think("Hm.").say("Yes.")).await;
        let told = stage.run(RunOrder { reasoning, ..stage.ask("really?") }).await;
        let said: Vec<_> =
            told.story().into_iter().filter(|word| word.contains(' ') && word.contains('.')).collect();
        assert_eq!(
            (said, told.replies()),
            (
                story.into_iter().map(str::to_owned).collect(),
                replies.into_iter().map(str::to_owned).collect()
            )
        );
    }
}

#[tokio::test]
async fn thoughts_that_are_shown_are_a_message_of_their_own_before_what_follows_them() {
    let stage = Stage::new([
        Script::new().think("Look first.").call_tool("look", json!({ "what": "a" })),
        Script::new().think("Now I know.").say("Yes."),
    ])
    .await;
    let told = stage.run(RunOrder { reasoning: Reasoning::Shown, ..stage.ask("really?") }).await;
    assert_eq!(
        told.story()[2..],
        [
            "message",
            "words Thoughts:\nLook first.",
            "whole",
            "message",
            "whole",
            "look begins",
            "look done",
            "message",
            "words Thoughts:\nNow I know.",
            "whole",
            "message",
            "words Yes.",
            "whole",
            "ended answered"
        ]
    );
    assert_eq!(told.last_words(), "Yes.");
}

#[tokio::test]
async fn an_answer_that_says_nothing_is_left_out_of_the_replies() {
    let stage = Stage::new(Script::new().say("NO_REPLY")).await;
    let told = stage.run(stage.ask("psst")).await;
    assert_eq!(told.replies(), Vec::<String>::new());
    assert_eq!(stage.transcript().await, ["user: psst", "assistant: NO_REPLY"]);
}

#[tokio::test]
async fn a_message_that_is_stored_already_is_not_stored_again() {
    let stage = Stage::new([Script::new().say("one"), Script::new().say("two")]).await;
    stage.run(stage.ask("first")).await;
    let messages = RunInput::Messages(vec![said("first"), said("second")]);
    let order = RunOrder { run: RunId::new("run-2").unwrap(), ..stage.order(messages) };
    let told = stage.run(order).await;
    assert_eq!(told.story()[..3], ["started", "took first", "took second"]);
    assert_eq!(stage.transcript().await, ["user: first", "assistant: one", "user: second", "assistant: two"]);
}

#[tokio::test]
async fn a_model_looks_back_as_many_turns_as_the_order_says() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&seen);
    let answers = ["one", "two", "three", "four"].map(|words| Script::new().say(words));
    let scripts = answers.into_iter().fold(Scripts::new(), Scripts::then).when(
        move |asked| {
            heard.lock().unwrap().push(asked.turns);
            false
        },
        Script::new(),
    );
    let stage = Stage::with(json!({ "agents": { "defaults": { "model": "alpha/one" } } }), scripts).await;
    for (number, turns) in [None, None, Some(2), Some(9)].into_iter().enumerate() {
        let run = RunId::new(format!("run-{number}")).unwrap();
        stage.run(RunOrder { run, turns, ..stage.ask(&format!("question {number}")) }).await;
    }
    assert_eq!(*seen.lock().unwrap(), [1, 3, 3, 7]);
    assert_eq!(stage.transcript().await.len(), 8);
}

#[tokio::test]
async fn a_claim_that_no_tool_backs_is_asked_about_once() {
    let stage = Stage::new([
        Script::new().say("Done, I've saved the file."),
        Script::new().call_tool("change", json!({ "what": "file" })),
        Script::new().say("I've saved the file now."),
    ])
    .await;
    let told = stage.run(stage.ask("save it")).await;
    assert_eq!(told.replies(), ["I've saved the file now."]);
    assert_eq!(
        stage.transcript().await,
        [
            "user: save it",
            "assistant: Done, I've saved the file.",
            "note openclaw.claim-check",
            "assistant: [change]",
            "change: change did file",
            "assistant: I've saved the file now."
        ]
    );
}

#[tokio::test]
async fn a_claim_that_is_repeated_stands_and_one_that_is_followed_by_silence_too() {
    for (second, replies) in
        [("I've saved the file.", ["I've saved the file."]), ("NO_REPLY", ["Done, I've saved the file."])]
    {
        let stage =
            Stage::new([Script::new().say("Done, I've saved the file."), Script::new().say(second)]).await;
        let told = stage.run(stage.ask("save it")).await;
        assert_eq!(told.replies(), replies);
        assert_eq!(told.outcome.end.how, RunEnding::Answered);
    }
}

#[tokio::test]
async fn a_run_that_ended_before_says_what_it_said_then() {
    let stage = Stage::new(Script::new().say("once")).await;
    stage.run(stage.ask("hi")).await;
    let told = stage.run(stage.ask("hi")).await;
    assert_eq!(
        (told.story(), told.replies()),
        (vec!["started".to_owned(), "ended answered".to_owned()], vec!["once".to_owned()])
    );
    assert_eq!(stage.transcript().await, ["user: hi", "assistant: once"]);
}

#[tokio::test]
async fn a_tool_of_the_client_ends_the_run_and_waits_for_its_result() {
    let stage =
        Stage::new(Script::new().call_tool("look", json!({ "what": "a" })).call_tool("pick", json!({})))
            .await;
    let client_tools = vec![openclaw_ports::model::ToolSpec {
        name: "pick".to_owned(),
        description: "".into(),
        parameters: json!({}).into(),
    }];
    let told = stage.run(RunOrder { client_tools, ..stage.ask("choose") }).await;
    let waiting: Vec<_> = told.outcome.client_calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!((waiting, told.outcome.end.how.clone()), (vec!["pick"], RunEnding::Answered));
    assert_eq!(stage.transcript().await, ["user: choose", "assistant: [look pick]", "look: look did a"]);
}

#[tokio::test]
async fn the_prompt_lists_the_tools_that_the_request_carries() {
    let listed = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&listed);
    let scripts = Scripts::new().then(Script::new().say("ok")).when(
        move |asked| {
            let named = |tool: &String| {
                let line = |line: &str| line.split(':').next() == Some(&format!("- {tool}"));
                asked.system.lines().filter(|text| line(text)).count()
            };
            heard.lock().unwrap().extend(asked.tools.iter().map(|tool| (tool.clone(), named(tool))));
            false
        },
        Script::new(),
    );
    let stage = Stage::with(json!({ "agents": { "defaults": { "model": "alpha/one" } } }), scripts).await;
    // One of the client's own, and one that hides ours of the same name.
    let client_tools = ["pick", "look"].map(|name| openclaw_ports::model::ToolSpec {
        name: name.to_owned(),
        description: "".into(),
        parameters: json!({}).into(),
    });
    let prompt = openclaw_agent::PromptMode::Full;
    stage.run(RunOrder { client_tools: client_tools.to_vec(), prompt, ..stage.ask("choose") }).await;
    let listed = listed.lock().unwrap().clone();
    assert!(listed.iter().any(|(tool, _)| tool == "pick"), "{listed:?}");
    assert!(listed.iter().all(|(_, lines)| *lines == 1), "{listed:?}");
}

#[tokio::test]
async fn memories_are_written_down_once_before_a_conversation_is_summed_up() {
    let full = Usage { input: 77_000, output: 100, ..Usage::default() };
    let file = json!({ "agents": { "defaults": { "model": "alpha/one", "userTimezone": "UTC" } } });
    let scripts = [
        Script::new().say("much was said").usage(full),
        Script::new().call_tool("change", json!({ "what": "notes" })).usage(full),
        Script::new().say("NO_REPLY").usage(full),
        Script::new().say("here").usage(full),
        Script::new().say("there").usage(full),
    ];
    let stage = Stage::with(file, scripts).await;
    stage.has_entry().await;
    let ask = |run: &str, words: &str| RunOrder {
        run: RunId::new(run).unwrap(),
        prompt: openclaw_agent::PromptMode::Full,
        ..stage.ask(words)
    };
    stage.run(ask("run-1", "one")).await;
    let told = stage.run(ask("run-2", "two")).await;
    assert_eq!(told.story(), ["started", "took two", "message", "words here", "whole", "ended answered"]);
    assert_eq!((told.replies(), stage.done()), (vec!["here".to_owned()], vec!["change notes".to_owned()]));
    let transcript = stage.transcript().await;
    assert!(transcript[2].contains("memory/2026-01-01.md"), "{}", transcript[2]);
    assert_eq!(
        transcript[3..],
        [
            "assistant: [change]",
            "change: change did notes",
            "assistant: NO_REPLY",
            "user: two",
            "assistant: here"
        ]
    );
    assert_eq!(stage.run(ask("run-3", "three")).await.replies(), ["there"]);
}

#[tokio::test]
async fn thoughts_that_a_model_writes_between_tags_are_not_part_of_its_answer() {
    for (reasoning, replies) in
        [(Reasoning::Hidden, vec!["Hello!"]), (Reasoning::Shown, vec!["thought: She greets me.", "Hello!"])]
    {
        let script = Script::new().say("<think>She greets me.</think>\n\nHello!").in_pieces_of(3);
        let stage = Stage::new(script).await;
        let told = stage.run(RunOrder { reasoning, ..stage.ask("hi") }).await;
        assert_eq!(told.replies(), replies);
        assert_eq!(told.last_words(), "Hello!");
        assert_eq!(stage.transcript().await, ["user: hi", "assistant: Hello!"]);
    }
}
