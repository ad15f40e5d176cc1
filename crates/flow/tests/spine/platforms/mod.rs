//! Stories of platforms beyond a plain question and its answer: what shows while an answer is made, what tools do there,
//! what rooms allow, and who answers when.

mod actions;
mod files;
mod live;
mod live_crash;
mod rooms;
mod turns;
