//! Pictures as addresses: both protocols take a web address or a data URL in the same place.

use openclaw_types::{Image, ImageData};

/// The address of a picture; nothing when the picture itself was left out.
pub(in crate::apis) fn data_url(image: &Image) -> Option<String> {
    match &image.data {
        ImageData::Inline(data) => {
            let media_type = image.media_type.as_deref().unwrap_or("image/png");
            Some(format!("data:{media_type};base64,{data}"))
        }
        ImageData::Url(url) => Some(url.clone()),
        ImageData::Omitted { .. } => None,
    }
}
