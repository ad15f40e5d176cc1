//! Spans stay valid whatever they are made from.

use proptest::prelude::*;

use super::{DoorRules, LinkSpan, NamedRoom, RichText, RoomName, RoomRule, Style, StyleSpan};

fn span(start: usize, end: usize, style: Style) -> StyleSpan {
    StyleSpan { start, end, style }
}

#[test]
fn crossing_spans_are_cut_where_they_cross() {
    let rich = RichText::new("abcdef", vec![span(0, 4, Style::Bold), span(2, 6, Style::Italic)], Vec::new());
    assert_eq!(
        rich.styles(),
        [span(0, 4, Style::Bold), span(2, 4, Style::Italic), span(4, 6, Style::Italic)]
    );
}

#[test]
fn a_slice_keeps_what_lies_within() {
    let link = LinkSpan { start: 2, end: 6, address: "https://a.example".into() };
    let rich = RichText::new("äbcdef", vec![span(0, 7, Style::Bold)], vec![link]);
    let part = rich.slice(3, 7);
    assert_eq!(part.text(), "cdef");
    assert_eq!(part.styles(), [span(0, 4, Style::Bold)]);
    assert_eq!((part.links()[0].start, part.links()[0].end), (0, 3));
    assert_eq!(rich.utf16_offset(2), 1);
}

#[test]
fn a_quote_is_around_the_code_it_holds() {
    let code = Style::CodeBlock { language: None };
    let rich = RichText::new("ls", vec![span(0, 2, code.clone()), span(0, 2, Style::Quote)], Vec::new());
    assert_eq!(rich.styles(), [span(0, 2, Style::Quote), span(0, 2, code)]);
}

#[test]
fn very_many_spans_are_no_burden() {
    let many: Vec<StyleSpan> = (0..100_000).map(|at| span(at * 2, at * 2 + 1, Style::Bold)).collect();
    let rich = RichText::new("a ".repeat(100_000), many.clone(), Vec::new());
    assert_eq!(rich.styles(), many);
}

#[test]
fn rooms_that_are_listed_by_name_are_those_that_bore_it_when_the_line_came_up() {
    let rule = |room: RoomName, children| RoomRule { room, children, ..RoomRule::default() };
    let named = |name: &str| RoomName::Name(name.to_owned());
    let id = |id: &str| RoomName::Id(id.to_owned());
    let written = DoorRules {
        rooms: vec![
            rule(named("friends"), vec![rule(named("general"), vec![]), rule(id("7"), vec![])]),
            rule(id("2"), vec![rule(named("general"), vec![])]),
            rule(RoomName::Any, vec![]),
        ],
        group_dm_rooms: vec![named("lunch")],
        ..DoorRules::default()
    };
    let bore = |within: Option<RoomName>, name: &str, id: &str| NamedRoom {
        within,
        name: name.to_owned(),
        id: id.to_owned(),
    };
    let known = [bore(None, "friends", "1"), bore(Some(named("friends")), "general", "11")];
    let pinned = written.pinned(&known);
    let nowhere = id("");
    assert_eq!(
        (pinned.rooms, pinned.group_dm_rooms),
        (
            vec![
                rule(id("1"), vec![rule(id("11"), vec![]), rule(id("7"), vec![])]),
                rule(id("2"), vec![rule(nowhere.clone(), vec![])]),
                rule(RoomName::Any, vec![]),
            ],
            vec![nowhere],
        )
    );
    let counting = DoorRules { names_count: true, ..written };
    assert_eq!(counting.pinned(&known), counting);
}

fn style(number: u8) -> Style {
    match number % 4 {
        0 => Style::Bold,
        1 => Style::Italic,
        2 => Style::Code,
        _ => Style::Quote,
    }
}

proptest! {
    #[test]
    fn spans_are_within_the_text_and_never_cross(
        text in "[a-zäß🙂 ]{0,12}",
        raw in proptest::collection::vec((0usize..40, 0usize..40, any::<u8>()), 0..8),
    ) {
        let styles = raw.iter().map(|(start, end, kind)| span(*start, *end, style(*kind))).collect();
        let links = raw
            .iter()
            .map(|(start, end, _)| LinkSpan { start: *start, end: *end, address: "x".into() })
            .collect();
        let rich = RichText::new(text, styles, links);
        for one in rich.styles() {
            prop_assert!(one.start < one.end && rich.text().get(one.start..one.end).is_some());
            for other in rich.styles() {
                let crosses = one.start < other.start && other.start < one.end && one.end < other.end;
                prop_assert!(!crosses, "{one:?} crosses {other:?}");
            }
        }
        for pair in rich.links().windows(2) {
            prop_assert!(pair[0].end <= pair[1].start);
        }
    }
}
