//! A server for tests, which set the Installed objects.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream;
use portolan_core_installed::apiserver::{Attributes, Caller, FrontProxy};
use portolan_core_installed::{Index, Original, Resource, ResourceVersion, Revision};
use portolan_kit::{Authority, Vouched};
use portolan_shell::{HttpsServer, Readiness, ServedCertificate};
use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::client::Client;
use crate::authenticate::{Identities, TrustedAuthorities};
use crate::authorize::{May, Permissions, Reviews};
use crate::metrics::Metrics;
use crate::server::Server;
use crate::shown::Shown;
use crate::slots::RequestSlots;

pub(super) const ALL: &str = "/apis/packages.operators.coreos.com/v2alpha1/installed";
pub(super) const HARBOR: &str =
    "/apis/packages.operators.coreos.com/v2alpha1/namespaces/harbor/installed";

/// A server for tests, with the certificate authorities of its callers.
pub(super) struct Pier {
    pub(super) index: Index,
    pub(super) shown: Shown,
    identities: Identities,
    pub(super) metrics: Metrics,
    registry: Registry,
    pub(super) watches: RequestSlots,
    pub(super) servers: Authority,
    pub(super) users: Authority,
    root: Authority,
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    stop: Option<oneshot::Sender<()>>,
    pub(super) running: AbortOnDropHandle<()>,
}

/// Answers access reviews. The group crew has all permissions. A user whose name is the name of a
/// namespace may read this namespace. The review of the user ghost fails.
#[derive(Debug)]
struct Crew(Arc<Mutex<Vec<String>>>);

impl Reviews for Crew {
    fn review<'a>(
        &'a self,
        caller: &'a Caller,
        asked: &'a Attributes,
    ) -> BoxFuture<'a, Result<May, String>> {
        let response = match asked {
            Attributes::Resource {
                verb,
                resource,
                namespace,
                name,
                ..
            } => format!("{verb} {resource} {namespace}/{name}"),
            Attributes::Path { verb, path } => format!("{verb} {path}"),
        };
        let is_theirs = match asked {
            Attributes::Resource {
                namespace,
                resource,
                ..
            } => *namespace == caller.user && *resource == "installed",
            Attributes::Path { .. } => caller.groups.contains("system:authenticated"),
        };
        let all = &mut *self.0.lock().expect("a lock");
        all.push(format!("{}: {response}", caller.user));
        Box::pin(async move {
            match &*caller.user {
                "ghost" => Err("nobody says".to_owned()),
                _ if is_theirs || caller.groups.contains("crew") => Ok(May::Yes),
                _ => Ok(May::No(String::new())),
            }
        })
    }
}

// === impl Pier ===

impl Pier {
    /// Starts a server. The operator ferry is installed in the namespace `olm` and watches all
    /// namespaces.
    pub(super) async fn open() -> Self {
        let pier = Self::pending().await;
        let snapshot = pier.index.snapshot().clone();
        pier.shown
            .begin(snapshot.clone(), snapshot.version().clone());
        pier
    }

    /// Starts a server that has not read all lists yet.
    pub(super) async fn pending() -> Self {
        let pier = Self::unknowing().await;
        pier.identities.set(known(&pier.servers, &pier.users));
        pier
    }

    /// Starts a server that does not know the certificate authorities of its callers yet.
    pub(super) async fn unknowing() -> Self {
        let [root, servers, users] = [(); 3].map(|()| Authority::default());
        let served = ServedCertificate::default();
        let Vouched { certificate, key } = root.vouch("localhost");
        let set = served.set(Path::new("test"), &certificate, &key);
        set.expect("a certificate");
        let any = "127.0.0.1:0".parse().expect("an address");
        let https = HttpsServer::bind_asking(any, &served, Duration::from_secs(300), 512).await;
        let https = https.expect("a port");
        let (shown, identities) = (Shown::pending(), Identities::pending());
        let asked = Arc::default();
        let permissions = Permissions::of(Crew(Arc::clone(&asked)));
        let (metrics, registry) = Metrics::new();
        let (ready, draining) = (Readiness::pending(), CancellationToken::new());
        let of = (shown.clone(), identities.clone(), permissions);
        let server = Server::new(of, metrics.clone(), ready, draining.clone());
        let (address, watches) = (https.address(), server.watches.clone());
        let (stop, stopped) = oneshot::channel::<()>();
        let stops = stream::once(async move {
            let _ = stopped.await;
            draining.cancel();
        });
        let running = async move { https.run(server.routes(), stops).await };
        Self {
            index: harbor(),
            shown,
            identities,
            metrics,
            registry,
            watches,
            servers,
            users,
            root,
            address,
            asked,
            stop: Some(stop),
            running: AbortOnDropHandle::new(tokio::spawn(running)),
        }
    }

    /// Returns a client with this client certificate.
    pub(super) async fn client(&self, shown: Option<&Vouched>) -> Client {
        Client::of(self.address, self.root.pem(), shown).await
    }

    /// Returns a client with the certificate of an API server, which can name any user in headers.
    pub(super) async fn front(&self) -> Client {
        let shown = self.servers.admit("front-proxy-client", &[]);
        self.client(Some(&shown)).await
    }

    /// Returns the access reviews since the last call.
    pub(super) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().expect("a lock"))
    }

    /// Returns the metrics as text.
    pub(super) fn scraped(&self) -> String {
        let mut text = String::new();
        encode(&mut text, &self.registry).expect("text");
        text
    }

    /// Creates or changes an object in a list.
    pub(super) fn put(&mut self, resource: Resource, object: &Value, revision: u64) {
        let original = original(resource, object);
        let batch = self.index.put(original, &Revision::from(revision));
        let snapshot = self.index.snapshot().clone();
        let known: ResourceVersion = snapshot.version().clone();
        self.shown.advance(snapshot, known, vec![batch]);
    }

    /// Stops the server.
    pub(super) fn stop(&mut self) {
        self.stop.take().into_iter().for_each(|it| {
            let _ = it.send(());
        });
    }
}

fn known(servers: &Authority, users: &Authority) -> TrustedAuthorities {
    let data = [
        ("requestheader-client-ca-file", servers.pem()),
        ("client-ca-file", users.pem()),
        ("requestheader-allowed-names", r#"["front-proxy-client"]"#),
        ("requestheader-username-headers", r#"["X-Remote-User"]"#),
        ("requestheader-group-headers", r#"["X-Remote-Group"]"#),
        (
            "requestheader-extra-headers-prefix",
            r#"["X-Remote-Extra-"]"#,
        ),
    ];
    let data = data.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let proxy = FrontProxy::parse(&BTreeMap::from(data)).expect("it must say all");
    TrustedAuthorities::of(proxy).expect("authorities")
}

fn harbor() -> Index {
    let mut index = Index::new(Resource::ALL);
    let namespaces = ["harbor", "olm"].map(|name| json!({"metadata": {"name": name}}));
    let group = json!({
        "metadata": {"name": "all", "namespace": "olm"}, "status": {"namespaces": [""]},
    });
    let subscription = json!({
        "metadata": {
            "name": "ferry", "namespace": "olm",
            "annotations": {"objectset.rio.cattle.io/applied": "{\"env\": \"secret\"}"},
        },
        "spec": {
            "name": "ferry", "channel": "stable",
            "config": {"env": [{"name": "TOKEN", "value": "secret"}]},
        },
        "status": {"installedCSV": "ferry.v1.0.0"},
    });
    for (resource, objects, revision) in [
        (Resource::Namespaces, namespaces.to_vec(), 5),
        (Resource::OperatorGroups, vec![group], 6),
        (Resource::Subscriptions, vec![subscription], 7),
        (Resource::ClusterServiceVersions, vec![csv("Succeeded")], 8),
    ] {
        let originals: Vec<_> = objects.iter().map(|it| original(resource, it)).collect();
        index.replace(resource, originals, &Revision::from(revision));
    }
    index
}

pub(super) fn csv(phase: &str) -> Value {
    json!({
        "metadata": {"name": "ferry.v1.0.0", "namespace": "olm", "uid": "u1"},
        "spec": {"version": "1.0.0", "description": "d".repeat(20_000)},
        "status": {"phase": phase},
    })
}

fn original(resource: Resource, object: &Value) -> Original {
    Original::read(resource, &object.to_string()).expect("an original")
}
