//! Signs by the names Slack has for them. Pure.

/// The signs people and agents use for reactions, by Slack's names.
const NAMES: &[(&str, &str)] = &[
    ("👀", "eyes"),
    ("👍", "+1"),
    ("👎", "-1"),
    ("✅", "white_check_mark"),
    ("☑", "ballot_box_with_check"),
    ("✔", "heavy_check_mark"),
    ("❌", "x"),
    ("❤", "heart"),
    ("🎉", "tada"),
    ("🔥", "fire"),
    ("🙏", "pray"),
    ("👏", "clap"),
    ("🙌", "raised_hands"),
    ("💯", "100"),
    ("🚀", "rocket"),
    ("🤔", "thinking_face"),
    ("😀", "grinning"),
    ("😄", "smile"),
    ("😂", "joy"),
    ("🤣", "rolling_on_the_floor_laughing"),
    ("😊", "blush"),
    ("🙂", "slightly_smiling_face"),
    ("😉", "wink"),
    ("😍", "heart_eyes"),
    ("😎", "sunglasses"),
    ("😢", "cry"),
    ("😭", "sob"),
    ("😅", "sweat_smile"),
    ("😱", "scream"),
    ("😮", "open_mouth"),
    ("🤯", "exploding_head"),
    ("🤷", "shrug"),
    ("🤖", "robot_face"),
    ("🦞", "lobster"),
    ("🦀", "crab"),
    ("👋", "wave"),
    ("👌", "ok_hand"),
    ("✌", "v"),
    ("💪", "muscle"),
    ("🤝", "handshake"),
    ("🫡", "saluting_face"),
    ("⏳", "hourglass_flowing_sand"),
    ("⌛", "hourglass"),
    ("⏰", "alarm_clock"),
    ("⚠", "warning"),
    ("❓", "question"),
    ("❗", "exclamation"),
    ("💡", "bulb"),
    ("📌", "pushpin"),
    ("📝", "memo"),
    ("🔍", "mag"),
    ("🛑", "octagonal_sign"),
    ("⭐", "star"),
    ("🌟", "star2"),
    ("✨", "sparkles"),
    ("💔", "broken_heart"),
    ("🧠", "brain"),
    ("🛠", "hammer_and_wrench"),
    ("💬", "speech_balloon"),
    ("📎", "paperclip"),
    ("⚡", "zap"),
    ("👨‍💻", "male-technologist"),
    ("🥱", "yawning_face"),
    ("😨", "fearful"),
];

/// The name of a sign: `eyes` for `👀`, `:eyes:` and `eyes`. Nothing for a sign that has no name we know.
pub(in super::super) fn name(sign: &str) -> Option<String> {
    let bare = sign.trim().trim_matches(':').trim_end_matches('\u{fe0f}');
    if let Some((_, name)) = NAMES.iter().find(|(emoji, _)| *emoji == bare) {
        return Some((*name).to_owned());
    }
    let is_name = !bare.is_empty()
        && bare.len() <= 100
        && bare.chars().all(|letter| letter.is_alphanumeric() || "_-+':".contains(letter));
    is_name.then(|| bare.to_lowercase())
}
