//! The cookie that a session is kept in, and the sessions that somebody has ended.

use std::collections::{BTreeSet, VecDeque};
use std::net::SocketAddr;

/// The name of a cookie, and its attributes.
#[derive(Debug)]
pub(crate) struct Cookie {
    name: String,
    attributes: &'static str,
}

/// Sessions of those who have logged out. So that nobody fills the memory of the process, the first ones are
/// forgotten; by then their tokens have expired.
#[derive(Debug, Default)]
pub(crate) struct Ended {
    all: BTreeSet<String>,
    in_order: VecDeque<String>,
}

/// The maximum number of them that are remembered.
const REMEMBERED: usize = 10_000;

// === impl Cookie ===

impl Cookie {
    /// That of a console on loopback, which has the port in its name: browsers do not tell ports apart.
    pub(crate) fn of_loopback(address: SocketAddr) -> Self {
        Self {
            name: format!("portolan-{}", address.port()),
            attributes: "Path=/; HttpOnly; SameSite=Strict",
        }
    }

    /// That of a console behind TLS: no other host can set one of that name.
    pub(crate) fn of_hosts() -> Self {
        Self {
            name: "__Host-portolan".to_owned(),
            attributes: "Path=/; Secure; HttpOnly; SameSite=Strict",
        }
    }

    /// A header that sets it.
    pub(crate) fn with(&self, value: &str) -> String {
        format!("{}={value}; {}", self.name, self.attributes)
    }

    /// A header that takes it away.
    pub(crate) fn gone(&self) -> String {
        format!("{}=; {}; Max-Age=0", self.name, self.attributes)
    }

    /// Its value in what a browser sends, if it is there once.
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

// === impl Ended ===

impl Ended {
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
