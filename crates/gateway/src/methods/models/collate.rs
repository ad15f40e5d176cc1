//! The order of names in lists, as web clients and the original sort them: signs before digits before letters, and
//! letters without regard to case unless nothing else tells two names apart.

use std::cmp::Ordering;

/// Signs in the order of the Unicode root collation, which the original's runtime follows.
const SIGNS: &str = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";

/// Compares two names.
pub(super) fn collate(one: &str, other: &str) -> Ordering {
    let ranks = |name: &str| name.chars().flat_map(char::to_lowercase).map(rank).collect::<Vec<_>>();
    // Lower case goes first where only the case differs, which is the opposite of the order of code points.
    ranks(one).cmp(&ranks(other)).then_with(|| other.cmp(one))
}

fn rank(letter: char) -> (u8, u32) {
    match SIGNS.chars().position(|sign| sign == letter) {
        Some(place) => (0, u32::try_from(place).unwrap_or(u32::MAX)),
        None if letter.is_ascii_digit() => (1, letter.into()),
        None => (2, letter.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::collate;

    #[test]
    fn names_stand_as_the_original_sorts_them() {
        let sorted = ["gpt-4", "GPT-4", "GPT-4 Turbo", "GPT-4.1", "GPT-4o", "GPT-5", "o3", "Qwen"];
        let mut names = sorted;
        names.reverse();
        names.sort_by(|one, other| collate(one, other));
        assert_eq!(names, sorted);
        let mut names = ["aa", "ab c", "b", "Ab", "ab-c", "a", "B", "A", "abc"];
        names.sort_by(|one, other| collate(one, other));
        assert_eq!(names, ["a", "A", "aa", "Ab", "ab c", "ab-c", "abc", "b", "B"]);
    }
}
