//! Visitors who logged in with a token of the cluster. Each visitor sees only the objects that the
//! token permits. The console stops the watches of a visitor who has sent no request for some time.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use portolan_core_console::Refused;
use ring::digest;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::attempts::AttemptsByAddress;
use crate::changes::Changes;
use crate::contents::Contents;
use crate::{NotAdmitted, Source, Visitors};

/// The maximum number of visitors at the same time. The console watches the cluster separately for
/// each visitor.
const MOST: usize = 32;
/// The time without requests after which the console drops a visitor.
const IDLE: Duration = Duration::from_secs(15 * 60);
/// The time after which the cluster must verify a token again.
const TRUSTED: Duration = Duration::from_secs(60);

/// The visitors who are logged in, and the limits of login attempts.
pub(crate) struct Guests {
    visitors: Arc<dyn Visitors>,
    inside: Mutex<Inside>,
    begun: Instant,
    draining: CancellationToken,
}

#[derive(Default)]
struct Inside {
    /// The visitors, by the SHA-256 digest of their token and namespace.
    guests: BTreeMap<Vec<u8>, KnownGuest>,
    attempts: AttemptsByAddress,
}

/// A visitor that the cluster has authenticated, or that is being authenticated.
struct KnownGuest {
    admission: Admission,
    /// The visitor's data from the last successful authentication.
    before: Option<Arc<Guest>>,
    /// The time at which the cluster must verify the token again.
    trusted_until: Instant,
    used: Instant,
}

/// The running or completed authentication. All requests with the same token share it.
type Admission = Shared<BoxFuture<'static, Result<Arc<Guest>, NotAdmitted>>>;

/// The data of a logged-in visitor.
pub(crate) struct Guest {
    /// The name of the user to whom the token belongs, according to the cluster.
    pub(crate) user: String,
    /// The only namespace to read if the user may not read all namespaces. Empty if the visitor
    /// entered no namespace.
    pub(crate) namespace: String,
    pub(crate) source: Arc<dyn Source>,
    pub(crate) changes: Changes,
    pub(crate) contents: Contents,
}

/// The reason why a visitor is not admitted.
pub(crate) enum Outside {
    Refused(Refused),
    NotAdmitted(NotAdmitted),
}

// === impl Guests ===

impl Guests {
    pub(crate) fn new(visitors: Arc<dyn Visitors>, draining: CancellationToken) -> Self {
        Self {
            visitors,
            inside: Mutex::default(),
            begun: Instant::now(),
            draining,
        }
    }

    /// Returns the visitor to whom a token belongs. A token that was not used recently costs the
    /// address one login attempt. The attempt is restored unless the cluster rejects the token.
    pub(crate) async fn admit(
        &self,
        (token, namespace): (&str, &str),
        from: IpAddr,
    ) -> Result<Arc<Guest>, Outside> {
        let named = format!("{token}\n{namespace}");
        let place = digest::digest(&digest::SHA256, named.as_bytes());
        let place = place.as_ref().to_vec();
        let (admission, is_tried) = self.admission(&place, (token, namespace), from)?;
        let admitted = admission.clone().await;
        let mut inside = self.inside();
        // Only a rejected token counts as an attempt. All visitors behind a proxy share one
        // address, so other attempts would lock them out.
        let is_guess = matches!(admitted, Err(NotAdmitted::Unknown));
        if is_tried && !is_guess {
            inside.attempts.give_back(from);
        }
        if let Err(why) = &admitted {
            inside.forget(&place, &admission, why);
        }
        admitted.map_err(Outside::NotAdmitted)
    }

    /// Returns the authentication for a token, and true if this authentication costs a login
    /// attempt.
    fn admission(
        &self,
        place: &[u8],
        (token, namespace): (&str, &str),
        from: IpAddr,
    ) -> Result<(Admission, bool), Outside> {
        let now = Instant::now();
        let mut inside = self.inside();
        let known = match inside.guests.get_mut(place) {
            Some(known) if now < known.trusted_until => {
                known.used = now;
                return Ok((known.admission.clone(), false));
            }
            Some(known) => known.guest(),
            None => None,
        };
        let is_tried = known.is_none();
        if is_tried && !inside.attempts.take(from, self.begun.elapsed()) {
            return Err(Outside::Refused(Refused::TooOften));
        }
        let admission = self.ask((token.to_owned(), namespace.to_owned()), known.clone());
        if !inside.guests.contains_key(place) {
            inside.make_room(now);
        }
        let known = KnownGuest {
            admission: admission.clone(),
            before: known,
            trusted_until: now + TRUSTED,
            used: now,
        };
        inside.guests.insert(place.to_vec(), known);
        Ok((admission, is_tried))
    }

    /// Authenticates a visitor. If the visitor is new, also opens a view of the cluster.
    fn ask(&self, (token, namespace): (String, String), known: Option<Arc<Guest>>) -> Admission {
        let (visitors, draining) = (Arc::clone(&self.visitors), self.draining.clone());
        let asking = async move {
            let user = visitors.know(&token).await?;
            if let Some(guest) = known.filter(|guest| guest.user == user) {
                return Ok(guest);
            }
            let source = visitors.open(&token, &namespace).await?;
            let changes = Changes::new(source.changes(), draining);
            Ok(Arc::new(Guest {
                user,
                namespace,
                source,
                changes,
                contents: Contents::default(),
            }))
        };
        asking.boxed().shared()
    }

    /// Drops the visitors who have sent no request for too long.
    pub(crate) fn sweep(&self) {
        let now = Instant::now();
        let is_used = |known: &KnownGuest| now < known.used + IDLE;
        self.inside().guests.retain(|_, known| is_used(known));
    }

    /// Locks the state. A poisoned lock is safe, because a panic leaves the state intact.
    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl KnownGuest ===

impl KnownGuest {
    /// Returns the visitor's data from the last successful authentication.
    fn guest(&self) -> Option<Arc<Guest>> {
        let told = self.admission.peek().cloned().and_then(Result::ok);
        told.or_else(|| self.before.clone())
    }
}

// === impl Inside ===

impl Inside {
    /// Makes the next request with this token authenticate again. If the cluster rejected the
    /// token, the visitor's view is closed. If the cluster did not answer, an open view is kept.
    fn forget(&mut self, place: &[u8], admission: &Admission, why: &NotAdmitted) {
        let known = self.guests.get_mut(place);
        let Some(known) = known.filter(|known| known.admission.ptr_eq(admission)) else {
            return;
        };
        match why {
            NotAdmitted::Unanswered(_) if known.before.is_some() => {
                known.trusted_until = known.used;
            }
            NotAdmitted::Unanswered(_) | NotAdmitted::Unknown => {
                self.guests.remove(place);
            }
        }
    }

    /// Drops idle visitors. If there are still too many visitors, also drops the visitor who has
    /// been idle for the longest time.
    fn make_room(&mut self, now: Instant) {
        self.guests.retain(|_, known| now < known.used + IDLE);
        if self.guests.len() < MOST {
            return;
        }
        let oldest = self.guests.iter().min_by_key(|(_, known)| known.used);
        if let Some(place) = oldest.map(|(place, _)| place.clone()) {
            self.guests.remove(&place);
        }
    }
}
