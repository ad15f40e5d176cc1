//! Several files in one message, and one by one where that is too much.

use openclaw_ports::channel::{ChannelError, Sent};
use openclaw_ports::stores::StateStore as _;
use openclaw_testkit::discord_fake::{Trouble, ids};
use openclaw_types::{AlbumItem, MediaFile, MediaKind, Outgoing, PiecePayload, RichText, UnixMillis};
use serde_json::{Value, json};

use super::{World, general, kind, next, piece, target, within};

fn holiday(world: &World) -> Outgoing {
    let item = |name: &str, kind: MediaKind| {
        let path = world.media.path().join(name);
        std::fs::write(&path, name.as_bytes()).unwrap();
        let path = path.to_string_lossy().into_owned();
        AlbumItem { file: MediaFile { path, name: name.to_owned(), media_type: "x/y".to_owned() }, kind }
    };
    let items = vec![item("sea.png", MediaKind::Image), item("list.txt", MediaKind::Document)];
    piece("k/1", &general(), PiecePayload::Album { items, caption: RichText::plain("our holiday") })
}

fn trouble(status: u16, body: Value) -> Trouble {
    Trouble { to: "POST /channels".to_owned(), status, headers: Vec::new(), body, lands: false }
}

#[tokio::test]
async fn an_album_is_one_message() {
    let world = World::start().await;
    let ours = world.connect(json!({})).await.unwrap();
    let piece = holiday(&world);
    ours.send(piece.clone()).await.unwrap();
    let asked = world.fake.requests().pop().unwrap();
    let files: Vec<&[u8]> = asked.files.iter().map(|(_, bytes)| bytes.as_slice()).collect();
    assert_eq!(files, [b"sea.png".as_slice(), b"list.txt"]);
    assert_eq!(
        (&asked.body["content"], &asked.body["attachments"]),
        (
            &json!("our holiday"),
            &json!([{ "id": "0", "filename": "sea.png" }, { "id": "1", "filename": "list.txt" }])
        )
    );
    let send = ours.surface.send.as_ref().unwrap();
    let found = within(send.find(&piece, UnixMillis(0))).await.unwrap();
    assert!(matches!(found, Sent::Yes(_)), "{found:?}");
}

#[tokio::test]
async fn an_album_that_is_too_large_goes_file_by_file_and_no_file_twice() {
    let world = World::start().await;
    let ours = world.connect(json!({})).await.unwrap();
    let piece = holiday(&world);
    let too_large = || trouble(413, json!({ "code": 40_005, "message": "Request entity too large" }));
    world.fake.fail(too_large());
    ours.send(piece.clone()).await.unwrap();
    let sent = || world.fake.messages(ids::GENERAL).len();
    let both = sent();
    let names =
        |number: usize| world.fake.messages(ids::GENERAL)[number]["attachments"][0]["filename"].clone();
    assert_eq!([names(both - 2), names(both - 1)], [json!("sea.png"), json!("list.txt")]);
    // What is tried again after a crash goes on where it was.
    let ours = world.connect(json!({})).await.unwrap();
    ours.send(piece).await.unwrap();
    assert_eq!(sent(), both);
    world.fake.fail(trouble(403, json!({ "code": 50_013, "message": "Missing Permissions" })));
    let other = Outgoing { key: "k/2".to_owned(), ..holiday(&world) };
    assert!(matches!(ours.send(other).await, Err(ChannelError::Refused { .. })));
    assert_eq!(sent(), both, "other trouble has nothing to do with the files");
}

#[test]
fn somebody_speaking_stands_alone() {
    let albums = kind().descriptor().albums.as_ref().expect("it has albums");
    assert_eq!((albums.family)(MediaKind::Voice, "audio/ogg"), None);
    assert_eq!((albums.family)(MediaKind::Image, "image/png"), (albums.family)(MediaKind::Document, "x/y"));
    assert_eq!(albums.most, 10);
}

#[tokio::test]
async fn an_album_that_is_too_large_for_an_answer_goes_file_by_file_into_it() {
    let world = World::start().await;
    let mut ours = world.connect(json!({})).await.unwrap();
    let (mut heard, _ended) = ours.listen();
    world.fake.command(ids::GENERAL, ids::ANA, "status", "");
    let to = next(&mut heard).await.place.to;
    let too_large = trouble(413, json!({ "code": 40_005, "message": "Request entity too large" }));
    world.fake.fail(Trouble { to: "PATCH /webhooks".to_owned(), ..too_large });
    ours.send(Outgoing { target: target(&to), ..holiday(&world) }).await.unwrap();
    let asked = world.fake.requests().into_iter().filter(|asked| asked.path.starts_with("/webhooks/"));
    let asked: Vec<(String, usize)> = asked.map(|asked| (asked.method, asked.files.len())).collect();
    let expected = [("PATCH", 2), ("PATCH", 1), ("POST", 1)];
    assert_eq!(asked, expected.map(|(method, files)| (method.to_owned(), files)));
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn an_album_in_a_forum_goes_on_in_the_post_that_it_began() {
    let world = World::start().await;
    let ours = world.connect(json!({})).await.unwrap();
    let forum = format!("channel:{}", ids::FORUM);
    let album = Outgoing { target: target(&forum), ..holiday(&world) };
    world.fake.fail(trouble(413, json!({ "code": 40_005, "message": "Request entity too large" })));
    let made = ours.send(album.clone()).await.unwrap();
    // As if the second file had not been sent.
    let name = "channel/discord/default";
    let mut sent = world.state.get(name, "album").await.unwrap().unwrap();
    sent.as_array_mut().unwrap().truncate(1);
    world.state.put(name, "album", sent).await.unwrap();
    assert_eq!(ours.send(album).await.unwrap(), made);
    let last = world.fake.requests().pop().unwrap();
    let thread = made.moved_to.as_deref().and_then(|moved| moved.strip_prefix("channel:")).unwrap();
    assert_eq!(last.path, format!("/channels/{thread}/messages"));
}
