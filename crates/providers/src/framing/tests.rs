//! Frames come out the same however the bytes are cut.

use proptest::prelude::*;

use super::{LineSplitter, SseEvent, SseSplitter};

type Event = (Option<String>, String);

fn events(pieces: &[&[u8]]) -> Vec<Event> {
    let owned = |event: SseEvent<'_>| (event.name.map(str::to_owned), event.data.to_owned());
    let mut splitter = SseSplitter::default();
    let mut found = Vec::new();
    for piece in pieces {
        splitter.push(piece, |event| found.push(owned(event))).unwrap();
    }
    found.extend(splitter.finish().map(owned));
    found
}

fn event(name: Option<&str>, data: &str) -> Event {
    (name.map(str::to_owned), data.to_owned())
}

#[test]
fn events_have_a_name_and_joined_data_and_comments_are_passed_over() {
    let text = "\u{feff}: hello\nevent: one\ndata: a\ndata:b\nid: 7\n\ndata: {\"x\":1}\r\n\r\nevent: no-data\n\ndata: last";
    let expected = [event(Some("one"), "a\nb"), event(None, "{\"x\":1}"), event(None, "last")];
    assert_eq!(events(&[text.as_bytes()]), expected);
}

#[test]
fn lines_end_in_either_way_and_the_last_one_needs_no_end() {
    let mut splitter = LineSplitter::default();
    let mut lines = Vec::new();
    for piece in ["a\r", "\nb\n\nc", "d"] {
        splitter
            .push(piece.as_bytes(), |line| lines.push(String::from_utf8_lossy(line).into_owned()))
            .unwrap();
    }
    assert_eq!(lines, ["a", "b", ""]);
    assert_eq!(splitter.finish(), Some(b"cd".to_vec()));
}

proptest! {
    #[test]
    fn cuts_do_not_matter(text in "(event: [a-z]{1,5}\n|data: [a-zé ]{0,12}\n|\n|: x\n){0,30}", cuts in prop::collection::vec(0usize..200, 0..8)) {
        let bytes = text.as_bytes();
        let mut places: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
        places.extend([0, bytes.len()]);
        places.sort_unstable();
        let pieces: Vec<&[u8]> = places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        prop_assert_eq!(events(&pieces), events(&[bytes]));
    }

    #[test]
    fn any_bytes_are_taken(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        events(&[&bytes]);
    }
}
