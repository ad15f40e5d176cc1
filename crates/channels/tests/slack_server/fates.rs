//! What becomes of messages whose answers are lost, that are tried again, or that are changed later.

use openclaw_ports::channel::{ChannelError, Landed, Sent};
use openclaw_testkit::SlackFake;
use openclaw_types::{
    Button, InboundKind, MediaFile, MediaKind, MessageId, Outgoing, PiecePayload, RichText, UnixMillis,
};
use serde_json::{Value, json};

use super::writing::{InThread, in_its_thread, metadata};
use super::{connect, connect_with, file, piece, target, within};

fn buttons(data: &str) -> Vec<Vec<Button>> {
    vec![vec![Button { text: "Yes".into(), data: data.into() }]]
}

fn is_unclear(error: &ChannelError) -> bool {
    matches!(error, ChannelError::Unreachable { landed: Landed::Maybe, .. })
}

#[tokio::test]
async fn a_stream_that_became_a_message_is_not_taken_back_though_the_answer_was_lost() {
    let InThread { fake, ours, here, .. } = InThread::start().await;
    let draft = ours.surface.draft.as_ref().unwrap();
    let send = ours.surface.send.as_ref().unwrap();
    for (round, is_looked_for) in [(1, true), (2, false)] {
        within(draft.draft(&here, round, &RichText::plain("so far "))).await.unwrap();
        fake.lose_answer("chat.stopStream");
        let whole = in_its_thread(&format!("k/{round}"), "so far and on");
        let error = ours.send(&whole).await.unwrap_err();
        assert!(is_unclear(&error), "{error:?}");
        if is_looked_for {
            let found = within(send.find(&whole, UnixMillis(0))).await.unwrap();
            assert!(matches!(found, Sent::Yes(_)), "{found:?}");
        }
        within(draft.withdraw(&here)).await.unwrap();
    }
    assert_eq!(fake.calls("chat.delete"), []);
    assert_eq!(fake.messages("C0ROOM").len(), 2);
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn a_stream_is_found_only_once_it_is_whole() {
    let InThread { fake, ours, here, .. } = InThread::start().await;
    let draft = ours.surface.draft.as_ref().unwrap();
    let send = ours.surface.send.as_ref().unwrap();
    within(draft.draft(&here, 1, &RichText::plain("wrong words "))).await.unwrap();
    fake.refuse("chat.update", "internal_error");
    let right = in_its_thread("k/1", "right words");
    let error = ours.send(&right).await.unwrap_err();
    assert!(is_unclear(&error), "{error:?}");
    assert_eq!(within(send.find(&right, UnixMillis(0))).await.unwrap(), Sent::No);
    // The stream has ended; the words are put into its message all the same.
    ours.send(&right).await.unwrap();
    let shown = fake.messages("C0ROOM");
    assert_eq!(shown.len(), 1);
    assert_eq!((&shown[0]["text"], &shown[0]["metadata"]), (&json!("right words"), &metadata("k/1")));
    assert_eq!(
        fake.calls("chat.update")[0].arguments["blocks"],
        "[]",
        "Slack made blocks of what was streamed"
    );
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn a_stream_whose_piece_waits_when_the_line_ends_leaves_no_half_answer() {
    let InThread { fake, state, ours, here } = InThread::start().await;
    let draft = ours.surface.draft.as_ref().unwrap();
    // Slack surely did not take the first; the second may have arrived.
    within(draft.draft(&here, 1, &RichText::plain("first "))).await.unwrap();
    fake.rate_limit("chat.stopStream", 7);
    let first = in_its_thread("k/1", "first answer");
    assert!(matches!(ours.send(&first).await, Err(ChannelError::RateLimited { .. })));
    ours.context.tasks.cancel();
    let ours = connect_with(&fake, json!({}), state.clone()).await.unwrap();
    assert_eq!(fake.messages("C0ROOM"), [] as [Value; 0]);
    ours.send(&first).await.unwrap();
    let draft = ours.surface.draft.as_ref().unwrap();
    within(draft.draft(&here, 2, &RichText::plain("second "))).await.unwrap();
    fake.refuse("chat.stopStream", "internal_error");
    let second = in_its_thread("k/2", "second answer");
    let error = ours.send(&second).await.unwrap_err();
    assert!(is_unclear(&error), "{error:?}");
    ours.context.tasks.cancel();
    let ours = connect_with(&fake, json!({}), state).await.unwrap();
    ours.send(&second).await.unwrap();
    let keys: Vec<Value> =
        fake.messages("C0ROOM").iter().map(|each| each["metadata"]["event_payload"]["key"].clone()).collect();
    assert_eq!(keys, [json!("k/1"), json!("k/2")]);
    assert_eq!(fake.messages("C0ROOM")[1]["text"], json!("second answer"));
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn an_edit_takes_the_blocks_away_that_show_the_old_words() {
    let fake = SlackFake::start().await;
    let ours = connect(&fake, json!({})).await.unwrap();
    let asking = Outgoing { buttons: buttons("yes"), ..piece("k/1", "channel:C0ROOM", "May I?") };
    let ts = ours.send(&asking).await.unwrap();
    assert_eq!(fake.messages("C0ROOM")[0]["blocks"][0]["text"]["text"], json!("May I?"));
    let edit = ours.surface.edit.as_ref().unwrap();
    let (here, message) = (target("channel:C0ROOM", None), MessageId::new(&ts).unwrap());
    within(edit.edit(&here, &message, &RichText::plain("Thanks"))).await.unwrap();
    let said = &fake.messages("C0ROOM")[0];
    assert_eq!((&said["text"], &said["blocks"]), (&json!("Thanks"), &Value::Null));
}

#[tokio::test]
async fn buttons_follow_a_file_and_the_file_comes_once() {
    let fake = SlackFake::start().await;
    let ours = connect(&fake, json!({})).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "cat.txt", b"meow").to_string_lossy().into_owned();
    let mut sent = Outgoing { buttons: buttons("yes"), ..piece("k/1", "channel:C0ROOM", "") };
    sent.payload = PiecePayload::Media {
        file: MediaFile { path, name: "cat.txt".into(), media_type: "text/plain".into() },
        kind: MediaKind::Document,
        caption: RichText::plain("a cat?"),
    };
    let send = ours.surface.send.as_ref().unwrap();
    assert_eq!(within(send.find(&sent, UnixMillis(0))).await.unwrap(), Sent::Unknown);
    fake.refuse("chat.postMessage", "internal_error");
    assert!(ours.send(&sent).await.is_err());
    assert_eq!(within(send.find(&sent, UnixMillis(0))).await.unwrap(), Sent::No);
    let ts = ours.send(&sent).await.unwrap();
    let said = fake.messages("C0ROOM");
    assert_eq!(said.len(), 2);
    assert_eq!((&said[0]["text"], &said[0]["files"][0]["id"]), (&json!(""), &json!("F0FILE1")));
    assert_eq!((&said[1]["ts"], &said[1]["text"]), (&json!(ts), &json!("a cat?")));
    assert_eq!(said[1]["blocks"][1]["elements"][0]["value"], json!("yes"));
}

#[tokio::test]
async fn what_a_button_carries_comes_back_whole_however_long_it_is() {
    let fake = SlackFake::start().await;
    let mut ours = connect(&fake, json!({})).await.unwrap();
    let (mut heard, _ended) = ours.listen(0);
    let data = "d".repeat(3_000);
    let asking = Outgoing { buttons: buttons(&data), ..piece("k/1", "channel:C0ROOM", "May I?") };
    let ts = ours.send(&asking).await.unwrap();
    let value = fake.messages("C0ROOM")[0]["blocks"][1]["elements"][0]["value"].clone();
    assert!(value.as_str().is_some_and(|value| value.len() <= 2_000), "{value}");
    let press = json!({
        "type": "block_actions", "team": { "id": "T0FAKE" }, "user": { "id": "U0ANA" }, "channel": { "id": "C0ROOM" },
        "container": { "message_ts": ts }, "actions": [{ "type": "button", "value": value, "action_ts": "2.2" }],
    });
    fake.send("interactive", press).await;
    let event = within(heard.recv()).await.unwrap();
    let InboundKind::Press(press) = event.kind else { panic!("it is a press") };
    assert_eq!(press.data, data);
    ours.context.tasks.cancel();
}
