//! A namespace of one test.

use std::fmt;
use std::ops::Deref;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use kube::api::{DeleteParams, PostParams};
use serde_json::json;

use crate::cluster::Cluster;
use crate::failure::Failure;
use crate::kind::Kind;

/// A namespace that nobody else uses; it reads as its name.
#[derive(Debug)]
pub struct Namespace {
    name: String,
    cluster: Cluster,
}

impl Namespace {
    pub(crate) async fn create(cluster: &Cluster, story: &str) -> Result<Self, Failure> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("{story}-{}", COUNT.fetch_add(1, Ordering::Relaxed));
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
    /// The runtime of the test may be ending, so the request has a thread of its own. Nobody waits
    /// for it: the namespace goes with the cluster at the latest.
    fn drop(&mut self) {
        let (cluster, name) = (self.cluster.clone(), self.name.clone());
        let goodbye = move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .ok()?;
            runtime.block_on(async {
                let namespaces = Kind::Namespace.everywhere(&cluster.client().ok()?);
                let background = DeleteParams::background();
                namespaces.delete(&name, &background).await.ok()
            })
        };
        // A machine without room for a thread has other worries than a namespace.
        let _ = thread::Builder::new()
            .name(format!("delete {}", self.name))
            .spawn(goodbye);
    }
}
