//! Pieces as the API takes them, recordings, and answers that are kept.

use std::sync::Arc;
use std::time::Duration;

use openclaw_stores::memory::MemoryStateStore;
use openclaw_testkit::SimClock;
use openclaw_types::{AccountId, Button, ChannelId, Outgoing, PiecePayload, Poll, RichText, SendTarget};
use serde_json::{Value, json};

use super::answers::{Answers, Turn};
use super::body::{body, boxed, nonce};
use super::voice::{Wave, wave};

fn piece(payload: PiecePayload) -> Outgoing {
    Outgoing {
        key: "k".to_owned(),
        target: SendTarget {
            channel: ChannelId::new("discord").unwrap(),
            account: AccountId::new("default").unwrap(),
            to: "channel:1".to_owned(),
            thread: None,
        },
        payload,
        reply: None,
        silent: false,
        link_preview: true,
        buttons: Vec::new(),
    }
}

fn words(text: &str) -> PiecePayload {
    PiecePayload::Text { text: RichText::plain(text) }
}

#[test]
fn words_are_sent_without_waking_everybody() {
    let mentions = json!({ "parse": ["users", "roles"], "replied_user": true });
    let plain = body(&piece(words("hi"))).unwrap();
    assert_eq!(Value::Object(plain), json!({ "content": "hi", "allowed_mentions": mentions }));
    let quiet = body(&Outgoing { silent: true, link_preview: false, ..piece(words("hi")) }).unwrap();
    assert_eq!(quiet["flags"], json!(4096 | 4));
    assert!(body(&piece(words("  "))).is_err());
}

#[test]
fn buttons_stand_in_rows() {
    let button = |data: &str| Button { text: "x".repeat(100), data: data.to_owned() };
    let with = |buttons: Vec<Vec<Button>>| body(&Outgoing { buttons, ..piece(words("hi")) });
    let rows = with(vec![vec![button("a"), button("b")]]).unwrap();
    assert_eq!(rows["components"][0]["components"][1]["custom_id"], "b");
    assert_eq!(rows["components"][0]["components"][0]["label"], "x".repeat(80));
    assert!(with(vec![vec![button("a")]; 6]).is_err());
}

#[test]
fn words_with_buttons_stand_in_a_box_of_the_colour_that_is_chosen() {
    let mut asked = piece(words("May I?"));
    let plain = body(&asked).unwrap();
    assert_eq!(boxed(plain.clone(), Some(0x58_65F2)), plain, "words alone need no box");
    asked.buttons = vec![vec![Button { text: "Yes".to_owned(), data: "y".to_owned() }]];
    asked.link_preview = false;
    let with_buttons = body(&asked).unwrap();
    assert_eq!(boxed(with_buttons.clone(), None), with_buttons);
    let made = Value::Object(boxed(with_buttons.clone(), Some(0x58_65F2)));
    let inside = json!([{ "type": 10, "content": "May I?" }, with_buttons["components"][0]]);
    let expected = json!([{ "type": 17, "accent_color": 0x58_65F2, "components": inside }]);
    assert_eq!(
        (&made["components"], &made["flags"], made.get("content")),
        (&expected, &json!(1 << 15), None)
    );
}

#[test]
fn polls_keep_to_the_platforms_limits() {
    let poll = |seconds: Option<u64>, option: &str| {
        body(&piece(PiecePayload::Poll(Poll {
            question: "Q?".to_owned(),
            options: vec![option.to_owned(), "b".to_owned()],
            most: 2,
            seconds,
            anonymous: None,
        })))
    };
    let hours = |seconds: Option<u64>| poll(seconds, "a").unwrap()["poll"]["duration"].clone();
    assert_eq!([hours(None), hours(Some(1)), hours(Some(99_999_999))], [json!(24), json!(1), json!(768)]);
    assert_eq!(poll(None, "a").unwrap()["poll"]["allow_multiselect"], true);
    assert!(poll(None, &"a".repeat(56)).is_err());
}

#[test]
fn what_tells_pieces_apart_is_short_and_stays_the_same() {
    assert_eq!(nonce("k/1"), nonce("k/1"));
    assert_ne!(nonce("k/1"), nonce("k/2"));
    assert_eq!(nonce("k/1").len(), 24);
}

/// A page of an Ogg file.
fn page(time: u64, packets: &[&[u8]]) -> Vec<u8> {
    let mut page = b"OggS\0\0".to_vec();
    page.extend(time.to_le_bytes());
    page.extend([0; 12]);
    page.push(u8::try_from(packets.len()).unwrap());
    page.extend(packets.iter().map(|packet| u8::try_from(packet.len()).unwrap()));
    packets.iter().for_each(|packet| page.extend_from_slice(packet));
    page
}

#[test]
fn a_recording_shows_how_long_and_how_loud() {
    let mut file = page(0, &[b"OpusHead"]);
    file.extend(page(0, &[b"OpusTags"]));
    file.extend(page(96_000, &[&[0; 10], &[0; 100]]));
    assert_eq!(wave(&file), Some(Wave { seconds: 2.0, bars: "Gf8=".to_owned() }));
    assert_eq!(wave(b"no recording"), None);
    assert_eq!(wave(&file[..file.len() - 1]), None);
}

#[tokio::test]
async fn an_answer_has_its_place_for_a_while() {
    let clock = Arc::new(SimClock::new());
    let answers =
        Answers::new(Arc::new(MemoryStateStore::default()), "n".to_owned(), Arc::clone(&clock) as _);
    answers.open("1", "token", true).await.unwrap();
    let turn = async |key: &str| answers.claim("1", key).await.unwrap().map(|(_, turn)| turn);
    assert_eq!(turn("a").await, Some(Turn::First));
    assert_eq!(turn("b").await, Some(Turn::Later));
    assert_eq!(turn("a").await, Some(Turn::First));
    clock.advance(Duration::from_secs(15 * 60)).await;
    assert_eq!(turn("a").await, None);
    answers.open("2", "other", false).await.unwrap();
    assert!(answers.find("2").await.unwrap().is_some() && answers.find("1").await.unwrap().is_none());
}
