//! Makes the pictures of a message fit, off the async threads and one message at a time.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use openclaw_types::{Content, Image, ImageData};
use tokio::sync::Semaphore;

use super::decide::PictureLimits;
use super::scale::{Scaled, scale};

/// Where pictures are made fit. They take much memory meanwhile, so that one message after the other has its turn.
#[derive(Debug)]
pub struct PictureRoom {
    turn: Semaphore,
}

impl Default for PictureRoom {
    fn default() -> Self {
        Self { turn: Semaphore::new(1) }
    }
}

impl PictureRoom {
    /// Makes all pictures of a message fit. One that cannot be made to is replaced by words that say so; one that cannot
    /// be read here and is not too heavy stays as it is, because a vendor may know better.
    pub async fn fit(&self, content: Vec<Content>, limits: PictureLimits) -> Vec<Content> {
        let inline =
            |piece: &Content| matches!(piece, Content::Image(Image { data: ImageData::Inline(_), .. }));
        if !content.iter().any(inline) {
            return content;
        }
        // The semaphore is never closed; without a permit the work is only less orderly.
        let _turn = self.turn.acquire().await;
        let given = content.clone();
        let work = move || content.into_iter().map(|piece| fitted(piece, limits)).collect();
        match tokio::task::spawn_blocking(work).await {
            Ok(fitted) => fitted,
            Err(error) => {
                tracing::error!(subsystem = "agent", %error, "pictures could not be made fit");
                given
            }
        }
    }
}

fn fitted(piece: Content, limits: PictureLimits) -> Content {
    let Content::Image(image) = piece else { return piece };
    let ImageData::Inline(data) = &image.data else { return Content::Image(image) };
    let Ok(bytes) = STANDARD.decode(data.trim()) else { return Content::Image(image) };
    match scale(&bytes, limits) {
        Scaled::Fits => Content::Image(image),
        Scaled::Unreadable if bytes.len() <= limits.bytes => Content::Image(image),
        Scaled::Smaller { media_type, bytes } => {
            let data = ImageData::Inline(STANDARD.encode(bytes));
            Content::Image(Image { media_type: Some(media_type.to_owned()), data })
        }
        Scaled::Unreadable | Scaled::TooLarge => Content::text(left_out(&image, bytes.len())),
    }
}

fn left_out(image: &Image, bytes: usize) -> String {
    const MEGABYTE: usize = 1_000_000;
    format!(
        "[a picture ({}, {} MB) was left out: it is too large, and it could not be made smaller here. A smaller one, as \
         png or jpeg, can be seen.]",
        image.media_type.as_deref().unwrap_or("of an unknown kind"),
        bytes.div_ceil(MEGABYTE)
    )
}
