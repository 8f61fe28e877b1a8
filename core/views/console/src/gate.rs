//! Whether a request is one of the visitor's own browser on a page of ours.
//!
//! A page elsewhere can have a browser send requests here. It cannot choose their `Host`, but it
//! can have a host name of its own resolve to this server; it cannot hide where a request comes
//! from, and cannot read answers. So: the host is one that this server is reached by; a request
//! that changes something comes from a page of ours, and carries a token that only our pages know;
//! and a visitor is known only by a cookie that only this server can have made.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};

/// Headers of every answer: nothing from elsewhere, no scripts or styles in pages, in no frame, nothing
/// kept.
pub const HEADERS: [(&str, &str); 7] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
         form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    // Without any, browsers would not say of forms which page of ours they come from.
    ("referrer-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cache-control", "no-store"),
];

/// The known facts about a request, as it was sent. Headers that are there twice or are no text
/// count as `?`, which nothing is equal to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked<'a> {
    /// Its method.
    pub method: &'a str,
    /// The host that its browser believes to talk to, with the port.
    pub host: Option<&'a str>,
    /// The page that it comes from, where its browser says so.
    pub origin: Option<&'a str>,
    /// The relation of that page to this server, where its browser says so: `Sec-Fetch-Site`.
    pub site: Option<&'a str>,
}

/// The standing of a visitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// One whose cookie is of this server.
    Known,
    /// One without a cookie, or with one that is not of this server.
    Stranger,
}

/// The reason why a request is not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// It asks for another server.
    Host,
    /// It neither reads a page nor sends a form.
    Method,
    /// Another page sent it.
    Origin,
    /// It carries no token of a page of ours.
    Token,
    /// The sender is not known.
    Stranger,
    /// Too many secrets were tried.
    TooOften,
    /// This console is not allowed to write.
    ReadOnly,
    /// The console has a bug.
    Failed,
}

/// The check of which requests are let in, and from which hosts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gate {
    /// The hosts that lead here, with their ports.
    hosts: BTreeSet<String>,
    scheme: &'static str,
}

// === impl Gate ===

impl Gate {
    /// The gate of a server on loopback at this port.
    pub fn of_loopback(port: u16) -> Self {
        let names = ["127.0.0.1", "localhost", "[::1]"];
        Self {
            hosts: names.iter().map(|name| format!("{name}:{port}")).collect(),
            scheme: "http",
        }
    }

    /// The gate of a server that is reached over TLS by these hosts.
    pub fn of_hosts(hosts: impl IntoIterator<Item = String>) -> Self {
        Self {
            hosts: hosts
                .into_iter()
                .map(|it| it.to_ascii_lowercase())
                .collect(),
            scheme: "https",
        }
    }

    /// Whether the request is one for this server, by a browser that nobody else sends. A form must show the
    /// token of a page besides, which [`Gate::takes_form`] judges.
    ///
    /// # Errors
    /// The reason why not.
    pub fn lets(&self, asked: &Asked<'_>) -> Result<(), Refused> {
        let host = asked.host.map(str::to_ascii_lowercase);
        if !host.is_some_and(|host| self.hosts.contains(&host)) {
            return Err(Refused::Host);
        }
        match asked.method {
            // A link from elsewhere may lead here: it changes nothing, and nobody else sees the answer.
            "GET" | "HEAD" => Ok(()),
            "POST" if self.is_ours(asked) => Ok(()),
            "POST" => Err(Refused::Origin),
            _ => Err(Refused::Method),
        }
    }

    /// Whether a visitor's form is one of a page of ours.
    ///
    /// # Errors
    /// The reason why not.
    pub fn takes_form(standing: Standing, has_token: bool) -> Result<(), Refused> {
        match (standing, has_token) {
            (Standing::Stranger, _) => Err(Refused::Stranger),
            (Standing::Known, false) => Err(Refused::Token),
            (Standing::Known, true) => Ok(()),
        }
    }

    /// Whether a browser says that the request comes from a page of this very server. All that are not
    /// years old say so of forms.
    fn is_ours(&self, asked: &Asked<'_>) -> bool {
        let origin = asked.origin.and_then(|origin| {
            let host = origin.strip_prefix(self.scheme)?.strip_prefix("://")?;
            Some(host.to_ascii_lowercase())
        });
        let host = asked.host.map(str::to_ascii_lowercase);
        let is_near = asked.site.is_none_or(|site| site == "same-origin");
        origin.is_some() && origin == host && is_near
    }
}

// === impl Refused ===

impl Refused {
    /// The code of the answer.
    pub fn status(self) -> u16 {
        match self {
            Self::Host => 421,
            Self::Method => 405,
            Self::Origin | Self::Token | Self::ReadOnly => 403,
            Self::Stranger => 401,
            Self::TooOften => 429,
            Self::Failed => 500,
        }
    }
}

impl Display for Refused {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Host => {
                "The console is not at this address. Use the address that it printed when it was started, or one \
                 that it was given by --host."
            }
            Self::Method => "The console reads pages and takes forms, and nothing else.",
            Self::Origin => "Another page sent this. Nothing was done.",
            Self::TooOften => "Too much was tried. Wait for ten seconds.",
            Self::ReadOnly => "This console writes nothing; whoever starts it with --allow-apply has it write.",
            Self::Failed => "The console failed on this page, which is a bug. Its log names the place.",
            Self::Token => "The page is too old. Load it again, and try once more.",
            Self::Stranger => {
                "The console does not know you. Open the address that it printed last, with all that stands behind \
                 the question mark; each lets one browser in."
            }
        })
    }
}

impl std::error::Error for Refused {}
