//! Close reasons and codes.

use crate::{Close, CloseCode, close_reason};

#[test]
fn a_reason_is_cut_to_120_bytes_between_characters() {
    let fits = "a".repeat(120);
    let too_long = "a".repeat(121);
    let wide = "é".repeat(61);
    let odd = format!("a{}", "é".repeat(60));
    let emoji = format!("{}{}", "a".repeat(118), "🦞");
    let cut = |text: &str| close_reason(text).len();
    assert_eq!(
        [cut(""), cut(&fits), cut(&too_long), cut(&wide), cut(&odd), cut(&emoji)],
        [0, 120, 120, 120, 119, 118]
    );
    assert_eq!(Close::because(CloseCode::Policy, &too_long).reason(), fits);
}

#[test]
fn every_code_is_found_by_its_number() {
    for number in [1000, 1002, 1008, 1009, 1011, 1012, 4000, 4001, 4008] {
        assert_eq!(CloseCode::from_number(number).map(CloseCode::number), Some(number));
    }
    assert_eq!(CloseCode::from_number(1006), None);
}
