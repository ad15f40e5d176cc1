//! Address ranges: one address, or a network such as `10.0.0.0/8`.
//!
//! An IPv4 address written inside IPv6 (`::ffff:10.0.0.1`) counts as the IPv4 address, on both sides.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// A network of addresses; a single address is a network of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressRange {
    base: IpAddr,
    prefix: u32,
}

/// Says that a text is not an address or a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not an IP address or a network such as 10.0.0.0/8")]
pub struct AddressRangeError;

impl AddressRange {
    /// Whether an address lies in the range.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.base, address.to_canonical()) {
            (IpAddr::V4(base), IpAddr::V4(address)) => {
                let shift = 32 - self.prefix;
                (u64::from(base.to_bits()) >> shift) == (u64::from(address.to_bits()) >> shift)
            }
            (IpAddr::V6(base), IpAddr::V6(address)) => {
                let kept = u128::MAX.checked_shl(128 - self.prefix).unwrap_or(0);
                base.to_bits() & kept == address.to_bits() & kept
            }
            _ => false,
        }
    }

    /// Whether a loopback address lies in the range.
    #[must_use]
    pub fn includes_loopback(&self) -> bool {
        self.base.is_loopback()
            || self.contains(std::net::Ipv4Addr::LOCALHOST.into())
            || self.contains(std::net::Ipv6Addr::LOCALHOST.into())
    }
}

impl FromStr for AddressRange {
    type Err = AddressRangeError;

    fn from_str(text: &str) -> Result<Self, AddressRangeError> {
        let text = text.trim();
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let written: IpAddr =
            address.parse().map_err(|_not_an_address: std::net::AddrParseError| AddressRangeError)?;
        let base = written.to_canonical();
        let bits = if base.is_ipv4() { 32 } else { 128 };
        let written_bits: u32 = if written.is_ipv4() { 32 } else { 128 };
        let prefix = match prefix {
            None => bits,
            Some(text) => text
                .parse::<u32>()
                .ok()
                .filter(|prefix| *prefix <= written_bits)
                .and_then(|prefix| prefix.checked_sub(written_bits - bits))
                .ok_or(AddressRangeError)?,
        };
        Ok(Self { base, prefix })
    }
}

impl fmt::Display for AddressRange {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.base, self.prefix)
    }
}
