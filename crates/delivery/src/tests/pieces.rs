//! Answers become pieces: files first, words after, keys that stay the same, answers to the right message.

use openclaw_types::{
    Button, ChatKind, MediaFile, MediaKind, MessageId, Outgoing, PiecePayload, ReplyPlace, ReplyToMode,
    RichText, SendTarget, WritingRules,
};

use crate::{
    Destination, Files, Planned, Position, PrefixFacts, Replies, ReplyTo, Sound, TagsWhenOff, Videos, clean,
    left_out, plan, response_prefix, with_prefix,
};

fn target() -> SendTarget {
    SendTarget {
        channel: "telegram".parse().unwrap(),
        account: "default".parse().unwrap(),
        to: "42".to_owned(),
        thread: None,
    }
}

fn utf16(words: &RichText) -> usize {
    words.utf16_len()
}

fn message(id: &str) -> MessageId {
    id.parse().unwrap()
}

/// A piece in short: its key, what it is, and what it answers.
fn short(piece: &Planned) -> String {
    let words = |piece: &Outgoing| {
        let PiecePayload::Text { text } = &piece.payload else { return String::new() };
        text.text().to_owned()
    };
    let reply = |reply: &Option<ReplyPlace>| {
        reply.as_ref().map_or(String::new(), |reply| format!(" > {}", reply.message.as_str()))
    };
    match piece {
        Planned::Words(piece) => format!("{}: {}{}", piece.key, words(piece), reply(&piece.reply)),
        Planned::Media(media) => {
            format!("{}: [{}] {}", media.key(), media.source, media.caption.text())
        }
    }
}

struct Setting {
    manner: WritingRules,
    caption_most: usize,
    files: Files,
    mode: ReplyToMode,
}

impl Setting {
    fn new() -> Self {
        Self {
            manner: WritingRules::with_limit(20),
            caption_most: 10,
            files: Files::Sent,
            mode: ReplyToMode::Off,
        }
    }

    fn place<'a>(&'a self, target: &'a SendTarget) -> Destination<'a> {
        Destination {
            target,
            stem: "run",
            manner: &self.manner,
            measure: &utf16,
            caption_most: self.caption_most,
            files: self.files,
            prefix: None,
            sound: Sound::Usual,
            videos: Videos::Usual,
            buttons: Vec::new(),
        }
    }

    fn pieces(&self, answer: &str) -> Vec<String> {
        let mut replies = Replies::new(self.mode, TagsWhenOff::Kept, Some(message("7")));
        plan(&clean(answer), &self.place(&target()), &mut replies).iter().map(short).collect()
    }
}

#[test]
fn words_are_cut_into_pieces_with_keys_that_stay_the_same() {
    let setting = Setting::new();
    let expected = ["run/0: one two three four", "run/1: five six"];
    assert_eq!(setting.pieces("**one** two three four five six"), expected);
    assert_eq!(setting.pieces("**one** two three four five six"), expected);
    assert_eq!(setting.pieces("NO_REPLY"), [""; 0]);
    assert_eq!(setting.pieces(""), [""; 0]);
}

#[test]
fn files_go_first_and_take_the_words_along_when_they_fit() {
    let setting = Setting::new();
    assert_eq!(
        setting.pieces("short\nMEDIA:./a.png\nMEDIA:./b.png"),
        ["run/0: [./a.png] short", "run/1: [./b.png] "]
    );
    assert_eq!(
        setting.pieces("words that do not fit\nMEDIA:./a.png"),
        ["run/0: [./a.png] ", "run/1: words that do not", "run/2: fit"]
    );
    assert_eq!(setting.pieces("NO_REPLY\nMEDIA:./a.png"), ["run/0: [./a.png] "]);
}

#[test]
fn where_files_cannot_be_sent_their_addresses_are_words_and_people_hear_of_the_others() {
    let setting = Setting { files: Files::Named, ..Setting::new() };
    assert_eq!(
        setting.pieces("look\nMEDIA:https://a.example/x"),
        ["run/0: look", "run/1: https://a.example/x"]
    );
    let told = setting.pieces("MEDIA:./b.png").concat();
    assert!(told.contains("./b.png") && told.contains("was not"), "{told}");
    let media = ["https://a.example/x".to_owned(), "./b.png".to_owned()];
    let line = "⚠️ The file ./b.png was not attached: files cannot be sent here; put it where it has an address, or ask for it elsewhere.";
    assert_eq!(left_out(Files::Named, &media), [line]);
    assert_eq!(left_out(Files::Sent, &media), Vec::<String>::new());
}

#[test]
fn a_film_may_be_shown_as_a_picture_that_moves() {
    let setting = Setting::new();
    let place = target();
    let mut to = setting.place(&place);
    to.videos = Videos::Loops;
    let mut replies = Replies::new(ReplyToMode::Off, TagsWhenOff::Dropped, None);
    let mut planned = plan(&clean("MEDIA:./a.mp4"), &to, &mut replies);
    let Planned::Media(media) = planned.remove(0) else { panic!() };
    let file = MediaFile { path: "/a.mp4".into(), name: "a.mp4".into(), media_type: "video/mp4".into() };
    let PiecePayload::Media { kind, .. } = media.with_file(file, MediaKind::Video).payload else { panic!() };
    assert_eq!(kind, MediaKind::Animation);
}

#[test]
fn a_file_makes_its_piece_whole_or_leaves_its_words() {
    let setting = Setting::new();
    let target = target();
    let mut place = setting.place(&target);
    place.sound = Sound::Silent;
    place.buttons = vec![vec![Button { text: "Yes".to_owned(), data: "y".to_owned() }]];
    let mut replies = Replies::new(ReplyToMode::Off, TagsWhenOff::Kept, None);
    let planned = plan(&clean("[[audio_as_voice]] hi\nMEDIA:./a.mp3"), &place, &mut replies);
    let [Planned::Media(media)] = planned.as_slice() else { panic!("one file: {planned:?}") };
    let file = MediaFile { path: "/out/1".into(), name: "a.mp3".into(), media_type: "audio/mpeg".into() };
    let expected = Outgoing {
        key: "run/0".to_owned(),
        target: target.clone(),
        payload: PiecePayload::Media {
            file: file.clone(),
            kind: MediaKind::Voice,
            caption: RichText::plain("hi"),
        },
        reply: None,
        silent: true,
        link_preview: false,
        buttons: place.buttons.clone(),
    };
    assert_eq!(media.clone().with_file(file.clone(), MediaKind::Audio), expected);
    let document = media.clone().with_file(file, MediaKind::Document);
    assert!(matches!(document.payload, PiecePayload::Media { kind: MediaKind::Document, .. }));
    let told = media.clone().telling("It is gone.");
    let text = RichText::plain("hi\n\nIt is gone.");
    assert_eq!(told, Outgoing { payload: PiecePayload::Text { text }, ..expected });
}

#[test]
fn the_mode_says_how_many_pieces_show_what_they_answer() {
    let long = "one two three four five six";
    let tagged = "[[reply_to:99]] one two three four five six";
    let rows: [(ReplyToMode, &str, [&str; 2]); 6] = [
        (ReplyToMode::Off, long, ["", ""]),
        (ReplyToMode::First, long, [" > 7", ""]),
        (ReplyToMode::All, long, [" > 7", " > 7"]),
        (ReplyToMode::Off, tagged, [" > 99", ""]),
        (ReplyToMode::First, tagged, [" > 99", ""]),
        (ReplyToMode::All, tagged, [" > 99", " > 99"]),
    ];
    for (mode, answer, [first, second]) in rows {
        let setting = Setting { mode, ..Setting::new() };
        let expected = [format!("run/0: one two three four{first}"), format!("run/1: five six{second}")];
        assert_eq!(setting.pieces(answer), expected, "{mode:?} {answer}");
    }
}

#[test]
fn a_run_answers_once_in_first_mode_and_tags_can_be_dropped() {
    let current = ReplyTo::Current;
    let mut replies = Replies::new(ReplyToMode::First, TagsWhenOff::Kept, Some(message("7")))
        .quoting(Some("what?".to_owned()));
    let place = ReplyPlace { message: message("7"), quote: Some("what?".to_owned()) };
    assert_eq!(replies.next(None, Position::First), Some(place));
    assert_eq!(replies.next(Some(&current), Position::First), None);
    let mut dropped = Replies::new(ReplyToMode::Off, TagsWhenOff::Dropped, Some(message("7")));
    assert_eq!(dropped.next(Some(&current), Position::First), None);
    let mut nothing = Replies::new(ReplyToMode::All, TagsWhenOff::Kept, None);
    assert_eq!(nothing.next(Some(&current), Position::First), None);
}

#[test]
fn modes_differ_by_kind_of_conversation() {
    let manner =
        WritingRules { reply_to: vec![(ChatKind::Group, ReplyToMode::All)], ..WritingRules::with_limit(9) };
    assert_eq!(
        [ChatKind::Direct, ChatKind::Group].map(|kind| manner.reply_mode(kind)),
        [ReplyToMode::Off, ReplyToMode::All]
    );
}

#[test]
fn prefixes_name_the_model_and_the_agent() {
    let facts = PrefixFacts {
        provider: Some("anthropic".to_owned()),
        model: Some("claude-opus-4-6-20260205".to_owned()),
        thinking: Some("high".to_owned()),
        identity: Some("Molty".to_owned()),
    };
    let rows = [
        ("auto", Some("[Molty]")),
        ("[{model}]", Some("[claude-opus-4-6]")),
        ("{modelFull} {provider}", Some("anthropic/claude-opus-4-6-20260205 anthropic")),
        ("{think}/{thinkingLevel} {identity.name}{identityName}", Some("high/high MoltyMolty")),
        ("{nope} {model", Some("{nope} {model")),
        ("{{model}}", Some("{claude-opus-4-6}")),
        ("", None),
    ];
    for (template, expected) in rows {
        assert_eq!(response_prefix(Some(template), &facts).as_deref(), expected, "{template:?}");
    }
    assert_eq!(response_prefix(None, &facts), None);
    assert_eq!(response_prefix(Some("auto"), &PrefixFacts::default()), None);
    let unknown = response_prefix(Some("[{model}]"), &PrefixFacts::default());
    assert_eq!(unknown.as_deref(), Some("[{model}]"));
    let latest = PrefixFacts { model: Some("x/gpt-5-latest".to_owned()), ..PrefixFacts::default() };
    assert_eq!(response_prefix(Some("{model}"), &latest).as_deref(), Some("gpt-5"));
}

#[test]
fn a_prefix_stands_before_the_words_once_and_never_breaks_a_block() {
    let rows = [
        ("hi", "[M] hi"),
        ("[M] hi", "[M] hi"),
        ("", ""),
        ("```\nx\n```", "[M]\n\n```\nx\n```"),
        ("- a", "[M]\n\n- a"),
        ("1. a", "[M]\n\n1. a"),
        ("| a |", "[M]\n\n| a |"),
        ("**a**", "[M] **a**"),
    ];
    for (words, expected) in rows {
        assert_eq!(with_prefix(Some("[M]"), words), expected, "{words:?}");
    }
    assert_eq!(with_prefix(None, "hi"), "hi");
}
