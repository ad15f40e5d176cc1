//! Which of the models that were found become fallbacks: the best, or those a person chooses.

use super::candidate::Candidate;
use crate::exit::misuse;
use crate::print;

/// The best: those that see pictures when there are any.
pub(super) fn best(able: &[Candidate], most: usize) -> Vec<String> {
    let seeing: Vec<Candidate> = able.iter().filter(|candidate| candidate.image.ok).cloned().collect();
    first(if seeing.is_empty() { able } else { &seeing }, most)
}

/// The first few.
pub(super) fn first(list: &[Candidate], most: usize) -> Vec<String> {
    list.iter().take(most).map(|candidate| candidate.model_ref.clone()).collect()
}

/// Lets a person choose by number; the proposal stands when they only press return.
pub(super) fn ask(title: &str, list: &[Candidate], proposed: Vec<String>) -> anyhow::Result<Vec<String>> {
    print::note(&print::heading(title))?;
    for (place, candidate) in list.iter().enumerate() {
        let mark = if proposed.contains(&candidate.model_ref) { print::good("*") } else { " ".to_owned() };
        print::note(&format!("{mark} {:>3}  {}", place + 1, candidate.model_ref))?;
    }
    match print::read_text("Numbers in the order to try them, or return for those with a star:")? {
        None => Ok(proposed),
        Some(answer) => chosen(&answer, list),
    }
}

fn chosen(answer: &str, list: &[Candidate]) -> anyhow::Result<Vec<String>> {
    let words = answer.split([',', ' ']).filter(|word| !word.is_empty());
    let mut picked: Vec<String> = Vec::new();
    for word in words {
        let number: Option<usize> = word.parse().ok();
        let found = number.and_then(|number| list.get(number.checked_sub(1)?));
        let Some(candidate) = found else {
            return Err(misuse(format!("{word} is no number of the list; nothing was changed")));
        };
        if !picked.contains(&candidate.model_ref) {
            picked.push(candidate.model_ref.clone());
        }
    }
    Ok(picked)
}
