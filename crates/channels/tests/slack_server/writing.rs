//! Everything we send.

use std::sync::Arc;
use std::time::Duration;

use openclaw_ports::channel::{ActionRequest, ChannelError, DirectoryKind, Landed, Sent};
use openclaw_stores::memory::MemoryStateStore;
use openclaw_testkit::{SLACK_USER_TOKEN, SlackFake};
use openclaw_types::{
    AlbumItem, Button, MediaFile, MediaKind, MediaRef, MessageId, Outgoing, PiecePayload, RichText,
    SendTarget, Style, StyleSpan,
};
use serde_json::{Value, json};

use super::{Ours, answering, connect, connect_with, event, file, piece, said, target, within};

pub(super) fn metadata(key: &str) -> Value {
    json!({ "event_type": "openclaw_message", "event_payload": { "key": key } })
}

fn message(ts: &str) -> MessageId {
    MessageId::new(ts).unwrap()
}

#[tokio::test]
async fn words_go_to_rooms_people_and_threads() {
    let fake = SlackFake::start().await;
    let ours = connect(&fake, json!({})).await.unwrap();
    let bold = RichText::new("a < b", vec![StyleSpan { start: 0, end: 1, style: Style::Bold }], Vec::new());
    let mut styled = piece("k/1", "channel:C0ROOM", "");
    styled.payload = PiecePayload::Text { text: bold };
    let first = ours.send(&styled).await.unwrap();
    let second = ours.send(&answering(piece("k/2", "channel:C0ROOM", "below"), &first)).await.unwrap();
    let expected = |ts: &str| json!({ "type": "message", "user": "U0CLAW", "bot_id": "B0CLAW", "ts": ts, "channel": "C0ROOM" });
    let mut one = expected(&first);
    one["text"] = json!("*a* &lt; b");
    one["metadata"] = metadata("k/1");
    let mut two = expected(&second);
    two["text"] = json!("below");
    two["thread_ts"] = json!(first);
    two["metadata"] = metadata("k/2");
    assert_eq!(fake.messages("C0ROOM"), [one, two]);
    // A direct chat is opened once.
    ours.send(&piece("k/3", "user:U0ANA", "hello")).await.unwrap();
    ours.send(&piece("k/4", "user:U0ANA", "again")).await.unwrap();
    assert_eq!((fake.messages("D0ANA").len(), fake.calls("conversations.open").len()), (2, 1));
}

#[tokio::test]
async fn the_thread_of_the_target_wins_and_previews_can_be_off() {
    let fake = SlackFake::start().await;
    let ours = connect(&fake, json!({})).await.unwrap();
    let mut below = answering(piece("k/1", "channel:C0ROOM", "below"), "2.000002");
    below.target = target("channel:C0ROOM", Some("1.000001"));
    below.link_preview = false;
    below.buttons = vec![vec![Button { text: "Yes".into(), data: "yes".into() }]];
    ours.send(&below).await.unwrap();
    let call = &fake.calls("chat.postMessage")[0].arguments;
    assert_eq!((call["thread_ts"].as_str(), call["unfurl_links"].as_str()), ("1.000001", "false"));
    let blocks: Value = serde_json::from_str(&call["blocks"]).unwrap();
    assert_eq!((&blocks[0]["type"], &blocks[1]["elements"][0]["value"]), (&json!("section"), &json!("yes")));
}

#[tokio::test]
async fn a_message_whose_answer_was_lost_is_found_by_its_key() {
    let fake = SlackFake::start().await;
    let ours = connect(&fake, json!({})).await.unwrap();
    let send = ours.surface.send.as_ref().unwrap();
    for sent in [
        piece("k/1", "channel:C0ROOM", "once"),
        answering(piece("k/2", "channel:C0ROOM", "below"), "7.000001"),
    ] {
        fake.lose_answer("chat.postMessage");
        let error = ours.send(&sent).await.unwrap_err();
        assert!(matches!(error, ChannelError::Unreachable { landed: Landed::Maybe, .. }), "{error:?}");
        assert!(matches!(
            within(send.find(&sent, openclaw_types::UnixMillis(0))).await.unwrap(),
            Sent::Yes(_)
        ));
    }
    assert_eq!(
        within(send.find(&piece("k/9", "channel:C0ROOM", "never"), openclaw_types::UnixMillis(0)))
            .await
            .unwrap(),
        Sent::No
    );
    fake.answer(
        "conversations.history",
        json!({ "ok": false, "error": "missing_scope", "needed": "channels:history" }),
    );
    assert_eq!(
        within(send.find(&piece("k/9", "channel:C0ROOM", "never"), openclaw_types::UnixMillis(0)))
            .await
            .unwrap(),
        Sent::Unknown
    );
}

#[tokio::test]
async fn refusals_say_what_to_do() {
    let fake = SlackFake::start().await;
    let ours = connect(&fake, json!({})).await.unwrap();
    let words = piece("k/1", "channel:C0ROOM", "hello");
    fake.rate_limit("chat.postMessage", 7);
    assert_eq!(ours.send(&words).await, Err(ChannelError::RateLimited { after: Duration::from_secs(7) }));
    fake.refuse("chat.postMessage", "not_in_channel");
    assert_eq!(
        ours.send(&words).await,
        Err(ChannelError::Refused { reason: "chat.postMessage: not_in_channel".into() })
    );
    fake.answer("chat.postMessage", json!({ "ok": false, "error": "missing_scope", "needed": "chat:write" }));
    let reason = "chat.postMessage: missing_scope (the app needs the scope chat:write)".to_owned();
    assert_eq!(ours.send(&words).await, Err(ChannelError::Refused { reason }));
    fake.refuse("chat.postMessage", "token_revoked");
    assert_eq!(
        ours.send(&words).await,
        Err(ChannelError::Unauthorized { reason: "chat.postMessage: token_revoked".into() })
    );
    fake.refuse("chat.postMessage", "internal_error");
    assert!(matches!(ours.send(&words).await, Err(ChannelError::Unreachable { landed: Landed::Maybe, .. })));
    assert!(matches!(ours.send(&piece("k/2", "channel:C0ROOM", " ")).await, Err(ChannelError::Wrong { .. })));
}

#[tokio::test]
async fn messages_are_changed_taken_back_and_reacted_to() {
    let fake = SlackFake::start().await;
    let ours = connect(&fake, json!({})).await.unwrap();
    let here = target("channel:C0ROOM", None);
    let sent = message(&ours.send(&piece("k/1", "channel:C0ROOM", "one")).await.unwrap());
    let edit = ours.surface.edit.as_ref().unwrap();
    within(edit.edit(&here, &sent, &RichText::plain("two & more"))).await.unwrap();
    assert_eq!(fake.messages("C0ROOM")[0]["text"], json!("two &amp; more"));
    let react = ours.surface.react.as_ref().unwrap();
    within(react.react(&here, &sent, "👀")).await.unwrap();
    fake.refuse("reactions.add", "already_reacted");
    within(react.react(&here, &sent, ":tada:")).await.unwrap();
    let named: Vec<String> =
        fake.calls("reactions.add").iter().map(|call| call.arguments["name"].clone()).collect();
    assert_eq!(named, ["eyes", "tada"]);
    within(react.unreact(&here, &sent, None)).await.unwrap();
    let gone: Vec<String> =
        fake.calls("reactions.remove").iter().map(|call| call.arguments["name"].clone()).collect();
    assert_eq!(gone, ["eyes"]);
    let delete = ours.surface.delete.as_ref().unwrap();
    within(delete.delete(&here, &sent)).await.unwrap();
    within(delete.delete(&here, &sent)).await.unwrap();
    within(delete.delete(&here, &message("F0FILE1"))).await.unwrap();
    assert_eq!((fake.messages("C0ROOM").len(), fake.calls("files.delete").len()), (0, 1));
}

#[tokio::test]
async fn files_are_brought_with_their_words() {
    let fake = SlackFake::start().await;
    let ours = connect(&fake, json!({})).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "cat.txt", b"meow");
    let mut sent = answering(piece("k/1", "user:U0ANA", ""), "3.000003");
    sent.payload = PiecePayload::Media {
        file: MediaFile {
            path: path.to_string_lossy().into_owned(),
            name: "cat.txt".into(),
            media_type: "text/plain".into(),
        },
        kind: MediaKind::Document,
        caption: RichText::plain("a & b"),
    };
    let ts = ours.send(&sent).await.unwrap();
    assert_eq!(fake.uploaded("F0FILE1").as_deref(), Some(b"meow".as_slice()));
    assert_eq!(fake.calls("files.getUploadURLExternal")[0].arguments["length"], "4");
    let said = &fake.messages("D0ANA")[0];
    assert_eq!(
        (&said["ts"], &said["text"], &said["thread_ts"]),
        (&json!(ts), &json!("a &amp; b"), &json!("3.000003"))
    );
    assert_eq!(said["files"], json!([{ "id": "F0FILE1", "title": "cat.txt" }]));
}

#[tokio::test]
async fn several_files_are_one_message() {
    let fake = SlackFake::start().await;
    let ours = connect(&fake, json!({})).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let item = |name: &str| AlbumItem {
        file: MediaFile {
            path: file(&folder, name, name.as_bytes()).to_string_lossy().into_owned(),
            name: name.into(),
            media_type: "text/plain".into(),
        },
        kind: MediaKind::Document,
    };
    let items = vec![item("cat.txt"), item("dog.txt")];
    let mut sent = piece("k/1", "channel:C0ROOM", "");
    sent.payload = PiecePayload::Album { items: items.clone(), caption: RichText::plain("pets") };
    let ts = ours.send(&sent).await.unwrap();
    let said = fake.messages("C0ROOM");
    assert_eq!(said.len(), 1);
    assert_eq!((&said[0]["ts"], &said[0]["text"]), (&json!(ts), &json!("pets")));
    let brought = json!([{ "id": "F0FILE1", "title": "cat.txt" }, { "id": "F0FILE2", "title": "dog.txt" }]);
    assert_eq!(said[0]["files"], brought);
    assert_eq!(fake.uploaded("F0FILE2").as_deref(), Some(b"dog.txt".as_slice()));
    // What cannot be brought whole is not shown in part.
    std::fs::remove_file(&items[1].file.path).unwrap();
    assert!(ours.send(&sent).await.is_err());
    assert_eq!(fake.messages("C0ROOM").len(), 1);
}

#[tokio::test]
async fn files_are_fetched_from_slack_alone() {
    let fake = SlackFake::start().await;
    let ours = connect(&fake, json!({})).await.unwrap();
    let fetch = ours.surface.fetch.as_ref().unwrap();
    let media = |handle: &str| MediaRef {
        kind: MediaKind::Document,
        handle: handle.to_owned(),
        name: Some("../x.TXT".into()),
        media_type: None,
        bytes: None,
    };
    for (handle, words) in [
        (fake.file("note"), "the bytes of the file"),
        (fake.file("led"), "led here"),
        ("file:F0EXT".into(), "the bytes of the file"),
    ] {
        let fetched = within(fetch.fetch(&media(&handle), 1_000)).await.unwrap();
        assert_eq!(std::fs::read_to_string(&fetched.path).unwrap(), words);
        assert!(
            fetched.path.starts_with(&ours.context.media)
                && fetched.path.extension().is_some_and(|end| end == "txt")
        );
    }
    for (handle, limit) in [
        ("https://evil.example/files-pri/x".to_owned(), 1_000),
        ("https://slack.com.evil.example/x".to_owned(), 1_000),
        ("http://files.slack.com/x".to_owned(), 1_000),
        ("https://evilslack.com/x".to_owned(), 1_000),
        (fake.file("page"), 1_000),
        (fake.file("note"), 5),
    ] {
        let refused = within(fetch.fetch(&media(&handle), limit)).await;
        assert!(matches!(refused, Err(ChannelError::Refused { .. })), "{handle}: {refused:?}");
    }
}

/// An account that has heard a message in a thread.
/// A line that was asked something in a thread, where it may stream its answers.
pub(super) struct InThread {
    pub(super) fake: SlackFake,
    /// What the line keeps.
    pub(super) state: Arc<MemoryStateStore>,
    pub(super) ours: Ours,
    /// The thread.
    pub(super) here: SendTarget,
}

impl InThread {
    pub(super) async fn start() -> Self {
        let fake = SlackFake::start().await;
        let state = Arc::new(MemoryStateStore::default());
        let mut ours = connect_with(&fake, json!({}), Arc::clone(&state)).await.unwrap();
        hear_in_thread(&fake, &mut ours).await;
        Self { fake, state, ours, here: target("channel:C0ROOM", Some("5.000001")) }
    }
}

async fn hear_in_thread(fake: &SlackFake, ours: &mut Ours) {
    let (mut heard, _ended) = ours.listen(0);
    let reply = json!({
        "type": "message", "user": "U0ANA", "text": "<@U0CLAW> tell", "ts": "5.000002", "thread_ts": "5.000001",
        "channel": "C0ROOM", "channel_type": "channel", "event_ts": "5.000002",
    });
    fake.send("events_api", event(&reply)).await;
    within(heard.recv()).await.unwrap();
}

pub(super) fn in_its_thread(key: &str, text: &str) -> Outgoing {
    Outgoing { target: target("channel:C0ROOM", Some("5.000001")), ..piece(key, "channel:C0ROOM", text) }
}

#[tokio::test]
async fn an_answer_is_streamed_and_ends_as_its_message() {
    let InThread { fake, ours, here, .. } = InThread::start().await;
    let draft = ours.surface.draft.as_ref().unwrap();
    assert!(draft.works(&here) && !draft.works(&target("channel:C0ROOM", None)));
    for words in ["one", "one two", "one two three", "one two three four"] {
        within(draft.draft(&here, 1, &RichText::plain(words))).await.unwrap();
    }
    let start = &fake.calls("chat.startStream")[0].arguments;
    assert_eq!(
        (start["recipient_user_id"].as_str(), start["recipient_team_id"].as_str()),
        ("U0ANA", "T0FAKE")
    );
    assert_eq!((start["markdown_text"].as_str(), fake.calls("chat.appendStream").len()), ("one ", 2));
    let ts = ours.send(&in_its_thread("k/1", "one two three four five")).await.unwrap();
    let shown = &fake.messages("C0ROOM")[0];
    assert_eq!((&shown["ts"], &shown["markdown_text"]), (&json!(ts), &json!("one two three four five")));
    assert_eq!((&shown["metadata"], &shown["stopped"]), (&metadata("k/1"), &json!(true)));
    assert_eq!(fake.messages("C0ROOM").len(), 1);
    // The next piece is a message of its own.
    ours.send(&in_its_thread("k/2", "and more")).await.unwrap();
    assert_eq!(fake.messages("C0ROOM").len(), 2);
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn a_stream_whose_words_changed_is_written_anew() {
    let InThread { fake, ours, here, .. } = InThread::start().await;
    let draft = ours.surface.draft.as_ref().unwrap();
    within(draft.draft(&here, 1, &RichText::plain("wrong words "))).await.unwrap();
    ours.send(&in_its_thread("k/1", "right words")).await.unwrap();
    let shown = &fake.messages("C0ROOM")[0];
    assert_eq!((&shown["text"], &shown["metadata"]), (&json!("right words"), &metadata("k/1")));
    // An answer that never came is taken back when the next one begins.
    within(draft.draft(&here, 2, &RichText::plain("left open "))).await.unwrap();
    within(draft.draft(&here, 3, &RichText::plain("the next "))).await.unwrap();
    let shown: Vec<Value> =
        fake.messages("C0ROOM").iter().map(|each| each["markdown_text"].clone()).collect();
    assert_eq!(shown, [json!("wrong words "), json!("the next ")]);
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn a_stream_that_a_crash_left_open_is_taken_back_and_a_sent_one_stays() {
    let InThread { fake, state, ours, here } = InThread::start().await;
    let draft = ours.surface.draft.as_ref().unwrap();
    within(draft.draft(&here, 1, &RichText::plain("first answer "))).await.unwrap();
    ours.send(&in_its_thread("k/1", "first answer, whole")).await.unwrap();
    within(draft.draft(&here, 2, &RichText::plain("cut off "))).await.unwrap();
    assert_eq!(fake.messages("C0ROOM").len(), 2);
    ours.context.tasks.cancel();
    let again = connect_with(&fake, json!({}), state).await.unwrap();
    let left: Vec<Value> =
        fake.messages("C0ROOM").iter().map(|each| each["metadata"]["event_payload"]["key"].clone()).collect();
    assert_eq!(left, [json!("k/1")]);
    again.context.tasks.cancel();
}

#[tokio::test]
async fn streams_that_slack_does_not_allow_are_not_tried_again() {
    let InThread { fake, ours, here, .. } = InThread::start().await;
    let draft = ours.surface.draft.as_ref().unwrap();
    fake.refuse("chat.startStream", "missing_scope");
    assert!(within(draft.draft(&here, 1, &RichText::plain("words "))).await.is_err());
    assert!(!draft.works(&here));
    ours.context.tasks.cancel();
    let mut ours = connect(&fake, json!({ "nativeStreaming": false })).await.unwrap();
    hear_in_thread(&fake, &mut ours).await;
    assert!(!ours.surface.draft.as_ref().unwrap().works(&here));
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn that_we_write_is_shown_in_threads() {
    let InThread { fake, ours, here, .. } = InThread::start().await;
    let typing = ours.surface.typing.as_ref().unwrap();
    within(typing.typing(&target("channel:C0ROOM", None))).await.unwrap();
    assert_eq!(fake.calls("assistant.threads.setStatus"), []);
    fake.refuse("assistant.threads.setStatus", "missing_scope");
    for _ in 0..2 {
        within(typing.typing(&here)).await.unwrap();
    }
    // What Slack does not allow is not asked for again.
    assert_eq!(fake.calls("assistant.threads.setStatus").len(), 1);
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn where_every_answer_begins_a_thread_it_stays_below_its_own_message() {
    let fake = SlackFake::start().await;
    let mut ours = connect(&fake, json!({ "replyToMode": "all" })).await.unwrap();
    let (mut heard, _ended) = ours.listen(0);
    fake.send("events_api", said("C0ROOM", "6.000001", "<@U0CLAW> hello")).await;
    let event = within(heard.recv()).await.unwrap();
    let thread = event.place.answer_thread().map(|thread| thread.as_str());
    assert_eq!((event.place.thread.as_ref(), thread), (None, Some("6.000001")));
    let here = target(&event.place.to, thread);
    let draft = ours.surface.draft.as_ref().unwrap();
    within(draft.draft(&here, 1, &RichText::plain("so far "))).await.unwrap();
    fake.send("events_api", said("C0ROOM", "6.000002", "somebody else says something")).await;
    within(heard.recv()).await.unwrap();
    within(draft.draft(&here, 1, &RichText::plain("so far and on "))).await.unwrap();
    within(ours.surface.typing.as_ref().unwrap().typing(&here)).await.unwrap();
    assert_eq!(fake.calls("assistant.threads.setStatus")[0].arguments["thread_ts"], "6.000001");
    ours.send(&Outgoing { target: here, ..piece("k/1", "channel:C0ROOM", "so far and on, whole") })
        .await
        .unwrap();
    let shown = fake.messages("C0ROOM");
    assert_eq!(shown.len(), 1);
    assert_eq!((&shown[0]["thread_ts"], &shown[0]["stopped"]), (&json!("6.000001"), &json!(true)));
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn a_stream_whose_answer_ends_without_words_is_taken_back() {
    let InThread { fake, ours, here, .. } = InThread::start().await;
    let draft = ours.surface.draft.as_ref().unwrap();
    within(draft.draft(&here, 1, &RichText::plain("on second thought "))).await.unwrap();
    within(draft.withdraw(&here)).await.unwrap();
    assert_eq!(fake.messages("C0ROOM"), [] as [Value; 0]);
    // Where nothing is shown, nothing is taken back.
    within(draft.withdraw(&here)).await.unwrap();
    assert_eq!(fake.calls("chat.delete").len(), 1);
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn a_channel_by_its_name_is_known_by_its_id_once_something_is_written_there() {
    let fake = SlackFake::start().await;
    let ours = connect(&fake, json!({})).await.unwrap();
    fake.answer("chat.postMessage", json!({ "ok": true, "channel": "C0ROOM", "ts": "1.000001" }));
    let send = ours.surface.send.as_ref().unwrap();
    let receipt = within(send.send(&piece("k/1", "channel:room", "hello"))).await.unwrap();
    assert_eq!(receipt.moved_to.as_deref(), Some("channel:C0ROOM"));
    ours.send(&piece("k/2", "channel:room", "again")).await.unwrap();
    let rooms: Vec<String> =
        fake.calls("chat.postMessage").iter().map(|call| call.arguments["channel"].clone()).collect();
    assert_eq!(rooms, ["#room", "C0ROOM"]);
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn a_command_that_cannot_be_answered_any_more_is_answered_in_the_conversation() {
    let fake = SlackFake::start().await;
    let mut ours = connect(&fake, json!({ "slashCommand": { "enabled": true } })).await.unwrap();
    let (mut heard, _ended) = ours.listen(0);
    let command = json!({
        "command": "/openclaw", "text": "hello", "user_id": "U0ANA", "channel_id": "C0ROOM", "channel_name": "room",
        "team_id": "T0FAKE", "trigger_id": "1.2.3", "response_url": "https://elsewhere.example/answer",
    });
    fake.send("slash_commands", command).await;
    let event = within(heard.recv()).await.unwrap();
    ours.send(&piece("k/1", &event.place.to, "psst")).await.unwrap();
    assert_eq!(fake.calls("chat.postEphemeral").len(), 1);
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn words_for_one_person_reach_them_where_we_are_not() {
    let fake = SlackFake::start().await;
    let ours = connect(&fake, json!({})).await.unwrap();
    let only = piece("k/1", "ephemeral:C0ROOM:U0ANA", "psst");
    ours.send(&only).await.unwrap();
    let call = &fake.calls("chat.postEphemeral")[0].arguments;
    assert_eq!((call["user"].as_str(), call["text"].as_str()), ("U0ANA", "psst"));
    fake.refuse("chat.postEphemeral", "not_in_channel");
    ours.send(&only).await.unwrap();
    assert_eq!(fake.messages("D0ANA")[0]["text"], json!("psst"));
}

#[tokio::test]
async fn people_and_rooms_are_looked_up_and_the_line_is_tested() {
    let fake = SlackFake::start().await;
    let ours = connect(&fake, json!({ "userToken": SLACK_USER_TOKEN })).await.unwrap();
    let directory = ours.surface.directory.as_ref().unwrap();
    let people = within(directory.search(DirectoryKind::People, "an", 10)).await.unwrap();
    let ids: Vec<&str> = people.iter().map(|entry| entry.id.as_str()).collect();
    assert_eq!(ids, ["user:U0ANA"]);
    assert_eq!(fake.calls("users.list")[0].token, SLACK_USER_TOKEN);
    let rooms = within(directory.search(DirectoryKind::Rooms, "#room", 10)).await.unwrap();
    assert_eq!(rooms[0].id, "channel:C0ROOM");
    assert_eq!(within(directory.me()).await.unwrap().name.as_deref(), Some("Claw"));
    let members = within(directory.members("channel:C0ROOM", 10)).await.unwrap();
    let names: Vec<_> = members.iter().map(|entry| entry.name.as_deref()).collect();
    assert_eq!(names, [Some("Ana"), Some("Claw")]);
    let probe = within(ours.surface.probe.as_ref().unwrap().probe()).await.unwrap();
    assert_eq!((&probe["ok"], &probe["team"]["id"]), (&json!(true), &json!("T0FAKE")));
}

#[tokio::test]
async fn actions_are_done_as_far_as_they_are_switched_on() {
    let fake = SlackFake::start().await;
    let ours = connect(&fake, json!({ "actions": { "pins": false } })).await.unwrap();
    let actions = ours.surface.actions.as_ref().unwrap();
    assert_eq!(
        actions.names(),
        ["reactions", "read", "member-info", "emoji-list", "channel-info", "channel-list"]
    );
    let act = async |name: &str, parameters: Value| {
        let request = ActionRequest {
            name: name.to_owned(),
            target: Some(target("channel:C0ROOM", None)),
            requester: None,
            parameters: parameters.as_object().unwrap().clone(),
        };
        within(actions.act(request)).await
    };
    ours.send(&piece("k/1", "channel:C0ROOM", "hello")).await.unwrap();
    let read = act("read", json!({ "limit": 5 })).await.unwrap();
    assert_eq!(read["messages"][0]["text"], json!("hello"));
    let emoji = act("emoji-list", json!({ "limit": 1 })).await.unwrap();
    assert_eq!(emoji["emojis"]["emoji"], json!({ "a": "https://e/a.png" }));
    let who = act("member-info", json!({ "userId": "<@U0ANA>" })).await.unwrap();
    assert_eq!(who["info"]["user"]["name"], json!("ana"));
    assert_eq!(
        act("reactions", json!({ "messageId": "1.1" })).await.unwrap()["reactions"][1]["name"],
        json!("tada")
    );
    assert!(matches!(act("pin", json!({ "messageId": "1.1" })).await, Err(ChannelError::Wrong { .. })));
    assert!(matches!(act("reactions", json!({})).await, Err(ChannelError::Wrong { .. })));
}

#[tokio::test]
async fn a_thread_begins_at_a_message_or_with_its_name() {
    let fake = SlackFake::start().await;
    let ours = connect(&fake, json!({})).await.unwrap();
    let threads = ours.surface.threads.as_ref().unwrap();
    let here = target("channel:C0ROOM", None);
    let at = within(threads.create(&here, "unused", Some(&message("4.000004")))).await.unwrap();
    assert_eq!(at.as_str(), "4.000004");
    let new = within(threads.create(&here, "About <this>", None)).await.unwrap();
    let said = &fake.messages("C0ROOM")[0];
    assert_eq!((&said["ts"], &said["text"]), (&json!(new.as_str()), &json!("About &lt;this&gt;")));
}
