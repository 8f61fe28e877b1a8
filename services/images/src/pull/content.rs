//! Gets content by its digest. If the cache does not contain the content, it is requested from a
//! registry and stored in the cache.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, StatusCode, header};
use tokio::time::sleep;

use super::Images;
use crate::cache::Partial;
use crate::client::{Answered, Question};
use crate::digest::{Hasher, OciDigest};
use crate::failure::{Failure, Unreached};
use crate::manifest::{Descriptor, LONGEST};
use crate::progress::{OnProgress, Progress};
use crate::reference::Repository;

/// The interval for checking if another process has finished a blob.
const GLANCE: Duration = Duration::from_millis(100);

/// The header in which a registry sends the digest of its response.
const CONTENT_DIGEST: &str = "docker-content-digest";

/// The content of one location of an image.
pub(super) struct Content<'c> {
    pub(super) images: &'c Images,
    pub(super) place: &'c Repository,
    pub(super) told: OnProgress<'c>,
}

/// Counts the received bytes of an image.
pub(super) struct Meter {
    here: AtomicU64,
    of: u64,
}

/// Content that must be received.
struct Wanted<'w> {
    digest: &'w OciDigest,
    /// The announced size. None for a manifest, because a request for a manifest contains only its
    /// digest.
    size: Option<u64>,
    meter: Option<&'w Meter>,
}

/// The destination of the received bytes.
enum Sink {
    Memory(Vec<u8>, Hasher),
    Disk(Partial),
}

// === impl Content ===

impl Content<'_> {
    /// Requests the manifest or index of a tag. Returns it with its digest.
    pub(super) async fn tagged(&self, tag: &str) -> Result<(OciDigest, Bytes), Failure> {
        let mut failed = 0;
        let (digest, document) = loop {
            match self.tagged_once(tag).await {
                Ok(found) => break found,
                Err(failure) => self.wait(failure, &mut failed, false).await?,
            }
        };
        self.keep(&digest, &document).await?;
        Ok((digest, document))
    }

    async fn tagged_once(&self, tag: &str) -> Result<(OciDigest, Bytes), Failure> {
        let question = Question::Manifest(tag);
        let Answered {
            headers, mut body, ..
        } = self.images.client.ask(self.place, &question).await?;
        let document = body.up_to(LONGEST).await?;
        let told = headers.get(CONTENT_DIGEST).and_then(|it| it.to_str().ok());
        let told: Option<OciDigest> = told.and_then(|text| text.parse().ok());
        let digest = match &told {
            None => OciDigest::of(&document),
            Some(told) => told.same_of(&document),
        };
        if document.len() as u64 > LONGEST {
            return Err(self.flawed(&digest, "is too long for a manifest"));
        }
        match told {
            Some(told) if told != digest => Err(self.other_digest(&told, &digest)),
            _ => Ok((digest, document.into())),
        }
    }

    /// Returns the manifest or index with this digest.
    pub(super) async fn manifest(&self, digest: &OciDigest) -> Result<Bytes, Failure> {
        self.content(&Wanted {
            digest,
            size: None,
            meter: None,
        })
        .await
    }

    pub(super) async fn blob(&self, blob: &Descriptor, meter: &Meter) -> Result<Bytes, Failure> {
        let wanted = Wanted {
            digest: &blob.digest,
            size: Some(blob.size),
            meter: Some(meter),
        };
        let bytes = self.content(&wanted).await?;
        if bytes.len() as u64 != blob.size {
            // Two manifests announce different sizes of the same blob, so one of them is wrong.
            let flaw = format!("has {} bytes instead of {}", bytes.len(), blob.size);
            return Err(self.flawed(&blob.digest, flaw));
        }
        meter.here.fetch_add(blob.size, Ordering::Relaxed);
        meter.report_progress(0, self.told);
        Ok(bytes)
    }

    pub(super) fn flawed(&self, digest: &OciDigest, flaw: impl std::fmt::Display) -> Failure {
        Failure::lies(self.place.host().as_str(), digest, flaw)
    }

    fn other_digest(&self, wanted: &OciDigest, found: &OciDigest) -> Failure {
        self.flawed(wanted, format!("has another digest: {found}"))
    }

    async fn content(&self, wanted: &Wanted<'_>) -> Result<Bytes, Failure> {
        let Some(place) = self.place_in_cache(wanted.digest).await? else {
            let mut sink = Sink::Memory(Vec::new(), wanted.digest.hasher());
            self.receive(wanted, &mut sink).await?;
            return Ok(match sink {
                Sink::Memory(bytes, _) => bytes.into(),
                Sink::Disk(_) => Bytes::new(),
            });
        };
        if let Some(bytes) = place.read(wanted.most()).await? {
            return Ok(bytes);
        }
        let mut sink = Sink::Disk(place.partial().await?);
        let received = self.receive(wanted, &mut sink).await;
        if let Sink::Disk(partial) = sink {
            if received.is_err() && partial.length == 0 {
                partial.drop_it().await;
            }
            received?;
            partial.keep().await?;
        }
        let bytes = place.read(wanted.most()).await?;
        bytes.ok_or_else(|| self.flawed(wanted.digest, "was removed from the cache immediately"))
    }

    /// Stores content in the cache that was requested by a tag.
    async fn keep(&self, digest: &OciDigest, bytes: &Bytes) -> Result<(), Failure> {
        let Some(place) = self.place_in_cache(digest).await? else {
            return Ok(());
        };
        if place.read(LONGEST).await?.is_some() {
            return Ok(());
        }
        let mut partial = place.partial().await?;
        partial.restart().await?;
        partial.write(bytes.clone()).await?;
        partial.keep().await
    }

    /// Locks the entry of content in the cache. Returns None without a cache. Waits while another
    /// process writes the same content.
    async fn place_in_cache(
        &self,
        digest: &OciDigest,
    ) -> Result<Option<Arc<crate::cache::CachedBlob>>, Failure> {
        let Some(cache) = &self.images.cache else {
            return Ok(None);
        };
        let mut is_told = false;
        loop {
            if let Some(place) = cache.place(digest).await? {
                return Ok(Some(Arc::new(place)));
            }
            if !is_told {
                (self.told)(Progress::Shared(digest));
                is_told = true;
            }
            sleep(GLANCE).await;
        }
    }

    /// Receives the complete content. If the transfer is interrupted, requests only the missing
    /// bytes.
    async fn receive(&self, wanted: &Wanted<'_>, sink: &mut Sink) -> Result<(), Failure> {
        let before = sink.length();
        let mut failed = 0;
        loop {
            match self.receive_once(wanted, sink).await {
                Ok(()) => return Ok(()),
                Err(failure) => {
                    let has_begun = sink.length() > before;
                    self.wait(failure, &mut failed, has_begun).await?;
                }
            }
        }
    }

    /// Waits before the next attempt. Returns the failure if there is no next attempt.
    async fn wait(
        &self,
        failure: Failure,
        failed: &mut u32,
        has_begun: bool,
    ) -> Result<(), Failure> {
        *failed += 1;
        // If the connection broke during the transfer, the registry may be restarting.
        let is_away = matches!(
            failure,
            Failure::Reach {
                why: Unreached::Network(_),
                ..
            }
        );
        let retries = &self.images.options.retries;
        let pause = if failure.may_pass() || has_begun && is_away {
            retries.pause(*failed, failure.after(), fastrand::f64())
        } else {
            None
        };
        let Some(pause) = pause else {
            return Err(failure);
        };
        let why = failure.to_string();
        (self.told)(Progress::Waiting { pause, why });
        sleep(pause).await;
        Ok(())
    }

    /// Receives the missing bytes. If the digest of the content does not match, the earlier bytes
    /// may be wrong, so the complete content is requested again.
    async fn receive_once(&self, wanted: &Wanted<'_>, sink: &mut Sink) -> Result<(), Failure> {
        loop {
            if wanted.size.is_none_or(|size| sink.length() > size) && sink.length() > 0 {
                sink.restart(wanted.digest).await?;
            }
            let from = sink.length();
            if wanted.size != Some(from) || from == 0 {
                self.append(wanted, sink, from).await?;
            }
            let found = sink.digest();
            if found == *wanted.digest {
                return Ok(());
            }
            sink.restart(wanted.digest).await?;
            if from == 0 {
                return Err(self.other_digest(wanted.digest, &found));
            }
        }
    }

    /// Requests the bytes from this position on, and appends them to the received bytes.
    async fn append(&self, wanted: &Wanted<'_>, sink: &mut Sink, from: u64) -> Result<(), Failure> {
        let digest = wanted.digest.to_string();
        let question = match wanted.size {
            None => Question::Manifest(&digest),
            Some(_) => Question::Blob(&digest, from),
        };
        let answer = self.images.client.ask(self.place, &question).await?;
        let Answered {
            status,
            headers,
            mut body,
        } = answer;
        match status {
            StatusCode::PARTIAL_CONTENT if begins_at(&headers) == Some(from) => {}
            StatusCode::OK => {
                if from > 0 {
                    sink.restart(wanted.digest).await?;
                }
            }
            // The registry cannot send from this position, so the transfer starts again.
            _ if from > 0 => return sink.restart(wanted.digest).await,
            other => {
                let flaw = format!(
                    "is a partial response ({other}) to a request for the whole \
                    content"
                );
                return Err(self.flawed(wanted.digest, flaw));
            }
        }
        while let Some(bytes) = body.next().await? {
            let length = sink.length() + bytes.len() as u64;
            if length > wanted.most() {
                sink.restart(wanted.digest).await?;
                let most = wanted.most();
                let flaw = format!("exceeds the maximum of {most} bytes");
                return Err(self.flawed(wanted.digest, flaw));
            }
            sink.write(bytes).await?;
            if let Some(meter) = wanted.meter {
                meter.report_progress(length, self.told);
            }
        }
        Ok(())
    }
}

/// Returns the first position in a header such as `Content-Range: bytes FROM-TO/OF`.
fn begins_at(headers: &HeaderMap) -> Option<u64> {
    let range = headers.get(header::CONTENT_RANGE)?.to_str().ok()?;
    let (from, _) = range.trim().strip_prefix("bytes ")?.split_once('-')?;
    from.parse().ok()
}

// === impl Wanted ===

impl Wanted<'_> {
    fn most(&self) -> u64 {
        self.size.unwrap_or(LONGEST)
    }
}

// === impl Meter ===

impl Meter {
    pub(super) fn new(of: u64) -> Self {
        Self {
            here: AtomicU64::new(0),
            of,
        }
    }

    /// Returns the announced total size of all blobs.
    pub(super) fn of(&self) -> u64 {
        self.of
    }

    /// Reports the progress, including the received bytes of the current blob.
    fn report_progress(&self, of_this_blob: u64, told: OnProgress<'_>) {
        told(Progress::Received {
            bytes: self.here.load(Ordering::Relaxed) + of_this_blob,
            of: self.of,
        });
    }
}

// === impl Sink ===

impl Sink {
    fn length(&self) -> u64 {
        match self {
            Self::Memory(bytes, _) => bytes.len() as u64,
            Self::Disk(partial) => partial.length,
        }
    }

    fn digest(&self) -> OciDigest {
        match self {
            Self::Memory(_, hasher) => hasher.clone().finish(),
            Self::Disk(partial) => partial.hasher.clone().finish(),
        }
    }

    async fn write(&mut self, more: Bytes) -> Result<(), Failure> {
        match self {
            Self::Memory(bytes, hasher) => {
                hasher.add(&more);
                bytes.extend_from_slice(&more);
                Ok(())
            }
            Self::Disk(partial) => partial.write(more).await,
        }
    }

    async fn restart(&mut self, digest: &OciDigest) -> Result<(), Failure> {
        match self {
            Self::Memory(bytes, hasher) => {
                bytes.clear();
                *hasher = digest.hasher();
                Ok(())
            }
            Self::Disk(partial) => partial.restart().await,
        }
    }
}
