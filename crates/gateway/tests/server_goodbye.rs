//! A client that says goodbye is answered, so that its own close is a clean one.

mod support;

use futures_util::{SinkExt, StreamExt};
use support::TestGateway;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

#[tokio::test]
async fn a_goodbye_is_answered_with_its_own_code() {
    let gateway = TestGateway::new().await;
    let (mut socket, _) = connect_async(format!("ws://{}/", gateway.address())).await.unwrap();
    assert!(socket.next().await.unwrap().unwrap().is_text());
    let goodbye = CloseFrame { code: CloseCode::Normal, reason: "done".into() };
    socket.send(Message::Close(Some(goodbye))).await.unwrap();
    let answer = socket.next().await.unwrap().unwrap();
    let Message::Close(Some(frame)) = answer else { panic!("not a goodbye: {answer:?}") };
    assert_eq!(frame.code, CloseCode::Normal);
}
