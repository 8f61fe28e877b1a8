//! A control plane with operators that do not change. Only this program changes objects.

use kube::Client;
use portolan_kit::{TempFolder, catalog};
use portolan_rig::{Catalog, Cluster, Kind};
use serde_json::{Value, json};

use super::site::{DEPLOYMENT, Site};
use crate::failure::Failure;
use crate::health::workload::{available, unavailable};
use crate::plane::{POLICIES, define, patient, silence, with_olm};
use crate::writer::{Writer, at_a_time, namespace, patch_status};

/// The namespace with the Lease of the controller.
pub(crate) const HOME: &str = "portolan";

/// The cluster with all objects to which the policies refer.
pub(crate) struct Stage {
    pub(crate) cluster: Cluster,
    pub(crate) client: Client,
    pub(crate) policies: usize,
    writer: Writer,
    _catalog: Catalog,
    _folder: TempFolder,
}

// === impl Stage ===

impl Stage {
    pub(crate) async fn set(policies: usize) -> Result<Self, Failure> {
        let cluster = with_olm().await?;
        let folder = catalog("ship: 1.4.2").temp();
        let catalog = cluster.catalog("olm", "fleet", &folder).await?;
        silence(&cluster)?;
        let address = catalog.address().map(|address| address.to_string());
        let client = patient(&cluster)?;
        let stage = Self {
            writer: Writer::of(client.clone()),
            cluster,
            client,
            policies,
            _catalog: catalog,
            _folder: folder,
        };
        define(&stage.writer, POLICIES).await?;
        stage.writer.create(namespace(HOME)).await?;
        stage.populate(&address.unwrap_or_default()).await?;
        Ok(stage)
    }

    /// Writes all policies. Many writes run at the same time.
    pub(crate) async fn write_policies(&self) -> Result<(), Failure> {
        let policies = Site::all(self.policies).map(Site::policy);
        let writer = &self.writer;
        writer.create_all("policies", policies, self.policies).await
    }

    /// Makes the Deployment of an operator available or unavailable.
    pub(crate) async fn turn(&self, site: Site, is_well: bool) -> Result<(), Failure> {
        let status = if is_well { available() } else { unavailable() };
        let deployments = Kind::Deployment.within(&self.client, &site.namespace());
        patch_status(&deployments, DEPLOYMENT, status).await
    }

    /// Changes a Subscription in a field that no controller reads.
    pub(crate) async fn edit(&self, site: Site, at: usize) -> Result<(), Failure> {
        let change = json!({"metadata": {"annotations": {"example.com/note": at.to_string()}}});
        self.writer.merge(site.subscription(""), change).await
    }

    async fn populate(&self, address: &str) -> Result<(), Failure> {
        let writes = Site::all(self.policies).map(|site| self.furnish(site, address));
        at_a_time("namespaces with operators", self.policies, writes).await
    }

    async fn furnish(&self, site: Site, address: &str) -> Result<(), Failure> {
        let writer = &self.writer;
        writer.create(namespace(&site.namespace())).await?;
        let plan = writer.create(site.plan()).await?;
        let others: [Value; 5] = [
            site.group(),
            site.catalog(address),
            site.subscription(&plan),
            site.csv(),
            site.deployment(),
        ];
        for manifest in others {
            writer.create(manifest).await?;
        }
        Ok(())
    }
}
