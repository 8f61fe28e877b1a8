//! The options for pulling images.

use std::path::PathBuf;
use std::time::Duration;

use crate::credentials::Credentials;
use crate::mirrors::Mirror;
use crate::reference::Host;
use crate::registries::Registries;
use crate::retry::Retries;

/// The permitted registries, the credentials, and the limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    pub registries: Registries,
    pub credentials: Credentials,
    /// The mirrors, in the order in which they are tried.
    pub mirrors: Vec<Mirror>,
    /// PEM texts with certificate authorities that are trusted in addition to the certificate
    /// authorities of the system.
    pub authorities: Vec<Vec<u8>>,
    /// The hosts that are contacted without TLS.
    pub plain: Vec<Host>,
    pub cache: Option<CacheOptions>,
    pub retries: Retries,
    /// The maximum time until one address accepts a connection.
    pub connect: Duration,
    /// The maximum time in which no byte arrives.
    pub silence: Duration,
    /// The minimum rate at which a response must arrive.
    pub rate: Rate,
    /// The maximum time until the list of blobs of an image is known. The maximum time for the
    /// blobs is this time plus the time for their size at the minimum rate.
    pub patience: Duration,
    /// The maximum size of a blob in bytes. Compressed blobs are measured before decompression.
    pub blob: u64,
    /// The maximum total size of the blobs of an image, in bytes.
    pub image: u64,
}

/// A number of bytes in a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    pub bytes: u64,
    /// The duration of a response after which its rate is checked for the first time. A response
    /// that ends earlier is never too slow.
    pub within: Duration,
}

/// The folder in which blobs are cached, and its size limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheOptions {
    /// The folder. It is created if it is missing.
    pub folder: PathBuf,
    /// The size in bytes above which the least recently used blobs are deleted.
    pub limit: u64,
}

// === impl Options ===

impl Options {
    pub(crate) fn is_plain(&self, host: &Host) -> bool {
        self.plain.contains(host)
    }
}

// === impl Rate ===

impl Rate {
    /// Returns the time for this number of bytes at this rate.
    pub(crate) fn time_of(&self, bytes: u64) -> Duration {
        let nanos = self.within.as_nanos().saturating_mul(bytes.into());
        let nanos = nanos / u128::from(self.bytes.max(1));
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

impl Default for Options {
    /// The default permits no registry.
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
            rate: Rate {
                bytes: 300_000,
                within: Duration::from_secs(30),
            },
            patience: Duration::from_secs(300),
            blob: 256 << 20,
            image: 512 << 20,
        }
    }
}
