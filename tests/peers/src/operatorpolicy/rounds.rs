//! The phases of the measurement, and the cost of each phase.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use kube::api::ListParams;
use portolan_rig::Kind;
use serde_json::Value;

use super::processes::{Memory, Processes};
use super::site::{POLICY, Site};
use super::stage::Stage;
use super::tally::{self, Tally};
use crate::failure::Failure;
use crate::health::sightings::{Sightings, Standing};

/// The time to wait after a phase. In this time all requests end and appear in the audit log.
const AFTERMATH: Duration = Duration::from_secs(5);

/// The time from the first write of a policy until all policies are Compliant.
#[derive(Debug)]
pub(crate) struct Settled {
    pub(crate) time: Duration,
    pub(crate) processor_time: Duration,
    pub(crate) asked: Tally,
}

/// A period without changes.
#[derive(Debug)]
pub(crate) struct Rest {
    pub(crate) processor_time: Duration,
    pub(crate) asked: Tally,
}

/// The seconds from each change of a Deployment until its policy reports the change.
#[derive(Debug, Default)]
pub(crate) struct Flips {
    pub(crate) fall: Vec<f64>,
    pub(crate) rise: Vec<f64>,
    /// The requests while the Deployments become unavailable.
    pub(crate) fallen: Tally,
    /// The requests while the Deployments become available.
    pub(crate) risen: Tally,
}

/// The measurements for one number of policies.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) policies: usize,
    pub(crate) before: Memory,
    pub(crate) settled: Settled,
    pub(crate) rest: Rest,
    pub(crate) edited: Tally,
    pub(crate) flips: Flips,
    /// The number of open watches when nothing changes.
    pub(crate) watches: usize,
    pub(crate) after: Memory,
}

/// The processes, their cluster, and the watcher of the policies.
pub(crate) struct Rounds<'a> {
    pub(crate) stage: &'a Stage,
    pub(crate) processes: &'a mut Processes,
    seen: Sightings,
}

// === impl Rounds ===

impl<'a> Rounds<'a> {
    pub(crate) async fn on(
        stage: &'a Stage,
        processes: &'a mut Processes,
    ) -> Result<Self, Failure> {
        let policies = Kind::OperatorPolicy.everywhere(&stage.client);
        Ok(Self {
            seen: Sightings::of_policies(policies).await?,
            stage,
            processes,
        })
    }

    pub(crate) async fn settle(&mut self) -> Result<Settled, Failure> {
        tokio::time::sleep(AFTERMATH).await;
        let cluster = &self.stage.cluster;
        let (mark, spent) = (tally::mark(cluster)?, self.processes.processor_time()?);
        let begun = Instant::now();
        self.stage.write_policies().await?;
        let keys = Site::all(self.stage.policies).map(key).collect();
        let last = match self.seen.until(keys, Standing::Well).await {
            Ok(last) => last,
            Err(failure) => return Err(self.unsettled(failure).await),
        };
        tokio::time::sleep(AFTERMATH).await;
        Ok(Settled {
            time: last - begun,
            processor_time: self.processes.processor_time()? - spent,
            asked: tally::since(cluster, mark)?,
        })
    }

    pub(crate) async fn rest(&mut self, lasting: Duration) -> Result<Rest, Failure> {
        let cluster = &self.stage.cluster;
        let (mark, spent) = (tally::mark(cluster)?, self.processes.processor_time()?);
        tokio::time::sleep(lasting).await;
        Ok(Rest {
            processor_time: self.processes.processor_time()? - spent,
            asked: tally::since(cluster, mark)?,
        })
    }

    /// Changes Subscriptions one after the other, in a field that no controller reads.
    pub(crate) async fn edit(&mut self, edits: usize) -> Result<Tally, Failure> {
        let cluster = &self.stage.cluster;
        let mark = tally::mark(cluster)?;
        let quays: Vec<_> = Site::all(self.stage.policies).collect();
        for at in 0..edits {
            self.stage.edit(quays[at % quays.len()], at).await?;
        }
        tokio::time::sleep(AFTERMATH).await;
        tally::since(cluster, mark)
    }

    /// Makes this number of Deployments unavailable and then available again, one after the other.
    pub(crate) async fn flip(&mut self, flips: usize) -> Result<Flips, Failure> {
        let (fall, fallen) = self.turn(flips, Standing::Ill).await?;
        let (rise, risen) = self.turn(flips, Standing::Well).await?;
        Ok(Flips {
            fall,
            rise,
            fallen,
            risen,
        })
    }

    async fn turn(&mut self, turns: usize, to: Standing) -> Result<(Vec<f64>, Tally), Failure> {
        let stage = self.stage;
        let mark = tally::mark(&stage.cluster)?;
        let mut times = Vec::new();
        for site in Site::spread(stage.policies, turns) {
            let begun = Instant::now();
            stage.turn(site, to == Standing::Well).await?;
            let reported = self.seen.until(BTreeSet::from([key(site)]), to).await?;
            times.push((reported - begun).as_secs_f64());
        }
        tokio::time::sleep(AFTERMATH).await;
        Ok((times, tally::since(&stage.cluster, mark)?))
    }

    /// Adds the reason to the failure why the first policy is not Compliant.
    async fn unsettled(&mut self, failure: Failure) -> Failure {
        if let Err(ended) = self.processes.check_running() {
            return ended;
        }
        let policies = Kind::OperatorPolicy.everywhere(&self.stage.client);
        let all = policies.list(&ListParams::default()).await;
        let mut all = all.into_iter().flatten();
        let other = all.find(|policy| policy.data["status"]["compliant"] != "Compliant");
        let status = other.map_or(Value::Null, |policy| policy.data["status"].clone());
        Failure::Expect(format!("{failure}; the status of one: {status}"))
    }
}

fn key(site: Site) -> String {
    crate::health::fleet::key(&site.namespace(), POLICY)
}
