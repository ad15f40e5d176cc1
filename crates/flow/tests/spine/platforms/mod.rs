//! Stories of platforms beyond a plain question and its answer: what shows while an answer is made, what tools do there,
//! what rooms allow, and who answers when.

mod accounts;
mod actions;
mod album_crash;
mod allowlist;
mod arriving;
mod budget;
mod commands;
mod cut_off;
mod docks;
mod files;
mod focus;
mod handed;
mod live;
mod live_crash;
mod rooms;
mod status_signs;
mod threads;
mod together;
mod turns;
