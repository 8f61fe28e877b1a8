//! A catalog that `opm` serves, and that OLM reads.

use std::net::SocketAddr;
use std::path::Path;

use kube::Api;
use kube::api::{DynamicObject, Patch, PatchParams, PostParams};
use serde_json::json;

use crate::cluster::Cluster;
use crate::failure::Failure;
use crate::kind::Kind;
use crate::supervisor::Process;
use crate::wait::until_field;

const STATE: &str = "/status/connectionState/lastObservedState";

/// A CatalogSource, and the process `opm serve` that serves its content. Dropping this value ends
/// the process.
#[derive(Debug)]
pub struct Catalog {
    cluster: Cluster,
    sources: Api<DynamicObject>,
    namespace: String,
    name: String,
    /// The port of the process, and the name of the process. `None` while the process is stopped.
    served: Option<(u16, String)>,
}

impl Catalog {
    pub(crate) async fn create(
        cluster: &Cluster,
        namespace: &str,
        name: &str,
        folder: &Path,
    ) -> Result<Self, Failure> {
        let mut catalog = Self {
            cluster: cluster.clone(),
            sources: Kind::CatalogSource.within(&cluster.client()?, namespace),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            served: None,
        };
        let address = catalog.listen(folder).await?;
        let spec = json!({
            "sourceType": "grpc",
            "address": address.to_string(),
            "displayName": name,
            "publisher": "the rig",
        });
        let source = Kind::CatalogSource.object(name, json!({"spec": spec}))?;
        let params = PostParams::default();
        catalog.sources.create(&params, &source).await?;
        catalog.until_state("READY").await?;
        Ok(catalog)
    }

    /// Returns the name of the CatalogSource.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the namespace of the CatalogSource.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Returns the address of `opm`'s gRPC API, which uses no TLS. Returns `None` while `opm` is
    /// stopped.
    pub fn address(&self) -> Option<SocketAddr> {
        Some(self.local(self.served.as_ref()?.0))
    }

    /// Kills `opm`.
    ///
    /// # Errors
    /// The catalog is not running.
    pub fn stop(&mut self) -> Result<(), Failure> {
        match self.served.take() {
            Some((_, process)) => self.cluster.stop(&process),
            None => Ok(()),
        }
    }

    /// Serves this content, and waits until OLM reports the catalog as READY.
    ///
    /// `opm` starts on another port, and the CatalogSource gets the new address. OLM then connects
    /// immediately. If the address stayed the same, OLM could wait two minutes before its next
    /// attempt.
    /// # Errors
    /// See [`Cluster::catalog`].
    pub async fn serve(&mut self, folder: &Path) -> Result<(), Failure> {
        let before = self.served.take();
        let address = self.listen(folder).await?;
        let change = json!({"spec": {"address": address.to_string()}});
        let params = PatchParams::default();
        self.sources
            .patch(&self.name, &params, &Patch::Merge(&change))
            .await?;
        if let Some((_, process)) = before {
            self.cluster.stop(&process)?;
        }
        let field = "/status/connectionState/address";
        until_field(&self.sources, &self.name, field, address.to_string()).await?;
        self.until_state("READY").await
    }

    /// Waits until OLM reports this state of the catalog, such as `READY`, `TRANSIENT_FAILURE` or
    /// `CONNECTING`.
    /// # Errors
    /// OLM did not report this state within [`PATIENCE`](crate::PATIENCE).
    pub async fn until_state(&self, state: &str) -> Result<(), Failure> {
        let seen = until_field(&self.sources, &self.name, STATE, state);
        seen.await.map(drop)
    }

    fn local(&self, port: u16) -> SocketAddr {
        SocketAddr::from((self.cluster.host(), port))
    }

    /// Starts `opm` on a free port, and waits until `opm` accepts connections.
    async fn listen(&mut self, folder: &Path) -> Result<SocketAddr, Failure> {
        let port = self.cluster.free_port();
        let process = format!("opm-{port}");
        let folder = folder
            .canonicalize()
            .map_err(Failure::touch(format!("find {}", folder.display())))?;
        self.cluster.run(Process {
            name: process.clone(),
            program: self.cluster.binaries().program("opm"),
            args: opm_serve(&folder, port),
            env: Vec::new(),
        })?;
        self.served = Some((port, process));
        let address = self.local(port);
        let what = format!("opm to serve {}", folder.display());
        self.cluster.until_listens(what, address).await?;
        Ok(address)
    }
}

impl Drop for Catalog {
    fn drop(&mut self) {
        // Ignores an error: the process may already have ended together with its cluster.
        let _ = self.stop();
    }
}

/// Returns the arguments for `opm` to serve a folder of catalog files.
pub fn opm_serve(folder: &Path, port: u16) -> Vec<String> {
    vec![
        "serve".to_owned(),
        folder.display().to_string(),
        format!("--port={port}"),
        "--termination-log=/dev/null".to_owned(),
        "--pprof-addr=".to_owned(),
    ]
}
