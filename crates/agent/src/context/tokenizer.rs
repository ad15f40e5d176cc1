//! A real tokenizer: byte pair encoding with the vocabulary `o200k_base`.
//!
//! Made when somebody asks for an exact count and dropped afterwards; nothing is kept. It takes a few milliseconds and
//! three megabytes while it lives.

use super::pieces::pieces;

static VOCABULARY: &[u8] = include_bytes!("../../data/o200k_base.tokens");
const SLOTS: usize = 1 << 19;
const EMPTY: u32 = u32::MAX;
/// Longer pieces, which only nonsense has, are counted in parts: merging takes the square of the length.
const LONGEST_PIECE: usize = 512;

/// A tokenizer, ready to count.
pub(super) struct Tokenizer {
    /// Where each token begins in the vocabulary, by rank.
    offsets: Vec<u32>,
    /// Ranks by hash, open addressing.
    slots: Vec<u32>,
}

impl Tokenizer {
    /// Reads the vocabulary.
    pub(super) fn load() -> Self {
        let mut tokenizer = Self { offsets: Vec::new(), slots: vec![EMPTY; SLOTS] };
        let mut at = 0;
        while let Some(length) = VOCABULARY.get(at) {
            let (Ok(offset), Ok(rank)) = (u32::try_from(at), u32::try_from(tokenizer.offsets.len())) else {
                break;
            };
            tokenizer.offsets.push(offset);
            tokenizer.insert(rank);
            at += 1 + usize::from(*length);
        }
        tokenizer
    }

    /// How many tokens a text takes.
    pub(super) fn count(&self, text: &str) -> u64 {
        pieces(text)
            .flat_map(|piece| piece.as_bytes().chunks(LONGEST_PIECE))
            .map(|piece| u64::try_from(self.count_piece(piece)).unwrap_or(u64::MAX))
            .sum()
    }

    /// Merges the pair of neighbours with the lowest rank until no pair is a token.
    fn count_piece(&self, piece: &[u8]) -> usize {
        if self.rank(piece).is_some() {
            return 1;
        }
        // Each cut with the rank of the two parts behind it; the last two cuts have no two parts behind them.
        let mut cuts: Vec<(usize, Option<u32>)> = (0..=piece.len())
            .map(|at| (at, piece.get(at..at + 2).and_then(|pair| self.rank(pair))))
            .collect();
        while let Some((at, _)) = lowest(&cuts) {
            cuts.remove(at + 1);
            for changed in [Some(at), at.checked_sub(1)].into_iter().flatten() {
                let rank = self.rank_behind(piece, &cuts, changed);
                if let Some(cut) = cuts.get_mut(changed) {
                    cut.1 = rank;
                }
            }
        }
        cuts.len() - 1
    }

    fn rank_behind(&self, piece: &[u8], cuts: &[(usize, Option<u32>)], at: usize) -> Option<u32> {
        self.rank(piece.get(cuts.get(at)?.0..cuts.get(at + 2)?.0)?)
    }

    fn rank(&self, token: &[u8]) -> Option<u32> {
        self.probe(token)
            .map_while(|slot| self.slots.get(slot).copied().filter(|rank| *rank != EMPTY))
            .find(|rank| self.token(*rank) == Some(token))
    }

    fn insert(&mut self, rank: u32) {
        let Some(token) = self.token(rank) else { return };
        let free = self.probe(token).find(|slot| self.slots.get(*slot) == Some(&EMPTY));
        if let Some(slot) = free.and_then(|slot| self.slots.get_mut(slot)) {
            *slot = rank;
        }
    }

    fn token(&self, rank: u32) -> Option<&'static [u8]> {
        let offset = usize::try_from(*self.offsets.get(usize::try_from(rank).ok()?)?).ok()?;
        let length = usize::from(*VOCABULARY.get(offset)?);
        VOCABULARY.get(offset + 1..offset + 1 + length)
    }

    /// The slots in which a token may be, in order. There are more slots than tokens, so a free one is found.
    fn probe(&self, token: &[u8]) -> impl Iterator<Item = usize> + use<> {
        let hash = token.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let first = usize::try_from((hash ^ (hash >> 29)) % (SLOTS as u64)).unwrap_or(0);
        (0..SLOTS).map(move |step| (first + step) % SLOTS)
    }
}

/// The first cut with the lowest rank behind it.
fn lowest(cuts: &[(usize, Option<u32>)]) -> Option<(usize, u32)> {
    let ranked = cuts.iter().enumerate().filter_map(|(at, (_, rank))| Some((at, (*rank)?)));
    ranked.min_by_key(|(_, rank)| *rank)
}
