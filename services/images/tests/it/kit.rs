//! Helpers of the tests.

use std::sync::Mutex;
use std::time::Duration;

use portolan_images::{Host, Image, Images, Options, Reference, Registries, Retries};
use portolan_kit::oci::{self, Registry};

pub(crate) const REPOSITORY: &str = "ferry/bundle";
pub(crate) const FILES: &[(&str, &str)] = &[
    ("manifests/ferry.yaml", "kind: ConfigMap\n"),
    ("metadata/annotations.yaml", "annotations: {}\n"),
];

/// Returns an image with two layers. The second layer is larger than the pieces in which it is
/// sent.
pub(crate) fn image() -> oci::Image {
    let noise: String = std::iter::repeat_with(letters()).take(60_000).collect();
    oci::Image::of(&[FILES, &[("tests/noise", &noise)]])
}

/// Returns a generator of letters. It returns the same letters in each run. The letters compress
/// badly.
fn letters() -> impl FnMut() -> char {
    let mut random = fastrand::Rng::with_seed(7);
    move || random.alphanumeric()
}

/// Returns the digest of the larger layer.
pub(crate) fn large(image: &oci::Image) -> String {
    let largest = image.blobs.iter().max_by_key(|(_, blob)| blob.len());
    largest.expect("it has blobs").0.clone()
}

/// Starts a registry that has the image as `ferry/bundle:v1`.
pub(crate) async fn serving(image: &oci::Image) -> Registry {
    let registry = Registry::start().await;
    registry.serve(REPOSITORY, "v1", image);
    registry
}

pub(crate) fn host(registry: &Registry) -> Host {
    registry.host().parse().expect("a host")
}

/// Returns options for these registries, with plain HTTP and short pauses.
pub(crate) fn options(registries: &[&Registry]) -> Options {
    let names: Vec<String> = registries.iter().map(|registry| registry.host()).collect();
    let listed = Registries::default().and(names.iter().map(String::as_str));
    Options {
        registries: listed.expect("registries"),
        plain: registries.iter().map(|registry| host(registry)).collect(),
        retries: Retries {
            attempts: 3,
            first: Duration::from_millis(1),
            longest: Duration::from_secs(2),
        },
        ..Options::default()
    }
}

pub(crate) fn images(options: Options) -> Images {
    Images::new(options).expect("authorities")
}

pub(crate) fn reference(registry: &Registry, wanted: &str) -> Reference {
    let text = format!("{}/{REPOSITORY}{wanted}", registry.host());
    text.parse().expect("a reference")
}

/// Pulls `v1`. Returns the image or the error message, in which `HOST` replaces the address of the
/// registry.
pub(crate) async fn pull(images: &Images, registry: &Registry) -> Result<Image, String> {
    let pulled = images.pull(&reference(registry, ":v1"), &|_| {}).await;
    pulled.map_err(|failure| failure.to_string().replace(&registry.host(), "HOST"))
}

/// Pulls `v1`. Returns the result with all progress messages.
pub(crate) async fn pull_messages(
    images: &Images,
    registry: &Registry,
) -> (Result<Image, String>, Vec<String>) {
    let messages = Mutex::new(Vec::new());
    let note = |progress: portolan_images::Progress<'_>| {
        let line = progress.to_string().replace(&registry.host(), "HOST");
        messages.lock().expect("no panic").push(line);
    };
    let pulled = images.pull(&reference(registry, ":v1"), &note).await;
    let pulled = pulled.map_err(|failure| failure.to_string());
    (pulled, messages.into_inner().expect("no panic"))
}

/// Returns the requests whose path contains this text: the requested byte range, and the status of
/// the response.
pub(crate) fn asked(registry: &Registry, within: &str) -> Vec<(Option<String>, u16)> {
    let asked = registry.asked().into_iter();
    let these = asked.filter(|asked| asked.path.contains(within));
    these.map(|asked| (asked.range, asked.status)).collect()
}
