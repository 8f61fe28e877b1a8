//! Measures how soon OLM reports that the Pods of a ClusterServiceVersion have failed.
//!
//! Uses a separate cluster, in which OLM has installed one operator. The Pods of the operator crash
//! and recover. The Deployment controller observes this first. Then OLM and our service observe it.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use portolan_kit::catalog;
use portolan_rig::{Cluster, Kind, Operator};

use super::fleet::key;
use super::sightings::{Sightings, Standing};
use super::stage::USER;
use super::subject::Subject;
use crate::failure::Failure;
use crate::plane::{patient, with_olm};

const PACKAGE: &str = "ferry";
const CSV: &str = "ferry.v1.0.0";

/// The seconds from a change of the Pods until a component reports the change.
#[derive(Debug, Default)]
pub(crate) struct Reactions {
    /// The time until our service reports the state No.
    pub(crate) ours: Vec<f64>,
    /// The time until OLM reports a phase other than Succeeded.
    pub(crate) olm: Vec<f64>,
    /// The time until the Deployment is unavailable.
    pub(crate) deployment: Vec<f64>,
}

/// The watchers of the operator.
struct Watchers {
    ours: Sightings,
    olm: Sightings,
    deployments: Sightings,
}

pub(crate) async fn measure(portolan: &Path, changes: usize) -> Result<Reactions, Failure> {
    let cluster = with_olm().await?;
    let namespace = cluster.namespace("rival").await?;
    let folder = catalog("ferry: 1.0.0").installable().temp();
    let served = cluster.catalog(&namespace, "fleet", &folder).await?;
    let operator = Operator::of(&cluster.client()?, &namespace, PACKAGE);
    operator.subscribe(&served, "stable", None).await?;
    operator.install(CSV).await?;
    let kubeconfig = cluster.admit(USER, Some("system:masters"))?;
    let (subject, _) = Subject::start(portolan, &kubeconfig, 1).await?;
    let mut watchers = Watchers::of(&cluster, &namespace, &subject).await?;
    let mut reactions = Reactions::default();
    let pods = cluster.pods(&namespace)?;
    for _ in 0..changes {
        watchers.forget();
        let begun = Instant::now();
        pods.crash_looping("operator=ferry").await?;
        watchers.fall(&namespace, begun, &mut reactions).await?;
        pods.ready("operator=ferry").await?;
        watchers.recover(&namespace).await?;
    }
    Ok(reactions)
}

// === impl Watchers ===

impl Watchers {
    async fn of(cluster: &Cluster, namespace: &str, subject: &Subject) -> Result<Self, Failure> {
        let client = patient(cluster)?;
        let csvs = Kind::ClusterServiceVersion.within(&client, namespace);
        let deployments = Kind::Deployment.within(&client, namespace);
        Ok(Self {
            ours: Sightings::of_health(subject.connection()).await?,
            olm: Sightings::of_csvs(csvs).await?,
            deployments: Sightings::of_deployments(deployments).await?,
        })
    }

    fn forget(&mut self) {
        let Self {
            ours,
            olm,
            deployments,
        } = self;
        [ours, olm, deployments]
            .into_iter()
            .for_each(Sightings::forget);
    }

    async fn fall(
        &mut self,
        namespace: &str,
        begun: Instant,
        reactions: &mut Reactions,
    ) -> Result<(), Failure> {
        let after = |then: Instant| (then - begun).as_secs_f64();
        let [operator, csv] = keys(namespace);
        let reported = self
            .deployments
            .until(operator.clone(), Standing::Ill)
            .await?;
        reactions.deployment.push(after(reported));
        let reported = self.ours.until(operator, Standing::Ill).await?;
        reactions.ours.push(after(reported));
        let reported = self.olm.until(csv, Standing::Ill).await?;
        reactions.olm.push(after(reported));
        Ok(())
    }

    /// Waits until OLM and then our service report that the operator is healthy. Our service
    /// depends on the phase that OLM writes.
    async fn recover(&mut self, namespace: &str) -> Result<(), Failure> {
        let [operator, csv] = keys(namespace);
        self.olm.until(csv, Standing::Well).await?;
        self.ours.until(operator, Standing::Well).await?;
        Ok(())
    }
}

/// Returns the key of the operator, and the key of its ClusterServiceVersion.
fn keys(namespace: &str) -> [BTreeSet<String>; 2] {
    [PACKAGE, CSV].map(|name| BTreeSet::from([key(namespace, name)]))
}
