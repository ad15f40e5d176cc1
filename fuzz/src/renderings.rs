//! What a platform's markup promises: whatever words are written, a strict reader takes them.

use std::sync::LazyLock;

use openclaw_testkit::discord_fake::read_marks;
use openclaw_testkit::{read_codes, read_html, read_mrkdwn};
use openclaw_types::RichText;

/// How a platform writes, and how strictly it reads.
struct Platform {
    id: &'static str,
    format: fn(&RichText) -> String,
    reader: fn(&str, &RichText) -> Result<(), String>,
}

static PLATFORMS: LazyLock<Vec<Platform>> = LazyLock::new(|| {
    let descriptors = openclaw_channels::kinds().into_iter().map(|kind| kind.descriptor());
    descriptors.map(|it| Platform { id: it.id, format: it.format, reader: reader(it.id) }).collect()
});

/// Writes words as every platform does and reads them as strictly as it does.
///
/// # Panics
/// When a platform would reject its markup, or show other words.
pub fn check_renderings(words: &RichText) {
    for Platform { id, format, reader } in PLATFORMS.iter() {
        let markup = format(words);
        if let Err(reason) = reader(&markup, words) {
            panic!("{id}: {reason}\nin the markup {markup:?}\nof {words:?}");
        }
    }
}

/// A platform without a strict reader is a hole in the search.
fn reader(id: &str) -> fn(&str, &RichText) -> Result<(), String> {
    match id {
        "telegram" => |markup, words| {
            let (shown, _) = read_html(markup)?;
            let plain = |text: &str| text.chars().filter(|letter| !letter.is_control()).collect::<String>();
            match plain(&shown) == plain(words.text()) {
                true => Ok(()),
                false => Err(format!("it shows {shown:?}")),
            }
        },
        "discord" => |markup, _| read_marks(markup),
        "slack" => |markup, _| read_mrkdwn(markup),
        "irc" => |markup, _| read_codes(markup),
        other => panic!("nobody reads the markup of {other}"),
    }
}
