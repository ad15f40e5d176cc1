//! What a directory says about a file, which tells whether it was written or replaced since.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Differs when the file was written or replaced.
pub(crate) type FileStamp = (u64, u64, i64, i64);

/// Files with their stamps; none for a file that is not there.
pub(crate) type FileStamps = Vec<(PathBuf, Option<FileStamp>)>;

/// The stamp of a file.
pub(crate) fn file_stamp(file: &Path) -> Option<FileStamp> {
    let of = |metadata: Metadata| (metadata.ino(), metadata.size(), metadata.mtime(), metadata.mtime_nsec());
    std::fs::metadata(file).map(of).ok()
}

/// The stamps of files.
pub(crate) fn file_stamps(files: &[PathBuf]) -> FileStamps {
    files.iter().map(|file| (file.clone(), file_stamp(file))).collect()
}

/// Whether one of the files was written, replaced or removed since.
pub(crate) fn changed_since(stamps: &FileStamps) -> bool {
    stamps.iter().any(|(file, before)| file_stamp(file) != *before)
}
