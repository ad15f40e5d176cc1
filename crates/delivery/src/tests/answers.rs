//! What people get of a model's words, whole and as they come.

use proptest::prelude::*;

use crate::*;

fn answer(text: &str) -> CleanAnswer {
    CleanAnswer { text: text.to_owned(), marks: Marks::default() }
}

fn silent() -> CleanAnswer {
    CleanAnswer { text: String::new(), marks: Marks { silent: true, ..Marks::default() } }
}

fn tagged(text: &str, reply_to: Option<ReplyTo>, voice: bool) -> CleanAnswer {
    let tags = Tags { reply_to, voice };
    CleanAnswer { text: text.to_owned(), marks: Marks { tags, ..Marks::default() } }
}

fn attached(text: &str, media: &[&str]) -> CleanAnswer {
    let media = media.iter().map(|source| (*source).to_owned()).collect();
    CleanAnswer { text: text.to_owned(), marks: Marks { media, ..Marks::default() } }
}

fn message(id: &str) -> Option<ReplyTo> {
    Some(ReplyTo::Message(id.to_owned()))
}

#[test]
fn silence_is_heard_however_it_is_decorated() {
    for text in [
        "NO_REPLY",
        " NO_REPLY\n",
        "**NO_REPLY**",
        "`NO_REPLY`",
        "NO_REPLY.",
        "\"NO_REPLY\"",
        "(no_reply) 🤐",
        "```\nNO_REPLY\n```",
        "<b>NO_REPLY</b>",
        "<p>\nNO_REPLY</p>&nbsp;",
        "NO\\_REPLY",
        "> *NO_REPLY*…",
        "- “NO_REPLY”",
        "NO_REPLY\n\nNO_REPLY",
        "[[reply_to_current]]",
    ] {
        let expected = match text.starts_with("[[") {
            true => tagged("", Some(ReplyTo::Current), false),
            false => silent(),
        };
        assert_eq!(clean(text), expected, "{text:?}");
        assert_eq!(is_silent(text), expected.marks.silent, "{text:?}");
    }
    let both = Marks {
        tags: Tags { reply_to: Some(ReplyTo::Current), voice: false },
        media: Vec::new(),
        silent: true,
    };
    assert_eq!(clean("[[reply_to_current]] NO_REPLY"), CleanAnswer { text: String::new(), marks: both });
}

#[test]
fn silence_inside_a_sentence_is_part_of_the_sentence() {
    for text in [
        "Answer NO_REPLY to say nothing.",
        "NO_REPLY means silence",
        "I said NO_REPLY",
        "No.",
        "NO",
        "NO_",
        "NO_REPLYING",
        "Write this:\n```\nNO_REPLY\n```",
        "- no\n- yes",
    ] {
        assert_eq!(clean(text), answer(text), "{text:?}");
        assert!(!is_silent(text), "{text:?}");
    }
}

#[test]
fn a_line_of_silence_beside_real_words_goes_and_the_words_stay() {
    for (text, expected) in [
        ("All done.\n\nNO_REPLY", "All done."),
        ("All done.\n**NO_REPLY**.", "All done."),
        ("NO_REPLY\nAll done.", "All done."),
        ("One\nNO_REPLY\nTwo", "One\nTwo"),
    ] {
        assert_eq!(clean(text), answer(expected), "{text:?}");
    }
}

#[test]
fn words_that_end_a_talk_between_sessions_are_not_for_people() {
    for text in ["REPLY_SKIP", "**REPLY_SKIP**", "announce_skip", "`ANNOUNCE_SKIP`."] {
        assert_eq!(clean(text), silent(), "{text:?}");
    }
    for text in ["Then say REPLY_SKIP.", "REPLY_SKIPPED", "ANNOUNCE"] {
        assert_eq!(clean(text), answer(text), "{text:?}");
    }
}

#[test]
fn other_silent_words_are_told_apart() {
    assert!(is_only(" **REPLY_SKIP** ", REPLY_SKIP));
    assert!(is_only("ANNOUNCE_SKIP", ANNOUNCE_SKIP));
    assert!(!is_only("ANNOUNCE_SKIP", REPLY_SKIP));
    assert!(!is_only("I will not REPLY_SKIP", REPLY_SKIP));
    assert!(!is_only("", REPLY_SKIP));
}

#[test]
fn tags_are_taken_out_and_remembered() {
    let rows = [
        ("[[reply_to_current]] Hello", tagged("Hello", Some(ReplyTo::Current), false)),
        ("[[ Reply_To_Current ]]\nHello", tagged("Hello", Some(ReplyTo::Current), false)),
        ("[[reply_to: 123 ]]Hello", tagged("Hello", message("123"), false)),
        ("Hello [[reply_to:a b]] there", tagged("Hello there", message("a b"), false)),
        ("Hello[[audio_as_voice]]there", tagged("Hello there", None, true)),
        ("Hello [[audio_as_voice]]", tagged("Hello", None, true)),
        ("[[reply_to:1]][[reply_to_current]]x", tagged("x", message("1"), false)),
        ("[[[audio_as_voice]]]", tagged("[ ]", None, true)),
        ("[[ [[audio_as_voice]]audio_as_voice]]", tagged("", None, true)),
        ("[[rep[[audio_as_voice]]ly_to_current]]", tagged("[[rep ly_to_current]]", None, true)),
        ("[[reply_to:]] x", answer("[[reply_to:]] x")),
        ("[[wiki]] and [one] and [[reply_to", answer("[[wiki]] and [one] and [[reply_to")),
        ("[[reply_to:one\ntwo]]", answer("[[reply_to:one\ntwo]]")),
        ("a\n  indented [x]\n", answer("a\n  indented [x]")),
    ];
    for (text, expected) in rows {
        assert_eq!(clean(text), expected, "{text:?}");
    }
    let long = format!("[[reply_to:{}]]", "x".repeat(300));
    assert_eq!(clean(&long), answer(&long));
}

#[test]
fn lines_of_media_are_attached() {
    let rows = [
        ("Here:\nMEDIA:/tmp/a.png", attached("Here:", &["/tmp/a.png"])),
        ("MEDIA: `./my pictures/a.png`\nDone", attached("Done", &["./my pictures/a.png"])),
        ("  MEDIA: https://x.test/a.jpg, ./b.png", attached("", &["https://x.test/a.jpg", "./b.png"])),
        ("MEDIA: file:///tmp/a.png", attached("", &["/tmp/a.png"])),
        ("MEDIA: a cat.png", attached("", &["a cat.png"])),
        ("MEDIA: is a word", answer("MEDIA: is a word")),
        ("MEDIA: javascript:alert(1)", answer("MEDIA: javascript:alert(1)")),
        ("See MEDIA:/tmp/a.png", answer("See MEDIA:/tmp/a.png")),
        ("```\nMEDIA:/tmp/a.png\n```", answer("```\nMEDIA:/tmp/a.png\n```")),
    ];
    for (text, expected) in rows {
        assert_eq!(clean(text), expected, "{text:?}");
    }
    let quiet = Marks { tags: Tags::default(), media: vec!["/a.png".to_owned()], silent: true };
    assert_eq!(clean("MEDIA:/a.png\nNO_REPLY"), CleanAnswer { text: String::new(), marks: quiet });
}

#[test]
fn nothing_of_a_mark_is_shown_before_it_is_known_to_be_none() {
    let mut live = LiveAnswer::new();
    let shown: Vec<String> =
        ["NO", "_REP", "ORT is ready [[re", "ply]] now", " "].iter().map(|words| live.push(words)).collect();
    assert_eq!(shown, ["", "", "NO_REPORT is ready", " [[reply]] now", ""]);
    assert_eq!(live.finish(), (String::new(), Marks::default()));
}

#[test]
fn parts_that_leave_early_know_what_was_said_before_them() {
    let mut live = LiveAnswer::new();
    assert_eq!(live.push("[[reply_to: 7]] Look:\nMEDIA:./a.png\nmore "), "Look:\nmore");
    assert_eq!(live.tags().reply_to, Some(ReplyTo::Message("7".to_owned())));
    assert_eq!(live.take_media(), ["./a.png"]);
    assert_eq!(live.push("words\nMEDIA:./b.png"), " words");
    assert_eq!(live.take_media(), [""; 0]);
    let (rest, marks) = live.finish();
    assert_eq!((rest.as_str(), marks.media), ("", vec!["./b.png".to_owned()]));
}

#[test]
fn the_word_of_a_heartbeat_is_taken_out_of_an_answer_at_its_ends_only() {
    let rows = [
        ("HEARTBEAT_OK", ""),
        ("**HEARTBEAT_OK**.", ""),
        ("<b>HEARTBEAT_OK</b>", ""),
        ("\"HEARTBEAT\\_OK\"", ""),
        ("HEARTBEAT_OK All is well", "All is well"),
        ("Good morning HEARTBEAT_OK!", "Good morning"),
        ("  Good morning", "  Good morning"),
        ("I would say HEARTBEAT_OK but the disk is full", "I would say HEARTBEAT_OK but the disk is full"),
        ("HEARTBEAT_OKAY", "HEARTBEAT_OKAY"),
    ];
    for (text, expected) in rows {
        assert_eq!(without_heartbeat(text.to_owned()), expected, "{text:?}");
    }
}

/// Texts made of pieces that matter, so that chance finds their combinations.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "NO_REPLY",
        "NO",
        "_",
        "<b>",
        "</b>",
        "\\",
        "&nbsp;",
        "REPLY",
        "**",
        "`",
        "```",
        "\n",
        " ",
        ".",
        "word",
        "é",
        "[",
        "[[",
        "]",
        "]]",
        "reply_to_current",
        "reply_to",
        ":",
        "id",
        "audio_as_voice",
        "[[reply_to_current]]",
        "[[audio_as_voice]]",
        "MEDIA:",
        "/tmp/a.png",
        "~~~",
        "\t",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn words_cut_in_any_way_give_the_same_answer(text in texts(), cuts in prop::collection::vec(1usize..6, 1..40)) {
        let mut live = LiveAnswer::new();
        let mut shown = String::new();
        let characters: Vec<char> = text.chars().collect();
        let mut at = 0;
        for length in cuts.iter().cycle() {
            if at >= characters.len() {
                break;
            }
            let end = (at + length).min(characters.len());
            shown.push_str(&live.push(&characters[at..end].iter().collect::<String>()));
            at = end;
        }
        let (rest, marks) = live.finish();
        shown.push_str(&rest);
        prop_assert_eq!(CleanAnswer { text: shown, marks }, clean(&text));
    }

    #[test]
    fn cleaning_twice_changes_nothing(text in texts()) {
        let once = clean(&text).text;
        prop_assert_eq!(clean(&once), answer(&once));
    }

    #[test]
    fn no_text_is_too_strange_to_be_cleaned(text in any::<String>()) {
        let once = clean(&text).text;
        prop_assert_eq!(clean(&once).text, once);
    }
}

#[test]
fn the_beginning_of_a_word_for_silence_is_told_from_a_short_answer() {
    for (text, cut) in [
        ("NO", true),
        ("NO_REP", true),
        ("NO_REPLY", true),
        (" HEART\n", true),
        ("HEARTBEAT_", true),
        ("N", false),
        ("H", false),
        ("", false),
        ("No", false),
        ("no", false),
        ("NO.", false),
        ("NOT", false),
        ("NO, wait", false),
        ("REPLY", false),
    ] {
        assert_eq!(is_cut_silence(text), cut, "{text:?}");
    }
}
