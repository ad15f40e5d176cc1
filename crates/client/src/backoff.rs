//! How long to wait before the next attempt: one second, doubling to thirty, a little different for every client.
//!
//! Pure: randomness is handed in, waiting happens in `client`.

use std::time::Duration;

const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(30);

/// The waits between attempts that fail one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Backoff {
    base: Duration,
}

impl Backoff {
    pub(crate) fn new() -> Self {
        Self { base: FIRST }
    }

    /// The next wait: between four and six fifths of the base, never more than thirty seconds. `random` decides where.
    pub(crate) fn next(&mut self, random: u16) -> Duration {
        let base = self.base;
        self.base = base.saturating_mul(2).min(LONGEST);
        let share = f64::from(random) / f64::from(u16::MAX);
        base.mul_f64(0.8 + 0.4 * share).min(LONGEST)
    }

    /// Starts over, after an attempt that worked.
    pub(crate) fn reset(&mut self) {
        self.base = FIRST;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_from_one_second_to_thirty_and_start_over_after_success() {
        let mut backoff = Backoff::new();
        let middle = u16::MAX / 2;
        let seconds: Vec<f64> = (0..7).map(|_| backoff.next(middle).as_secs_f64().round()).collect();
        assert_eq!(seconds, [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]);
        backoff.reset();
        assert_eq!(backoff.next(middle).as_secs_f64().round(), 1.0);
    }

    #[test]
    fn jitter_stays_within_a_fifth_and_below_the_longest_wait() {
        assert_eq!(Backoff::new().next(0), Duration::from_millis(800));
        assert_eq!(Backoff::new().next(u16::MAX), Duration::from_millis(1200));
        assert_eq!(Backoff { base: LONGEST }.next(u16::MAX), LONGEST);
    }
}
