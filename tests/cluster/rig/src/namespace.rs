//! A namespace that only one test uses.

use std::fmt;
use std::ops::Deref;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use kube::api::{DeleteParams, ListParams, PostParams};
use serde_json::json;

use crate::cluster::Cluster;
use crate::failure::Failure;
use crate::kind::Kind;

/// The kinds that controllers reconcile as long as an object exists. If objects of a kind create
/// objects of another kind again, this kind comes first.
const RUNNING: [Kind; 8] = [
    Kind::OperatorPolicy,
    Kind::Subscription,
    Kind::CatalogSource,
    Kind::ClusterServiceVersion,
    Kind::InstallPlan,
    Kind::Deployment,
    Kind::Job,
    // An OperatorGroup that targets all namespaces also affects the namespaces of other tests.
    Kind::OperatorGroup,
];

/// A namespace of a single test. Dereferences to the name of the namespace.
#[derive(Debug)]
pub struct Namespace {
    name: String,
    cluster: Cluster,
}

impl Namespace {
    pub(crate) async fn create(cluster: &Cluster, test: &str) -> Result<Self, Failure> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("{test}-{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let namespace = Kind::Namespace.object(&name, json!({}))?;
        Kind::Namespace
            .everywhere(&cluster.client()?)
            .create(&PostParams::default(), &namespace)
            .await?;
        Ok(Self {
            name,
            cluster: cluster.clone(),
        })
    }
}

impl Deref for Namespace {
    type Target = str;

    fn deref(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for Namespace {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.name)
    }
}

impl Drop for Namespace {
    /// Deletes only the objects that would slow down other tests. The other objects end with the
    /// cluster. A deletion of the namespace would take hundreds of requests, and OLM retries writes
    /// into a deleted namespace without a pause.
    ///
    /// A separate thread sends the requests, because the runtime of the test may be ending. This
    /// function does not wait for the thread.
    fn drop(&mut self) {
        let (cluster, name) = (self.cluster.clone(), self.name.clone());
        let goodbye = move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .ok()?;
            runtime.block_on(async {
                let client = cluster.client().ok()?;
                let background = DeleteParams::background();
                for kind in RUNNING {
                    let objects = kind.within(&client, &name);
                    // Ignores an error: if the cluster does not serve a kind, there are no objects
                    // of this kind.
                    let _ = objects
                        .delete_collection(&background, &ListParams::default())
                        .await;
                }
                Some(())
            })
        };
        // Ignores an error: if no thread can be started, the objects are not deleted.
        let _ = thread::Builder::new()
            .name(format!("clear {}", self.name))
            .spawn(goodbye);
    }
}
