//! What can be done beside sending: changing, reacting, showing, fetching, looking up.

use openclaw_ports::channel::{ActionRequest, ChannelError, CommandEntry, DirectoryKind};
use openclaw_testkit::BotFailure;
use openclaw_types::{InboundKind, MediaKind, MediaRef, MessageId, RichText, Style, StyleSpan};
use serde_json::{Map, Value, json};

use super::world::{World, ana, garden, private, within};

fn refused(words: &str) -> BotFailure {
    BotFailure::Said { code: 400, words: words.to_owned(), parameters: None }
}

#[tokio::test]
async fn messages_are_changed_and_taken_back() {
    let world = World::new().await;
    let ours = world.connect(json!({ "linkPreview": false })).await.unwrap();
    let target = ours.target("7001", None);
    let message = ours.send(&ours.piece("7001", "first")).await.unwrap().message;
    let edit = ours.surface.edit.clone().unwrap();
    let text =
        RichText::new("second", vec![StyleSpan { start: 0, end: 6, style: Style::Italic }], Vec::new());
    edit.edit(&target, &message, &text).await.unwrap();
    edit.edit(&target, &message, &text).await.expect("the same words again are no error");
    let call = world.fake.calls("editMessageText").remove(0);
    assert_eq!((&call.fields["text"], &call.fields["parse_mode"]), (&json!("<i>second</i>"), &json!("HTML")));
    world.fake.fail("editMessageText", refused("Bad Request: there is no text in the message to edit"));
    edit.edit(&target, &message, &text).await.unwrap();
    assert_eq!(world.fake.calls("editMessageCaption").len(), 1);
    let delete = ours.surface.delete.clone().unwrap();
    delete.delete(&target, &message).await.unwrap();
    delete.delete(&target, &message).await.expect("one that is gone is no error");
    world.no_complaints();
}

#[tokio::test]
async fn reactions_typing_drafts_and_topics_are_shown() {
    let world = World::new().await;
    let ours = world.connect(json!({})).await.unwrap();
    let (alone, forum) = (ours.target("7001", Some("31")), ours.target("-1001901", Some("1")));
    let message = MessageId::new("5").unwrap();
    let react = ours.surface.react.clone().unwrap();
    react.react(&alone, &message, "❤\u{fe0f}").await.unwrap();
    react.unreact(&alone, &message, Some("❤")).await.unwrap();
    let calls = world.fake.calls("setMessageReaction");
    assert_eq!(calls[0].fields["reaction"], json!([{ "type": "emoji", "emoji": "❤" }]));
    assert_eq!(calls[1].fields["reaction"], json!([]));
    ours.surface.typing.clone().unwrap().typing(&forum).await.unwrap();
    let call = world.fake.calls("sendChatAction").remove(0);
    assert_eq!(
        json!(call.fields),
        json!({ "chat_id": -1_001_901, "message_thread_id": 1, "action": "typing" })
    );
    let draft = ours.surface.draft.clone().unwrap();
    let works = [&alone, &forum, &ours.target("7001", None)].map(|target| draft.works(target));
    assert_eq!(works, [true, false, false]);
    draft.draft(&alone, 0, &RichText::plain("so far")).await.unwrap();
    let call = world.fake.calls("sendMessageDraft").remove(0);
    let expected = json!({ "chat_id": 7001, "message_thread_id": 31, "draft_id": 1, "text": "so far" });
    assert_eq!(json!(call.fields), expected);
    let thread = ours.surface.threads.clone().unwrap().create(&forum, " Roses ", None).await.unwrap();
    assert_eq!(
        (thread.as_str(), &world.fake.calls("createForumTopic")[0].fields["name"]),
        ("77", &json!("Roses"))
    );
    world.no_complaints();
}

fn picture(handle: &str) -> MediaRef {
    MediaRef {
        kind: MediaKind::Image,
        handle: handle.to_owned(),
        name: None,
        media_type: Some("image/jpeg".into()),
        bytes: None,
    }
}

#[tokio::test]
async fn files_are_fetched_up_to_the_limit() {
    let world = World::new().await;
    let ours = world.connect(json!({})).await.unwrap();
    world.fake.put_file("F1", "photos/file_7.jpg", b"picture");
    world.fake.put_file("F2", "../../etc/file", b"away");
    world.fake.put_file("F3", "/var/lib/file.jpg", b"local");
    let fetch = ours.surface.fetch.clone().unwrap();
    let fetched = fetch.fetch(&picture("F1"), 100).await.unwrap();
    assert_eq!(std::fs::read(&fetched.path).unwrap(), b"picture");
    assert!(
        fetched.path.starts_with(world.folder.path())
            && fetched.path.extension().is_some_and(|end| end == "jpg")
    );
    assert_eq!((fetched.bytes, fetched.media_type.as_deref()), (7, Some("image/jpeg")));
    for (handle, limit) in [("F1", 6), ("F2", 100), ("F3", 100), ("F4", 100)] {
        let error = fetch.fetch(&picture(handle), limit).await.unwrap_err();
        assert!(matches!(error, ChannelError::Refused { .. }), "{handle}: {error:?}");
    }
    world.no_complaints();
}

#[tokio::test]
async fn the_menu_is_published_once_and_its_commands_are_known() {
    let world = World::new().await;
    let section = json!({ "customCommands": [{ "command": "backup", "description": "Copies" }] });
    let mut ours = world.connect(section.clone()).await.unwrap();
    let commands = [CommandEntry {
        name: "export-session".into(),
        description: "Saves the session".into(),
        choices: Vec::new(),
        takes_words: true,
    }];
    let menu = ours.surface.menu.clone().unwrap();
    menu.publish(&commands).await.unwrap();
    menu.publish(&commands).await.unwrap();
    let again = world.connect(section).await.unwrap();
    again.surface.menu.clone().unwrap().publish(&commands).await.unwrap();
    assert_eq!(world.fake.calls("setMyCommands").len(), 1);
    let names: Vec<Value> = world.fake.commands().iter().map(|command| command["command"].clone()).collect();
    assert_eq!(names, [json!("export_session"), json!("backup")]);
    let mut heard = ours.listen();
    world.fake.happen(json!({ "message": {
        "message_id": 3, "date": 1_760_000_000, "chat": private(), "from": ana(), "text": "/export_session all",
        "entities": [{ "type": "bot_command", "offset": 0, "length": 15 }]
    } }));
    let event = within(heard.recv()).await.unwrap();
    let InboundKind::Command(command) = event.kind else { panic!("{:?}", event.kind) };
    assert_eq!((command.name.as_str(), command.arguments.as_str()), ("export-session", "all"));
    world.fake.fail("setMyCommands", refused("Bad Request: BOT_COMMANDS_TOO_MUCH"));
    let many: Vec<CommandEntry> =
        (0..10).map(|number| CommandEntry { name: format!("c{number}"), ..commands[0].clone() }).collect();
    menu.publish(&many).await.unwrap();
    assert_eq!(world.fake.commands().len(), 8);
    world.no_complaints();
}

#[tokio::test]
async fn those_we_have_heard_are_found() {
    let world = World::new().await;
    let mut ours = world.connect(json!({})).await.unwrap();
    let mut heard = ours.listen();
    world.fake.write(&garden(), &ana(), "hello");
    within(heard.recv()).await.unwrap();
    let directory = ours.surface.directory.clone().unwrap();
    let ids = |found: Vec<openclaw_ports::channel::DirectoryEntry>| -> Vec<String> {
        found.into_iter().map(|entry| entry.id).collect()
    };
    assert_eq!(ids(directory.search(DirectoryKind::People, "AN", 5).await.unwrap()), ["7001"]);
    assert_eq!(ids(directory.search(DirectoryKind::Rooms, "", 5).await.unwrap()), ["-1001900"]);
    assert_eq!(
        ids(directory.search(DirectoryKind::Rooms, "@nobody_here", 5).await.unwrap()),
        Vec::<String>::new()
    );
    assert_eq!(ids(directory.members("-1001900", 5).await.unwrap()), ["7001"]);
    assert_eq!(directory.me().await.unwrap().handle.as_deref(), Some("claw_bot"));
    world.no_complaints();
}

#[tokio::test]
async fn deeds_of_the_platform_are_done_where_they_are_allowed() {
    let world = World::new().await;
    let mut ours = world.connect(json!({ "actions": { "sticker": true } })).await.unwrap();
    let actions = ours.surface.actions.clone().unwrap();
    let expected =
        ["pin", "unpin", "channel-info", "member-info", "topic-create", "sticker", "sticker-search"];
    assert_eq!(actions.names(), expected);
    let mut heard = ours.listen();
    world.fake.happen(json!({ "message": {
        "message_id": 3, "date": 1_760_000_000, "chat": private(), "from": ana(),
        "sticker": {
            "file_id": "ST", "file_unique_id": "U", "type": "regular", "width": 8, "height": 8, "is_animated": false,
            "is_video": false, "emoji": "🌵", "set_name": "Cacti"
        }
    } }));
    within(heard.recv()).await.unwrap();
    let target = ours.target("-1001900", None);
    let act = |name: &str, parameters: Value| {
        let parameters: Map<String, Value> = parameters.as_object().unwrap().clone();
        actions.act(ActionRequest {
            name: name.into(),
            target: Some(target.clone()),
            requester: None,
            parameters,
        })
    };
    assert_eq!(act("pin", json!({ "messageId": 5 })).await.unwrap(), json!({ "ok": true }));
    assert!(act("pin", json!({})).await.is_err());
    assert_eq!(act("unpin", json!({})).await.unwrap(), json!({ "ok": true }));
    let found = act("sticker-search", json!({ "query": "cact" })).await.unwrap();
    assert_eq!(found["stickers"], json!([{ "fileId": "ST", "emoji": "🌵", "setName": "Cacti" }]));
    let sent = act("sticker", json!({ "fileId": "ST", "replyTo": "5" })).await.unwrap();
    assert_eq!(sent["chatId"], json!("-1001900"));
    assert_eq!(act("topic-create", json!({ "name": "Roses" })).await.unwrap()["topicId"], json!(77));
    assert_eq!(act("channel-info", json!({})).await.unwrap()["channel"]["id"], json!(-1_001_900));
    assert_eq!(
        act("member-info", json!({ "userId": "7001" })).await.unwrap()["member"]["status"],
        json!("member")
    );
    assert!(matches!(act("ban", json!({})).await, Err(ChannelError::Wrong { .. })));
    let plain = world.connect(json!({})).await.unwrap();
    assert!(!plain.surface.actions.as_ref().unwrap().names().contains(&"sticker"));
    world.no_complaints();
}

#[tokio::test]
async fn a_probe_says_who_we_are_and_where() {
    let world = World::new().await;
    let ours = world.connect(json!({ "groups": { "-1001900": {}, "*": {} } })).await.unwrap();
    let probe = ours.surface.probe.clone().unwrap().probe().await.unwrap();
    assert_eq!((&probe["ok"], &probe["bot"]["username"]), (&json!(true), &json!("claw_bot")));
    assert_eq!(probe["groups"], json!([{ "chatId": "-1001900", "ok": true, "status": "member" }]));
    world.no_complaints();
}
