//! Tells when the arguments of a call, streamed as JSON text, are whole.
//!
//! Each letter is looked at once, when it comes: parsing all the text again for each delta would take longer and
//! longer. Only brackets and quotes are followed; whether what stands between them is JSON shows when it is parsed.

#[cfg(test)]
mod tests;

/// Follows one JSON text.
#[derive(Debug, Default)]
pub(super) struct JsonEnd {
    depth: usize,
    place: Place,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before the first letter.
    #[default]
    Start,
    /// Between texts, inside brackets.
    Inside,
    /// In a text.
    Text,
    /// In a text, behind a backslash.
    Escape,
    /// Behind the last bracket or quote.
    End,
    /// Something stands behind the end, or never had brackets: this is not followed.
    Lost,
}

impl JsonEnd {
    /// Takes the next letters.
    pub(super) fn push(&mut self, text: &str) {
        for byte in text.bytes() {
            self.place = self.after(byte);
        }
    }

    /// Whether the text is whole.
    pub(super) fn is_reached(&self) -> bool {
        self.place == Place::End
    }

    fn after(&mut self, byte: u8) -> Place {
        match (self.place, byte) {
            (Place::Lost, _) => Place::Lost,
            (Place::Text, b'\\') => Place::Escape,
            (Place::Text, b'"') => self.closed(),
            (Place::Text | Place::Escape, _) => Place::Text,
            (place, b' ' | b'\t' | b'\r' | b'\n') => place,
            (Place::End, _) => Place::Lost,
            (Place::Start | Place::Inside, b'"') => Place::Text,
            (Place::Start | Place::Inside, b'{' | b'[') => {
                self.depth += 1;
                Place::Inside
            }
            (Place::Inside, b'}' | b']') => {
                self.depth -= 1;
                self.closed()
            }
            (Place::Inside, _) => Place::Inside,
            (Place::Start, _) => Place::Lost,
        }
    }

    fn closed(&self) -> Place {
        if self.depth == 0 { Place::End } else { Place::Inside }
    }
}
