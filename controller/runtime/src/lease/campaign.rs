//! The task that acquires, renews and releases a Lease.

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube::api::PostParams;
use kube::{Api, Client};
use portolan_api::MANAGER;
use portolan_shell::with_causes;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::claim::{Act, LeaseClaim, Record};
use super::clock::Moment;
use super::{Fence, LeaseRef, Terms};

/// The state of a process in an election.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Phase {
    /// The process waits, because another process is the leader or because there is no leader yet.
    Waits,
    /// The process is the leader.
    Leads,
    /// The process has lost the Lease. Contains the reason.
    Lost(String),
}

pub(super) struct Campaign {
    leases: Api<Lease>,
    lease_ref: LeaseRef,
    terms: Terms,
    claim: LeaseClaim,
    fence: Fence,
    /// The complete Lease that was read last. Writes preserve the fields of other writers in it.
    lease: Option<Lease>,
}

/// The reason why a request failed.
#[derive(Debug, thiserror::Error)]
enum Failed {
    #[error("the Lease was changed by another client")]
    Outdated,
    #[error("the API server does not answer")]
    Silent,
    #[error("the API server rejects the request")]
    Ask(#[source] kube::Error),
}

impl Campaign {
    pub(super) fn new(client: Client, lease_ref: LeaseRef, terms: Terms, fence: Fence) -> Self {
        Self {
            leases: Api::namespaced(client, &lease_ref.namespace),
            claim: LeaseClaim::new(&lease_ref.identity, terms),
            lease_ref,
            terms,
            fence,
            lease: None,
        }
    }

    pub(super) async fn run(mut self, said: watch::Sender<Phase>, stop: CancellationToken) {
        while !stop.is_cancelled() {
            let now = Moment::now();
            match self.claim.next(now) {
                Act::Look => self.look().await,
                Act::Acquire | Act::Renew => self.write(&said).await,
                Act::Wait(until) => tokio::select! {
                    () = stop.cancelled() => {}
                    () = sleep(until.since(now)) => {}
                },
                Act::Lose(why) => {
                    self.fence.fall();
                    tracing::error!(reason = why, "leadership is lost");
                    said.send_replace(Phase::Lost(why));
                    return;
                }
            }
        }
        self.resign().await;
    }

    async fn look(&mut self) {
        let seen = self.leases.get_opt(&self.lease_ref.name);
        match patiently(seen, self.claim.patience(Moment::now())).await {
            Ok(lease) => {
                let record = lease.as_ref().map(record);
                self.claim.saw(record, Moment::now());
                self.lease = lease;
            }
            Err(failed) => self.failed(&failed),
        }
    }

    /// Writes this process into the Lease as its holder. If the write succeeds, extends the time
    /// for which the fence permits writes.
    async fn write(&mut self, said: &watch::Sender<Phase>) {
        // The time is measured from the start of the request, because the renewal may take effect
        // before the response arrives.
        let sent = Moment::now();
        let lease = self.mine();
        match self.put(&lease, self.claim.patience(sent)).await {
            Ok(lease) => {
                self.claim.wrote(record(&lease), sent, Moment::now());
                self.lease = Some(lease);
                if let Some(until) = self.claim.until() {
                    self.fence.put_off(until);
                }
                if said.send_replace(Phase::Leads) == Phase::Waits {
                    tracing::info!(
                        identity = self.lease_ref.identity,
                        "this replica is now the \
                        leader"
                    );
                }
            }
            Err(Failed::Outdated) => self.claim.outdated(),
            Err(failed) => self.failed(&failed),
        }
    }

    fn failed(&mut self, failed: &Failed) {
        let error = with_causes(failed);
        tracing::warn!(error, lease = self.lease_ref.name, "cannot reach the Lease");
        self.claim.failed(Moment::now());
    }

    /// Waits until running writes have ended, then releases the Lease.
    async fn resign(mut self) {
        self.fence.shut();
        self.fence.quiet().await;
        self.fence.fall();
        if self.claim.until().is_none() {
            return;
        }
        for _ in 0..2 {
            let Some(lease) = self.free() else { return };
            match self.put(&lease, self.terms.deadline / 2).await {
                // A renewal may have succeeded although its response was lost, so the Lease is read
                // again.
                Err(Failed::Outdated) => self.look().await,
                Err(failed) => {
                    let error = with_causes(&failed);
                    tracing::warn!(error, "the Lease could not be released, and will expire");
                    return;
                }
                Ok(_) => return,
            }
        }
    }

    async fn put(&self, lease: &Lease, patience: Duration) -> Result<Lease, Failed> {
        let as_us = PostParams {
            field_manager: Some(MANAGER.to_owned()),
            ..PostParams::default()
        };
        match lease.metadata.resource_version {
            Some(_) => {
                let replaced = self.leases.replace(&self.lease_ref.name, &as_us, lease);
                match patiently(replaced, patience).await {
                    Err(Failed::Ask(kube::Error::Api(status))) if status.code == 404 => {
                        Err(Failed::Outdated)
                    }
                    answer => answer,
                }
            }
            None => patiently(self.leases.create(&as_us, lease), patience).await,
        }
    }

    /// Returns the Lease that was read last, with this process as its holder.
    fn mine(&self) -> Lease {
        let now = MicroTime(Timestamp::now());
        let mut lease = self.lease.clone().unwrap_or_default();
        lease.metadata.name = Some(self.lease_ref.name.clone());
        lease.metadata.managed_fields = None;
        let spec = lease.spec.get_or_insert_default();
        if spec.holder_identity.as_deref() != Some(&self.lease_ref.identity) {
            spec.holder_identity = Some(self.lease_ref.identity.clone());
            spec.acquire_time = Some(now.clone());
            spec.lease_transitions = Some(spec.lease_transitions.map_or(0, |count| count + 1));
        }
        let seconds = self.terms.duration.as_secs().max(1);
        spec.lease_duration_seconds = Some(i32::try_from(seconds).unwrap_or(i32::MAX));
        spec.renew_time = Some(now);
        lease
    }

    /// Returns the Lease that was read last, without a holder. Returns None if this process is not
    /// the holder.
    fn free(&self) -> Option<Lease> {
        let mut lease = self.lease.clone()?;
        lease.metadata.managed_fields = None;
        let spec = lease.spec.as_mut()?;
        let is_ours = spec.holder_identity.as_deref() == Some(&self.lease_ref.identity);
        spec.holder_identity = Some(String::new());
        // With a short duration, replicas that wait for this duration can take over soon.
        spec.lease_duration_seconds = Some(1);
        spec.renew_time = Some(MicroTime(Timestamp::now()));
        is_ours.then_some(lease)
    }
}

/// Returns the fields of a Lease that the rules need.
fn record(lease: &Lease) -> Record {
    let LeaseSpec {
        holder_identity,
        lease_duration_seconds,
        ..
    } = lease.spec.clone().unwrap_or_default();
    let seconds = lease_duration_seconds.and_then(|seconds| u64::try_from(seconds).ok());
    Record {
        holder: holder_identity.filter(|holder| !holder.is_empty()),
        duration: seconds.map(Duration::from_secs),
        version: lease.metadata.resource_version.clone().unwrap_or_default(),
    }
}

async fn patiently<T>(
    request: impl Future<Output = kube::Result<T>>,
    patience: Duration,
) -> Result<T, Failed> {
    match timeout(patience, request).await {
        Err(_) => Err(Failed::Silent),
        Ok(Err(kube::Error::Api(status))) if status.code == 409 => Err(Failed::Outdated),
        Ok(answer) => answer.map_err(Failed::Ask),
    }
}
