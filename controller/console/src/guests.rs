//! Visitors who logged in with a token of the cluster. Each visitor sees the objects that the token
//! permits. The watches of a visitor end after some time without requests.

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
use crate::{NotAdmitted, Source, Visitors};

/// The maximum number of visitors at the same time. The cluster is watched separately for each of
/// them.
const MOST: usize = 32;
/// The time for which an idle visitor is kept.
const IDLE: Duration = Duration::from_secs(15 * 60);
/// The time after which the cluster must verify a token again.
const TRUSTED: Duration = Duration::from_secs(60);

/// The set of guests.
pub(crate) struct Guests {
    visitors: Arc<dyn Visitors>,
    inside: Mutex<Inside>,
    begun: Instant,
    draining: CancellationToken,
}

#[derive(Default)]
struct Inside {
    /// By the digest of the token.
    guests: BTreeMap<Vec<u8>, KnownGuest>,
    attempts: AttemptsByAddress,
}

/// A visitor that the cluster has authenticated, or that is being authenticated.
struct KnownGuest {
    admission: Admission,
    /// The guest from the last confirmation of the token.
    before: Option<Arc<Guest>>,
    /// The time from which the token must be verified again.
    trusted_until: Instant,
    used: Instant,
}

/// The authentication that all requests with the same token wait for.
type Admission = Shared<BoxFuture<'static, Result<Arc<Guest>, NotAdmitted>>>;

/// A logged-in visitor.
pub(crate) struct Guest {
    /// The user name that the cluster returns for the token.
    pub(crate) user: String,
    /// The namespace to show if the user has no permission for all namespaces. Empty if no
    /// namespace is set.
    pub(crate) namespace: String,
    pub(crate) source: Arc<dyn Source>,
    pub(crate) changes: Changes,
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

    /// Returns the visitor with a token. A token that was not used recently costs an attempt of its
    /// address. The attempt is restored if the cluster accepts the token or does not respond.
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
        // All visitors behind a proxy have the address of the proxy.
        let is_guess = matches!(admitted, Err(NotAdmitted::Unknown));
        if is_tried && !is_guess {
            inside.attempts.give_back(from);
        }
        if let Err(why) = &admitted {
            inside.forget(&place, &admission, why);
        }
        admitted.map_err(Outside::NotAdmitted)
    }

    /// Returns the authentication to wait for, and true if it counts as an attempt.
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

    /// Authenticates a visitor, and opens the visitor's view of the cluster unless it is already
    /// open.
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
            }))
        };
        asking.boxed().shared()
    }

    /// Drops the visitors that have been idle for too long.
    pub(crate) fn sweep(&self) {
        let now = Instant::now();
        let is_used = |known: &KnownGuest| now < known.used + IDLE;
        self.inside().guests.retain(|_, known| is_used(known));
    }

    /// Locks the state. A panic of another holder leaves the state intact.
    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl KnownGuest ===

impl KnownGuest {
    /// Returns the guest from the last confirmation of the token.
    fn guest(&self) -> Option<Arc<Guest>> {
        let told = self.admission.peek().cloned().and_then(Result::ok);
        told.or_else(|| self.before.clone())
    }
}

// === impl Inside ===

impl Inside {
    /// Forces the next request with the same token to authenticate again. An open view is kept
    /// until the cluster rejects the token. If the cluster does not respond, the view stays open.
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

    /// If there are too many visitors, removes the visitor with the longest idle time.
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
