//! Images from registries: a [`Reference`] in, the layers of an [`Image`] out, every byte of them
//! held against its digest.
//!
//! ```text
//! Reference -> places (mirrors first) -> manifest -> config, layers -> Folder of core/bundle
//!                                            ^            ^
//!                                            +-- cache ---+   by digest, shared with other processes
//! ```
//!
//! It knows the protocol of registries, who may be asked ([`Registries`]), as whom
//! ([`Credentials`]), and where else ([`Mirror`], [`ClusterMirrors`]). It knows nothing of what is in an image: that is
//! for `core/bundle` and `core/catalog`. It reads no object of a cluster; whoever does hands over
//! values. The flags of all processes that pull images are [`ImageFlags`], and the only ones to read
//! files. Where an image comes from is a decision made of values alone, and so is who is asked; what
//! touches the network is `client`, and what touches the disk is `cache`.
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
pub use digest::{Digest, ParseDigest};
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
