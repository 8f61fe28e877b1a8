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

/// The kinds that controllers reconcile while an object exists. Kinds whose objects would recreate
/// other objects come first.
const RUNNING: [Kind; 8] = [
    Kind::OperatorPolicy,
    Kind::Subscription,
    Kind::CatalogSource,
    Kind::ClusterServiceVersion,
    Kind::InstallPlan,
    Kind::Deployment,
    Kind::Job,
    // An OperatorGroup for all namespaces affects the tests in other namespaces.
    Kind::OperatorGroup,
];

/// A namespace of a single test. It dereferences to its name.
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
    /// Deletes only the objects that would slow down other tests. All other objects disappear with
    /// the cluster: deleting a namespace takes hundreds of requests, and OLM retries writes into a
    /// namespace that is being deleted without a pause. The runtime of the test may be ending, so a
    /// separate thread sends the requests. This function does not wait for the thread.
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
                    // A kind that is not served has no objects.
                    let _ = objects
                        .delete_collection(&background, &ListParams::default())
                        .await;
                }
                Some(())
            })
        };
        // If no thread can be started, the namespace is simply left.
        let _ = thread::Builder::new()
            .name(format!("clear {}", self.name))
            .spawn(goodbye);
    }
}
