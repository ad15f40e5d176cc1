//! Stage: takes over the state directory of an earlier name of the product, as the original does.

use openclaw_config::adopt_legacy_state_dir;

use crate::options::RunOptions;

/// Moves nothing when a state directory was named explicitly or exists. Runs before the log does, so it is silent;
/// what it did shows in the directory.
pub(crate) fn adopt(options: &RunOptions) {
    if options.locations.profile.is_none() {
        drop(adopt_legacy_state_dir(&options.environment));
    }
}
