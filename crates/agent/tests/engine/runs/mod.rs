//! Whole runs over a scripted model, memory stores and small real tools: the loop, tools, steering, stopping, going on
//! after a crash, and chance.

mod answers;
mod chance;
mod crash;
mod faults;
mod notices;
mod pictures;
mod setup;
mod stage;
mod steer;
mod stop;
mod tools;
