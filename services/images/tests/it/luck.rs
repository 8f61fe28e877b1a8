//! Tests with random failures in random order, derived from seeds. Each pull must return the
//! correct image or an error message.

use std::fs;
use std::path::Path;
use std::time::Duration;

use fastrand::Rng;
use portolan_images::{CacheOptions, Options, Retries};
use portolan_kit::TempFolder;
use portolan_kit::oci::{Image, Trouble, digest};

use crate::kit::*;

const PULLS: u64 = 60;

fn trouble(random: &mut Rng, image: &Image) -> Trouble {
    let blobs: Vec<_> = image.blobs.values().chain([&image.manifest]).collect();
    let bytes = blobs[random.usize(..blobs.len())];
    match random.u8(..8) {
        0 => Trouble::Status(
            *random.choice(&[400, 401, 403, 404, 410]).expect("one"),
            Vec::new(),
        ),
        1 => Trouble::Status(
            *random.choice(&[429, 500, 502, 503]).expect("one"),
            Vec::new(),
        ),
        2 => Trouble::Status(206, vec![("content-range", "bytes 5-9/10".to_owned())]),
        3 => Trouble::Bytes(bytes[random.usize(..bytes.len())..].to_vec()),
        4 => Trouble::Whole,
        5 => Trouble::Status(416, Vec::new()),
        _ => Trouble::Cut(random.usize(..60_000)),
    }
}

/// Asserts that each file of the cache has the digest in its name.
fn is_sound(cache: &Path) {
    for entry in fs::read_dir(cache.join("blobs")).into_iter().flatten() {
        let path = entry.expect("an entry").path();
        let bytes = fs::read(&path).expect("a blob");
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        assert_eq!(name, digest(&bytes).replace(':', "-"));
    }
}

#[tokio::test]
async fn failures_never_change_the_pulled_image() {
    let image = image();
    let large = large(&image);
    let (mut well, mut ill) = (0, 0);
    for seed in 0..PULLS {
        let mut random = Rng::with_seed(seed);
        let registry = serving(&image).await;
        for _ in 0..random.usize(1..5) {
            let places = ["manifests/", "/blobs/", large.as_str()];
            let within = places[random.usize(..3)];
            let trouble = trouble(&mut random, &image);
            registry.make(random.usize(1..4), within, trouble);
        }
        let cache = TempFolder::empty();
        let kept = CacheOptions {
            folder: cache.to_path_buf(),
            limit: random.u64(..200_000),
        };
        let options = Options {
            cache: random.bool().then_some(kept),
            retries: Retries {
                attempts: 4,
                first: Duration::from_micros(10),
                longest: Duration::from_millis(1),
            },
            ..options(&[&registry])
        };
        let images = images(options);
        // The second pull may continue with the bytes that the first pull has received.
        for _ in 0..2 {
            match pull(&images, &registry).await {
                Ok(pulled) => {
                    let mut layers: Vec<_> = pulled.layers.iter().map(|it| digest(it)).collect();
                    layers.sort();
                    assert!(
                        layers.iter().all(|layer| image.blobs.contains_key(layer)),
                        "{seed}"
                    );
                    assert_eq!(layers.len(), 2, "{seed}");
                    well += 1;
                }
                Err(sentence) => {
                    assert!(sentence.starts_with("HOST/ferry/bundle:v1 cannot be pulled: "));
                    assert!(!sentence.chars().any(char::is_control), "{sentence:?}");
                    ill += 1;
                }
            }
            is_sound(&cache);
        }
    }
    // With too few or too many failures, the test would not be useful.
    assert!(well > 20 && ill > 20, "{well} went well, and {ill} did not");
}
