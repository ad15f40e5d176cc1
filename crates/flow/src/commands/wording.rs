//! Numbers, money and time in words for people. Pure.

use std::time::Duration;

use openclaw_types::Money;

/// A number of tokens: `950`, `1.2k`, `12k`, `1.5m`.
#[expect(clippy::cast_precision_loss, reason = "shown with three digits at most")]
pub(super) fn tokens(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..10_000 => trimmed(count as f64 / 1_000.0, "k"),
        10_000..1_000_000 => format!("{}k", (count + 500) / 1_000),
        _ => trimmed(count as f64 / 1_000_000.0, "m"),
    }
}

fn trimmed(number: f64, unit: &str) -> String {
    let text = format!("{number:.1}");
    format!("{}{unit}", text.strip_suffix(".0").unwrap_or(&text))
}

/// An amount: cents for what is larger, four places for what is small.
pub(super) fn money(amount: Money) -> String {
    let dollars = amount.dollars();
    if dollars >= 1.0 || dollars == 0.0 { format!("${dollars:.2}") } else { format!("${dollars:.4}") }
}

/// How much of something is used: `6%`.
pub(super) fn percent(part: u64, whole: u64) -> String {
    match u128::from(part).saturating_mul(100).checked_div(u128::from(whole)) {
        Some(share) => format!("{share}%"),
        None => "?%".to_owned(),
    }
}

/// How long ago something was: `just now`, `5 min ago`.
pub(super) fn ago(since: Duration) -> String {
    match since.as_secs() {
        0..60 => "just now".to_owned(),
        seconds @ 60..3_600 => format!("{} min ago", seconds / 60),
        seconds @ 3_600..172_800 => format!("{} h ago", seconds / 3_600),
        seconds => format!("{} days ago", seconds / 86_400),
    }
}

/// A stretch of time: `500ms`, `2s`, `3 min`.
pub(super) fn span(time: Duration) -> String {
    match time.as_millis() {
        millis if millis < 1_000 || millis % 1_000 != 0 && millis < 60_000 => format!("{millis}ms"),
        millis if millis < 120_000 => format!("{}s", millis / 1_000),
        millis if millis < 7_200_000 => format!("{} min", millis / 60_000),
        millis => format!("{} h", millis / 3_600_000),
    }
}

/// A text that is cut when it is long; says so.
pub(super) fn capped(text: &str, letters: usize) -> String {
    match text.char_indices().nth(letters) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}\n… (cut; {} more characters)", &text[..at], text[at..].chars().count()),
    }
}

/// Text in a fence that it cannot leave.
pub(super) fn fenced(kind: &str, text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{kind}\n{}\n{fence}", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let shown: Vec<String> =
            [0, 950, 1_000, 1_250, 9_960, 12_499, 200_000, 1_500_000].map(tokens).to_vec();
        assert_eq!(shown, ["0", "950", "1k", "1.2k", "10k", "12k", "200k", "1.5m"]);
    }

    #[test]
    fn small_amounts_keep_their_digits() {
        let shown: Vec<String> =
            [0.0, 0.0123, 2.5].map(|dollars| money(Money::from_dollars(dollars))).to_vec();
        assert_eq!(shown, ["$0.00", "$0.0123", "$2.50"]);
    }

    #[test]
    fn shares_and_times_are_whole() {
        assert_eq!([percent(12, 200), percent(1, 0)], ["6%", "?%"]);
        let times = [5, 61, 7_300, 400_000].map(|seconds| ago(Duration::from_secs(seconds)));
        assert_eq!(times, ["just now", "1 min ago", "2 h ago", "4 days ago"]);
        let spans = [500, 1_500, 2_000, 180_000].map(|millis| span(Duration::from_millis(millis)));
        assert_eq!(spans, ["500ms", "1500ms", "2s", "3 min"]);
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        assert_eq!(fenced("json", "{}"), "```json\n{}\n```");
        assert_eq!(fenced("", "a ``` b"), "````\na ``` b\n````");
    }

    #[test]
    fn long_text_is_cut_between_letters() {
        assert_eq!(capped("äöü", 2), "äö\n… (cut; 1 more characters)");
        assert_eq!(capped("äöü", 3), "äöü");
    }
}
