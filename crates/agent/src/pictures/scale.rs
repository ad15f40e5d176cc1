//! Reads a picture, makes it smaller and writes it again. Blocks: a large picture takes a tenth of a second.
//!
//! What cannot be read, or would take too much memory, is told and left alone. Colour profiles and notes inside a
//! picture, such as where it was taken, do not come through; how it is turned does.

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, ImageResult, Limits, Rgb, RgbImage};

use super::decide::PictureLimits;

/// The most memory that one picture may take while it is read.
const MOST_MEMORY: u64 = 256 * 1024 * 1024;

/// What came of making a picture fit.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Scaled {
    /// It fits as it is.
    Fits,
    /// This one stands for it.
    Smaller { media_type: &'static str, bytes: Vec<u8> },
    /// It is no picture that can be read here.
    Unreadable,
    /// It is too large to be read, or nothing that was tried was light enough.
    TooLarge,
}

/// Makes a picture fit.
pub(super) fn scale(bytes: &[u8], limits: PictureLimits) -> Scaled {
    let Ok(format) = image::guess_format(bytes) else { return Scaled::Unreadable };
    let Ok(size) = ImageReader::with_format(Cursor::new(bytes), format).into_dimensions() else {
        return Scaled::Unreadable;
    };
    if limits.hold(size, bytes.len()) {
        return Scaled::Fits;
    }
    let picture = match read(bytes, format) {
        Ok(Some(picture)) => picture,
        Ok(None) => return Scaled::TooLarge,
        Err(_broken) => return Scaled::Unreadable,
    };
    for (side, quality) in limits.attempts((picture.width(), picture.height())) {
        let smaller = match picture.width().max(picture.height()) > side {
            true => picture.thumbnail(side, side),
            false => picture.clone(),
        };
        match write(&smaller, quality) {
            Ok((media_type, bytes)) if bytes.len() <= limits.bytes => {
                return Scaled::Smaller { media_type, bytes };
            }
            Ok(_still_too_heavy) => {}
            Err(error) => {
                tracing::warn!(subsystem = "agent", %error, "a smaller picture could not be written");
                return Scaled::Unreadable;
            }
        }
    }
    Scaled::TooLarge
}

/// Reads a picture the right way up; nothing when it would take too much memory.
fn read(bytes: &[u8], format: ImageFormat) -> ImageResult<Option<DynamicImage>> {
    let mut limits = Limits::default();
    limits.max_alloc = Some(MOST_MEMORY);
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(limits);
    let mut decoder = reader.into_decoder()?;
    if decoder.total_bytes() > MOST_MEMORY {
        return Ok(None);
    }
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut picture = DynamicImage::from_decoder(decoder)?;
    picture.apply_orientation(orientation);
    Ok(Some(picture))
}

/// Writes a picture: as PNG where something shines through, at its best quality, else as JPEG.
fn write(picture: &DynamicImage, quality: u8) -> ImageResult<(&'static str, Vec<u8>)> {
    let mut bytes = Vec::new();
    let shines_through =
        picture.color().has_alpha() && picture.to_rgba8().pixels().any(|pixel| pixel.0[3] < 255);
    if shines_through && quality == 85 {
        picture.to_rgba8().write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png)?;
        return Ok(("image/png", bytes));
    }
    let flat = if shines_through { on_white(picture) } else { picture.to_rgb8() };
    flat.write_with_encoder(JpegEncoder::new_with_quality(&mut bytes, quality))?;
    Ok(("image/jpeg", bytes))
}

/// The picture on white paper.
fn on_white(picture: &DynamicImage) -> RgbImage {
    let picture = picture.to_rgba8();
    RgbImage::from_fn(picture.width(), picture.height(), |x, y| {
        let [red, green, blue, cover] = picture.get_pixel(x, y).0;
        let over = |part: u8| {
            let mixed = u32::from(part) * u32::from(cover) + 255 * (255 - u32::from(cover));
            u8::try_from(mixed / 255).unwrap_or(u8::MAX)
        };
        Rgb([over(red), over(green), over(blue)])
    })
}
