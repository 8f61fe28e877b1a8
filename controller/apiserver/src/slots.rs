//! Slots limit the number of long requests. One caller can take only a share of them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use portolan_core_installed::apiserver::Tenant;

/// The slots for requests of one kind. Clones share the slots.
#[derive(Debug, Clone)]
pub(crate) struct RequestSlots(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// The name of these requests in messages, in the plural.
    what: &'static str,
    most: usize,
    /// The maximum number of slots of one tenant.
    share: usize,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    by_tenant: BTreeMap<Tenant, usize>,
}

/// A taken slot. It becomes free when this value is dropped.
#[derive(Debug)]
pub(crate) struct RequestSlot {
    places: RequestSlots,
    tenant: Tenant,
}

/// The limit that prevents a request from taking a slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Full {
    /// The tenant already has its maximum number of slots.
    Tenant {
        what: &'static str,
        tenant: Tenant,
        share: usize,
    },
    /// No slot of the server is free.
    Server { what: &'static str, most: usize },
}

// === impl RequestSlots ===

impl RequestSlots {
    pub(crate) fn of(what: &'static str, most: usize, share: usize) -> Self {
        Self(Arc::new(Shared {
            what,
            most,
            share,
            taken: Mutex::default(),
        }))
    }

    /// Takes a slot for a tenant. Fails if no slot is available.
    pub(crate) fn take(&self, tenant: Tenant) -> Result<RequestSlot, Full> {
        let Shared {
            what,
            most,
            share,
            taken,
        } = &*self.0;
        let (what, most, share) = (*what, *most, *share);
        let mut taken = taken.lock().unwrap_or_else(PoisonError::into_inner);
        let own = taken.by_tenant.get(&tenant).copied().unwrap_or_default();
        if own >= share {
            return Err(Full::Tenant {
                what,
                tenant,
                share,
            });
        }
        if taken.all >= most {
            return Err(Full::Server { what, most });
        }
        taken.all += 1;
        taken.by_tenant.insert(tenant.clone(), own + 1);
        let places = self.clone();
        Ok(RequestSlot { places, tenant })
    }

    fn free(&self, tenant: &Tenant) {
        let mut taken = self.0.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.all -= 1;
        if let Some(own) = taken.by_tenant.get_mut(tenant) {
            *own -= 1;
            if *own == 0 {
                taken.by_tenant.remove(tenant);
            }
        }
    }
}

impl Drop for RequestSlot {
    fn drop(&mut self) {
        self.places.free(&self.tenant);
    }
}

// === impl Full ===

impl Full {
    /// Returns the value of the metric label `limit`.
    pub(crate) const fn limit(&self) -> &'static str {
        match self {
            Self::Tenant { .. } => "caller",
            Self::Server { .. } => "server",
        }
    }
}

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tenant {
                what,
                tenant,
                share,
            } => write!(
                f,
                "too many {what} of installed: {tenant} already has {share}, the maximum for one \
                 caller; end some {what} and retry"
            ),
            Self::Server { what, most } => write!(
                f,
                "too many {what} of installed: this server already has {most}, its maximum; retry in a second"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(name: &str) -> Tenant {
        Tenant::User(name.to_owned())
    }

    #[test]
    fn caller_uses_at_most_its_share_and_other_callers_continue() {
        let places = RequestSlots::of("watches", 3, 2);
        let first = places.take(user("a")).expect("a place");
        let _second = places.take(user("a")).expect("a place");
        let refused = places.take(user("a")).expect_err("it has its share");
        assert_eq!(refused.limit(), "caller");
        assert_eq!(
            refused.to_string(),
            "too many watches of installed: user \"a\" already has 2, the maximum for one caller; \
             end some watches and retry"
        );
        let _other = places.take(user("b")).expect("a place");
        let refused = places.take(user("c")).expect_err("all are taken");
        assert_eq!(refused.limit(), "server");
        drop(first);
        assert!(places.take(user("a")).is_ok());
    }

    #[test]
    fn slots_of_past_callers_use_no_memory() {
        let places = RequestSlots::of("lists", 3, 2);
        for name in ["a", "b", "c"] {
            drop(places.take(user(name)).expect("a place"));
        }
        let taken = places.0.taken.lock().expect("a lock");
        assert_eq!((taken.all, taken.by_tenant.len()), (0, 0));
    }
}
