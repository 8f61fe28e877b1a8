//! The options for pulling images.

use std::path::PathBuf;
use std::time::Duration;

use crate::credentials::Credentials;
use crate::mirrors::Mirror;
use crate::reference::Host;
use crate::registries::Registries;
use crate::retry::Retries;

/// The registries to ask, the credentials to use, and the limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    pub registries: Registries,
    pub credentials: Credentials,
    /// In the order in which they are asked.
    pub mirrors: Vec<Mirror>,
    /// The PEM of authorities that are trusted besides those of the system.
    pub authorities: Vec<Vec<u8>>,
    /// Those that are asked without TLS.
    pub plain: Vec<Host>,
    pub cache: Option<CacheOptions>,
    pub retries: Retries,
    /// The longest time for one address to accept a connection.
    pub connect: Duration,
    /// The longest time without a byte.
    pub silence: Duration,
    /// The most bytes of one blob, as it is sent.
    pub blob: u64,
    /// The most bytes of all blobs of an image.
    pub image: u64,
}

/// The folder where blobs are kept, and its limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheOptions {
    /// It is made where it is missing.
    pub folder: PathBuf,
    /// The bytes above which those blobs go that were not used for longest.
    pub limit: u64,
}

// === impl Options ===

impl Options {
    pub(crate) fn is_plain(&self, host: &Host) -> bool {
        self.plain.contains(host)
    }
}

impl Default for Options {
    /// Nobody is asked.
    fn default() -> Self {
        Self {
            registries: Registries::default(),
            credentials: Credentials::default(),
            mirrors: Vec::new(),
            authorities: Vec::new(),
            plain: Vec::new(),
            cache: None,
            retries: Retries::default(),
            connect: Duration::from_secs(5),
            silence: Duration::from_secs(30),
            blob: 256 << 20,
            image: 512 << 20,
        }
    }
}
