//! Images from a real registry, without a cluster: logins, broken connections, mirrors, and pull
//! processes that are killed.

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

/// An image with a layer that takes a moment to transfer.
fn image() -> Image {
    let mut random = fastrand::Rng::with_seed(24);
    let noise = std::iter::repeat_with(|| random.u8(..)).take(32 << 20);
    let layers = vec![portolan_kit::oci::layer(&[MANIFEST]), noise.collect()];
    Image::of_layers(layers, &serde_json::json!({"ferry": "yes"}))
}

fn small_image() -> Image {
    Image::of(&[&[MANIFEST]])
}

/// Returns options for these hosts, over plain HTTP.
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

/// The time this many seconds from now, in the format of tokens.
fn from_now(seconds: u64) -> Result<u64, Failure> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_err(Failure::read("the time"))?;
    Ok((now + Duration::from_secs(seconds)).as_secs())
}
