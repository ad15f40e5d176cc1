//! The file tools on a real file system: what they do, and what nobody gets them to do.

mod changing;
mod charter;
mod escapes;
mod looking;
mod own_state;
