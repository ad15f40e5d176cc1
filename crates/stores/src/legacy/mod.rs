//! The original's own files, read and written so that people can come and go.
//!
//! `devices` moves paired devices and pairing requests between its JSON files and a `DeviceStore`; `fields` reads
//! loose JSON without ever quoting a value. Nothing here deletes or changes a file on import.

mod devices;
mod fields;

pub use devices::{
    ExportReport, Finding, ImportReport, ParsedDevices, export_devices, import_devices, import_devices_once,
    parse_devices,
};
pub use fields::Problem;
