//! One suite for each store contract, and one for platforms. An implementation that passes it is done.
//!
//! Each suite is a list of named cases, `async fn(&dyn Trait)`, and a macro that turns them into tests. The macro
//! takes the path of an `async fn` that gives a fresh store and whatever must live as long as it does:
//! `async fn make() -> (Arc<impl DeviceStore>, TempHome)`.

pub mod audit;
pub mod channel;
pub mod devices;
pub mod grants;
pub mod health;
pub mod inbox;
pub mod outbox;
pub mod profiles;
pub mod runs;
pub mod senders;
pub mod sessions;
pub mod state;
pub mod subagents;
pub mod transcripts;
pub mod usage;

/// Turns the cases of one suite into tests of the calling crate.
#[doc(hidden)]
#[macro_export]
macro_rules! conformance_tests {
    ($suite:ident, $make:path, [$($case:ident),* $(,)?]) => {$(
        #[tokio::test]
        async fn $case() {
            let (store, _kept) = $make().await;
            $crate::conformance::$suite::$case(&*store).await;
        }
    )*};
}
