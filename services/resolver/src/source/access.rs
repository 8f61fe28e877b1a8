//! The options for access to sources: the flags, and the kind of program that uses them.

use portolan_images::{Asker, Images, Reference};
use portolan_world::AnyWorld;

use super::SourceFlags;
use super::image::ReadImage;
use super::secrets::Puller;
use crate::mirrors::Mirrors;

/// The flags for access to sources, and the kind of program that uses them. Clones share the
/// clients that are created from these flags.
#[derive(Debug, Clone)]
pub struct SourceAccess {
    flags: SourceFlags,
    asker: Asker,
    /// The world whose Secrets are used to pull catalog images. None to use no Secrets.
    secrets: Option<AnyWorld>,
    /// The mirrors for images that objects of the cluster name.
    mirrors: Option<Mirrors>,
}

impl Default for SourceAccess {
    /// Creates the options of a server without flags.
    fn default() -> Self {
        SourceFlags::default().of(Asker::Server)
    }
}

// === impl SourceFlags ===

impl SourceFlags {
    /// Returns the options for these flags. `asker` is the kind of program that uses them, and
    /// determines their defaults.
    pub fn of(&self, asker: Asker) -> SourceAccess {
        SourceAccess {
            flags: self.clone(),
            asker,
            secrets: None,
            mirrors: None,
        }
    }
}

// === impl SourceAccess ===

impl SourceAccess {
    pub(super) fn catalogd_ca(&self) -> Option<std::path::PathBuf> {
        self.flags.catalogd_ca.clone()
    }

    /// Returns true if a catalog of a cluster is read from its image when no Pod answers.
    pub(super) fn pulls_catalogs(&self) -> bool {
        let by_default = match self.asker {
            Asker::Person => true,
            Asker::Server => false,
        };
        self.flags.pull_catalogs.unwrap_or(by_default)
    }

    /// Also uses the Secrets with which the cluster pulls its catalogs, as far as the user may read
    /// these Secrets.
    pub fn with_pull_secrets(self, world: &AnyWorld) -> Self {
        Self {
            secrets: Some(world.clone()),
            ..self
        }
    }

    /// Uses the mirrors of a world for images that objects of the world name.
    pub fn through(self, mirrors: Option<Mirrors>) -> Self {
        Self { mirrors, ..self }
    }

    /// Returns a client that uses the current mirrors to pull images that objects name.
    pub(super) async fn through_mirrors(&self, images: &Images) -> Images {
        match &self.mirrors {
            Some(mirrors) => images.through(mirrors.now().await),
            None => images.clone(),
        }
    }

    /// Returns the client that pulls images that objects of a cluster name, with the credentials of
    /// `puller`.
    pub(super) async fn images(&self, puller: &Puller) -> Result<Images, ReadImage> {
        let mut options = self.flags.images.options(self.asker)?;
        if let Some(world) = &self.secrets {
            options.credentials = puller.credentials(world).await.and(options.credentials);
        }
        Images::new(options).map_err(ReadImage::Prepare)
    }

    /// Returns the client for an image in a flag. The flag also permits access to the registry of
    /// this image.
    pub(super) fn images_of(&self, given: &Reference) -> Result<Images, ReadImage> {
        let mut options = self.flags.images.options(self.asker)?;
        let host = [given.host().as_str()];
        let registries = options.registries.and(host);
        options.registries = registries.map_err(ReadImage::Host)?;
        Images::new(options).map_err(ReadImage::Prepare)
    }
}
