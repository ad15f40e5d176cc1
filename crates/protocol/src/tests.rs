//! The wire's promises: what is accepted, what is refused and in which words, what is written.

mod close;
mod connect;
mod events;
mod frames;
mod params;
mod random;
mod tables;
