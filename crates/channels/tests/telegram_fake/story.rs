//! The story of the fake, which grammY lives through too, lived by our account.

use openclaw_ports::channel::ChannelError;
use openclaw_types::{
    AlbumItem, Inbound, InboundKind, MediaFile, MediaKind, Outgoing, PiecePayload, Poll, ReplyPlace,
    RichText, Style, StyleSpan,
};
use serde_json::json;

use super::world::{Ours, World, button, within};

const GROUP: &str = "-1001900";

/// Does what the story asks a client for, over our slots.
async fn live(world: &World, ours: &Ours, event: &Inbound) {
    let here = ours.target(&event.place.to, None);
    let reply = event.message.clone().map(|message| ReplyPlace { message, quote: None });
    let words = |text: &str| ours.piece(&event.place.to, text);
    match (&event.kind, event.text.as_str()) {
        (InboundKind::Message, "hello") => {
            let hi = Outgoing { reply, ..words("hi") };
            if let Err(ChannelError::RateLimited { after }) = ours.send(&hi).await {
                ours.context.clock.sleep(after).await;
                ours.send(&hi).await.unwrap();
            }
        }
        (InboundKind::Message, "ask") => {
            let buttons = vec![vec![button("Yes", "yes"), button("No", "no")]];
            ours.send(&Outgoing { buttons, ..words("May I?") }).await.unwrap();
        }
        (InboundKind::Press(press), "yes") => {
            let edit = ours.surface.edit.as_ref().unwrap();
            edit.edit(&here, press.on.as_ref().unwrap(), &RichText::plain("Approved")).await.unwrap();
        }
        (InboundKind::Message, "file") => {
            let file = MediaFile {
                path: world.file("a.txt", b"some bytes").display().to_string(),
                name: "a.txt".into(),
                media_type: "text/plain".into(),
            };
            let payload =
                PiecePayload::Media { file, kind: MediaKind::Document, caption: RichText::plain("look") };
            ours.send(&Outgoing { payload, ..words("") }).await.unwrap();
        }
        (InboundKind::Message, "album") => {
            let picture = |name: &str| AlbumItem {
                file: MediaFile {
                    path: world.file(name, name.as_bytes()).display().to_string(),
                    name: name.to_owned(),
                    media_type: "image/png".into(),
                },
                kind: MediaKind::Image,
            };
            let items = vec![picture("one.png"), picture("two.png")];
            let payload = PiecePayload::Album { items, caption: RichText::plain("both") };
            let sent = ours.send(&Outgoing { payload, ..words("") }).await.unwrap();
            let bold = StyleSpan { start: 0, end: 6, style: Style::Bold };
            let changed = RichText::new("*both* & more", vec![bold], Vec::new());
            ours.surface.edit.as_ref().unwrap().edit(&here, &sent.message, &changed).await.unwrap();
        }
        (InboundKind::Message, "poll") => {
            let poll = Poll {
                question: "Tea?".into(),
                options: vec!["yes".into(), "no".into()],
                most: 1,
                seconds: None,
                anonymous: Some(false),
            };
            ours.send(&Outgoing { payload: PiecePayload::Poll(poll), ..words("") }).await.unwrap();
        }
        (InboundKind::Message, "topic") => {
            let threads = ours.surface.threads.as_ref().unwrap();
            let topic = threads.create(&ours.target(GROUP, None), "Roses", None).await.unwrap();
            let target = ours.target(GROUP, Some(topic.as_str()));
            ours.send(&Outgoing { target, ..words("in it") }).await.unwrap();
        }
        (InboundKind::Message, "like") => {
            let (react, message) = (ours.surface.react.as_ref().unwrap(), event.message.as_ref().unwrap());
            react.react(&here, message, "👍").await.unwrap();
            react.unreact(&here, message, Some("👍")).await.unwrap();
        }
        (InboundKind::Message, "oops") => {
            let sent = ours.send(&words("wrong")).await.unwrap();
            ours.surface.delete.as_ref().unwrap().delete(&here, &sent.message).await.unwrap();
        }
        (InboundKind::Message, _) if !event.media.is_empty() => {
            let fetched = ours.surface.fetch.as_ref().unwrap().fetch(&event.media[0], 1024).await.unwrap();
            ours.send(&words(&std::fs::read_to_string(fetched.path).unwrap())).await.unwrap();
        }
        other => panic!("the story does not go so: {other:?}"),
    }
}

#[tokio::test]
async fn our_account_lives_through_the_story_that_others_live_through() {
    let world = World::new().await;
    let mut ours = world.connect(json!({})).await.unwrap();
    let mut heard = ours.listen();
    let client = async {
        while let Some(event) = heard.recv().await {
            live(&world, &ours, &event).await;
        }
    };
    tokio::select! {
        story = within(world.fake.play()) => assert_eq!(story, Ok(())),
        () = client => panic!("the line ended before the story"),
    }
}
