//! Files that stand next to each other become albums, as far as the platform takes them together.

use openclaw_types::{
    Button, MediaFile, MediaKind, Outgoing, PiecePayload, ReplyPlace, RichText, SendTarget,
};

use crate::{AlbumRules, with_albums};

const RULES: AlbumRules = AlbumRules { most: 3, family };

fn family(kind: MediaKind, media_type: &str) -> Option<&'static str> {
    match kind {
        MediaKind::Image if media_type != "image/gif" => Some("pictures"),
        MediaKind::Video => Some("pictures"),
        MediaKind::Document => Some("files"),
        _ => None,
    }
}

/// A piece by its first letter: a picture, a film, a document, a GIF, words. `+` gives it buttons, `>` an answer to a
/// message, and what stands behind `:` is below it.
fn piece(number: usize, short: &str) -> Outgoing {
    let (head, caption) = short.split_once(':').unwrap_or((short, ""));
    let (kind, media_type) = match &head[..1] {
        "p" => (MediaKind::Image, "image/png"),
        "f" => (MediaKind::Video, "video/mp4"),
        "g" => (MediaKind::Image, "image/gif"),
        _ => (MediaKind::Document, "text/plain"),
    };
    let name = number.to_string();
    let file = MediaFile { path: format!("/out/{name}"), name, media_type: media_type.to_owned() };
    let payload = match &head[..1] {
        "w" => PiecePayload::Text { text: RichText::plain("words") },
        _ => PiecePayload::Media { file, kind, caption: RichText::plain(caption) },
    };
    let button = Button { text: "Go".to_owned(), data: "go".to_owned() };
    Outgoing {
        key: format!("run/{number}"),
        target: SendTarget {
            channel: "telegram".parse().unwrap(),
            account: "default".parse().unwrap(),
            to: "42".to_owned(),
            thread: None,
        },
        payload,
        reply: head.contains('>').then(|| ReplyPlace { message: "7".parse().unwrap(), quote: None }),
        silent: false,
        link_preview: true,
        buttons: if head.contains('+') { vec![vec![button]] } else { Vec::new() },
    }
}

/// What becomes of pieces: the key, the files, the words and the reply of each.
fn joined(short: &str) -> Vec<String> {
    let pieces = short.split(' ').enumerate().map(|(number, short)| piece(number, short)).collect();
    let shown = |piece: Outgoing| {
        let files: Vec<&str> = piece.payload.files().iter().map(|file| file.name.as_str()).collect();
        let words = match &piece.payload {
            PiecePayload::Media { caption, .. } | PiecePayload::Album { caption, .. } => caption.text(),
            PiecePayload::Text { text } => text.text(),
            PiecePayload::Poll(_) | PiecePayload::Panel(_) => "",
        };
        let reply = if piece.reply.is_some() { ">" } else { "" };
        format!("{}[{}]{words}{reply}", piece.key, files.join(" "))
    };
    with_albums(pieces, &RULES).into_iter().map(shown).collect()
}

#[test]
fn files_that_go_together_are_one_piece_with_the_first_ones_words() {
    let rows: [(&str, &[&str]); 10] = [
        ("p:look", &["run/0[0]look"]),
        ("p:look f p", &["run/0[0 1 2]look"]),
        ("p p p p p", &["run/0[0 1 2]", "run/3[3 4]"]),
        ("p d d p", &["run/0[0]", "run/1[1 2]", "run/3[3]"]),
        ("p g p", &["run/0[0]", "run/1[1]", "run/2[2]"]),
        ("p p w", &["run/0[0 1]", "run/2[]words"]),
        ("p w p", &["run/0[0]", "run/1[]words", "run/2[2]"]),
        ("p p p+", &["run/0[0 1]", "run/2[2]"]),
        ("p> p p>", &["run/0[0 1 2]>"]),
        ("p p:other", &["run/0[0]", "run/1[1]other"]),
    ];
    for (pieces, expected) in rows {
        assert_eq!(joined(pieces), expected, "{pieces}");
    }
}
