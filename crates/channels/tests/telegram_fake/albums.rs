//! Several files as one message, and one by one where the platform does not take them so.

use openclaw_ports::channel::ChannelError;
use openclaw_testkit::BotFailure;
use openclaw_types::{
    AlbumItem, MediaFile, MediaKind, MessageId, Outgoing, PiecePayload, ReplyPlace, RichText,
};
use serde_json::json;

use super::world::{Ours, World, kind};

fn item(world: &World, name: &str, kind: MediaKind, media_type: &str) -> AlbumItem {
    let path = world.file(name, name.as_bytes()).display().to_string();
    AlbumItem { file: MediaFile { path, name: name.to_owned(), media_type: media_type.to_owned() }, kind }
}

fn holiday(world: &World, ours: &Ours) -> Outgoing {
    let items = vec![
        item(world, "sea.png", MediaKind::Image, "image/png"),
        item(world, "boat.mp4", MediaKind::Video, "video/mp4"),
        item(world, "dog.jpg", MediaKind::Image, "image/jpeg"),
    ];
    let reply = Some(ReplyPlace { message: MessageId::new("44").unwrap(), quote: None });
    let payload = PiecePayload::Album { items, caption: RichText::plain("our holiday") };
    Outgoing { payload, reply, ..ours.piece("7001", "") }
}

fn refused(words: &str) -> BotFailure {
    BotFailure::Said { code: 400, words: format!("Bad Request: {words}"), parameters: None }
}

#[tokio::test]
async fn an_album_is_one_call_with_the_words_below_the_first_file() {
    let world = World::new().await;
    let ours = world.connect(json!({})).await.unwrap();
    let receipt = ours.send(&holiday(&world, &ours)).await.unwrap();
    let call = world.fake.calls("sendMediaGroup").remove(0);
    let expected = json!({
        "chat_id": 7001,
        "reply_parameters": { "message_id": 44, "allow_sending_without_reply": true },
        "media": [
            { "type": "photo", "media": "attach://file0", "caption": "our holiday" },
            { "type": "video", "media": "attach://file1" },
            { "type": "photo", "media": "attach://file2" },
        ]
    });
    assert_eq!((json!(call.fields), receipt.message.as_str()), (expected, "1"));
    let files: Vec<(&str, &str, &[u8])> = call
        .files
        .iter()
        .map(|file| (file.field.as_str(), file.name.as_str(), file.bytes.as_slice()))
        .collect();
    let expected: [(&str, &str, &[u8]); 3] = [
        ("file0", "sea.png", b"sea.png"),
        ("file1", "boat.mp4", b"boat.mp4"),
        ("file2", "dog.jpg", b"dog.jpg"),
    ];
    assert_eq!(files, expected);
    world.no_complaints();
}

#[tokio::test]
async fn an_album_that_is_not_taken_is_sent_file_by_file_and_no_file_twice() {
    let world = World::new().await;
    let ours = world.connect(json!({})).await.unwrap();
    let piece = holiday(&world, &ours);
    world.fake.fail("sendMediaGroup", refused("PHOTO_INVALID_DIMENSIONS"));
    world.fake.fail("sendPhoto", refused("PHOTO_INVALID_DIMENSIONS"));
    world.fake.fail("sendVideo", BotFailure::Nonsense(502));
    assert!(matches!(ours.send(&piece).await, Err(ChannelError::Unreachable { .. })));
    let receipt = ours.send(&piece).await.unwrap();
    let count = |method: &str| world.fake.calls(method).len();
    assert_eq!(
        (count("sendMediaGroup"), count("sendDocument"), count("sendVideo"), count("sendPhoto")),
        (1, 1, 2, 2)
    );
    let document = world.fake.calls("sendDocument").remove(0);
    assert_eq!((&document.fields["caption"], receipt.message.as_str()), (&json!("our holiday"), "1"));
    let last = world.fake.calls("sendPhoto").remove(1);
    assert_eq!(json!(last.fields), json!({ "chat_id": 7001, "photo": "attach://photo" }));
    world.no_complaints();
}

#[tokio::test]
async fn a_file_that_is_gone_after_a_crash_has_no_other_file_sent_twice() {
    for gone in ["sea.png", "boat.mp4", "dog.jpg"] {
        let world = World::new().await;
        let ours = world.connect(json!({})).await.unwrap();
        let piece = holiday(&world, &ours);
        world.fake.fail("sendMediaGroup", refused("PHOTO_INVALID_DIMENSIONS"));
        world.fake.fail("sendVideo", BotFailure::Nonsense(502));
        assert!(ours.send(&piece).await.is_err(), "the first file is sent, then the line breaks");
        drop(ours);
        std::fs::remove_file(&piece.payload.files().iter().find(|file| file.name == gone).unwrap().path)
            .unwrap();
        let ours = world.connect(json!({})).await.unwrap();
        for _ in 0..2 {
            let sent = ours.send(&piece).await;
            assert_eq!(sent.is_ok(), gone == "sea.png", "{gone}: {sent:?}");
        }
        let names = |method: &str| world.fake.calls(method).into_iter().flat_map(|call| call.files);
        let photos: Vec<String> = names("sendPhoto").map(|file| file.name).collect();
        let expected: &[&str] = match gone {
            "sea.png" => &["sea.png", "dog.jpg"],
            _ => &["sea.png"],
        };
        assert_eq!(photos, expected, "{gone}");
        assert_eq!(world.fake.calls("sendMediaGroup").len(), 1, "{gone}");
    }
}

#[tokio::test]
async fn trouble_that_has_nothing_to_do_with_the_files_is_told() {
    let world = World::new().await;
    let ours = world.connect(json!({})).await.unwrap();
    let piece = holiday(&world, &ours);
    world.fake.fail("sendMediaGroup", refused("can't parse entities: whatever"));
    assert!(matches!(ours.send(&piece).await, Err(ChannelError::Markup { .. })));
    let blocked = BotFailure::Said {
        code: 403,
        words: "Forbidden: bot was blocked by the user".into(),
        parameters: None,
    };
    world.fake.fail("sendMediaGroup", blocked);
    assert!(matches!(ours.send(&piece).await, Err(ChannelError::Refused { .. })));
    world.fake.fail("sendMediaGroup", BotFailure::CutAfter);
    assert!(matches!(ours.send(&piece).await, Err(ChannelError::Unreachable { .. })));
    assert_eq!(world.fake.calls("sendPhoto"), []);
    world.no_complaints();
}

#[test]
fn what_goes_together_is_what_the_platform_takes_together() {
    let albums = kind().descriptor().albums.as_ref().expect("it has albums");
    let cases = [
        (MediaKind::Image, "image/png", Some("pictures")),
        (MediaKind::Video, "video/mp4", Some("pictures")),
        (MediaKind::Image, "image/gif", None),
        (MediaKind::VideoNote, "video/mp4", None),
        (MediaKind::Voice, "audio/ogg", None),
        (MediaKind::Sticker, "image/webp", None),
        (MediaKind::Audio, "audio/mpeg", Some("sounds")),
        (MediaKind::Document, "application/pdf", Some("files")),
        (MediaKind::Image, "image/svg+xml", Some("files")),
    ];
    for (kind, media_type, expected) in cases {
        assert_eq!((albums.family)(kind, media_type), expected, "{kind:?} {media_type}");
    }
    assert_eq!(albums.most, 10);
}
