//! Bodies that are read from disk while they are sent: a file, or a form with files.

use std::path::{Path, PathBuf};

use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use openclaw_ports::channel::Landed;
use tokio::io::AsyncReadExt as _;

use super::http::HttpFault;

const STEP: usize = 64 * 1024;

/// One field of a form.
pub(crate) enum UploadField {
    /// Words.
    Text {
        /// The field.
        name: String,
        /// Its value.
        value: String,
    },
    /// A file.
    File {
        /// The field.
        name: String,
        /// The name people see.
        file_name: String,
        /// The media type.
        media_type: String,
        /// Where the bytes are.
        path: PathBuf,
    },
}

type Pieces = BoxStream<'static, std::io::Result<Vec<u8>>>;

/// A form as a stream, with its boundary and its length.
pub(super) async fn multipart(parts: Vec<UploadField>) -> Result<(String, Pieces, u64), HttpFault> {
    let mut random = [0_u8; 16];
    getrandom::fill(&mut random).map_err(|error| HttpFault::Broken {
        reason: format!("no random numbers: {error}"),
        landed: Landed::No,
    })?;
    let boundary = format!("openclaw-{}", hex::encode(random));
    let mut length = 0_u64;
    let mut pieces: Vec<Pieces> = Vec::new();
    for part in parts {
        match part {
            UploadField::Text { name, value } => {
                let head = format!(
                    "--{boundary}\r\nContent-Disposition: form-data; name=\"{}\"\r\n\r\n{value}\r\n",
                    quoted(&name)
                );
                length += push(&mut pieces, head);
            }
            UploadField::File { name, file_name, media_type, path } => {
                let head = format!(
                    "--{boundary}\r\nContent-Disposition: form-data; name=\"{}\"; filename=\"{}\"\r\nContent-Type: {}\r\n\r\n",
                    quoted(&name),
                    quoted(&file_name),
                    quoted(&media_type),
                );
                length += push(&mut pieces, head);
                let (bytes, size) = file_stream(&path).await?;
                pieces.push(bytes);
                length += size + push(&mut pieces, "\r\n".to_owned());
            }
        }
    }
    length += push(&mut pieces, format!("--{boundary}--\r\n"));
    Ok((boundary, stream::iter(pieces).flatten().boxed(), length))
}

/// A file as a stream, with its length.
pub(super) async fn file_stream(path: &Path) -> Result<(Pieces, u64), HttpFault> {
    let fault = |error: std::io::Error| HttpFault::Broken {
        reason: format!("the file to send cannot be read: {error}"),
        landed: Landed::No,
    };
    let file = tokio::fs::File::open(path).await.map_err(fault)?;
    let length = file.metadata().await.map_err(fault)?.len();
    let read = |mut file: tokio::fs::File| async move {
        let mut buffer = vec![0_u8; STEP];
        match file.read(&mut buffer).await {
            Ok(0) => None,
            Ok(count) => {
                buffer.truncate(count);
                Some((Ok(buffer), file))
            }
            Err(error) => Some((Err(error), file)),
        }
    };
    Ok((stream::unfold(file, read).boxed(), length))
}

fn push(pieces: &mut Vec<Pieces>, text: String) -> u64 {
    let length = text.len() as u64;
    pieces.push(stream::once(async move { Ok(text.into_bytes()) }).boxed());
    length
}

/// A name inside a header: what would end it is written as the standard for forms says.
fn quoted(text: &str) -> String {
    text.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}
