//! A catalog in an image. The tag of the image is checked regularly.

use std::sync::Arc;
use std::time::Duration;

use portolan_images::{Image, Images, OciDigest, Reference, Sought};

use super::super::access::SourceAccess;
use super::super::image::{CatalogImage, ReadImage, UnusableImage, root};
use super::super::secrets::Puller;
use super::{ContentOrigin, Fetched, ReadSource, Source};

/// The interval for checking a tag. If the tag is unchanged, a check costs one request for a
/// manifest.
const EVERY: Duration = Duration::from_secs(300);

#[derive(Debug)]
pub(in crate::source) struct PulledImage {
    reference: Reference,
    reach: SourceAccess,
    /// The credentials for an image that an object names. None for an image in a flag.
    puller: Option<Puller>,
    images: Option<Images>,
    known: Option<Known>,
    /// True if the registry answered the last request, even with an unusable image.
    is_answered: bool,
}

/// The image that was pulled last.
#[derive(Debug)]
struct Known {
    digest: OciDigest,
    /// The reason why the image is not a catalog. None if the image is a catalog.
    why_not: Option<UnusableImage>,
}

// === impl PulledImage ===

impl PulledImage {
    /// Creates the source for the image in a flag.
    pub(in crate::source) fn given(reference: Reference, reach: &SourceAccess) -> Self {
        Self {
            reference,
            reach: reach.clone(),
            puller: None,
            images: None,
            known: None,
            is_answered: false,
        }
    }

    /// Creates the source for an image that an object names. Only flags determine which registries
    /// may be contacted. The object cannot change this.
    pub(in crate::source) fn named(
        reference: Reference,
        puller: Puller,
        reach: &SourceAccess,
    ) -> Self {
        Self {
            puller: Some(puller),
            ..Self::given(reference, reach)
        }
    }

    /// Pulls the current image. Returns None if the image was pulled before and has not changed. If
    /// the unchanged image is unusable, returns the same error again without pulling.
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
        let sought = Sought {
            known: self.known.as_ref().map(|known| &known.digest),
            is_of_use: |labels| root(labels).is_ok(),
        };
        let pulled = by.pull_other(&self.reference, sought, &|_| {}).await;
        // After a failure, the next attempt reads the credentials again, because they may have
        // changed.
        let pulled = pulled.map_err(|why| ReadImage::Pull(Box::new(why)))?;
        self.images = Some(images);
        match pulled {
            Some(image) => Ok(Some(self.unpack(image).await?)),
            None => match self.known.as_ref().and_then(|known| known.why_not.clone()) {
                Some(why) => Err(why.into()),
                None => Ok(None),
            },
        }
    }

    async fn unpack(&mut self, image: Image) -> Result<CatalogImage, UnusableImage> {
        let digest = image.reference.digest().cloned();
        let unpacked = tokio::task::spawn_blocking(move || CatalogImage::of(&image));
        let unpacked = unpacked.await.expect("unpacking an image must not panic");
        self.known = digest.map(|digest| Known {
            digest,
            why_not: unpacked.as_ref().err().cloned(),
        });
        unpacked
    }

    /// Waits until the next check of the tag is due.
    async fn rest(&self) {
        match self.reference.digest() {
            // An image that is named by its digest never changes, so this wait never ends.
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
        let pulled = self.pull().await;
        self.is_answered = matches!(pulled, Ok(_) | Err(ReadImage::Unusable(_)));
        let Some(image) = pulled? else {
            return Ok(Fetched::Unchanged);
        };
        let image = Arc::new(image);
        let of = image.clone();
        let reading = tokio::task::spawn_blocking(move || of.read());
        let catalog = reading.await.expect("reading an image must not panic");
        Ok(Fetched::Content(
            Box::new(catalog),
            ContentOrigin::image(image),
        ))
    }
}

#[cfg(test)]
mod tests {
    use portolan_images::{Asker, ImageFlags};
    use portolan_kit::oci::{self, Registry, layer};
    use rstest::rstest;
    use serde_json::json;

    use super::super::super::SourceFlags;
    use super::*;

    const CONFIGS: &str = "operators.operatorframework.io.index.configs.v1";
    const DATABASE: &str = "operators.operatorframework.io.index.database.v1";

    /// Returns a registry with an image of one layer, and a source that pulls the image.
    async fn source(image: &oci::Image, wanted: &str) -> (Registry, PulledImage) {
        let registry = Registry::start().await;
        registry.serve("ferries/catalog", "v1", image);
        let images = ImageFlags {
            plain_http: vec![registry.host().parse().expect("a host")],
            ..ImageFlags::default()
        };
        let flags = SourceFlags {
            images,
            ..SourceFlags::default()
        };
        let reference = format!("{}/ferries/catalog{wanted}", registry.host());
        let reference = reference.parse().expect("a reference");
        let source = PulledImage::given(reference, &flags.of(Asker::Server));
        (registry, source)
    }

    fn blobs(registry: &Registry) -> usize {
        let asked = registry.asked();
        let blobs = asked.iter().filter(|asked| asked.path.contains("/blobs/"));
        blobs.count()
    }

    #[rstest]
    #[case::with_a_database(json!({DATABASE: "/database/index.db"}), 1)]
    #[case::without_files(json!({CONFIGS: "/elsewhere"}), 2)]
    #[tokio::test]
    async fn unusable_image_is_pulled_once(
        #[case] labels: serde_json::Value,
        #[case] pulled: usize,
        #[values(true, false)] is_by_tag: bool,
    ) {
        let layers = vec![layer(&[("configs/a.json", "{}")])];
        let image = oci::Image::of_layers(layers.clone(), &labels);
        let digest = format!("@{}", image.digest());
        let wanted = if is_by_tag { ":v1" } else { &digest };
        let (registry, mut source) = source(&image, wanted).await;
        let first = source.next().await.expect_err("no catalog").to_string();
        assert!(source.is_answered, "it must rest before it asks again");
        let again = source.pull().await.expect_err("no catalog").to_string();
        assert_eq!((again, blobs(&registry)), (first, pulled));

        let image = oci::Image::of_layers(layers, &json!({CONFIGS: "/configs"}));
        registry.serve("ferries/catalog", "v1", &image);
        let other = source.pull().await;
        assert_eq!(other.is_ok(), is_by_tag, "{other:?}");
    }
}
