//! Where a command writes: whether a place lies below a folder.

use std::path::{Component, Path};

/// Whether a place, which may not exist yet, is below a folder, with links followed.
pub(super) fn is_below(place: &Path, folder: &Path) -> bool {
    let climbs = place.components().any(|part| part == Component::ParentDir);
    // A link to something that is not there yet is there itself: what is written to it goes where it leads.
    let nearest = place.ancestors().find(|above| above.symlink_metadata().is_ok());
    let real = nearest.and_then(|above| above.canonicalize().ok());
    !climbs && real.is_some_and(|real| real.starts_with(folder))
}
