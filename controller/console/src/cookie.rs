//! The session cookie, and the list of sessions that were logged out.

use std::collections::{BTreeSet, VecDeque};
use std::net::SocketAddr;

/// The name and the attributes of a cookie.
#[derive(Debug)]
pub(crate) struct Cookie {
    name: String,
    attributes: &'static str,
}

/// The sessions that were logged out. To limit memory, the oldest sessions are dropped from the
/// list. Their tokens have expired by then.
#[derive(Debug, Default)]
pub(crate) struct EndedSessions {
    all: BTreeSet<String>,
    in_order: VecDeque<String>,
}

/// The maximum number of logged-out sessions in the list.
const REMEMBERED: usize = 10_000;

// === impl Cookie ===

impl Cookie {
    /// Returns the cookie of a console on loopback. The name of the cookie contains the port,
    /// because browsers send a cookie to all ports of a host.
    pub(crate) fn of_loopback(address: SocketAddr) -> Self {
        Self {
            name: format!("portolan-{}", address.port()),
            attributes: "Path=/; HttpOnly; SameSite=Strict",
        }
    }

    /// Returns the cookie of a console behind TLS. The prefix of its name prevents other hosts from
    /// setting the cookie.
    pub(crate) fn of_hosts() -> Self {
        Self {
            name: "__Host-portolan".to_owned(),
            attributes: "Path=/; Secure; HttpOnly; SameSite=Strict",
        }
    }

    /// Returns the value of a `Set-Cookie` header that sets the cookie.
    pub(crate) fn with(&self, value: &str) -> String {
        format!("{}={value}; {}", self.name, self.attributes)
    }

    /// Returns the value of a `Set-Cookie` header that removes the cookie.
    pub(crate) fn gone(&self) -> String {
        format!("{}=; {}; Max-Age=0", self.name, self.attributes)
    }

    /// Returns the value of this cookie. `cookies` is the `Cookie` header of a request. Returns
    /// None unless this cookie occurs exactly once.
    pub(crate) fn value<'a>(&self, cookies: &'a str) -> Option<&'a str> {
        let cookies = cookies.split(';');
        let cookies = cookies.filter_map(|it| it.trim().split_once('='));
        let mut ours = cookies.filter(|(name, _)| *name == self.name);
        match (ours.next(), ours.next()) {
            (Some((_, value)), None) => Some(value),
            _ => None,
        }
    }
}

// === impl EndedSessions ===

impl EndedSessions {
    pub(crate) fn end(&mut self, session: String) {
        if self.all.len() >= REMEMBERED
            && let Some(first) = self.in_order.pop_front()
        {
            self.all.remove(&first);
        }
        if self.all.insert(session.clone()) {
            self.in_order.push_back(session);
        }
    }

    pub(crate) fn has(&self, session: &str) -> bool {
        self.all.contains(session)
    }
}
