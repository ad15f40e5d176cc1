//! What is proven of events that come over HTTP.

use openclaw_ports::channel::WebhookRequest;

use super::ChannelProof;
use super::live::{Ground, Picky, within};

/// A request is taken only with its proof of origin, and answered well only when its events are kept.
pub async fn requests_are_checked_and_answered_when_kept(proof: &dyn ChannelProof) {
    let peer = within(proof.peer()).await;
    let Some((section, request)) = within(peer.request("over http")).await else { return };
    let ground = Ground::new(proof, peer.as_ref());
    let up = ground.connect(&section).await.expect("the account comes up");
    ground.knows_that_it_is_up(&up);
    assert!(up.surface.receive.is_none(), "there is one way in");
    let webhook = up.surface.webhook.clone().expect("it takes requests");
    assert!(webhook.path().starts_with('/') && webhook.path().len() > 1, "{}", webhook.path());
    assert!(webhook.limit() >= request.body.len(), "the platform's own requests fit");
    let good = |status: u16| (200..300).contains(&status);

    let bare = WebhookRequest { headers: Vec::new(), ..request.clone() };
    let (sink, mut offered) = Picky::new(0);
    if webhook.admits(&bare.headers) {
        let answer = within(webhook.handle(bare, sink.clone())).await;
        assert!((400..500).contains(&answer.status), "a request without proof of origin: {answer:?}");
    }
    assert!(offered.try_recv().is_err(), "nothing is taken from somebody else");

    assert!(webhook.admits(&request.headers), "the platform itself is let in");
    let (failing, _unkept) = Picky::new(1);
    let answer = within(webhook.handle(request.clone(), failing)).await;
    assert!(answer.status >= 500, "what was not kept is not acknowledged: {answer:?}");
    let answer = within(webhook.handle(request.clone(), sink.clone())).await;
    assert!(good(answer.status), "{answer:?}");
    let (first, _) = offered.try_recv().expect("it was kept before it was acknowledged");
    assert!(first.text.contains("over http"), "{}", first.text);
    let answer = within(webhook.handle(request.clone(), sink.clone())).await;
    assert!(good(answer.status), "{answer:?}");
    if let Ok((again, _)) = offered.try_recv() {
        assert_eq!(again.event, first.event, "it has the same id when it comes again");
    }
    for body in [&b""[..], b"{", b"[]", b"null", b"{\"a\":1}", &[0xff, 0xfe]] {
        let broken = WebhookRequest { body: body.to_vec(), ..request.clone() };
        let answer = within(webhook.handle(broken, sink.clone())).await;
        assert!(answer.status < 500, "nonsense is no fault of ours: {answer:?}");
    }
    up.tasks.cancel();
}
