//! Pictures of all kinds and sizes, before and after.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::{DynamicImage, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};
use openclaw_types::{Content, Image, ImageData};

use super::scale::{Scaled, scale};
use super::{PictureLimits, PictureRoom};

const LIMITS: PictureLimits = PictureLimits { side: 100, bytes: 20_000 };

fn written(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Vec::new();
    picture.write_to(&mut std::io::Cursor::new(&mut bytes), format).unwrap();
    bytes
}

fn plain(width: u32, height: u32) -> DynamicImage {
    DynamicImage::ImageRgb8(RgbImage::from_pixel(width, height, Rgb([200, 30, 30])))
}

/// A picture that nothing packs well.
fn noise(side: u32) -> DynamicImage {
    let mut state = 1_u32;
    DynamicImage::ImageRgb8(RgbImage::from_fn(side, side, |_, _| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let [a, b, c, _] = state.to_be_bytes();
        Rgb([a, b, c])
    }))
}

/// The kind and size of what came out; `-` for what stayed.
fn told(scaled: &Scaled) -> String {
    match scaled {
        Scaled::Smaller { media_type, bytes } => {
            let picture = image::load_from_memory(bytes).unwrap();
            format!("{media_type} {}x{}", picture.width(), picture.height())
        }
        Scaled::Fits => "-".to_owned(),
        other => format!("{other:?}"),
    }
}

#[test]
fn pictures_are_made_smaller_only_where_they_are_too_large() {
    let glass = DynamicImage::ImageRgba8(RgbaImage::from_pixel(400, 200, Rgba([0, 0, 0, 90])));
    let solid = DynamicImage::ImageRgba8(RgbaImage::from_pixel(400, 200, Rgba([0, 0, 0, 255])));
    let rows = [
        (written(&plain(100, 40), ImageFormat::Png), "-"),
        (written(&plain(400, 200), ImageFormat::Png), "image/jpeg 100x50"),
        (written(&plain(200, 400), ImageFormat::Jpeg), "image/jpeg 50x100"),
        (written(&plain(400, 4), ImageFormat::Gif), "image/jpeg 100x1"),
        (written(&plain(400, 200), ImageFormat::WebP), "image/jpeg 100x50"),
        (written(&glass, ImageFormat::Png), "image/png 100x50"),
        (written(&solid, ImageFormat::Png), "image/jpeg 100x50"),
        (b"no picture at all".to_vec(), "Unreadable"),
        (b"\x89PNG\r\n\x1a\n0000IHDR".to_vec(), "Unreadable"),
    ];
    for (bytes, expected) in rows {
        assert_eq!(told(&scale(&bytes, LIMITS)), expected);
    }
}

#[test]
fn a_picture_that_is_small_but_heavy_loses_quality_before_size() {
    let bytes = written(&noise(100), ImageFormat::Png);
    assert!(bytes.len() > LIMITS.bytes);
    let Scaled::Smaller { bytes: smaller, .. } = scale(&bytes, LIMITS) else { panic!("not made smaller") };
    assert!(smaller.len() <= LIMITS.bytes, "{}", smaller.len());
    assert_eq!(scale(&bytes, PictureLimits { side: 100, bytes: 10 }), Scaled::TooLarge);
}

#[test]
fn a_header_that_claims_a_giant_is_not_believed_into_memory() {
    let mut bytes = written(&plain(4, 4), ImageFormat::Png);
    // The size stands behind the length and name of the first chunk; its checksum is wrong afterwards, or it is a giant.
    bytes[16..24].copy_from_slice(&[0, 1, 0, 0, 0, 1, 0, 0]);
    assert!(matches!(scale(&bytes, LIMITS), Scaled::TooLarge | Scaled::Unreadable));
}

#[tokio::test]
async fn a_message_keeps_its_words_and_gets_pictures_that_fit() {
    let picture = |media_type: &str, bytes: &[u8]| {
        Content::Image(Image {
            media_type: Some(media_type.to_owned()),
            data: ImageData::Inline(STANDARD.encode(bytes)),
        })
    };
    let small = picture("image/png", &written(&plain(10, 10), ImageFormat::Png));
    let unknown = picture("image/heic", b"a kind that vendors may know");
    let heavy = picture("image/heic", &vec![7; 30_000]);
    let large = picture("image/png", &written(&plain(300, 300), ImageFormat::Png));
    let given = vec![Content::text("look"), small.clone(), unknown.clone(), heavy, large];
    let fitted = PictureRoom::default().fit(given, LIMITS).await;
    assert_eq!(fitted[..3], [Content::text("look"), small, unknown]);
    assert!(
        fitted[3].as_text().unwrap().starts_with("[a picture (image/heic, 1 MB) was left out"),
        "{fitted:?}"
    );
    let Content::Image(Image { media_type: Some(kind), .. }) = &fitted[4] else { panic!("{fitted:?}") };
    assert_eq!(kind, "image/jpeg");
}
