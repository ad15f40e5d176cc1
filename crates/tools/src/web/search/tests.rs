//! Search services against answers in the shape they really have, and how one of them is chosen.

use std::sync::Arc;

use openclaw_ports::tool::{FileReach, NamedBy, ToolReply, WebFault, WebRequest};
use serde_json::{Value, json};

use crate::testing::{World, WrittenWeb, answer, details, find, said};
use crate::{ToolHandles, tools};

/// Asks with a configuration of `tools.web.search`; gives the reply and what the web was asked.
async fn ask(
    search: Value,
    arguments: Value,
    answers: Vec<Result<openclaw_ports::tool::WebAnswer, WebFault>>,
) -> (ToolReply, Vec<WebRequest>) {
    let mut world = World::new();
    world.config = json!({ "tools": { "web": { "search": search } } });
    ask_in(&world, arguments, answers).await
}

async fn ask_in(
    world: &World,
    arguments: Value,
    answers: Vec<Result<openclaw_ports::tool::WebAnswer, WebFault>>,
) -> (ToolReply, Vec<WebRequest>) {
    let web: Arc<WrittenWeb> = WrittenWeb::new(answers);
    let handles = ToolHandles { web: Some(web.clone()), ..world.handles() };
    let tool = find(&tools(&handles), "web_search");
    let reply = tool.call(&world.context(FileReach::Workspace), arguments).await;
    (reply, web.asked())
}

fn json_answer(value: Value) -> Vec<Result<openclaw_ports::tool::WebAnswer, WebFault>> {
    vec![answer(200, "application/json", value.to_string())]
}

fn inner(fenced: &Value) -> String {
    let text = fenced.as_str().unwrap();
    let body = text.split_once("---\n").unwrap().1;
    body.rsplit_once("\n<<<").unwrap().0.to_owned()
}

fn body(request: &WebRequest) -> Value {
    serde_json::from_slice(request.body.as_deref().unwrap()).unwrap()
}

#[tokio::test]
async fn brave_is_asked_with_every_wish_and_gives_pages() {
    let search = json!({ "apiKey": "planted-key" });
    let arguments = json!({ "query": "a b&c", "count": "3", "country": "DE", "search_lang": "DE", "ui_lang": "de-de", "freshness": "pw" });
    let results = json!({ "web": { "results": [
        { "title": "<strong>T</strong> &amp; U", "url": "https://one.example/p?q", "description": "text", "age": "2 days ago" },
        { "title": "", "url": "https://two.example/" },
    ] } });
    let (reply, asked) = ask(search, arguments, json_answer(results)).await;
    assert_eq!(
        asked[0].url,
        "https://api.search.brave.com/res/v1/web/search?q=a%20b%26c&count=3&country=DE&search_lang=de&ui_lang=de-DE&freshness=pw"
    );
    assert_eq!(asked[0].secret_headers["x-subscription-token"].reveal(), "planted-key");
    assert_eq!(asked[0].named_by, NamedBy::Us);
    assert!(!format!("{:?}", asked[0]).contains("planted-key"));
    let found = details(reply);
    let first = &found["results"][0];
    assert_eq!(
        (inner(&first["title"]), inner(&first["description"])),
        ("T & U".to_owned(), "text".to_owned())
    );
    assert_eq!((&first["siteName"], &first["published"]), (&json!("one.example"), &json!("2 days ago")));
    assert_eq!(
        found["results"][1],
        json!({ "title": "", "url": "https://two.example/", "description": "", "siteName": "two.example" })
    );
    assert_eq!(
        (&found["provider"], &found["count"], &found["query"]),
        (&json!("brave"), &json!(2), &json!("a b&c"))
    );
}

#[tokio::test]
async fn perplexity_is_asked_where_its_key_belongs() {
    let results = json!({ "model": "sonar-pro", "citations": ["https://a.example/"], "choices": [{ "message": { "content": "answer" } }] });
    for (key, url, model) in [
        ("pplx-1", "https://api.perplexity.ai/chat/completions", "sonar-pro"),
        ("sk-or-1", "https://openrouter.ai/api/v1/chat/completions", "perplexity/sonar-pro"),
    ] {
        let search = json!({ "provider": "perplexity", "perplexity": { "apiKey": key } });
        let (reply, asked) =
            ask(search, json!({ "query": "q", "freshness": "pm" }), json_answer(results.clone())).await;
        let expected = json!({ "model": model, "messages": [{ "role": "user", "content": "q" }], "search_recency_filter": "month" });
        assert_eq!((asked[0].url.as_str(), body(&asked[0])), (url, expected));
        let found = details(reply);
        assert_eq!(
            (inner(&found["content"]), &found["citations"]),
            ("answer".to_owned(), &json!(["https://a.example/"]))
        );
    }
}

#[tokio::test]
async fn gemini_gives_its_words_with_the_pages_behind_them() {
    let results = json!({ "modelVersion": "gemini-x", "candidates": [{
        "content": { "parts": [{ "text": "one" }, { "text": "two" }] },
        "groundingMetadata": { "groundingChunks": [{ "web": { "uri": "https://a.example/", "title": "A" } }, {}] },
    }] });
    let search = json!({ "gemini": { "apiKey": "planted-key", "model": "gemini-x" } });
    let (reply, asked) = ask(search, json!({ "query": "q" }), json_answer(results)).await;
    assert_eq!(
        asked[0].url,
        "https://generativelanguage.googleapis.com/v1beta/models/gemini-x:generateContent"
    );
    assert_eq!(asked[0].secret_headers["x-goog-api-key"].reveal(), "planted-key");
    let found = details(reply);
    assert_eq!(inner(&found["content"]), "one\ntwo");
    assert_eq!(
        (&found["citations"], &found["model"]),
        (&json!([{ "url": "https://a.example/", "title": "A" }]), &json!("gemini-x"))
    );
}

#[tokio::test]
async fn grok_gives_its_words_with_each_source_once() {
    let note = json!({ "type": "url_citation", "url": "https://a.example/" });
    let results = json!({ "model": "grok", "output": [
        { "type": "web_search_call" },
        { "type": "message", "content": [{ "type": "output_text", "text": "answer", "annotations": [note, note] }] },
    ] });
    let search = json!({ "provider": "grok", "grok": { "apiKey": "xai-1" } });
    let (reply, asked) = ask(search, json!({ "query": "q" }), json_answer(results)).await;
    assert_eq!(asked[0].url, "https://api.x.ai/v1/responses");
    assert_eq!(asked[0].secret_headers["authorization"].reveal(), "Bearer xai-1");
    let found = details(reply);
    assert_eq!(
        (inner(&found["content"]), &found["citations"]),
        ("answer".to_owned(), &json!(["https://a.example/"]))
    );
}

#[tokio::test]
async fn grok_names_sources_in_its_text_only_where_that_is_wanted() {
    for (wanted, expected) in [
        (None, json!(["no_inline_citations"])),
        (Some(false), json!(["no_inline_citations"])),
        (Some(true), Value::Null),
    ] {
        let results = json!({ "output": [{ "type": "output_text", "text": "answer" }] });
        let search = json!({ "provider": "grok", "grok": { "apiKey": "xai-1", "inlineCitations": wanted } });
        let (_reply, asked) = ask(search, json!({ "query": "q" }), json_answer(results)).await;
        assert_eq!(body(&asked[0])["include"], expected, "{wanted:?}");
    }
}

#[tokio::test]
async fn kimi_gets_its_own_findings_back_and_then_answers() {
    let call = json!({ "id": "c1", "type": "builtin_function", "function": { "name": "$web_search", "arguments": "{\"search_results\":[{\"url\":\"https://a.example/\"}]}" } });
    let first = json!({ "choices": [{ "finish_reason": "tool_calls", "message": { "role": "assistant", "content": "", "tool_calls": [call] } }] });
    let second = json!({ "model": "moonshot", "choices": [{ "finish_reason": "stop", "message": { "content": "answer" } }] });
    let answers = [json_answer(first), json_answer(second)].concat();
    let search =
        json!({ "provider": "kimi", "kimi": { "apiKey": "k", "baseUrl": "https://moon.example/v1/" } });
    let (reply, asked) = ask(search, json!({ "query": "q" }), answers).await;
    assert_eq!(
        (asked.len(), asked[0].named_by, asked[0].url.as_str()),
        (2, NamedBy::Owner, "https://moon.example/v1/chat/completions")
    );
    let roles: Vec<Value> = body(&asked[1])["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["role"].clone())
        .collect();
    assert_eq!(roles, ["user", "assistant", "tool"]);
    let found = details(reply);
    assert_eq!(
        (inner(&found["content"]), &found["citations"]),
        ("answer".to_owned(), &json!(["https://a.example/"]))
    );
}

#[tokio::test]
async fn a_server_of_ones_own_is_asked_as_a_configured_place() {
    let results = json!({ "results": [{ "title": "T", "url": "https://a.example/", "content": "text", "publishedDate": "2026-01-01" }, {}] });
    let search = json!({ "searxng": { "baseUrl": "http://localhost:8888/" } });
    let (reply, asked) = ask(
        search,
        json!({ "query": "q", "count": 1, "search_lang": "fr", "freshness": "pd" }),
        json_answer(results),
    )
    .await;
    assert_eq!(
        (asked[0].url.as_str(), asked[0].named_by),
        ("http://localhost:8888/search?q=q&format=json&language=fr&time_range=day", NamedBy::Owner)
    );
    let found = details(reply);
    assert_eq!(
        (found["results"].as_array().unwrap().len(), &found["results"][0]["published"]),
        (1, &json!("2026-01-01"))
    );
}

const RESULTS_PAGE: &str = r##"<html><body><div class="results">
<div class="result results_links web-result result--ad"><h2><a class="result__a" href="https://duckduckgo.com/y.js?ad=1">Ad</a></h2></div>
<div class="result results_links web-result"><h2 class="result__title"><a rel="nofollow" class="result__a"
 href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fone.example%2Fa%3Fb%3Dc&amp;rut=abc">First <b>page</b></a></h2>
<a class="result__snippet" href="#">Some <b>text</b> here</a></div>
<div class="result"><h2><a class="result__a" href="https://two.example/">Second</a></h2></div>
<div class="result"><h2><a class="result__a" href="javascript:x">Odd</a></h2></div>
</div></body></html>"##;

#[tokio::test]
async fn without_any_key_duckduckgo_is_asked_and_its_page_is_read() {
    let arguments = json!({ "query": "bees", "country": "DE", "freshness": "pw" });
    let (reply, asked) = ask(json!({}), arguments, vec![answer(200, "text/html", RESULTS_PAGE)]).await;
    assert_eq!(asked[0].url, "https://html.duckduckgo.com/html/?q=bees&kl=de-de&df=w");
    let found = details(reply);
    let urls: Vec<&Value> = found["results"].as_array().unwrap().iter().map(|page| &page["url"]).collect();
    assert_eq!(urls, [&json!("https://one.example/a?b=c"), &json!("https://two.example/")]);
    assert_eq!(
        (inner(&found["results"][0]["title"]), inner(&found["results"][0]["description"])),
        ("First page".to_owned(), "Some text here".to_owned())
    );
    let (blocked, _) = ask(
        json!({}),
        json!({ "query": "q" }),
        vec![answer(200, "text/html", "<div class=\"anomaly-modal\">")],
    )
    .await;
    assert!(
        said(&blocked).starts_with("-DuckDuckGo: it wants to see that a person is asking"),
        "{blocked:?}"
    );
}

#[tokio::test]
async fn the_first_service_with_a_key_is_asked_and_a_chosen_one_tells_what_it_misses() {
    let cases = [
        (vec![("XAI_API_KEY", "k"), ("GEMINI_API_KEY", "k")], json!({}), "generativelanguage.googleapis.com"),
        (vec![("MOONSHOT_API_KEY", "k"), ("XAI_API_KEY", "k")], json!({}), "api.moonshot.ai"),
        (vec![("BRAVE_API_KEY", "k"), ("GEMINI_API_KEY", "k")], json!({}), "api.search.brave.com"),
        (vec![("OPENROUTER_API_KEY", "k"), ("XAI_API_KEY", "k")], json!({}), "openrouter.ai"),
        (vec![("BRAVE_API_KEY", "k")], json!({ "provider": "duckduckgo" }), "html.duckduckgo.com"),
        (vec![("BRAVE_API_KEY", " ")], json!({}), "html.duckduckgo.com"),
    ];
    for (variables, search, host) in cases {
        let mut world = World::new();
        world.variables =
            variables.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        world.config = json!({ "tools": { "web": { "search": search } } });
        let (_, asked) = ask_in(&world, json!({ "query": "q" }), Vec::new()).await;
        assert!(asked[0].url.contains(host), "{} is not {host}", asked[0].url);
    }
    for (provider, code) in [
        ("brave", "missing_brave_api_key"),
        ("kimi", "missing_kimi_api_key"),
        ("searxng", "missing_searxng_base_url"),
        ("grok", "missing_xai_api_key"),
    ] {
        let (reply, asked) = ask(json!({ "provider": provider }), json!({ "query": "q" }), Vec::new()).await;
        assert_eq!((details(reply)["error"].clone(), asked.len()), (json!(code), 0));
    }
}

#[tokio::test]
async fn wishes_that_make_no_sense_are_told_with_a_code() {
    let brave = json!({ "apiKey": "k" });
    let cases = [
        (brave.clone(), json!({ "query": "q", "search_lang": "en-US" }), "invalid_search_lang"),
        (brave.clone(), json!({ "query": "q", "ui_lang": "en" }), "invalid_ui_lang"),
        (brave.clone(), json!({ "query": "q", "freshness": "soon" }), "invalid_freshness"),
        (brave.clone(), json!({ "query": "q", "freshness": "2026-02-30to2026-03-01" }), "invalid_freshness"),
        (brave.clone(), json!({ "query": "q", "freshness": "2026-03-02to2026-03-01" }), "invalid_freshness"),
        (
            json!({ "gemini": { "apiKey": "k" } }),
            json!({ "query": "q", "freshness": "pd" }),
            "unsupported_freshness",
        ),
        (json!({}), json!({ "query": "q", "freshness": "2026-01-01to2026-03-01" }), "unsupported_freshness"),
    ];
    for (search, arguments, code) in cases {
        let (reply, asked) = ask(search, arguments.clone(), Vec::new()).await;
        assert_eq!((details(reply)["error"].clone(), asked.len()), (json!(code), 0), "{arguments}");
    }
    let swapped = json!({ "query": "q", "search_lang": "de-DE", "ui_lang": "de", "freshness": "2026-01-01to2026-03-01" });
    let (_, asked) = ask(brave, swapped, Vec::new()).await;
    assert!(
        asked[0].url.ends_with("search_lang=de&ui_lang=de-DE&freshness=2026-01-01to2026-03-01"),
        "{}",
        asked[0].url
    );
}

#[tokio::test]
async fn failures_never_repeat_the_key_and_fence_what_the_service_said() {
    let search = json!({ "apiKey": "planted-key" });
    let (reply, _) = ask(
        search.clone(),
        json!({ "query": "q" }),
        vec![answer(401, "text/plain", "bad token planted-key")],
    )
    .await;
    let told = said(&reply);
    assert!(
        told.starts_with("-Brave Search answered with status 401. Check") && told.contains("bad token [key]"),
        "{told}"
    );
    for bad in ["{oops", "[]", "null", "{\"web\":5}", "{\"web\":{\"results\":[null,5,[]]}}"] {
        let (reply, _) =
            ask(search.clone(), json!({ "query": "q" }), vec![answer(200, "application/json", bad)]).await;
        assert!(!said(&reply).is_empty());
    }
    let (reply, _) =
        ask(search, json!({ "query": "q" }), vec![Err(WebFault::Unreachable("no planted-key".to_owned()))])
            .await;
    assert_eq!(said(&reply), "-Brave Search was not reached: no [key].");
}
