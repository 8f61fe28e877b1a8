//! Tests of the files in a pulled image, for each form in which an image is pushed.

use portolan_core_bundle::{Folder, Limits};
use portolan_images::{OciDigest, Options, Sought};
use portolan_kit::assert_same;
use portolan_kit::oci::{Image, Registry};
use rstest::rstest;
use serde_json::json;

use crate::kit::*;

fn folder(files: &[(&str, &str)]) -> Folder {
    let files = files
        .iter()
        .map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
    Folder::of_files(files, &Limits::default()).expect("a folder")
}

#[rstest]
#[case::of_oci(image())]
#[case::of_docker(image().docker())]
#[case::of_an_index(Image::index(vec![("windows/amd64", Image::of(&[&[("manifests/a", "")]])), ("linux/amd64", image()), ("linux/arm64", image())]))]
#[case::index_in_an_index(Image::index(vec![("linux/amd64", image())]))]
#[tokio::test]
async fn pulled_image_has_the_files_of_its_layers(#[case] image: Image) {
    let registry = serving(&image).await;
    let pulled = pull(&images(options(&[&registry])), &registry).await;
    let pulled = pulled.expect("an image");
    let digest: OciDigest = image.digest().parse().expect("a digest");
    assert_eq!(pulled.reference, reference(&registry, ":v1").at(digest));
    assert_same!(pulled.folder(&Limits::default()), Ok(folder(FILES)));
}

#[tokio::test]
async fn pull_by_digest_requests_each_part_once() {
    let image = image();
    let registry = serving(&image).await;
    let images = images(options(&[&registry]));
    let wanted = reference(&registry, &format!(":v1@{}", image.digest()));
    images.pull(&wanted, &|_| {}).await.expect("an image");
    let tags = asked(&registry, "manifests/v1");
    assert_eq!(tags, [], "the digest says all that a tag could");
    assert_eq!(registry.asked().len(), 1 + image.blobs.len());
}

#[tokio::test]
async fn labels_come_from_the_image_config() {
    let image = Image::of_layers(Vec::new(), &json!({"a": "b"}));
    let registry = serving(&image).await;
    let pulled = pull(&images(options(&[&registry])), &registry).await;
    let labels = pulled.expect("an image").labels;
    assert_eq!(labels, [("a".to_owned(), "b".to_owned())].into());
}

#[tokio::test]
async fn layers_are_skipped_if_the_labels_do_not_match() {
    let image = Image::of_layers(vec![b"a layer".to_vec()], &json!({"a": "b"}));
    let registry = serving(&image).await;
    let images = images(options(&[&registry]));
    let sought = Sought {
        known: None,
        is_of_use: |labels| !labels.contains_key("a"),
    };
    let wanted = reference(&registry, ":v1");
    let pulled = images.pull_other(&wanted, sought, &|_| {}).await;
    let pulled = pulled.expect("an image").expect("another one");
    assert_eq!(pulled.labels, [("a".to_owned(), "b".to_owned())].into());
    assert!(pulled.layers.is_empty());
    let blobs = asked(&registry, "/blobs/").len();
    assert_eq!(blobs, 1, "the config alone is asked for");
}

#[tokio::test]
async fn progress_reports_received_bytes() {
    let image = image();
    let registry = serving(&image).await;
    let (pulled, messages) = pull_messages(&images(options(&[&registry])), &registry).await;
    pulled.expect("an image");
    let of: usize = image.blobs.values().map(Vec::len).sum();
    assert_eq!(messages[0], format!("the digest is {}", image.digest()));
    assert_eq!(
        *messages.last().expect("bytes"),
        format!("{of} of {of} bytes")
    );
    let here = messages[1..].iter().map(|line| {
        let number = line.split(' ').next().expect("a number");
        number.parse::<usize>().expect("a number")
    });
    let here: Vec<_> = here.collect();
    assert!(here.is_sorted(), "{here:?}");
    assert!(
        here.len() > image.blobs.len(),
        "the large one comes in pieces: {here:?}"
    );
}

#[tokio::test]
async fn oversized_image_is_refused_before_its_download() {
    let image = image();
    let registry = serving(&image).await;
    let of: usize = image.blobs.values().map(Vec::len).sum();
    let bounds = [
        (
            Options {
                blob: 1000,
                ..options(&[&registry])
            },
            format!(
                "has a blob of {} bytes, {}; the maximum is 1000",
                image.blobs[&large(&image)].len(),
                large(&image)
            ),
        ),
        (
            Options {
                image: 1000,
                ..options(&[&registry])
            },
            format!("has {of} bytes; the maximum is 1000"),
        ),
    ];
    for (options, flaw) in bounds {
        let refused = pull(&images(options), &registry)
            .await
            .expect_err("too large");
        assert!(refused.ends_with(&flaw), "{refused}");
    }
    assert_eq!(asked(&registry, "/blobs/"), []);
}

#[tokio::test]
async fn registry_over_tls_requires_a_trusted_authority() {
    let registry = Registry::over_tls().await;
    registry.serve(REPOSITORY, "v1", &image());
    let unknown = Options {
        plain: Vec::new(),
        ..options(&[&registry])
    };
    let trusting = Options {
        authorities: vec![registry.authority().as_bytes().to_vec()],
        ..unknown.clone()
    };
    pull(&images(trusting), &registry).await.expect("an image");
    let refused = pull(&images(unknown), &registry)
        .await
        .expect_err("unknown");
    assert_eq!(
        refused,
        "HOST/ferry/bundle:v1 cannot be pulled: HOST cannot be reached: its certificate is not \
         trusted (invalid peer certificate: UnknownIssuer); if the certificate is correct, add its \
         certificate authority"
    );
}
