//! Lines of a result within limits, and the note about those that were left out. Pure.

/// The most bytes a list has.
const MOST_BYTES: usize = 50 * 1024;

/// A list that grows to its limits and counts the rest.
#[derive(Debug)]
pub(super) struct CappedList {
    text: String,
    count: u64,
    limit: u64,
    left_out: u64,
    full: bool,
    notes: Vec<String>,
}

impl CappedList {
    /// An empty list that holds a limited number of entries.
    pub(super) fn new(limit: u64) -> Self {
        Self { text: String::new(), count: 0, limit, left_out: 0, full: false, notes: Vec::new() }
    }

    /// Adds an entry, which may have several lines, or counts it as left out.
    pub(super) fn add(&mut self, entry: &str) {
        if self.is_full() || self.text.len() + entry.len() + 1 > MOST_BYTES {
            self.full = self.full || self.count < self.limit;
            self.left_out += 1;
            return;
        }
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(entry);
        self.count += 1;
    }

    /// Whether nothing more fits.
    pub(super) fn is_full(&self) -> bool {
        self.full || self.count >= self.limit
    }

    /// Adds something to tell at the end.
    pub(super) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// The list for the model; `empty` when there is nothing, `what` names the entries.
    pub(super) fn told(mut self, empty: &str, what: &str) -> String {
        if self.left_out > 0 && self.full {
            self.notes
                .insert(0, format!("only {} KB are shown at once; narrow the search", MOST_BYTES / 1024));
        } else if self.left_out > 0 {
            let wider = self.limit.saturating_mul(2);
            self.notes.insert(0, format!("only {} {what} are shown; limit={wider} shows more", self.limit));
        }
        let text = if self.text.is_empty() { empty } else { &self.text };
        match self.notes.as_slice() {
            [] => text.to_owned(),
            notes => format!("{text}\n\n[Note: {}.]", notes.join("; ")),
        }
    }
}
