//! The check that a request comes from the visitor's own browser, on a page of this server.
//!
//! A page of another server can make a browser send requests to this server. Such a page cannot
//! choose the `Host` header, but the host name of the other server can resolve to this server. The
//! page can neither hide the origin of a request nor read responses. Therefore the gate accepts
//! only requests for the host names of this server. A request that changes something must come from
//! a page of this server, and must contain a token that only these pages have. A visitor is
//! identified only by a cookie that this server has created.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};

/// The security headers of every response. They forbid content of other servers, inline scripts and
/// styles, and framing. They also forbid caching. Images may be `data:` URLs.
pub const HEADERS: [(&str, &str); 7] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
         form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    // Without a policy, browsers would not send the origin of forms.
    ("referrer-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cache-control", "no-store"),
];

/// The properties of a request. A header that occurs several times or is not text has the value
/// `?`, which is always invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked<'a> {
    /// The method of the request.
    pub method: &'a str,
    /// The host and port to which the browser sends the request.
    pub host: Option<&'a str>,
    /// The origin of the page that sent the request. None if the browser does not report the
    /// origin.
    pub origin: Option<&'a str>,
    /// The value of the `Sec-Fetch-Site` header: the relation of the sending page to this server.
    /// None if the browser does not send this header.
    pub site: Option<&'a str>,
}

/// The authentication state of a visitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VisitorState {
    /// A visitor with a valid cookie of this server.
    Known,
    /// A visitor without a valid cookie.
    Stranger,
}

/// The reason for rejecting a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// The host does not belong to this server.
    Host,
    /// The method is not GET, HEAD or POST.
    Method,
    /// The request comes from a page of another server.
    Origin,
    /// The form has no token or an invalid token.
    Token,
    /// The visitor is not authenticated.
    Stranger,
    /// The visitor has tried to log in too often.
    TooOften,
    /// This console may not make changes.
    ReadOnly,
    /// The server failed because of a bug.
    Failed,
}

/// The check of requests by host and origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gate {
    /// The host names of this server. A name contains the port unless it is the default port.
    hosts: BTreeSet<String>,
    scheme: &'static str,
}

// === impl Gate ===

impl Gate {
    /// Creates the gate of a server on loopback at this port.
    pub fn of_loopback(port: u16) -> Self {
        let names = ["127.0.0.1", "localhost", "[::1]"];
        Self {
            hosts: names.iter().map(|name| format!("{name}:{port}")).collect(),
            scheme: "http",
        }
    }

    /// Creates the gate of a server that browsers reach over TLS by these hosts.
    pub fn of_hosts(hosts: impl IntoIterator<Item = String>) -> Self {
        Self {
            hosts: hosts
                .into_iter()
                .map(|it| it.to_ascii_lowercase())
                .collect(),
            scheme: "https",
        }
    }

    /// Checks that the request is for this server. A request that changes something must also come
    /// from a page of this server. [`Gate::takes_form`] additionally checks the token of a form.
    ///
    /// # Errors
    ///
    /// Returns the reason if the request is rejected.
    pub fn lets(&self, asked: &Asked<'_>) -> Result<(), Refused> {
        let host = asked.host.map(str::to_ascii_lowercase);
        if !host.is_some_and(|host| self.hosts.contains(&host)) {
            return Err(Refused::Host);
        }
        match asked.method {
            // A page of another server may link to this server. Such a request changes nothing, and
            // only the visitor can read the response.
            "GET" | "HEAD" => Ok(()),
            "POST" if self.is_ours(asked) => Ok(()),
            "POST" => Err(Refused::Origin),
            _ => Err(Refused::Method),
        }
    }

    /// Checks that a visitor is logged in and that the form has the token of a page of this server.
    ///
    /// # Errors
    /// Returns the reason if the form is rejected.
    pub fn takes_form(standing: VisitorState, has_token: bool) -> Result<(), Refused> {
        match (standing, has_token) {
            (VisitorState::Stranger, _) => Err(Refused::Stranger),
            (VisitorState::Known, false) => Err(Refused::Token),
            (VisitorState::Known, true) => Ok(()),
        }
    }

    /// Returns true if the browser reports that the request comes from a page of this server.
    /// Current browsers report the origin of every form.
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
    /// Returns the HTTP status code.
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
                "The console does not serve this address. Use the address that it printed when it \
                 was started, or one that was given with --host."
            }
            Self::Method => "The console accepts only GET and POST.",
            Self::Origin => "The request came from another site and was rejected.",
            Self::TooOften => "Too many attempts. Wait for ten seconds.",
            Self::ReadOnly => {
                "This console is read-only. To apply changes, start it with \
             --allow-apply."
            }
            Self::Failed => {
                "The console failed on this page, which is a bug. Its log has the \
             details."
            }
            Self::Token => "The page has expired. Reload it and try again.",
            Self::Stranger => {
                "You are not logged in. Open the address that the console printed last, including \
                 everything after the question mark. Each address works for one browser."
            }
        })
    }
}

impl std::error::Error for Refused {}
