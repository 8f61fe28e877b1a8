//! The secret in the address that the console prints. The secret admits one browser, and is then
//! replaced.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use portolan_core_console::Refused;
use tokio::sync::watch;

use crate::attempts::Attempts;
use crate::guests::Guest;
use crate::keys::{Keys, NoRandom, Secret};

/// Admits visitors who have the secret. All of these visitors see the same content.
pub(crate) struct Entry {
    pub(crate) guest: Arc<Guest>,
    address: SocketAddr,
    url: watch::Sender<String>,
    begun: Instant,
    state: Mutex<State>,
}

struct State {
    secret: Secret,
    attempts: Attempts,
}

// === impl Entry ===

impl Entry {
    pub(crate) fn new(address: SocketAddr, guest: Guest, keys: &Keys) -> Result<Self, NoRandom> {
        let secret = keys.secret()?;
        let (url, _) = watch::channel(url(address, &secret));
        Ok(Self {
            guest: Arc::new(guest),
            address,
            url,
            begun: Instant::now(),
            state: Mutex::new(State {
                secret,
                attempts: Attempts::new(),
            }),
        })
    }

    pub(crate) fn urls(&self) -> watch::Receiver<String> {
        self.url.subscribe()
    }

    /// Checks the secret. If the secret is correct, replaces it and returns the value of a session
    /// cookie.
    pub(crate) fn enter(&self, given: &str, keys: &Keys) -> Result<String, Refused> {
        let mut state = self.state();
        // The number of attempts is unlimited, so that another user on this machine cannot lock out
        // the owner. The secret has 256 random bits, so guesses cannot succeed.
        if !state.secret.is(given) {
            let may_guess = state.attempts.take(self.begun.elapsed());
            return Err(if may_guess {
                Refused::Stranger
            } else {
                Refused::TooOften
            });
        }
        // If the system has no random numbers, the console admits no visitor.
        let made = keys.secret().and_then(|secret| {
            let session = keys.begin(String::new(), String::new())?;
            Ok((secret, keys.seal(&session)?))
        });
        let (secret, cookie) = made.map_err(|NoRandom| Refused::Stranger)?;
        self.url.send_replace(url(self.address, &secret));
        state.secret = secret;
        Ok(cookie)
    }

    /// Locks the state. A poisoned lock is safe, because a panic leaves the state intact.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the address that admits one browser.
fn url(address: SocketAddr, secret: &Secret) -> String {
    format!("http://{address}/enter?secret={}", secret.as_str())
}
