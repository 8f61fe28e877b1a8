//! Reads bundles that a user names by an image or by a path. By naming an image, the user permits
//! access to its registry.

use std::io;
use std::path::Path;

use bytes::Bytes;
use portolan_core_bundle::{BundleFault, Folder, Limits};
use portolan_images::{
    Asker, ImageFlags, Images, Layout, OnProgress, PullImage, ReadLayout, Reference, UseFlags,
    unpacked,
};
use thiserror::Error;

use super::aside;
use super::folder::first;

/// The error for an image whose bundle cannot be read.
#[derive(Debug, Error)]
pub enum ReadBundleImage {
    /// A flag about images is invalid.
    #[error(transparent)]
    Flags(#[from] UseFlags),
    /// The host name of the registry is invalid.
    #[error("{0}")]
    Host(String),
    /// The certificate authorities of the system cannot be read.
    #[error("cannot prepare the connection to registries")]
    Prepare(#[source] io::Error),
    #[error(transparent)]
    Pull(Box<PullImage>),
    #[error(transparent)]
    Layout(#[from] ReadLayout),
    /// The image exists, but is not a bundle.
    #[error("{}", first(.0))]
    Faults(Vec<BundleFault>),
}

/// Pulls the files of a bundle, and reports the progress.
///
/// # Errors
/// Returns an error if the image is unavailable, or not a bundle.
pub async fn read_bundle_image(
    reference: &Reference,
    flags: &ImageFlags,
    limits: &Limits,
    told: OnProgress<'_>,
) -> Result<Folder, ReadBundleImage> {
    let mut options = flags.options(Asker::Person)?;
    let registries = options.registries.and([reference.host().as_str()]);
    options.registries = registries.map_err(ReadBundleImage::Host)?;
    let images = Images::new(options).map_err(ReadBundleImage::Prepare)?;
    let pulled = images.pull(reference, told).await;
    let image = pulled.map_err(|why| ReadBundleImage::Pull(Box::new(why)))?;
    of_layers(image.layers, limits).await
}

/// Reads the files of a bundle from an OCI layout. Reads the image with this name. Without a name,
/// the layout must contain a single image.
///
/// # Errors
/// Returns an error if the image does not exist, or is not a bundle.
pub async fn read_bundle_in_layout(
    folder: &Path,
    name: Option<&str>,
    limits: &Limits,
) -> Result<Folder, ReadBundleImage> {
    let layout = Layout::named(folder);
    let name = name.map(str::to_owned);
    let layers = aside(move || layout.layers(name.as_deref())).await?;
    of_layers(layers, limits).await
}

/// Returns true if a folder is an OCI layout. Returns false for the folder of a bundle.
pub fn is_layout(folder: &Path) -> bool {
    Layout::at(folder).is_some()
}

async fn of_layers(layers: Vec<Bytes>, limits: &Limits) -> Result<Folder, ReadBundleImage> {
    let limits = *limits;
    let unpacked = aside(move || unpacked(&layers, &limits)).await;
    unpacked.map_err(ReadBundleImage::Faults)
}
