//! Small text questions: which known name was meant.

/// The candidate a person most likely meant: at most one edit for every three characters away, ignoring case.
#[must_use]
pub fn closest<'a>(text: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = text.to_lowercase();
    let allowed = wanted.chars().count().div_ceil(3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&wanted, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= allowed && *distance < candidate.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}
