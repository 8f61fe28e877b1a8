//! Pulls images from registries: resolves a [`Reference`] to the layers of an [`Image`], and
//! verifies all content by its digest.
//!
//! ```text
//! Reference -> places (mirrors first) -> manifest -> config, layers -> Folder of core/base/bundle
//!                                            ^            ^
//!                                            +-- cache ---+   by digest, shared with other processes
//! ```
//!
//! This crate implements the protocol of registries. It decides which registries may be contacted
//! ([`Registries`]), which credentials are used ([`Credentials`]), and which mirrors are used
//! ([`Mirror`], [`ClusterMirrors`]). The crates `core/base/bundle` and `core/base/catalog`
//! interpret the content of images. This crate reads no objects of a cluster. Callers pass the
//! required values. All processes that pull images share the flags in [`ImageFlags`], and only this
//! type reads configuration files. Pure functions choose the locations of an image and the
//! credentials. The module `client` uses the network, and the modules `cache` and `layout` use the
//! disk.
//!
//! ```no_run
//! use portolan_images::{Images, Options, Registries};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let images = Images::new(Options {
//!     registries: Registries::default().and(["registry.example", "*.registry.example"])?,
//!     ..Options::default()
//! })?;
//! let reference = "registry.example/ferries/ferry:v0.9.4".parse()?;
//! let image = images.pull(&reference, &|progress| eprintln!("{progress}")).await?;
//! println!("{} has {} layers", image.reference, image.layers.len());
//! # Ok(())
//! # }
//! ```

mod cache;
mod challenge;
mod client;
mod connect;
mod credentials;
mod digest;
mod failure;
mod flags;
mod layout;
mod manifest;
mod mirrors;
mod options;
mod progress;
mod pull;
mod reference;
mod registries;
mod retry;

pub use credentials::{Credentials, KeptByHelper, ReadCredentials};
pub use digest::{OciDigest, ParseDigest};
pub use failure::{Answer, Failure, PullImage, Unkept, Unknown, Unreached};
pub use flags::{Asker, ImageFlags, Size, UseFlags};
pub use layout::{Layout, ReadLayout};
pub use mirrors::{ClusterMirrors, Mirror, MirrorList, PulledBy};
pub use options::{CacheOptions, Options, Rate};
pub use progress::{OnProgress, Progress};
pub use pull::{Image, Images, Sought, unpacked};
pub use reference::{Host, ParseReference, Reference, Repository};
pub use registries::{NotAsked, Registries};
pub use retry::Retries;
