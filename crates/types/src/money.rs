//! Amounts of money, exact.
//!
//! Counted in billionths of a US dollar, so that prices for single tokens stay whole numbers and sums never drift.

use std::fmt;
use std::iter::Sum;
use std::ops::Add;

use serde::{Deserialize, Serialize};

const NANOS: f64 = 1e9;

/// An amount in US dollars. Never negative.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Money(u64);

impl Money {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// An amount in billionths of a dollar.
    #[must_use]
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// The amount in billionths of a dollar.
    #[must_use]
    pub const fn nanos(self) -> u64 {
        self.0
    }

    /// The nearest amount to a number of dollars; what is negative or no number counts as nothing.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "float casts saturate")]
    pub fn from_dollars(dollars: f64) -> Self {
        Self((dollars * NANOS).round() as u64)
    }

    /// The amount as a number of dollars.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "exact up to nine million dollars")]
    pub fn dollars(self) -> f64 {
        self.0 as f64 / NANOS
    }

    /// What is left after taking `other` away, nothing at the least.
    #[must_use]
    pub fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Add for Money {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Self::add)
    }
}

impl fmt::Display for Money {
    /// Dollars with cents; small amounts with as many digits as they need to be seen.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => out.write_str("$0.00"),
            1..10_000_000 => write!(out, "${:.6}", self.dollars()),
            _ => write!(out, "${:.2}", self.dollars()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Money;

    #[test]
    fn amounts_survive_the_way_through_dollars() {
        for dollars in [0.0, 0.000_000_075, 0.25, 3.0, 1_234.56] {
            assert!((Money::from_dollars(dollars).dollars() - dollars).abs() < 1e-9, "{dollars}");
        }
    }

    #[test]
    fn what_is_no_amount_is_nothing() {
        for dollars in [-1.0, f64::NAN, f64::NEG_INFINITY] {
            assert_eq!(Money::from_dollars(dollars), Money::ZERO);
        }
        assert_eq!(Money::from_dollars(f64::INFINITY), Money::from_nanos(u64::MAX));
    }

    #[test]
    fn people_see_cents_or_as_many_digits_as_it_takes() {
        let shown = [0.0, 0.000_12, 0.5, 12.345].map(|dollars| Money::from_dollars(dollars).to_string());
        assert_eq!(shown, ["$0.00", "$0.000120", "$0.50", "$12.35"]);
    }
}
