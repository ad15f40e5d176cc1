//! Servers' words and headers, and what they come to.

use std::collections::BTreeMap;
use std::time::Duration;

use openclaw_ports::model::{FaultReason, ModelFault};
use openclaw_types::{Content, Image, ImageData, StopReason, Text};

use super::{
    GrowingAnswer, Seed, WholeCall, clean, clean_bytes, http_fault, is_half, media_type, reason_of_status,
    reason_of_words, retry_after,
};

fn headers(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn words_of_servers_become_one_short_line() {
    assert_eq!(clean(" two\r\n lines\u{7}\u{1b}[31m "), "two lines [31m");
    let long = clean(&"é ".repeat(400));
    assert_eq!((long.chars().count(), long.ends_with('…')), (300, true));
    assert_eq!(clean_bytes(b"ok \xff"), "ok \u{fffd}");
    assert_eq!(clean_bytes(&"é".repeat(2000).into_bytes()).chars().count(), 300);
}

#[test]
fn tokens_are_masked_wherever_a_server_repeats_them() {
    for (said, shown) in [
        ("Incorrect API key provided: sk-proj-abcdef123456.", "Incorrect API key provided: [hidden]"),
        ("key \"AIzaSyA1234567890\" is bad", "key \"[hidden]\" is bad"),
        ("key=gsk_1234567890abc, sorry", "key=[hidden], sorry"),
        ("sk-abcdef123456,sk-abcdef654321;x", "[hidden],[hidden];x"),
        ("risk-free:sk-abcdef123456", "risk-free:[hidden]"),
        ("model task-sk-runner-2000 and sk-1", "model task-sk-runner-2000 and sk-1"),
    ] {
        assert_eq!(clean(said), shown);
    }
}

#[test]
fn statuses_have_reasons() {
    for (statuses, reason) in [
        (vec![401, 403], FaultReason::Auth),
        (vec![402], FaultReason::Billing),
        (vec![404], FaultReason::ModelNotFound),
        (vec![408, 504], FaultReason::Timeout),
        (vec![413], FaultReason::ContextOverflow),
        (vec![429], FaultReason::RateLimit),
        (vec![400, 409, 422], FaultReason::Format),
        (vec![500, 502, 503, 529], FaultReason::Overloaded),
        (vec![302, 99], FaultReason::Unknown),
    ] {
        for status in statuses {
            assert_eq!(reason_of_status(status), reason, "{status}");
        }
    }
}

#[test]
fn well_known_phrases_have_reasons() {
    for (words, reason) in [
        ("This model's maximum context length is 8192 tokens", Some(FaultReason::ContextOverflow)),
        ("Your credit balance is too low", Some(FaultReason::Billing)),
        ("You exceeded your current quota, check your plan and billing details", Some(FaultReason::Billing)),
        ("Rate limit reached for gpt", Some(FaultReason::RateLimit)),
        ("Overloaded", Some(FaultReason::Overloaded)),
        ("Incorrect API key provided", Some(FaultReason::Auth)),
        ("something else", None),
    ] {
        assert_eq!(reason_of_words(words), reason, "{words}");
    }
}

#[test]
fn the_wait_is_read_from_every_known_header() {
    let date = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
    for (given, wait) in [
        (vec![], None),
        (vec![("retry-after", "30")], Some(Duration::from_secs(30))),
        (vec![("retry-after", " 1.5 ")], Some(Duration::from_millis(1500))),
        (vec![("retry-after", "-1")], None),
        (vec![("retry-after", "NaN")], None),
        (vec![("retry-after", "1e300")], None),
        (vec![("retry-after", "99999999")], Some(Duration::from_secs(7 * 24 * 60 * 60))),
        (vec![("retry-after", "soon")], None),
        (vec![("retry-after-ms", "250"), ("retry-after", "1")], Some(Duration::from_millis(250))),
        (vec![date, ("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT")], Some(Duration::from_secs(30))),
        (vec![date, ("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT")], Some(Duration::ZERO)),
        (vec![("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT")], None),
        (vec![("x-ratelimit-reset-requests", "1h2m3.5s")], Some(Duration::from_millis(3_723_500))),
        (
            vec![("x-ratelimit-reset-requests", "120ms"), ("x-ratelimit-reset-tokens", "6m0s")],
            Some(Duration::from_millis(120)),
        ),
        (
            vec![
                ("x-ratelimit-remaining-requests", "12"),
                ("x-ratelimit-remaining-tokens", "0"),
                ("x-ratelimit-reset-requests", "120ms"),
                ("x-ratelimit-reset-tokens", "6m0s"),
            ],
            Some(Duration::from_secs(360)),
        ),
        (vec![date, ("x-ratelimit-reset", "1773000000")], Some(Duration::from_secs(7 * 24 * 60 * 60))),
        (vec![("x-ratelimit-reset", "1773000000000")], None),
        (
            vec![date, ("anthropic-ratelimit-tokens-reset", "1994-11-06T08:49:47Z")],
            Some(Duration::from_secs(10)),
        ),
    ] {
        assert_eq!(retry_after(&headers(&given)), wait, "{given:?}");
    }
}

#[test]
fn only_faults_that_pass_have_a_wait() {
    let given = headers(&[("retry-after", "3")]);
    assert_eq!(
        http_fault(FaultReason::RateLimit, 429, &given, " slow\ndown "),
        ModelFault {
            reason: FaultReason::RateLimit,
            message: "slow down".to_owned(),
            status: Some(429),
            retry_after: Some(Duration::from_secs(3)),
        }
    );
    assert_eq!(
        http_fault(FaultReason::Auth, 401, &given, ""),
        ModelFault {
            reason: FaultReason::Auth,
            message: "the server answered with status 401 and no explanation".to_owned(),
            status: Some(401),
            retry_after: None,
        }
    );
}

#[test]
fn two_proofs_make_two_pieces_and_an_empty_one_joins_what_came_before() {
    let mut answer = GrowingAnswer::default();
    let mut events = Vec::new();
    for (delta, proof) in
        [("a", None), ("", Some("p")), ("b", None), ("c", Some("q")), ("", None), ("", Some(""))]
    {
        answer.text(delta, proof.map(str::to_owned), &mut events).unwrap();
    }
    answer.close(&mut events);
    let piece = |text: &str, proof: &str| {
        Content::Text(Text { text: text.to_owned(), signature: Some(proof.to_owned()) })
    };
    assert_eq!(answer.take(), [piece("ab", "p"), piece("c", "q")]);
}

#[test]
fn thoughts_alone_are_an_answer_only_where_the_limit_cut_them() {
    let mut answer = GrowingAnswer::default();
    answer.thinking("hm", None, &mut Vec::new()).unwrap();
    assert_eq!([StopReason::Stop, StopReason::Length].map(|stop| answer.is_empty(&stop)), [true, false]);
    answer.text(" ", None, &mut Vec::new()).unwrap();
    assert!(answer.is_empty(&StopReason::Stop));
    answer.text("x", None, &mut Vec::new()).unwrap();
    assert!(!answer.is_empty(&StopReason::Stop));
}

#[test]
fn pictures_without_a_media_type_are_known_by_their_first_bytes() {
    for (known, data, expected) in [
        (Some("image/heic"), "/9j/", "image/heic"),
        (Some(" "), "/9j/4AAQ", "image/jpeg"),
        (None, "R0lGODlh", "image/gif"),
        (None, "UklGRhIA", "image/webp"),
        (None, "iVBORw0K", "image/png"),
    ] {
        let image = Image { media_type: known.map(str::to_owned), data: ImageData::Inline(data.to_owned()) };
        assert_eq!(media_type(&image), expected);
    }
}

#[test]
fn endless_words_of_a_server_are_cut_before_they_are_looked_at() {
    let shown = clean(&"sk-abcdef123456,".repeat(500_000));
    assert_eq!((shown.chars().count(), shown.starts_with("[hidden],[hidden],")), (300, true));
}

#[test]
fn half_a_value_is_told_from_nonsense() {
    for (bytes, half) in [
        (&b"{\"a\":"[..], true),
        (b"{\"a\":\"\xc3", true),
        (b"", true),
        (b"{\"a\":1}", false),
        (b"<html>", false),
        (b"{} {", false),
    ] {
        assert_eq!(is_half(bytes), half, "{bytes:?}");
    }
}

#[test]
fn endless_small_pieces_are_stopped() {
    let mut answer = GrowingAnswer::default();
    let mut events = Vec::new();
    let mut pieces = 0;
    let fault = loop {
        let grown =
            answer.text("a", None, &mut events).and_then(|()| answer.thinking("b", None, &mut events));
        match grown {
            Ok(()) => pieces += 2,
            Err(fault) => break fault,
        }
        events.clear();
    };
    assert_eq!(fault.reason, FaultReason::TooLarge);
    assert!(pieces < 200_000, "{pieces}");
}

#[test]
fn endless_pictures_are_stopped() {
    let mut answer = GrowingAnswer::default();
    let image = Image { media_type: None, data: ImageData::Inline("A".repeat(12 * 1024 * 1024)) };
    let mut taken =
        (0..4).map(|_| answer.image(image.clone(), &mut Vec::new()).map_err(|fault| fault.reason));
    assert_eq!(taken.next(), Some(Ok(())));
    assert_eq!(taken.next(), Some(Ok(())));
    assert_eq!(taken.next(), Some(Err(FaultReason::TooLarge)));
}

#[test]
fn proofs_of_calls_count() {
    let mut answer = GrowingAnswer::default();
    let seed = Seed::new("frame");
    let call = |length: usize| WholeCall {
        id: None,
        name: "read".to_owned(),
        arguments: None,
        signature: Some("A".repeat(length)),
        seed: &seed,
    };
    let mut events = Vec::new();
    assert_eq!(answer.call(call(5_000_000), &mut events), Ok(()));
    let fault = answer.call(call(5_000_000), &mut events).unwrap_err();
    assert_eq!(fault.reason, FaultReason::TooLarge);
}
