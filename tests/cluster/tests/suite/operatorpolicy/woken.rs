//! Tests a leader that is stopped, and resumes after another process has become the leader.

use std::path::Path;

use portolan_kit::assert_same;
use portolan_rig::{Audit, Failure, Guest, Kind, PATIENCE, Record, Seen, until, until_object};

use super::fake_olm::{FIRST, FakeOlm, PACKAGE, SECOND, fake_olm, only, plan};
use super::fleet::{Fleet, kubeconfig_flag};
use super::stage::lines;
use crate::program::portolan;

/// Two processes share a Lease. When the first process resumes, it writes nothing, even if writes
/// are pending. It exits, so that it can be restarted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leader_resumed_after_its_lease_expired_writes_nothing_and_exits() -> Result<(), Failure> {
    let Some(fake_olm) = fake_olm("harbor").await? else {
        return Ok(());
    };
    let program = portolan().await?;
    let namespace = fake_olm.namespace("woken").await?;
    let services = fake_olm.fleet("nowhere").await;
    let replicas = Replicas {
        fake_olm: &fake_olm,
        services: &services,
        program: &program,
        namespace: &namespace,
    };

    let first = replicas.start("first")?;
    fake_olm.begins(&namespace).await?;
    // At this time, there is no InstallPlan.
    replicas
        .until_line("InstallPlanCompliant True NoInstallPlansFound")
        .await?;
    first.freeze()?;

    let second = replicas.start("second")?;
    let _olm = fake_olm.olm(&namespace);
    replicas.until_line(&format!("installed: {FIRST}")).await?;
    assert_same!(fake_olm.approvals(&namespace)?, vec![plan(FIRST)]);
    second.terminate()?;
    assert_eq!(
        second.ends().await?,
        "exit status: 0",
        "{}",
        second.output()?
    );

    // By now, the API server has received all requests that the replica sent before it was stopped.
    let before = replicas.audit("first")?;
    assert!(!before.is_empty(), "the first one must have begun");
    // The Lease is free, and no replica does the pending work.
    fake_olm.allows_more(&namespace).await?;
    let plans = fake_olm.editor(&namespace).objects(Kind::InstallPlan);
    until_object(&plans, &plan(SECOND), "planned", |_| true).await?;
    first.thaw()?;
    let (status, message) = (first.ends().await?, first.output()?);
    let last = message.lines().last().unwrap_or_default();
    let why = "error: this replica is no longer the leader: it could not renew its Lease for 10 s";
    assert_eq!(
        (status.as_str(), last),
        ("exit status: 3", why),
        "{message}"
    );
    let after = replicas.audit("first")?;
    let (known, more) = after.records().split_at(before.len());
    assert_same!(known, before.records());
    // If a request was incomplete when the process was stopped, the API server aborts it and writes
    // nothing. If the process missed the response to the creation of an event, it creates the event
    // again. Then the event already exists.
    let is_nothing = |record: &&Record| {
        record.code == 504 || (record.code == 409 && record.resource == "events")
    };
    let more: Vec<_> = more.iter().filter(|it| !is_nothing(it)).collect();
    assert!(more.is_empty(), "{more:#?}");
    assert_same!(fake_olm.approvals(&namespace)?, vec![plan(FIRST)]);

    let _third = replicas.start("third")?;
    replicas.until_line(&format!("installed: {SECOND}")).await?;
    assert_same!(
        fake_olm.approvals(&namespace)?,
        vec![plan(FIRST), plan(SECOND)]
    );
    Ok(())
}

/// The controller processes for one namespace. Each process has its own user.
struct Replicas<'a> {
    fake_olm: &'a FakeOlm,
    services: &'a Fleet,
    program: &'a Path,
    namespace: &'a str,
}

impl Replicas<'_> {
    fn start(&self, name: &str) -> Result<Guest, Failure> {
        let cluster = &self.fake_olm.bare.cluster;
        let kubeconfig = cluster.admit(name, Some("system:masters"))?;
        let own = [
            "controller".to_owned(),
            "--enforce".to_owned(),
            kubeconfig_flag(&kubeconfig),
            only(self.namespace),
            format!("--lease={}/portolan-controller", self.namespace),
            "--probes-listen=127.0.0.1:0".to_owned(),
        ];
        let flags = own.into_iter().chain(self.services.services());
        cluster.guest(name, self.program, flags.collect())
    }

    /// Waits until the status of the policy contains this line.
    async fn until_line(&self, line: &str) -> Result<(), Failure> {
        let policies = self.fake_olm.editor(self.namespace);
        let policies = policies.objects(Kind::OperatorPolicy);
        until(format!("the policy to say {line}"), PATIENCE, async || {
            let status = policies.get(PACKAGE).await?.data["status"].clone();
            Ok(if lines(&status).iter().any(|it| it == line) {
                Seen::Yes(())
            } else {
                Seen::NotYet(format!("{status:#}"))
            })
        })
        .await
    }

    /// Returns the write requests of a replica.
    fn audit(&self, name: &str) -> Result<Audit, Failure> {
        Ok(self.fake_olm.bare.cluster.audit()?.by(name).writes())
    }
}
