//! The pieces of OAuth that every vendor's sign-in is made of: forms, proofs, token answers, claims. All pure, apart
//! from chance in `proof`.

mod claims;
mod form;
mod proof;
mod token;

#[cfg(test)]
mod tests;

pub(super) use claims::{claim, email_of, expiry_of};
pub(super) use form::{field_of, with_query};
pub(super) use proof::{Proof, random_text};
pub(super) use token::{Denied, Granted, read_grant};
