//! Creates, renews, serves and publishes the certificate of a process that API servers call.

mod cluster;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use futures::StreamExt;
use jiff::Timestamp;
use portolan_core_certificate::{
    CertificateName, Injection, Lifetimes, Note, Observation, Secret, SecretStep, Subject,
    SubjectKind, decide,
};
use portolan_shell::{Readiness, ServedCertificate, with_causes};
use prometheus_client::metrics::gauge::Gauge;
use serde_json::Value;

use self::cluster::{Cluster, Failure, StoredObjects};
use crate::certificates::Content;
use crate::certificates::reconcile::push;

/// The maximum time between two checks. It is limited because timers are late after a machine has
/// slept.
const LONGEST: Duration = Duration::from_secs(3600);
/// The first and the maximum pause before a retry after a failure.
const PAUSES: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(30)];

/// Creates and renews the certificate of a process. All replicas run a Keeper at the same time. If
/// two replicas write, the second writer gets a conflict and checks again.
#[expect(missing_debug_implementations, reason = "it is run, and nothing else")]
pub struct Keeper {
    /// The client for requests to the cluster.
    pub client: kube::Client,
    /// The name of the process in messages, such as `the webhook`.
    pub whose: &'static str,
    /// The kind of the object that makes API servers call the process. The Keeper writes the
    /// `caBundle` of this object.
    pub kind: SubjectKind,
    /// The name of this object.
    pub object: String,
    /// The namespace and name of the Secret with the certificate.
    pub name: CertificateName,
    /// The lifetimes of new certificates.
    pub lifetimes: Lifetimes,
    /// The certificate that the server uses.
    pub served: ServedCertificate,
    /// The readiness of the process. It becomes ready when a certificate exists.
    pub ready: Readiness,
    /// The metric with the expiration time of the certificate in use, in seconds since 1970.
    pub ends: Gauge,
}

/// The state that a replica keeps between two checks.
#[derive(Default)]
struct ReplicaMemory {
    /// The content of the Secret that the server uses now.
    served: Content,
    /// The last `caBundle` that this replica has written, and the times of its writes.
    injected: (String, Vec<Timestamp>),
    /// The times at which this replica has written the Secret.
    secret_written: Vec<Timestamp>,
    /// The problem that was logged last. None if there is no problem now.
    warned: Option<String>,
}

/// The time of the next check.
enum Next {
    /// Immediately, because something was written.
    Now,
    At(Option<Timestamp>),
}

// === impl Keeper ===

impl Keeper {
    /// Checks and renews the certificate until the future is dropped.
    pub async fn run(self) {
        let cluster = Cluster::of(&self);
        let mut changes = cluster.changes();
        let mut memory = ReplicaMemory::default();
        let mut pause = PAUSES[0];
        loop {
            let wait = match self.look(&cluster, &mut memory).await {
                Ok(Next::Now) => continue,
                Ok(Next::At(next)) => {
                    pause = PAUSES[0];
                    let next = next.map(|next| next.duration_since(Timestamp::now()));
                    let next = next.map(|next| Duration::try_from(next).unwrap_or_default());
                    next.unwrap_or(LONGEST).min(LONGEST)
                }
                Err(failure) => {
                    memory.warn_once(failure.wrong());
                    let wait = pause;
                    pause = (pause * 2).min(PAUSES[1]);
                    wait
                }
            };
            tokio::select! {
                Some(()) = changes.next() => {}
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    /// Reads the objects, serves the certificate, and carries out at most one step. Returns the
    /// time of the next check.
    async fn look(&self, cluster: &Cluster, memory: &mut ReplicaMemory) -> Result<Next, Failure> {
        let found = cluster.find().await?;
        let content = Content::of(&found.data());
        let observation = self.observation(&found, &content, memory);
        if let Secret::Made(stored) = &observation.secret
            && let Ok(leaf) = &stored.leaf
        {
            self.serve(&content, leaf.validity.until, memory);
        }
        let decision = decide(&observation);
        if let Some(step) = &decision.secret {
            self.write(cluster, (&found, &content), step, memory)
                .await?;
            return Ok(Next::Now);
        }
        for injection in &decision.injections {
            self.inject(cluster, &observation, injection, memory)
                .await?;
        }
        if !decision.injections.is_empty() {
            return Ok(Next::Now);
        }
        memory.warn_once(self.wrong(&found, &decision.notes));
        Ok(Next::At(decision.next))
    }

    fn observation(
        &self,
        found: &StoredObjects,
        content: &Content,
        memory: &ReplicaMemory,
    ) -> Observation {
        let subject = found.object.as_ref();
        let subject = subject.map(|object| Subject::of(self.kind, object));
        let stored = content.stored();
        let (bundle, times) = &memory.injected;
        let written = if *bundle == stored.ca_bundle {
            BTreeMap::from([((self.kind, self.object.clone()), times.clone())])
        } else {
            BTreeMap::new()
        };
        let secret = if !found.is_ours() {
            Secret::Foreign
        } else if *content == Content::default() {
            // The Secret is empty. The manifests of the installation have created it for this
            // process.
            Secret::Absent
        } else {
            Secret::Made(stored)
        };
        Observation {
            name: self.name.clone(),
            subjects: subject.into_iter().collect(),
            services: BTreeSet::new(),
            secret,
            written,
            secret_written: memory.secret_written.clone(),
            lifetimes: self.lifetimes,
            now: Timestamp::now(),
        }
    }

    fn serve(&self, content: &Content, until: Timestamp, memory: &mut ReplicaMemory) {
        if memory.served == *content {
            return;
        }
        let (certificate, key) = content.pair();
        let is_next = memory.served.pair() != content.pair();
        let from = format!("Secret {}", self.name);
        match self.served.set(Path::new(&from), certificate, key) {
            Ok(()) => {
                memory.served = content.clone();
                self.ends.set(until.as_second());
                self.ready.set_ready();
                if is_next {
                    tracing::info!(certificate = %self.name, %until, "serving with this certificate");
                }
            }
            Err(error) => memory.warn_once(Some(with_causes(&error))),
        }
    }

    async fn write(
        &self,
        cluster: &Cluster,
        (found, content): (&StoredObjects, &Content),
        step: &SecretStep,
        memory: &mut ReplicaMemory,
    ) -> Result<(), Failure> {
        let content = content.after(step).map_err(Failure::Make)?;
        cluster.write(found, &content).await?;
        push(&mut memory.secret_written, Timestamp::now());
        let Note { reason, message } = &step.note;
        tracing::info!(certificate = %self.name, reason = reason.as_str(), "{message}");
        Ok(())
    }

    async fn inject(
        &self,
        cluster: &Cluster,
        observation: &Observation,
        injection: &Injection,
        memory: &mut ReplicaMemory,
    ) -> Result<(), Failure> {
        let Injection { subject, ca_bundle } = injection;
        let subject = &observation.subjects[*subject];
        let manifest = subject.manifest(&self.name.namespace, ca_bundle);
        cluster.inject(manifest).await?;
        let (bundle, times) = &mut memory.injected;
        if bundle != ca_bundle {
            (*bundle, *times) = (ca_bundle.clone(), Vec::new());
        }
        push(times, Timestamp::now());
        let object = &self.object;
        tracing::info!(certificate = %self.name, object, "caBundle is written");
        Ok(())
    }

    /// Returns a problem that must be reported although no step has failed.
    fn wrong(&self, found: &StoredObjects, notes: &[Note]) -> Option<String> {
        let (kind, object, whose) = (self.kind.as_str(), &self.object, self.whose);
        let Some(seen) = &found.object else {
            return Some(format!(
                "{kind} {object} does not exist, so API servers do not call {whose}; apply the \
                 manifests of {whose} again"
            ));
        };
        if awaits_conversion(self.kind, seen) {
            return None;
        }
        let namespace = &self.name.namespace;
        if Subject::of(self.kind, seen).sites_in(namespace).count() == 0 {
            return Some(format!(
                "{kind} {object} does not call a Service in namespace {namespace}, the namespace \
                 of the certificate; set another certificate with --certificate"
            ));
        }
        notes.first().map(|note| note.message.clone())
    }
}

/// Returns true for a CRD that has no conversion webhook yet. The controller adds the conversion
/// only after the webhook responds, so the webhook must start without it.
fn awaits_conversion(kind: SubjectKind, object: &Value) -> bool {
    let is_crd = kind == SubjectKind::CustomResourceDefinition;
    is_crd && object["spec"]["conversion"]["strategy"] != "Webhook"
}

// === impl ReplicaMemory ===

impl ReplicaMemory {
    /// Logs a problem when it is new. A problem that lasts is logged only once.
    fn warn_once(&mut self, wrong: Option<String>) {
        if let Some(sentence) = &wrong
            && self.warned != wrong
        {
            tracing::warn!("{sentence}");
        }
        self.warned = wrong;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn crd_without_conversion_webhook_is_awaited() {
        let crd = SubjectKind::CustomResourceDefinition;
        let converted_by = |strategy: &str| json!({"spec": {"conversion": {"strategy": strategy}}});
        assert!(awaits_conversion(crd, &converted_by("None")));
        assert!(!awaits_conversion(crd, &converted_by("Webhook")));
        assert!(!awaits_conversion(SubjectKind::ApiService, &json!({})));
    }
}
