//! Tests a layer that is downloaded in several parts, from one registry or into one cache.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use portolan_images::{Images, Progress};
use portolan_kit::oci::Image;
use portolan_kit::{Proxy, TempFolder};
use portolan_rig::{Failure, PATIENCE};
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::{sleep, timeout};

use super::puller::{Puller, caching};
use super::registry::Store;
use super::{REPOSITORY, image, pull, reference};
use crate::begin;

/// Returns the digest and the size of the large layer.
fn large(image: &Image) -> (String, u64) {
    let largest = image.blobs.iter().max_by_key(|(_, blob)| blob.len());
    let (digest, blob) = largest.expect("an image with blobs");
    (digest.clone(), blob.len() as u64)
}

fn blob(cache: &Path, part: &str, digest: &str) -> PathBuf {
    cache.join(part).join(digest.replace(':', "-"))
}

/// Waits until the download of a blob has started. Returns the number of bytes so far.
async fn until_begun(partial: &Path) -> Result<u64, Failure> {
    let begun = async {
        loop {
            match fs::metadata(partial).map_or(0, |file| file.len()) {
                0 => sleep(Duration::from_millis(1)).await,
                length => return length,
            }
        }
    };
    let begun = timeout(PATIENCE, begun).await;
    begun.map_err(Failure::read("a layer that begins to come"))
}

fn host(proxy: &Proxy) -> String {
    proxy.url().replace("http://", "")
}

#[tokio::test]
async fn next_puller_resumes_the_download_of_a_killed_puller() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let image = image();
    let (digest, length) = large(&image);
    let store = Store::with(&image).await?;
    let registry = store.serve("").await?;
    let cache = TempFolder::empty();
    let partial = blob(&cache, "partial", &digest);
    let puller = Puller::start(registry.host(), &cache)?;
    until_begun(&partial).await?;
    puller.kill();
    let left = fs::metadata(&partial).map_or(length, |file| file.len());
    assert!(left < length, "killed after the end of the download");
    assert!(!blob(&cache, "blobs", &digest).exists());

    let images = Images::new(caching(registry.host(), &cache)).expect("authorities");
    let (sender, mut heard) = unbounded_channel();
    let note = move |progress: Progress<'_>| {
        if let Progress::Received { bytes, .. } = progress {
            let _ = sender.send(bytes);
        }
    };
    let pulled = images.pull(&reference(registry.host()), &note).await;
    assert_eq!(pulled.expect("an image").layers[1], image.blobs[&digest]);
    // After the small blobs, the progress must not count the bytes that were already downloaded.
    let mut numbers = Vec::new();
    while let Ok(bytes) = heard.try_recv() {
        numbers.push(bytes);
    }
    let of_the_large = numbers.into_iter().find(|bytes| *bytes > 100_000);
    assert!(
        of_the_large > Some(left),
        "{of_the_large:?}, and {left} were there"
    );
    Ok(())
}

#[tokio::test]
async fn download_resumes_after_restart_of_the_registry() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let image = image();
    let (digest, length) = large(&image);
    let store = Store::with(&image).await?;
    let registry = store.serve("").await?;
    let cache = TempFolder::empty();
    let partial = blob(&cache, "partial", &digest);
    let address = registry.host().to_owned();
    let pulling = tokio::spawn({
        let (options, address) = (caching(&address, &cache), address.clone());
        async move { pull(options, &address).await }
    });
    until_begun(&partial).await?;
    drop(registry);
    let left = fs::metadata(&partial).map_or(length, |file| file.len());
    assert!(left < length, "killed after the end of the download");
    let _registry = store.serve_at(&address, "").await?;
    let pulled = pulling.await.map_err(Failure::read("the end of a pull"))?;
    assert_eq!(pulled.expect("an image").layers[1], image.blobs[&digest]);
    Ok(())
}

#[tokio::test]
async fn download_resumes_after_broken_connection() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let image = image();
    let (digest, _) = large(&image);
    let store = Store::with(&image).await?;
    let registry = store.serve("").await?;
    let proxy = Proxy::before(registry.url().as_str()).await;
    let cache = TempFolder::empty();
    let address = host(&proxy);
    let pulling = tokio::spawn({
        let (options, address) = (caching(&address, &cache), address.clone());
        async move { pull(options, &address).await }
    });
    until_begun(&blob(&cache, "partial", &digest)).await?;
    let path = format!("GET /v2/{REPOSITORY}/blobs/{digest}");
    assert_eq!(
        proxy.cut(path.as_str()),
        1,
        "cut after the end of the download"
    );
    let pulled = pulling.await.map_err(Failure::read("the end of a pull"))?;
    assert_eq!(pulled.expect("an image").layers[1], image.blobs[&digest]);
    assert_eq!(proxy.count(path.as_str()), 2);
    Ok(())
}

#[tokio::test]
async fn two_processes_pull_each_blob_once() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let image = image();
    let store = Store::with(&image).await?;
    let registry = store.serve("").await?;
    let proxy = Proxy::before(registry.url().as_str()).await;
    let cache = TempFolder::empty();
    let pullers = [(); 2].map(|()| Puller::start(&host(&proxy), &cache));
    let [first, second] = pullers;
    assert!(first?.ended_well().await?);
    assert!(second?.ended_well().await?);
    let blobs = format!("GET /v2/{REPOSITORY}/blobs/");
    assert_eq!(proxy.count(blobs.as_str()), image.blobs.len());
    for (digest, bytes) in &image.blobs {
        let kept = fs::read(blob(&cache, "blobs", digest));
        assert!(kept.is_ok_and(|kept| kept == *bytes), "{digest}");
    }
    Ok(())
}
