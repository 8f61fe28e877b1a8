//! Tests of blobs that the cache keeps, and of blobs that the cache deletes.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use portolan_images::{CacheOptions, Images, Options};
use portolan_kit::TempFolder;
use portolan_kit::oci::{Registry, Trouble};

use crate::kit::*;

fn caching(registry: &Registry, folder: &Path, limit: u64) -> Images {
    let cache = CacheOptions {
        folder: folder.to_owned(),
        limit,
    };
    images(Options {
        cache: Some(cache),
        ..options(&[registry])
    })
}

const LARGE: u64 = 1 << 30;

fn blob(folder: &Path, part: &str, digest: &str) -> PathBuf {
    folder.join(part).join(digest.replace(':', "-"))
}

fn names(folder: &Path, part: &str) -> Vec<String> {
    let entries = fs::read_dir(folder.join(part)).expect("a folder");
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}

#[tokio::test]
async fn cached_image_by_digest_sends_no_request() {
    let image = image();
    let registry = serving(&image).await;
    let folder = TempFolder::empty();
    let first = pull(&caching(&registry, &folder, LARGE), &registry)
        .await
        .expect("an image");
    let before = registry.asked().len();
    let again = pull(&caching(&registry, &folder, LARGE), &registry).await;
    assert_eq!(again, Ok(first.clone()));
    assert_eq!(
        registry.asked().len(),
        before + 1,
        "a tag may mean something else by now"
    );

    let images = caching(&registry, &folder, LARGE);
    drop(registry);
    let again = images
        .pull(&first.reference, &|_| {})
        .await
        .expect("an image");
    assert_eq!(again, first);
    assert_eq!(names(&folder, "partial"), Vec::<String>::new());
}

#[tokio::test]
async fn corrupted_cached_blob_is_pulled_again() {
    let image = image();
    let registry = serving(&image).await;
    let folder = TempFolder::empty();
    let images = caching(&registry, &folder, LARGE);
    let first = pull(&images, &registry).await.expect("an image");
    let kept = blob(&folder, "blobs", &large(&image));
    let mut bytes = fs::read(&kept).expect("a blob");
    bytes[100] ^= 1;
    fs::write(&kept, bytes).expect("a file");
    assert_eq!(pull(&images, &registry).await, Ok(first));
    assert_eq!(asked(&registry, &large(&image)).len(), 2);
    assert_eq!(
        fs::read(&kept).expect("a blob"),
        image.blobs[&large(&image)]
    );
}

#[tokio::test]
async fn truncated_pull_resumes_only_for_the_same_digest() {
    let image = image();
    let registry = serving(&image).await;
    let folder = TempFolder::empty();
    registry.make(3, &large(&image), Trouble::Cut(0));
    registry.make(3, &large(&image), Trouble::Whole);
    let partial = blob(&folder, "partial", &large(&image));
    fs::create_dir_all(folder.join("partial")).expect("a folder");
    fs::write(&partial, &image.blobs[&large(&image)][..9000]).expect("a file");
    let cut = pull(&caching(&registry, &folder, LARGE), &registry).await;
    cut.expect_err("it was cut off three times");
    assert!(!blob(&folder, "blobs", &large(&image)).exists());
    assert_eq!(fs::read(&partial).expect("a file").len(), 9000);

    let registry = serving(&image).await;
    pull(&caching(&registry, &folder, LARGE), &registry)
        .await
        .expect("an image");
    let expected = [(Some("bytes=9000-".to_owned()), 206)];
    assert_eq!(asked(&registry, &large(&image)), expected);
}

#[tokio::test]
async fn foreign_partial_blob_is_pulled_from_the_start() {
    let image = image();
    let registry = serving(&image).await;
    let folder = TempFolder::empty();
    fs::create_dir_all(folder.join("partial")).expect("a folder");
    let partial = blob(&folder, "partial", &large(&image));
    fs::write(partial, [b'x'; 9000]).expect("a file");
    pull(&caching(&registry, &folder, LARGE), &registry)
        .await
        .expect("an image");
    let expected = [(Some("bytes=9000-".to_owned()), 206), (None, 200)];
    assert_eq!(asked(&registry, &large(&image)), expected);
}

#[tokio::test]
async fn least_recently_used_blob_is_evicted() {
    let image = image();
    let registry = serving(&image).await;
    let folder = TempFolder::empty();
    let old = "sha256-old";
    pull(&caching(&registry, &folder, LARGE), &registry)
        .await
        .expect("an image");
    let kept = names(&folder, "blobs");
    let long_ago = fs::File::create(folder.join("blobs").join(old)).expect("a file");
    long_ago.set_len(1000).expect("a file");
    long_ago
        .set_modified(std::time::SystemTime::UNIX_EPOCH)
        .expect("a time");

    let other = portolan_kit::oci::Image::of(&[&[("manifests/b.yaml", "kind: Secret")]]);
    registry.serve(REPOSITORY, "v1", &other);
    let kept_bytes = kept.iter().map(|name| {
        fs::metadata(folder.join("blobs").join(name))
            .expect("a blob")
            .len()
    });
    let limit = kept_bytes.sum::<u64>() + other.manifest.len() as u64 + 1000;
    pull(&caching(&registry, &folder, limit), &registry)
        .await
        .expect("an image");
    let names = names(&folder, "blobs");
    assert!(!names.contains(&old.to_owned()), "{names:?}");
    assert!(
        names.contains(&large(&image).replace(':', "-")),
        "{names:?}"
    );
}

#[tokio::test]
async fn failed_pull_leaves_no_files() {
    let (image, registry) = (image(), Registry::start().await);
    let folder = TempFolder::empty();
    let images = caching(&registry, &folder, LARGE);
    let wanted = reference(&registry, &format!("@{}", image.digest()));
    images
        .pull(&wanted, &|_| {})
        .await
        .expect_err("no such image");
    assert_eq!(names(&folder, "partial"), Vec::<String>::new());
    registry.serve(REPOSITORY, "v1", &image);
    pull(&images, &registry).await.expect("an image");
    // Each blob and the manifest have a lock file. A missing blob has no lock file.
    assert_eq!(names(&folder, "locks"), names(&folder, "blobs"));
    assert_eq!(names(&folder, "locks").len(), 1 + image.blobs.len());
}

#[tokio::test]
async fn locked_blob_is_waited_for_and_not_evicted() {
    let image = image();
    let registry = serving(&image).await;
    let folder = TempFolder::empty();
    fs::create_dir_all(folder.join("locks")).expect("a folder");
    let lock = fs::File::create(blob(&folder, "locks", &large(&image))).expect("a file");
    lock.lock().expect("a lock");
    let images = Arc::new(caching(&registry, &folder, 0));
    let (sender, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let wanted = reference(&registry, ":v1");
    let pulling = tokio::spawn({
        let images = images.clone();
        async move {
            let note = move |progress: portolan_images::Progress<'_>| {
                let _ = sender.send(progress.to_string());
            };
            images.pull(&wanted, &note).await.map(drop)
        }
    });
    let waiting = format!("{} is being pulled by another process", large(&image));
    while heard.recv().await.expect("it waits") != waiting {}
    // The other registry supplies the blob.
    let bytes = &image.blobs[&large(&image)];
    fs::write(blob(&folder, "blobs", &large(&image)), bytes).expect("a file");
    drop(lock);
    pulling.await.expect("no panic").expect("an image");
    assert_eq!(asked(&registry, &large(&image)), []);
}

#[tokio::test]
async fn concurrent_pulls_download_each_blob_once() {
    let image = image();
    let registry = serving(&image).await;
    let folder = TempFolder::empty();
    let pulls = [(); 4].map(|()| caching(&registry, &folder, LARGE));
    let [a, b, c, d] = &pulls;
    let all = tokio::join!(
        pull(a, &registry),
        pull(b, &registry),
        pull(c, &registry),
        pull(d, &registry)
    );
    let first = all.0.expect("an image");
    assert_eq!([all.1, all.2, all.3], [(); 3].map(|()| Ok(first.clone())));
    assert_eq!(asked(&registry, "/blobs/").len(), image.blobs.len());
}

/// Every write to this file fails, as on a full disk.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn full_disk_ends_the_pull_and_leaves_no_files() {
    let image = image();
    let registry = serving(&image).await;
    let folder = TempFolder::empty();
    let partial = blob(&folder, "partial", &large(&image));
    fs::create_dir_all(folder.join("partial")).expect("a folder");
    std::os::unix::fs::symlink("/dev/full", &partial).expect("a link");
    let refused = pull(&caching(&registry, &folder, LARGE), &registry).await;
    let refused = refused.expect_err("a full disk");
    assert_eq!(
        refused,
        format!(
            "HOST/ferry/bundle:v1 cannot be pulled: cannot write to the cache {}: the disk is \
             full; free space, or pull without a cache, which needs no disk",
            folder.display()
        )
    );
    assert!(!partial.is_symlink());
    assert!(!blob(&folder, "blobs", &large(&image)).exists());
    pull(&images(options(&[&registry])), &registry)
        .await
        .expect("an image");
}

#[tokio::test]
async fn cancelled_pull_keeps_its_partial_blob() {
    let image = image();
    let registry = serving(&image).await;
    let folder = TempFolder::empty();
    registry.make(1, &large(&image), Trouble::Stall(9000));
    let images = caching(&registry, &folder, LARGE);
    let partial = blob(&folder, "partial", &large(&image));
    let has_come = async {
        while fs::metadata(&partial).map_or(0, |file| file.len()) < 9000 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        pulled = pull(&images, &registry) => panic!("it stalls: {pulled:?}"),
        () = has_come => {}
    }
    pull(&images, &registry).await.expect("an image");
    let expected = [(None, 200), (Some("bytes=9000-".to_owned()), 206)];
    assert_eq!(asked(&registry, &large(&image)), expected);
}
