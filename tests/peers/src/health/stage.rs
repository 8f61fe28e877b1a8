//! A control plane in which only this program changes operators.

use std::path::PathBuf;

use kube::Client;
use portolan_kit::catalog;
use portolan_rig::{Catalog, Cluster};

use super::fleet::Fleet;
use super::heavy::Heavy;
use super::manifests::{self, CATALOG};
use crate::failure::Failure;
use crate::plane::{patient, silence, with_olm};
use crate::writer::{Writer, namespace};

/// The user that the health service authenticates as. The audit log contains this user.
pub(crate) const USER: &str = "portolan-health";

/// The cluster with all operators.
pub(crate) struct Stage {
    pub(crate) cluster: Cluster,
    pub(crate) client: Client,
    pub(crate) writer: Writer,
    pub(crate) kubeconfig: PathBuf,
    pub(crate) fleet: Fleet,
    _catalog: Catalog,
}

// === impl Stage ===

impl Stage {
    pub(crate) async fn set(fleet: Fleet) -> Result<Self, Failure> {
        let cluster = with_olm().await?;
        let folder = catalog("ship: 1.4.2").temp();
        let (namespace, name) = CATALOG;
        let catalog = cluster.catalog(namespace, name, &folder).await?;
        silence(&cluster)?;
        let kubeconfig = cluster.admit(USER, Some("system:masters"))?;
        let client = patient(&cluster)?;
        let stage = Self {
            writer: Writer::of(client.clone()),
            cluster,
            client,
            kubeconfig,
            fleet,
            _catalog: catalog,
        };
        stage.populate().await?;
        Ok(stage)
    }

    /// Writes additional objects that no program requests, so that the cluster is larger.
    pub(crate) async fn burden(&self, heavy: Heavy) -> Result<(), Failure> {
        let (writer, fleet) = (&self.writer, self.fleet);
        let place = Heavy::namespace();
        writer.create(namespace(place)).await?;
        writer.create(manifests::service_account(place)).await?;
        writer
            .create_all("foreign Pods", heavy.pods(fleet), heavy.pods)
            .await?;
        let plans = heavy.plans(fleet);
        writer
            .create_all("large InstallPlans", plans, heavy.plans)
            .await
    }

    async fn populate(&self) -> Result<(), Failure> {
        let (
            writer,
            Fleet {
                operators,
                namespaces,
            },
        ) = (&self.writer, self.fleet);
        let names: Vec<_> = self.fleet.namespaces().collect();
        let each = |make: fn(&str) -> serde_json::Value| names.iter().map(move |name| make(name));
        writer
            .create_all("namespaces", each(namespace), namespaces)
            .await?;
        let accounts = each(manifests::service_account);
        writer
            .create_all("ServiceAccounts", accounts, namespaces)
            .await?;
        let groups = each(manifests::operator_group);
        writer
            .create_all("OperatorGroups", groups, namespaces)
            .await?;
        writer.install_all(self.fleet.operators(), operators).await
    }
}
