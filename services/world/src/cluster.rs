//! The objects of a cluster, read from its API server.

mod access;
mod agent;
mod ask;
mod dumped;
mod forward;
mod item;
mod reflect;
mod who;
mod whole;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use http::header::InvalidHeaderValue;
use kube::Client;
use kube::core::ApiResource;
use portolan_core_names::{Gvk, ObjectRef};
use portolan_core_olm::Reads;
use serde_json::Value;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

use crate::registry::Dialer;
use crate::{listed, stored};

pub use self::access::{Access, ReachCluster};
pub use self::agent::name_process;
use self::ask::{Ask, ListQuery};
pub use self::dumped::{DumpCluster, Dumped, WriteDump, write_list};
use self::forward::Forwarded;
use self::reflect::{Sink, reflect};
pub use self::who::UnknownUser;
pub(crate) use self::whole::DumpedKind;
use crate::kind::area_of;
use crate::store::Stores;
use crate::{
    Area, Completeness, Kind, ListedKind, Objects, Projection, RawObjects, RawWorld, Trouble, User,
    World,
};

/// The timeouts and pauses of requests to an API server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// The maximum time for a response: a page of a list, or the start of a watch.
    pub answer: Duration,
    /// The maximum time without an event. After that, the watch is opened again. API servers send a
    /// bookmark about once a minute, so only a broken watch is silent for longer.
    pub silence: Duration,
    /// The interval for checking if a kind is served, while the API server does not serve the kind
    /// and CRDs cannot be watched.
    pub missing: Duration,
    /// The minimum pause before the next request for objects that the user may not list.
    pub forbidden: Duration,
}

/// The objects of one cluster. Clones share the watches, which end when the last clone is dropped.
#[derive(Debug, Clone)]
pub struct Cluster {
    inner: Arc<Inner>,
    dialer: Dialer,
}

struct Inner {
    client: Client,
    pace: Pace,
    stores: Stores,
    /// The namespace whose objects are observed if the user cannot list objects in all namespaces.
    /// None if there is no such fallback.
    at_least: Option<String>,
}

// === impl Pace ===

impl Pace {
    /// The default pace.
    pub const DEFAULT: Self = Self {
        answer: Duration::from_secs(15),
        silence: Duration::from_secs(100),
        missing: Duration::from_secs(60),
        forbidden: Duration::ZERO,
    };
}

impl Default for Pace {
    fn default() -> Self {
        Self::DEFAULT
    }
}

// === impl Cluster ===

impl Cluster {
    /// Returns the world of the objects that `client` can read. The read timeout of the client
    /// should be unset, which is kube's default, or longer than [`Pace::silence`]. A shorter
    /// timeout would interrupt quiet watches, which are then opened again.
    ///
    /// A watch runs on the runtime on which its objects are first requested.
    pub fn of(client: Client, pace: Pace) -> Self {
        Self::with(client, pace, Projection::default())
    }

    /// Also keeps the metadata in `reads`. This does not affect objects that are already being
    /// observed.
    #[must_use]
    pub fn reading(self, reads: &[Reads]) -> Self {
        let Inner {
            client,
            pace,
            stores,
            at_least,
        } = &*self.inner;
        let projection = stores.projection().clone().with(reads);
        let read = Self::with(client.clone(), *pace, projection);
        Self {
            dialer: self.dialer,
            ..read.or_within(at_least.as_deref().unwrap_or_default())
        }
    }

    /// Observes only this namespace if the user cannot list a kind in all namespaces. The view then
    /// contains only the objects in this namespace, and does not report that other objects may
    /// exist. An empty name disables this fallback. Objects that are already being observed are not
    /// affected.
    #[must_use]
    pub fn or_within(self, namespace: &str) -> Self {
        let Inner {
            client,
            pace,
            stores,
            at_least: _,
        } = &*self.inner;
        let inner = Inner {
            client: client.clone(),
            pace: *pace,
            stores: Stores::of(stores.projection().clone()),
            at_least: (!namespace.is_empty()).then(|| namespace.to_owned()),
        };
        Self {
            inner: Arc::new(inner),
            dialer: self.dialer,
        }
    }

    fn with(client: Client, pace: Pace, projection: Projection) -> Self {
        let inner = Inner {
            client,
            pace,
            stores: Stores::of(projection),
            at_least: None,
        };
        Self {
            inner: Arc::new(inner),
            dialer: Dialer::default(),
        }
    }

    /// Prepares the world for a process outside the cluster. If the network does not reach a
    /// registry, the API server forwards the connection, if it permits this.
    pub fn from_outside(self) -> Self {
        Self {
            dialer: Dialer::with(Forwarded(self.client())),
            ..self
        }
    }
}

impl Cluster {
    /// Returns the client for requests to the API server.
    pub fn client(&self) -> Client {
        self.inner.client.clone()
    }

    /// Watches the objects of a kind in an area. The generated code of
    /// [`watchable!`](crate::watchable) calls this method.
    #[doc(hidden)]
    pub fn watch<K: Kind>(&self, area: Area) -> Objects<K> {
        let stores = &self.inner.stores;
        stores.objects(area, |store| {
            let narrower = self.narrower::<K>(store.area());
            let ask = self.ask(ListQuery::of::<K>(store.area()));
            self.reflecting(ask.or(narrower), store)
        })
    }

    /// Watches the metadata of the objects of a kind in an area, with the permissions of `user`.
    /// Without a user, uses the identity of the process. For a cluster-scoped kind, the area must
    /// not contain a namespace.
    ///
    /// If an area has labels, an object that loses these labels is reported as deleted.
    ///
    /// # Errors
    /// Returns an error if a name of the user is invalid.
    pub fn metadata(
        &self,
        kind: &ApiResource,
        area: Area,
        user: Option<&User>,
    ) -> Result<RawObjects, InvalidHeaderValue> {
        let headers = user.map(User::headers).transpose()?.unwrap_or_default();
        let stores = &self.inner.stores;
        Ok(stores.metadata(kind, area, user, |store| {
            let ask = self.ask(ListQuery::metadata(store.kind(), store.area()));
            self.reflecting(ask.with_headers(headers), store)
        }))
    }

    /// Returns the narrower query that is used if the user cannot list an area. Returns None if
    /// there is no narrower area.
    fn narrower<K: Kind>(&self, area: &Area) -> Option<ListQuery> {
        let narrower = area.clone().or_namespace(self.inner.at_least.as_deref()?);
        let narrower = area_of::<K>(narrower);
        (narrower != *area).then(|| ListQuery::of::<K>(&narrower))
    }

    fn ask(&self, query: ListQuery) -> Ask {
        Ask::of(self.client(), self.inner.pace, query)
    }

    /// Updates a sink to the state of the API server, until the world ends or the returned handle
    /// is dropped.
    fn reflecting<S: Sink>(&self, ask: Ask, sink: Arc<S>) -> AbortOnDropHandle<Option<Infallible>> {
        let reflecting = reflect(ask, sink);
        let ended = self.inner.stores.end_token();
        let until_the_end = async move { ended.run_until_cancelled(reflecting).await };
        AbortOnDropHandle::new(tokio::spawn(until_the_end))
    }

    /// Returns these objects from the API server. Objects that cannot be read are omitted.
    pub(crate) async fn written(
        &self,
        names: Vec<ObjectRef<Gvk>>,
    ) -> BTreeMap<ObjectRef<Gvk>, Value> {
        let mut found = BTreeMap::new();
        for named in names {
            match self.object(&named).await {
                Ok(Some(object)) => drop(found.insert(named, object)),
                Ok(None) => {}
                Err(error) => tracing::debug!(%error, object = ?named, "an object cannot be read"),
            }
        }
        found
    }

    /// Returns an object from the API server. Returns None if the object does not exist.
    pub(crate) async fn object(&self, named: &ObjectRef<Gvk>) -> Result<Option<Value>, Trouble> {
        let Inner { client, pace, .. } = &*self.inner;
        stored::of_cluster(named, client.clone(), pace.answer).await
    }

    /// Passes the objects of a kind to the caller.
    pub(crate) async fn each_listed(
        &self,
        kind: &ListedKind,
        found: &mut (dyn FnMut(&Value) + Send),
    ) -> Result<Completeness, Trouble> {
        let Inner { client, pace, .. } = &*self.inner;
        listed::of_cluster(kind, (client.clone(), pace.answer), found).await
    }
}

impl World for Cluster {
    fn objects_in<K: Kind>(&self, area: Area) -> Objects<K> {
        K::of_cluster(self, area)
    }

    fn dialer(&self) -> Dialer {
        self.dialer.clone()
    }

    async fn kubernetes(&self) -> Option<String> {
        let Inner { client, pace, .. } = &*self.inner;
        match timeout(pace.answer, client.apiserver_version()).await {
            Ok(Ok(version)) => Some(version.git_version),
            Ok(Err(error)) => {
                tracing::debug!(%error, "the version of Kubernetes is unknown");
                None
            }
            Err(_) => None,
        }
    }
}

impl RawWorld for Cluster {
    fn raw(&self, kind: &ApiResource, area: Area) -> RawObjects {
        let stores = &self.inner.stores;
        stores.raw(kind, area, |store| {
            self.reflecting(self.ask(ListQuery::raw(store.kind(), store.area())), store)
        })
    }
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cluster")
            .field("pace", &self.pace)
            .finish_non_exhaustive()
    }
}
