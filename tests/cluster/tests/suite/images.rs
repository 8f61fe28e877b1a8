//! Tests images from a real registry, without a cluster: logins, broken connections, mirrors, and
//! processes that are killed while they pull an image.

mod catalogs;
mod interrupted;
mod logins;
mod mirrored;
mod puller;
pub(crate) mod registry;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use portolan_images::{Host, Images, Options, Reference, Registries};
use portolan_kit::oci::Image;
use portolan_rig::Failure;

const REPOSITORY: &str = "ferry/bundle";
const MANIFEST: (&str, &str) = ("manifests/ferry.yaml", "kind: ConfigMap\n");

/// Returns an image with a large layer, whose transfer takes some time.
fn image() -> Image {
    let mut random = fastrand::Rng::with_seed(24);
    let noise = std::iter::repeat_with(|| random.u8(..)).take(32 << 20);
    let layers = vec![portolan_kit::oci::layer(&[MANIFEST]), noise.collect()];
    Image::of_layers(layers, &serde_json::json!({"ferry": "yes"}))
}

fn small_image() -> Image {
    Image::of(&[&[MANIFEST]])
}

/// Returns options that permit these registries, over HTTP without TLS.
fn options(hosts: &[&str]) -> Options {
    let registries = Registries::default().and(hosts.iter().copied());
    Options {
        registries: registries.expect("hosts"),
        plain: hosts.iter().map(|host| parsed(host)).collect(),
        ..Options::default()
    }
}

fn parsed(host: &str) -> Host {
    host.parse().expect("a host")
}

fn reference(host: &str) -> Reference {
    let text = format!("{host}/{REPOSITORY}:v1");
    text.parse().expect("a reference")
}

/// Pulls the image, or returns the error.
async fn pull(options: Options, host: &str) -> Result<portolan_images::Image, String> {
    let images = Images::new(options).expect("authorities");
    let pulled = images.pull(&reference(host), &|_| {}).await;
    pulled.map_err(|failure| failure.to_string())
}

/// Returns the time in this number of seconds, in the format of tokens.
fn from_now(seconds: u64) -> Result<u64, Failure> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_err(Failure::read("the time"))?;
    Ok((now + Duration::from_secs(seconds)).as_secs())
}
