//! Waiting times: from a person's message to an answer, or how long calls took where no transcript says more.

use openclaw_protocol::Num;
use openclaw_protocol::methods::usage::Latency;

/// Longer than this, nobody waited: the machine slept, its clock was set, or the answer is to something else.
const LONGEST_MS: u64 = 12 * 60 * 60 * 1000;

/// Waiting times, in milliseconds.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Durations(Vec<u64>);

impl Durations {
    /// Counts one.
    pub(super) fn add(&mut self, duration_ms: u64) {
        if duration_ms <= LONGEST_MS {
            self.0.push(duration_ms);
        }
    }

    /// Counts all of another list.
    pub(super) fn extend(&mut self, other: &Self) {
        self.0.extend_from_slice(&other.0);
    }

    /// Mean, extremes, and what 95 of 100 stayed under; nothing where nobody waited.
    #[expect(
        clippy::cast_precision_loss,
        reason = "milliseconds of at most twelve hours, exact for centuries of them"
    )]
    pub(super) fn summary(mut self) -> Option<Latency> {
        self.0.sort_unstable();
        let (&shortest, &longest) = (self.0.first()?, self.0.last()?);
        let count = self.0.len();
        // The smallest rank that covers 95 of 100: ceil(count × 0.95), in whole numbers.
        let rank = (count * 19).div_ceil(20);
        let high = self.0.get(rank.saturating_sub(1)).copied().unwrap_or(longest);
        Some(Latency {
            count: count as u64,
            avg_ms: Num(self.0.iter().sum::<u64>() as f64 / count as f64),
            p95_ms: Num(high as f64),
            min_ms: Num(shortest as f64),
            max_ms: Num(longest as f64),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(durations: &[u64]) -> Option<Latency> {
        let mut all = Durations::default();
        durations.iter().for_each(|duration| all.add(*duration));
        all.summary()
    }

    #[test]
    fn waiting_times_are_summed_up_without_what_cannot_be_true() {
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[LONGEST_MS + 1]), None);
        let expected = Latency {
            count: 6,
            avg_ms: Num(11824.0 / 6.0),
            p95_ms: Num(5560.0),
            min_ms: Num(159.0),
            max_ms: Num(5560.0),
        };
        assert_eq!(of(&[5560, 159, 1000, 3105, 1000, 1000]), Some(expected));
        let hundred: Vec<u64> = (1..=100).collect();
        assert_eq!(of(&hundred).map(|latency| latency.p95_ms), Some(Num(95.0)));
    }
}
