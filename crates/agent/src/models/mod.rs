//! The face of this crate: models that are called by name and answer in one stream, whatever happens on the way.
//!
//! `Models` puts decisions into effect: it plans a call, tries credential after credential and model after model,
//! counts the money and remembers what failed. The decisions themselves are in `selection`, `profiles`, `failover`
//! and `budget`.

mod attempt;
mod budget_hold;
mod call;
mod driver;
mod listing;
mod open;
mod plan;
mod signing;
mod status;
mod story;
mod tags;
mod unsettled;

pub use call::{
    Attempt, AttemptSent, CallDone, CallEvent, CallFailed, CallStream, CountedBy, FailureCause, ModelCall,
    Pin, PinStrength, Purpose, TriedModel,
};
pub use listing::ListedModel;
pub use open::{Models, ModelsParts, Unlisted};
pub use status::{ModelsStatus, SwitchRecord};
