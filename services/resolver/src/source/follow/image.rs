//! A catalog in an image, whose tag is looked up now and then.

use std::sync::Arc;
use std::time::Duration;

use portolan_images::{Digest, Images, Reference};

use super::super::image::{CatalogImage, ReadImage};
use super::super::reach::Reach;
use super::super::secrets::Puller;
use super::{Fetched, Origin, ReadSource, Source};

/// The pause between two questions where a tag leads. Where it leads to the same, one costs a
/// manifest.
const EVERY: Duration = Duration::from_secs(300);

#[derive(Debug)]
pub(in crate::source) struct PulledImage {
    reference: Reference,
    reach: Reach,
    /// The identity that pulls it where an object names it; None where a flag does.
    puller: Option<Puller>,
    images: Option<Images>,
    known: Option<Digest>,
    /// Whether the last question was answered.
    is_answered: bool,
}

// === impl PulledImage ===

impl PulledImage {
    /// The one that a flag names.
    pub(in crate::source) fn given(reference: Reference, reach: &Reach) -> Self {
        Self {
            reference,
            reach: reach.clone(),
            puller: None,
            images: None,
            known: None,
            is_answered: false,
        }
    }

    /// The one that an object names, who does not decide which registries are asked.
    pub(in crate::source) fn named(reference: Reference, puller: Puller, reach: &Reach) -> Self {
        Self {
            puller: Some(puller),
            ..Self::given(reference, reach)
        }
    }

    /// The image as it is now; none if it is the one that was pulled last.
    pub(in crate::source) async fn pull(&mut self) -> Result<Option<CatalogImage>, ReadImage> {
        let images = match (self.images.take(), &self.puller) {
            (Some(images), _) => images,
            (None, None) => self.reach.images_of(&self.reference)?,
            (None, Some(puller)) => self.reach.images(puller).await?,
        };
        let by = match &self.puller {
            Some(_) => self.reach.through_mirrors(&images).await,
            None => images.clone(),
        };
        let known = self.known.as_ref();
        let pulled = by.pull_other(&self.reference, known, &|_| {}).await;
        // After a failure the logins are looked up again: they may be others.
        let pulled = pulled.map_err(|why| ReadImage::Pull(Box::new(why)))?;
        self.images = Some(images);
        let Some(image) = pulled else {
            return Ok(None);
        };
        let unpacked = tokio::task::spawn_blocking(move || CatalogImage::of(&image));
        let unpacked = unpacked.await.expect("unpacking an image must not panic")?;
        self.known = unpacked.digest().cloned();
        Ok(Some(unpacked))
    }

    /// Waits until the tag may lead to something else.
    async fn rest(&self) {
        match self.reference.digest() {
            // It never does.
            Some(_) => std::future::pending().await,
            None => tokio::time::sleep(EVERY).await,
        }
    }
}

impl Source for PulledImage {
    async fn next(&mut self) -> Result<Fetched, ReadSource> {
        if std::mem::replace(&mut self.is_answered, false) {
            self.rest().await;
        }
        let pulled = self.pull().await?;
        self.is_answered = true;
        let Some(image) = pulled else {
            return Ok(Fetched::Unchanged);
        };
        let image = Arc::new(image);
        let of = image.clone();
        let reading = tokio::task::spawn_blocking(move || of.read());
        let catalog = reading.await.expect("reading an image must not panic");
        Ok(Fetched::Content(Box::new(catalog), Origin::image(image)))
    }
}
