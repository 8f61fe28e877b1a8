//! The reasons why an image cannot be pulled.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use http::StatusCode;
use thiserror::Error;

use crate::credentials::KeptByHelper;
use crate::digest::OciDigest;
use crate::reference::{Reference, Repository};
use crate::registries::NotAsked;

/// The error for an image that could not be pulled, with the failure at each location.
#[derive(Debug, Error)]
pub struct PullImage {
    pub reference: Reference,
    /// The failures, in the order in which the locations were tried.
    pub tried: Vec<(Repository, Failure)>,
    /// The reason why mirrors of the cluster may be unknown. None if all are known.
    pub unknown_mirrors: Option<String>,
}

/// The failure of pulling an image from one registry.
#[derive(Debug, Error)]
pub enum Failure {
    /// The registry may not be contacted.
    #[error("{host} {why}")]
    Refuse { host: String, why: NotAsked },
    /// The registry cannot be reached, or its certificate is not trusted.
    #[error("{host} cannot be reached: {why}")]
    Reach { host: String, why: Unreached },
    /// The registry has stopped sending data.
    #[error("{host} sent no data for {} s", .pause.as_secs_f32())]
    Slow { host: String, pause: Duration },
    /// The registry sends too slowly.
    #[error("{host} sent {bytes} bytes in {} s; the minimum is {least}", .within.as_secs_f32())]
    Crawl {
        host: String,
        bytes: u64,
        least: u64,
        within: Duration,
    },
    /// The image could not be pulled within the maximum time for an image of this size.
    #[error("{host} has not sent all data after {} s", .after.as_secs())]
    Late { host: String, after: Duration },
    /// The registry has closed the connection early.
    #[error("{host} interrupted the transfer: {why}")]
    Cut { host: String, why: String },
    /// The registry requires credentials, or rejects the given credentials.
    #[error("{host} {why}")]
    Login { host: String, why: Unknown },
    /// The registry responds with an error status.
    #[error("{host} answers {}", .answer)]
    Status { host: String, answer: Answer },
    /// The registry sends unexpected content.
    #[error("the response of {host} for {what} {flaw}")]
    Content {
        host: String,
        what: String,
        flaw: String,
    },
    /// The content cannot be stored in the cache.
    #[error("cannot {act} the cache {}: {why}", .folder.display())]
    Keep {
        act: &'static str,
        folder: PathBuf,
        why: Unkept,
    },
}

/// The reason why a connection to a registry fails.
#[derive(Debug)]
pub enum Unreached {
    Network(String),
    /// The connection was opened, but the certificate of the server is not trusted.
    Authority(String),
    /// The server does not use TLS.
    Plain,
}

/// The reason why a registry rejects the credentials of the caller.
#[derive(Debug)]
pub enum Unknown {
    NoLogin,
    Declined,
    Forbidden(String),
    Helper(KeptByHelper),
    /// The token server of the registry returns no usable token.
    Tokens(String),
}

/// An error response of a registry.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    /// The name of the requested content.
    pub what: String,
    /// The message of the registry.
    pub said: String,
    /// The time to wait before a retry, if the registry requires one.
    pub after: Option<Duration>,
}

/// The reason why content cannot be stored in the cache.
#[derive(Debug)]
pub enum Unkept {
    Full,
    Io(io::Error),
}

// === impl Failure ===

impl Failure {
    /// Returns true if a retry may soon succeed.
    pub(crate) fn may_pass(&self) -> bool {
        match self {
            Self::Cut { .. } => true,
            Self::Status { answer, .. } => {
                matches!(answer.status.as_u16(), 408 | 429 | 500 | 502 | 503 | 504)
            }
            Self::Refuse { .. }
            | Self::Reach { .. }
            | Self::Slow { .. }
            | Self::Crawl { .. }
            | Self::Late { .. }
            | Self::Login { .. }
            | Self::Content { .. }
            | Self::Keep { .. } => false,
        }
    }

    /// Returns true if another location of the image should be tried.
    pub(crate) fn is_of_the_place(&self) -> bool {
        !matches!(self, Self::Keep { .. })
    }

    /// Returns the time that the registry requires before a retry. Returns None if it requires
    /// none.
    pub(crate) fn after(&self) -> Option<Duration> {
        match self {
            Self::Status { answer, .. } => answer.after,
            _ => None,
        }
    }

    pub(crate) fn lies(host: &str, wanted: &OciDigest, flaw: impl fmt::Display) -> Self {
        Self::Content {
            host: host.to_owned(),
            what: wanted.to_string(),
            flaw: flaw.to_string(),
        }
    }
}

// === impl PullImage ===

impl fmt::Display for PullImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cannot be pulled", self.reference)?;
        for (at, (place, failure)) in self.tried.iter().enumerate() {
            f.write_str(if at == 0 { ": " } else { "; " })?;
            if self.tried.len() > 1 {
                write!(f, "from {place}: ")?;
            }
            failure.fmt(f)?;
        }
        if let Some(why) = &self.unknown_mirrors {
            write!(f, "; the mirrors of the cluster are unknown: {why}")?;
        }
        Ok(())
    }
}

impl fmt::Display for NotAsked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unlisted => f.write_str("is not an allowed registry"),
            Self::Barred => f.write_str(
                "is not contacted, because the cluster allows its images only from mirrors \
                 (NeverContactSource)",
            ),
            Self::Near(address) => write!(
                f,
                "has the address {address}, on or near this machine, and is contacted only if it \
                 is listed by name"
            ),
            Self::Plain => f.write_str(
                "is the target of a redirect without TLS, and plain HTTP is not allowed for it",
            ),
        }
    }
}

impl fmt::Display for Unreached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Network(why) => f.write_str(why),
            Self::Authority(why) => write!(
                f,
                "its certificate is not trusted ({why}); if the certificate is correct, add its \
                 certificate authority"
            ),
            Self::Plain => f.write_str(
                "the server does not use TLS; if it supports only plain HTTP, allow \
                    plain HTTP for it",
            ),
        }
    }
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLogin => f.write_str(
                "requires a login, or does not have the image; no login is \
                 configured for it (--registry-auth)",
            ),
            Self::Declined => f.write_str("rejects the configured login (--registry-auth)"),
            Self::Forbidden(said) => {
                write!(
                    f,
                    "does not allow this login to read the image{}",
                    cited(said)
                )
            }
            Self::Helper(helper) => write!(f, "requires a login: {helper}"),
            Self::Tokens(why) => write!(f, "requires a token, which cannot be obtained: {why}"),
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            status,
            what,
            said,
            after,
        } = self;
        if *status == StatusCode::NOT_FOUND {
            return write!(f, "that it has no {what}{}", cited(said));
        }
        write!(f, "{status} for {what}{}", cited(said))?;
        match after {
            Some(after) => write!(
                f,
                "; the registry requests a retry after {} s",
                after.as_secs()
            ),
            None => Ok(()),
        }
    }
}

fn cited(said: &str) -> String {
    match said {
        "" => String::new(),
        said => format!(" ({said})"),
    }
}

impl fmt::Display for Unkept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => f.write_str(
                "the disk is full; free space, or pull without a cache, which needs no disk",
            ),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl From<io::Error> for Unkept {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full,
            _ => Self::Io(error),
        }
    }
}
