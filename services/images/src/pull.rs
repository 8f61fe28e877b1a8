//! Pulls an image: resolves its reference, and then receives its blobs.

mod content;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use portolan_core_bundle::{BundleFault, Folder, Limits};
use tokio::time::timeout;

use self::content::{Content, Meter};
use crate::cache::Cache;
use crate::client::Client;
use crate::digest::OciDigest;
use crate::failure::{Failure, PullImage};
use crate::manifest::{self, Descriptor, ImageManifest, Parts};
use crate::mirrors::{self, ClusterMirrors, ImageLocation};
use crate::options::Options;
use crate::progress::{OnProgress, Progress};
use crate::reference::{Reference, Repository};
use crate::registries::NotAsked;

/// The maximum depth of nested indexes. Images usually have a single index.
pub(crate) const DEPTH: usize = 3;

/// The maximum number of layers of an image. Docker allows at most 127.
pub(crate) const LAYERS: usize = 256;

/// Pulls images. Clones share open connections, and the authentication that registries require.
#[derive(Debug, Clone)]
pub struct Images {
    client: Arc<Client>,
    cache: Option<Cache>,
    options: Arc<Options>,
    /// The mirrors that a cluster configures. They are tried after the mirrors in the options.
    mirrors: Arc<ClusterMirrors>,
}

/// A pulled image. All of its content matches its digests.
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    /// The reference, with the digest of the requested manifest or index.
    pub reference: Reference,
    pub labels: BTreeMap<String, String>,
    /// The compressed layers as they were pushed, the lowest layer first.
    pub layers: Vec<Bytes>,
}

/// The conditions under which an image is pulled.
#[derive(Debug, Clone, Copy)]
pub struct Sought<'s> {
    /// The digest of the image that the caller already has.
    pub known: Option<&'s OciDigest>,
    /// A function that decides from the labels of an image if the caller needs its layers. If it
    /// returns false, the layers are not pulled.
    pub is_of_use: fn(&BTreeMap<String, String>) -> bool,
}

// === impl Image ===

impl Image {
    /// Unpacks the layers of the image. Returns the files of the bundle in the image.
    ///
    /// # Errors
    ///
    /// Returns an error if a layer is not an archive, or if `core/base/bundle` finds faults in its
    /// entries.
    pub fn folder(&self, limits: &Limits) -> Result<Folder, Vec<BundleFault>> {
        unpacked(&self.layers, limits)
    }
}

/// Unpacks these layers. Returns the files of the bundle in them. The lowest layer must come first.
///
/// # Errors
///
/// Returns the same errors as [`Image::folder`].
pub fn unpacked(layers: &[Bytes], limits: &Limits) -> Result<Folder, Vec<BundleFault>> {
    let names = (1..=layers.len()).map(|at| format!("layer {at}"));
    let names: Vec<String> = names.collect();
    let layers = layers.iter().map(|bytes| &bytes[..]);
    Folder::of_archives(names.iter().map(String::as_str).zip(layers), limits)
}

impl fmt::Debug for Image {
    /// Formats the image without its bytes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let layers: Vec<_> = self.layers.iter().map(Bytes::len).collect();
        f.debug_struct("Image")
            .field("reference", &self.reference.to_string())
            .field("labels", &self.labels)
            .field("layers", &layers)
            .finish()
    }
}

// === impl Images ===

impl Images {
    /// Creates a client for pulling images. Does not contact a registry.
    ///
    /// # Errors
    ///
    /// Returns an error if an authority cannot be read.
    pub fn new(options: Options) -> io::Result<Self> {
        let cache = options.cache.clone().map(Cache::new);
        let options = Arc::new(options);
        Ok(Self {
            client: Arc::new(Client::new(options.clone())?),
            cache,
            options,
            mirrors: Arc::default(),
        })
    }

    /// Also uses the mirrors of a cluster. This is for images that objects of the cluster name. The
    /// permitted registries do not change.
    #[must_use]
    pub fn through(&self, mirrors: ClusterMirrors) -> Self {
        Self {
            mirrors: Arc::new(mirrors),
            ..self.clone()
        }
    }

    /// Pulls the image of a reference. A tag is resolved to a digest once. After that, all content
    /// is requested by digest.
    ///
    /// # Errors
    ///
    /// Returns the failure at each location of the image. The image's own registry comes last.
    pub async fn pull(
        &self,
        reference: &Reference,
        told: OnProgress<'_>,
    ) -> Result<Image, PullImage> {
        let all = Sought {
            known: None,
            is_of_use: |_| true,
        };
        let pulled = self.pull_other(reference, all, told).await?;
        Ok(pulled.expect("what is not known yet is always another one"))
    }

    /// Pulls an image only if it is needed. Returns None if its tag still has the digest that the
    /// caller knows. Returns the image without layers if `is_of_use` returns false for its labels.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Images::pull`].
    pub async fn pull_other(
        &self,
        reference: &Reference,
        sought: Sought<'_>,
        told: OnProgress<'_>,
    ) -> Result<Option<Image>, PullImage> {
        let mut wanted = reference.clone();
        let mut tried = Vec::new();
        let places = mirrors::places(reference, &self.options.mirrors, &self.mirrors);
        for (at, place) in places.iter().enumerate() {
            let ImageLocation {
                repository,
                is_barred,
            } = place;
            let pulled = if *is_barred {
                Err(barred(repository))
            } else {
                self.pull_from(repository, &mut wanted, sought, told).await
            };
            let failure = match pulled {
                Ok(image) => return Ok(image),
                Err(failure) => failure,
            };
            let goes_on = failure.is_of_the_place() && at + 1 < places.len();
            if goes_on {
                let (place, why) = (repository, failure.to_string());
                told(Progress::NotAt { place, why });
            }
            tried.push((repository.clone(), failure));
            if !goes_on {
                break;
            }
        }
        Err(PullImage {
            reference: reference.clone(),
            tried,
            unknown_mirrors: self.mirrors.why_unknown().map(str::to_owned),
        })
    }

    async fn pull_from(
        &self,
        place: &Repository,
        wanted: &mut Reference,
        sought: Sought<'_>,
        told: OnProgress<'_>,
    ) -> Result<Option<Image>, Failure> {
        let content = Content {
            images: self,
            place,
            told,
        };
        let Options { patience, rate, .. } = *self.options;
        let found = self.parts_of_image(&content, wanted, sought);
        let Some((digest, parts)) = in_time(place, patience, found).await? else {
            return Ok(None);
        };
        let meter = self.meter(place, &digest, &parts)?;
        let longest = patience.saturating_add(rate.time_of(meter.of()));
        let received = received(&content, &parts, &meter, sought);
        let (labels, layers) = in_time(place, longest, received).await?;
        Ok(Some(Image {
            reference: wanted.clone(),
            labels,
            layers,
        }))
    }

    /// Returns the digest and the blobs of an image. Returns None if the digest is the digest that
    /// the caller knows.
    async fn parts_of_image(
        &self,
        content: &Content<'_>,
        wanted: &mut Reference,
        sought: Sought<'_>,
    ) -> Result<Option<(OciDigest, Parts)>, Failure> {
        let (digest, document) = match wanted.digest() {
            Some(digest) => (digest.clone(), content.manifest(digest).await?),
            None => {
                let (digest, document) = content.tagged(&wanted.wanted()).await?;
                *wanted = wanted.at(digest.clone());
                (content.told)(Progress::Resolved(&digest));
                (digest, document)
            }
        };
        if sought.known == Some(&digest) {
            return Ok(None);
        }
        let parts = self.parts(content, &digest, document).await?;
        Ok(Some((digest, parts)))
    }

    /// Returns the descriptors of the blobs of an image. For an index, chooses the image for this
    /// machine.
    async fn parts(
        &self,
        content: &Content<'_>,
        digest: &OciDigest,
        document: Bytes,
    ) -> Result<Parts, Failure> {
        let (mut digest, mut document) = (digest.clone(), document);
        for _ in 0..DEPTH {
            let parsed = manifest::parse(&document);
            let members = match parsed.map_err(|flaw| content.flawed(&digest, flaw))? {
                ImageManifest::Image(parts) => return Ok(parts),
                ImageManifest::Index(members) => members,
            };
            let Some(member) = manifest::choose(&members, manifest::architecture()) else {
                return Err(content.flawed(&digest, "is an index without an image"));
            };
            digest = member.digest.clone();
            document = content.manifest(&digest).await?;
        }
        Err(content.flawed(&digest, "is a nested index"))
    }

    /// Creates the counter for the bytes of an image. Returns an error if the image is too large or
    /// has too many layers.
    fn meter(
        &self,
        place: &Repository,
        digest: &OciDigest,
        Parts { config, layers }: &Parts,
    ) -> Result<Meter, Failure> {
        let refused = |flaw| Failure::lies(place.host().as_str(), digest, flaw);
        let Options { blob, image, .. } = *self.options;
        if layers.len() > LAYERS {
            return Err(refused(format!("has more than {LAYERS} layers")));
        }
        let blobs = || layers.iter().chain([config]);
        let largest = blobs().max_by_key(|blob| blob.size);
        if let Some(Descriptor { digest, size }) = largest.filter(|largest| largest.size > blob) {
            return Err(refused(format!(
                "has a blob of {size} bytes, {digest}; the maximum is {blob}"
            )));
        }
        // The sizes are limited, so their sum cannot overflow.
        let of = blobs().map(|blob| blob.size).sum();
        if of > image {
            return Err(refused(format!("has {of} bytes; the maximum is {image}")));
        }
        Ok(Meter::new(of))
    }
}

/// Receives the config of an image, and its layers if they are needed.
async fn received(
    content: &Content<'_>,
    Parts { config, layers }: &Parts,
    meter: &Meter,
    sought: Sought<'_>,
) -> Result<(BTreeMap<String, String>, Vec<Bytes>), Failure> {
    let labels = manifest::labels(&content.blob(config, meter).await?);
    let labels = labels.map_err(|flaw| content.flawed(&config.digest, flaw))?;
    let is_of_use = (sought.is_of_use)(&labels);
    let mut received = Vec::new();
    for layer in layers.iter().filter(|_| is_of_use) {
        received.push(content.blob(layer, meter).await?);
    }
    Ok((labels, received))
}

/// Waits for a step of a pull, until this time at the latest.
async fn in_time<T>(
    place: &Repository,
    longest: Duration,
    part: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    let late = |_| Failure::Late {
        host: place.host().to_string(),
        after: longest,
    };
    timeout(longest, part).await.map_err(late)?
}

fn barred(repository: &Repository) -> Failure {
    Failure::Refuse {
        host: repository.host().to_string(),
        why: NotAsked::Barred,
    }
}
