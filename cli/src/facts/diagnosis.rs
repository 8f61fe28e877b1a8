//! Everything that operators are diagnosed from, and who diagnoses them.

use clap::Args;
use portolan_diagnosis::Diagnosis;
use portolan_health::probe::Pace;
use portolan_resolver::source::{CatalogAt, SourceFlags};
use portolan_world::AnyWorld;

use super::catalogs::warn_of_strangers;
use super::{DiagnosisConnection, ObjectFacts};
use crate::failure::Failure;

/// What a diagnosis is made from: a cluster, files that are taken for one with the catalogs that go
/// with them, or a running service.
#[derive(Debug, Args)]
pub(crate) struct DiagnosisFacts {
    #[command(flatten)]
    objects: ObjectFacts,

    /// The content of a CatalogSource: its namespace and name, and a folder (or file) of catalog
    /// files, the address of a registry behind grpc://, or the URL of a catalogd. For those that
    /// cannot be reached, and for all of a --world.
    #[arg(
        long = "catalog",
        value_name = "NAMESPACE/NAME=PLACE",
        conflicts_with = "server"
    )]
    catalogs: Vec<CatalogAt>,

    /// The namespace whose catalogs all namespaces see; that of OLM if not given.
    #[arg(long, value_name = "NAMESPACE", conflicts_with = "server")]
    global_namespace: Option<String>,

    #[command(flatten)]
    reach: SourceFlags,
}

// === impl DiagnosisFacts ===

impl DiagnosisFacts {
    /// Who diagnoses: a service over the network, or one in this process.
    pub(crate) async fn diagnosis(&self, namespace: &str) -> Result<DiagnosisConnection, Failure> {
        let mut looked_at = None;
        let connected = self.objects.connect(namespace, |world, namespace| {
            looked_at = Some(world.clone());
            self.open(world, namespace)
        });
        let diagnosis = connected.await?;
        if let Some(world) = looked_at {
            warn_of_strangers(&world, &self.catalogs).await;
        }
        Ok(diagnosis)
    }

    fn open(&self, world: AnyWorld, namespace: Option<&str>) -> Result<Diagnosis, Failure> {
        let reach = portolan_diagnosis::Reach {
            namespace: namespace.map(str::to_owned),
            probes: Some(Pace::default()),
            global_namespace: self.global_namespace.clone(),
        };
        let catalogs = (self.catalogs.clone(), &self.reach);
        Diagnosis::over(world, catalogs, reach).map_err(Failure::refused)
    }
}
