//! What was said already, and what may be attached.

use openclaw_types::SendTarget;

use crate::{
    Contained, MediaRefusal, MediaRoots, MediaSource, SentText, clean, contained, media_source, repeats,
    without_repetition,
};

fn target(to: &str) -> SendTarget {
    SendTarget {
        channel: "slack".parse().unwrap(),
        account: "default".parse().unwrap(),
        to: to.to_owned(),
        thread: None,
    }
}

#[test]
fn words_repeat_when_one_holds_the_other() {
    let rows = [
        ("The report is ready", "the  report\nis READY ✅", true),
        ("The report is ready. Anything else?", "The report is ready", true),
        ("The report is ready", "The report is ready. Anything else?", true),
        (
            "The report is ready. Two of its tables could not be made: sales and costs",
            "The report is ready",
            false,
        ),
        ("Done", "Done", false),
        ("Something entirely different", "The report is ready", false),
        ("🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂", "🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂", false),
        ("", "The report is ready", false),
    ];
    for (words, said, expected) in rows {
        assert_eq!(repeats(words, [said]), expected, "{words:?} after {said:?}");
    }
}

#[test]
fn only_what_went_to_the_same_place_counts() {
    let said = |to: &str| SentText {
        target: target(to),
        text: "The report is ready".to_owned(),
        media: vec!["file:///w/report.pdf".to_owned()],
    };
    let answer = || clean("The report is ready\nMEDIA:/w/report.pdf\nMEDIA:/w/other.pdf");
    let mut left = answer();
    left.text.clear();
    left.marks.media = vec!["/w/other.pdf".to_owned()];
    assert_eq!(without_repetition(answer(), &[said("c1")], &target("c1")), Some(left));
    assert_eq!(without_repetition(answer(), &[said("c2")], &target("c1")), Some(answer()));
    let mut thread = target("c1");
    thread.thread = openclaw_types::ThreadId::new("7").ok();
    assert_eq!(without_repetition(answer(), &[said("c1")], &thread), Some(answer()), "a thread is a place");
    let sent = SentText { target: target("c1"), text: String::new(), media: vec!["./a.png".to_owned()] };
    assert_eq!(without_repetition(clean("MEDIA:a.png"), &[sent], &target("c1")), None);
    assert_eq!(without_repetition(clean("The report is ready!"), &[said("c1")], &target("c1")), None);
    let new = clean("Something new to say");
    assert_eq!(without_repetition(new.clone(), &[said("c1")], &target("c1")), Some(new));
}

#[test]
fn lines_name_addresses_and_files() {
    let file = |path: &str| Ok(MediaSource::File(path.to_owned()));
    let rows = [
        ("https://a.example/x.png", Ok(MediaSource::Address("https://a.example/x.png".to_owned()))),
        ("HTTP://a.example", Ok(MediaSource::Address("HTTP://a.example".to_owned()))),
        ("/w/a.png", file("/w/a.png")),
        ("file:///w/a%20b.png", file("/w/a b.png")),
        ("file://localhost/w/a.png", file("/w/a.png")),
        ("file:///w/100%.png", file("/w/100%.png")),
        ("./a.png", Ok(MediaSource::Relative("a.png".to_owned()))),
        ("out/a.png", Ok(MediaSource::Relative("out/a.png".to_owned()))),
        ("~/a.png", Ok(MediaSource::Home("a.png".to_owned()))),
        ("file://server/share/a.png", Err(MediaRefusal::Foreign)),
        ("C:\\a.png", Err(MediaRefusal::Foreign)),
        ("\\\\server\\a.png", Err(MediaRefusal::Foreign)),
        ("ftp://a.example/x", Err(MediaRefusal::Scheme)),
        ("data:image/png;base64,AA", Err(MediaRefusal::Scheme)),
        ("file:///w/a%00b", Err(MediaRefusal::Empty)),
        ("file:///w/%ff", Err(MediaRefusal::Empty)),
        ("  ", Err(MediaRefusal::Empty)),
        ("a\0b", Err(MediaRefusal::Empty)),
    ];
    for (text, expected) in rows {
        assert_eq!(media_source(text), expected, "{text:?}");
    }
}

#[test]
fn files_lie_in_an_allowed_folder_or_are_refused() {
    let allowed = ["/w/main", "/w/main/out/", "/tmp/openclaw", "/", "relative"].map(str::to_owned);
    let roots = MediaRoots { allowed: &allowed, workspace: "/w/main", home: "/home/ana" };
    let inside = |root: &str, below: &str| Ok(Contained { root: root.to_owned(), below: below.to_owned() });
    let rows = [
        ("/w/main/a.png", inside("/w/main", "a.png")),
        ("a/../b.png", inside("/w/main", "b.png")),
        ("out/a.png", inside("/w/main/out/", "a.png")),
        ("/w/main/out/../a.png", inside("/w/main", "a.png")),
        ("/tmp/openclaw//x/./y", inside("/tmp/openclaw", "x/y")),
        ("../../etc/passwd", Err(MediaRefusal::Outside)),
        ("/w/main2/a.png", Err(MediaRefusal::Outside)),
        ("/w/main", Err(MediaRefusal::Outside)),
        ("/w/main/../../../../etc/passwd", Err(MediaRefusal::Outside)),
        ("/etc/passwd", Err(MediaRefusal::Outside)),
        ("~/a.png", Err(MediaRefusal::Outside)),
        ("https://a.example", Err(MediaRefusal::Scheme)),
    ];
    for (text, expected) in rows {
        let source = media_source(text).unwrap();
        assert_eq!(contained(&source, &roots), expected, "{text:?}");
    }
}
