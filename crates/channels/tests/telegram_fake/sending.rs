//! Pieces: words, files, polls, and what becomes of those the platform does not take.

use std::time::Duration;

use openclaw_ports::channel::{ChannelError, Landed};
use openclaw_testkit::BotFailure;
use openclaw_types::{
    MediaFile, MediaKind, MessageId, PiecePayload, Poll, ReplyPlace, RichText, Style, StyleSpan, ThreadId,
};
use serde_json::json;

use super::world::{World, within};

fn bold(text: &str) -> RichText {
    RichText::new(text, vec![StyleSpan { start: 0, end: text.len(), style: Style::Bold }], Vec::new())
}

fn said(code: u16, words: &str) -> BotFailure {
    BotFailure::Said { code, words: words.to_owned(), parameters: None }
}

#[tokio::test]
async fn words_go_with_their_markup_their_reply_and_their_topic() {
    let world = World::new().await;
    let ours = world.connect(json!({})).await.unwrap();
    let mut piece = ours.piece("-1001901", "x");
    piece.target.thread = Some(ThreadId::new("12").unwrap());
    piece.payload = PiecePayload::Text { text: bold("a < b") };
    piece.reply = Some(ReplyPlace { message: MessageId::new("44").unwrap(), quote: Some("part".into()) });
    piece.silent = true;
    piece.link_preview = false;
    let receipt = ours.send(&piece).await.unwrap();
    let call = world.fake.calls("sendMessage").remove(0);
    let expected = json!({
        "chat_id": -1_001_901, "message_thread_id": 12, "text": "<b>a &lt; b</b>", "parse_mode": "HTML",
        "disable_notification": true, "link_preview_options": { "is_disabled": true },
        "reply_parameters": { "message_id": 44, "allow_sending_without_reply": true, "quote": "part" }
    });
    assert_eq!((json!(call.fields), receipt.moved_to), (expected, None));
    let plain = ours.piece("-1001901:topic:1", "a < b");
    ours.send(&plain).await.unwrap();
    let call = world.fake.calls("sendMessage").remove(1);
    assert_eq!(json!(call.fields), json!({ "chat_id": -1_001_901, "text": "a < b" }));
    world.no_complaints();
}

#[tokio::test]
async fn what_is_over_is_left_out_and_the_rest_is_sent() {
    let world = World::new().await;
    let ours = world.connect(json!({})).await.unwrap();
    let mut piece = ours.piece("7001", "answer");
    piece.target.thread = Some(ThreadId::new("31").unwrap());
    piece.reply = Some(ReplyPlace { message: MessageId::new("44").unwrap(), quote: Some("gone".into()) });
    world.fake.fail("sendMessage", said(400, "Bad Request: QUOTE_TEXT_INVALID"));
    world.fake.fail("sendMessage", said(400, "Bad Request: message thread not found"));
    ours.send(&piece).await.unwrap();
    let last = world.fake.calls("sendMessage").remove(2);
    let reply = json!({ "message_id": 44, "allow_sending_without_reply": true });
    assert_eq!(json!(last.fields), json!({ "chat_id": 7001, "text": "answer", "reply_parameters": reply }));
    piece.target = ours.target("-1001901", Some("31"));
    world.fake.fail("sendMessage", said(400, "Bad Request: message thread not found"));
    let refused = ours.send(&piece).await.unwrap_err();
    assert!(matches!(refused, ChannelError::Refused { .. }), "{refused:?}");
    world.no_complaints();
}

#[tokio::test]
async fn an_answer_to_what_is_no_message_there_is_sent_as_a_message() {
    let world = World::new().await;
    let ours = world.connect(json!({})).await.unwrap();
    let mut piece = ours.piece("7001", "answer");
    piece.reply = Some(ReplyPlace { message: MessageId::new("m-1").unwrap(), quote: None });
    ours.send(&piece).await.unwrap();
    let call = world.fake.calls("sendMessage").remove(0);
    assert_eq!(json!(call.fields), json!({ "chat_id": 7001, "text": "answer" }));
    world.no_complaints();
}

#[tokio::test]
async fn a_group_that_has_moved_is_remembered() {
    let world = World::new().await;
    let ours = world.connect(json!({})).await.unwrap();
    let moved = BotFailure::Said {
        code: 400,
        words: "Bad Request: group chat was upgraded to a supergroup chat".into(),
        parameters: Some(json!({ "migrate_to_chat_id": -1_001_901 })),
    };
    world.fake.fail("sendMessage", moved);
    let piece = ours.piece("-55", "hello");
    for _ in 0..2 {
        assert_eq!(ours.send(&piece).await, Err(ChannelError::Moved { to: "-1001901".into() }));
    }
    assert_eq!(world.fake.calls("sendMessage").len(), 1);
    world.no_complaints();
}

#[tokio::test]
async fn what_the_platform_says_becomes_what_the_host_should_do() {
    let world = World::new().await;
    let ours = world.connect(json!({})).await.unwrap();
    let slow = BotFailure::Said {
        code: 429,
        words: "Too Many Requests: retry after 9".into(),
        parameters: Some(json!({ "retry_after": 9 })),
    };
    world.fake.fail("sendMessage", slow);
    let piece = ours.piece("7001", "hello");
    assert_eq!(ours.send(&piece).await, Err(ChannelError::RateLimited { after: Duration::from_secs(9) }));
    world.fake.fail("sendMessage", said(403, "Forbidden: bot was blocked by the user"));
    assert!(matches!(ours.send(&piece).await, Err(ChannelError::Refused { .. })));
    world.fake.fail("sendMessage", said(400, "Bad Request: can't parse entities: whatever"));
    assert!(matches!(ours.send(&piece).await, Err(ChannelError::Markup { .. })));
    world.fake.fail("sendMessage", BotFailure::Nonsense(502));
    assert!(matches!(ours.send(&piece).await, Err(ChannelError::Unreachable { landed: Landed::Maybe, .. })));
    world.fake.fail("sendMessage", BotFailure::CutAfter);
    assert!(matches!(ours.send(&piece).await, Err(ChannelError::Unreachable { landed: Landed::Maybe, .. })));
    assert!(matches!(ours.send(&ours.piece("@nobody_here", "x")).await, Err(ChannelError::Refused { .. })));
    assert!(matches!(ours.send(&ours.piece("somewhere else", "x")).await, Err(ChannelError::Wrong { .. })));
    ours.send(&piece).await.unwrap();
    world.no_complaints();
}

#[tokio::test]
async fn files_are_shown_as_what_they_are() {
    let world = World::new().await;
    let ours = world.connect(json!({})).await.unwrap();
    let cases = [
        (MediaKind::Image, "image/png", "sendPhoto", "photo"),
        (MediaKind::Image, "image/gif", "sendAnimation", "animation"),
        (MediaKind::Image, "image/svg+xml", "sendDocument", "document"),
        (MediaKind::Animation, "video/mp4", "sendAnimation", "animation"),
        (MediaKind::Video, "video/mp4", "sendVideo", "video"),
        (MediaKind::Video, "video/x-matroska", "sendDocument", "document"),
        (MediaKind::VideoNote, "video/mp4", "sendVideoNote", "video_note"),
        (MediaKind::Audio, "audio/mpeg", "sendAudio", "audio"),
        (MediaKind::Voice, "audio/ogg", "sendVoice", "voice"),
        (MediaKind::Voice, "audio/wav", "sendDocument", "document"),
        (MediaKind::Sticker, "image/webp", "sendSticker", "sticker"),
        (MediaKind::Document, "application/pdf", "sendDocument", "document"),
    ];
    let path = world.file("a file.bin", b"the bytes");
    for (kind, media_type, method, field) in cases {
        let before = world.fake.calls(method).len();
        let mut piece = ours.piece("7001", "");
        let file = MediaFile {
            path: path.display().to_string(),
            name: "a \"file\".bin".into(),
            media_type: media_type.into(),
        };
        piece.payload = PiecePayload::Media { file, kind, caption: RichText::default() };
        ours.send(&piece).await.unwrap();
        let call = world.fake.calls(method).remove(before);
        let sent = &call.files[0];
        assert_eq!(
            (sent.field.as_str(), sent.bytes.as_slice(), sent.media_type.as_str()),
            (field, b"the bytes".as_slice(), media_type)
        );
    }
    world.no_complaints();
}

#[tokio::test]
async fn a_picture_that_cannot_be_shown_goes_as_a_file_with_its_words() {
    let world = World::new().await;
    let ours = world.connect(json!({})).await.unwrap();
    let file = MediaFile {
        path: world.file("wide.png", b"wide").display().to_string(),
        name: "wide.png".into(),
        media_type: "image/png".into(),
    };
    let mut piece = ours.piece("7001", "");
    piece.payload = PiecePayload::Media { file, kind: MediaKind::Image, caption: bold("wide") };
    world.fake.fail("sendPhoto", said(400, "Bad Request: PHOTO_INVALID_DIMENSIONS"));
    ours.send(&piece).await.unwrap();
    let call = world.fake.calls("sendDocument").remove(0);
    assert_eq!(
        (&call.fields["caption"], &call.fields["parse_mode"]),
        (&json!("<b>wide</b>"), &json!("HTML"))
    );
    world.no_complaints();
}

#[tokio::test]
async fn the_words_of_a_round_film_follow_it_and_the_film_is_not_sent_again() {
    let world = World::new().await;
    let ours = world.connect(json!({})).await.unwrap();
    let file = MediaFile {
        path: world.file("round.mp4", b"round").display().to_string(),
        name: "round.mp4".into(),
        media_type: "video/mp4".into(),
    };
    let mut piece = ours.piece("7001", "");
    piece.payload =
        PiecePayload::Media { file, kind: MediaKind::VideoNote, caption: RichText::plain("look") };
    world.fake.fail("sendMessage", BotFailure::Nonsense(502));
    assert!(ours.send(&piece).await.is_err());
    ours.send(&piece).await.unwrap();
    assert_eq!((world.fake.calls("sendVideoNote").len(), world.fake.calls("sendMessage").len()), (1, 2));
    world.no_complaints();
}

#[tokio::test]
async fn the_words_of_a_sticker_follow_it() {
    let world = World::new().await;
    let ours = world.connect(json!({})).await.unwrap();
    let file = MediaFile {
        path: world.file("wave.webp", b"wave").display().to_string(),
        name: "wave.webp".into(),
        media_type: "image/webp".into(),
    };
    let mut piece = ours.piece("7001", "");
    piece.payload = PiecePayload::Media { file, kind: MediaKind::Sticker, caption: RichText::plain("hello") };
    ours.send(&piece).await.unwrap();
    assert_eq!(world.fake.calls("sendSticker")[0].fields.get("caption"), None);
    assert_eq!(world.fake.calls("sendMessage")[0].fields["text"], "hello");
    world.no_complaints();
}

#[tokio::test]
async fn a_round_film_that_is_not_wanted_is_a_film_with_its_words_below() {
    let world = World::new().await;
    let ours = world.connect(json!({})).await.unwrap();
    let file = MediaFile {
        path: world.file("round.mp4", b"round").display().to_string(),
        name: "round.mp4".into(),
        media_type: "video/mp4".into(),
    };
    let mut piece = ours.piece("7001", "");
    piece.payload =
        PiecePayload::Media { file, kind: MediaKind::VideoNote, caption: RichText::plain("look") };
    world.fake.fail("sendVideoNote", said(400, "Bad Request: VOICE_MESSAGES_FORBIDDEN"));
    ours.send(&piece).await.unwrap();
    assert_eq!(world.fake.calls("sendVideo")[0].fields["caption"], "look");
    assert_eq!(world.fake.calls("sendMessage"), []);
    world.no_complaints();
}

#[tokio::test]
async fn a_poll_is_sent_and_its_answers_are_heard() {
    let world = World::new().await;
    let mut ours = world.connect(json!({})).await.unwrap();
    let mut heard = ours.listen();
    world.fake.called("getUpdates", 1).await;
    let poll = Poll {
        question: "Tea?".into(),
        options: vec!["yes".into(), "no".into()],
        most: 2,
        seconds: Some(60),
        anonymous: Some(false),
    };
    let mut piece = ours.piece("-1001900", "");
    piece.payload = PiecePayload::Poll(poll.clone());
    ours.send(&piece).await.unwrap();
    let call = world.fake.calls("sendPoll").remove(0);
    let expected = json!({
        "chat_id": -1_001_900, "question": "Tea?", "options": [{ "text": "yes" }, { "text": "no" }],
        "allows_multiple_answers": true, "is_anonymous": false, "open_period": 60
    });
    assert_eq!(json!(call.fields), expected);
    world.fake.happen(json!({ "poll_answer": {
        "poll_id": "poll-1", "user": super::ana(), "option_ids": [0], "option_persistent_ids": ["0"]
    } }));
    let event = within(heard.recv()).await.unwrap();
    assert_eq!(
        (event.text.as_str(), event.place.to.as_str()),
        ("Ana voted in the poll \"Tea?\": yes", "-1001900")
    );
    piece.payload = PiecePayload::Poll(Poll { options: vec!["one".into()], ..poll });
    assert!(matches!(ours.send(&piece).await, Err(ChannelError::Wrong { .. })));
    world.no_complaints();
}

#[tokio::test]
async fn buttons_stay_where_they_are_wanted() {
    let world = World::new().await;
    let ours = world.connect(json!({ "capabilities": { "inlineButtons": "dm" } })).await.unwrap();
    for (to, shown) in [("7001", true), ("-1001900", false)] {
        let mut piece = ours.piece(to, "choose");
        piece.buttons = vec![vec![super::world::button("Yes", "yes")]];
        ours.send(&piece).await.unwrap();
        let call = world.fake.calls("sendMessage").pop().unwrap();
        assert_eq!(call.fields.contains_key("reply_markup"), shown, "{to}");
    }
    world.no_complaints();
}
