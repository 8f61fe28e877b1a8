//! The session cookie, and the sessions that were logged out.

use std::collections::{BTreeSet, VecDeque};
use std::net::SocketAddr;

/// The name of a cookie, and its attributes.
#[derive(Debug)]
pub(crate) struct Cookie {
    name: String,
    attributes: &'static str,
}

/// The sessions that were logged out. To limit memory, the oldest sessions are dropped. Their
/// tokens have expired by then.
#[derive(Debug, Default)]
pub(crate) struct EndedSessions {
    all: BTreeSet<String>,
    in_order: VecDeque<String>,
}

/// The maximum number of sessions that are remembered.
const REMEMBERED: usize = 10_000;

// === impl Cookie ===

impl Cookie {
    /// Returns the cookie of a console on loopback. The port is in its name, because browsers share
    /// cookies between ports.
    pub(crate) fn of_loopback(address: SocketAddr) -> Self {
        Self {
            name: format!("portolan-{}", address.port()),
            attributes: "Path=/; HttpOnly; SameSite=Strict",
        }
    }

    /// Returns the cookie of a console behind TLS. Other hosts cannot set a cookie with this name.
    pub(crate) fn of_hosts() -> Self {
        Self {
            name: "__Host-portolan".to_owned(),
            attributes: "Path=/; Secure; HttpOnly; SameSite=Strict",
        }
    }

    /// Returns a header that sets the cookie.
    pub(crate) fn with(&self, value: &str) -> String {
        format!("{}={value}; {}", self.name, self.attributes)
    }

    /// Returns a header that removes the cookie.
    pub(crate) fn gone(&self) -> String {
        format!("{}=; {}; Max-Age=0", self.name, self.attributes)
    }

    /// Returns the value of this cookie from the header of a browser. Returns None unless the
    /// cookie occurs exactly once.
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
