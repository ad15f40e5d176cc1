//! Cuts an input into pieces as a network might: the same input is always cut the same way.

/// The input whole, cut at places that its own bytes choose, and, where it is short, byte by byte.
pub(crate) fn ways(data: &[u8]) -> Vec<Vec<&[u8]>> {
    let mut ways = vec![vec![data], chosen(data)];
    if data.len() <= 1024 {
        ways.push(data.chunks(1).collect());
    }
    ways
}

fn chosen(data: &[u8]) -> Vec<&[u8]> {
    // FNV-1a gives the start, xorshift goes on from there.
    let seed = data.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let mut state = seed | 1;
    let mut rest = data;
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        // Mostly short pieces, sometimes an empty one, sometimes a long one.
        let most = if state & 7 == 0 { 700 } else { 40 };
        let length = usize::try_from((state >> 8) % most).unwrap_or(0).min(rest.len());
        let (piece, after) = rest.split_at(length);
        pieces.push(piece);
        rest = after;
    }
    pieces
}
