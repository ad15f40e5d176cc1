//! The original's own files, read and written so that people can come and go.
//!
//! `devices` moves paired devices and pairing requests between its JSON files and a `DeviceStore`; `senders` takes over
//! people who were let in on platforms; `fields` reads loose JSON without ever quoting a value. Nothing here deletes or changes a file on import.

mod devices;
mod fields;
mod senders;

pub use devices::{
    DeviceImportFinding, ExportReport, ImportReport, ParsedDevices, export_devices, import_devices,
    import_devices_once, parse_devices,
};
pub use fields::EntryProblem;
pub use senders::{SenderImport, import_senders_once};
