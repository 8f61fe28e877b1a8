//! Reconciles one certificate: reads the objects, decides, and makes at most one write to each
//! object.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::ObjectReference;
use kube::api::ObjectMeta;
use portolan_core_certificate::{
    CertificateName, Decision, Injection, Lifetimes, MADE, MANAGER, Note, Observation, Secret,
    SecretStep, Subject, decide, named,
};
use portolan_world::Key;
use serde_json::{Value, json};

use crate::certificates::cache::{Access, CertificateCache, CertificateSnapshot, SubjectName, key};
use crate::certificates::content::Content;
use crate::{
    FencedClient, FieldRules, News, Outcome, PendingWrite, Reconciler, Recorder, ResourceRef,
    Write, WriteFailure, Writer, Written, instant,
};

/// The immutable type of a Secret with a certificate.
const TYPE: &str = "kubernetes.io/tls";
/// The pause before a rejected request is sent again.
const REFUSED: SignedDuration = SignedDuration::from_mins(1);
/// The maximum time between two checks. It is limited because timers are late after a machine has
/// slept.
const LONGEST: SignedDuration = SignedDuration::from_hours(12);

/// Creates and renews certificates, and writes the `caBundle` of the objects that name them.
#[derive(Debug)]
pub struct CertificateReconciler {
    writer: Writer,
    recorder: Recorder,
    memories: Mutex<BTreeMap<Key, CertificateMemory>>,
    now: fn() -> Timestamp,
}

/// The data about one certificate that the reconciler keeps between two reconciliations.
#[derive(Debug, Default)]
struct CertificateMemory {
    /// The problems that were already reported.
    told: BTreeSet<String>,
    /// The last `caBundle` that was written to each object, and the times of these writes.
    written: BTreeMap<SubjectName, (String, Vec<Timestamp>)>,
    /// The times at which the Secret was written.
    secret_written: Vec<Timestamp>,
}

/// The objects of one certificate, read from the cluster.
struct ReadCertificate {
    observation: Observation,
    /// The metadata of the Secret. None if it does not exist.
    secret: Option<ObjectMeta>,
    content: Content,
    /// The messages about reads that the API server has rejected.
    refused: Vec<String>,
}

/// The progress of a reconciliation.
#[derive(Debug, Default)]
struct Progress {
    pending: Vec<PendingWrite>,
    has_acted: bool,
    has_conflict: bool,
    /// The messages about rejected requests. Each is reported once, and the request is retried
    /// soon.
    refused: Vec<String>,
    /// The message about a write whose outcome is unknown. None if there is no such write.
    lost: Option<String>,
}

// === impl CertificateReconciler ===

impl CertificateReconciler {
    /// Creates a reconciler that writes with this client. `identity` is the name of this process in
    /// events: the name of its Pod or of its machine.
    pub fn new(client: &FencedClient, identity: &str) -> Self {
        Self {
            writer: Writer::new(client.managed_by(MANAGER), FieldRules::default()),
            recorder: Recorder::new("portolan-certificates", identity),
            memories: Mutex::default(),
            now: Timestamp::now,
        }
    }

    fn memories(&self) -> MutexGuard<'_, BTreeMap<Key, CertificateMemory>> {
        // No code that holds this lock can panic while the data is inconsistent, so a poisoned lock
        // is safe to use.
        self.memories.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn carry_out(&self, snapshot: CertificateSnapshot) -> Outcome {
        let name = snapshot.name.clone();
        let look = match self.look(snapshot).await {
            Ok(look) => look,
            Err(failure) => return self.unread(&name, failure),
        };
        let decision = decide(&look.observation);
        let mut progress = match &decision.secret {
            Some(step) => self.write_secret(&look, step).await,
            None => self.inject(&look, &decision.injections).await,
        };
        progress.refused.extend(look.refused.iter().cloned());
        self.report_problems(&name, &look, &decision, &progress)
            .await;
        outcome(progress, decision.next, look.observation.now)
    }

    /// Ends the reconciliation, because an object could not be read.
    fn unread(&self, name: &CertificateName, failure: WriteFailure) -> Outcome {
        let progress = Progress::of(Err(failure));
        self.warn(name, progress.refused.iter().cloned().collect());
        outcome(progress, None, (self.now)())
    }

    // --- reads ---

    async fn look(&self, snapshot: CertificateSnapshot) -> Result<ReadCertificate, WriteFailure> {
        let CertificateSnapshot {
            name,
            subjects,
            services,
            ..
        } = snapshot;
        let mut refused = Vec::new();
        let mut there = Vec::new();
        for subject in subjects {
            match self.subject(&subject, &name).await {
                Ok(found) => there.extend(found),
                Err(WriteFailure::Refused(sentence)) => {
                    let (kind, name) = (subject.0.as_str(), &subject.1);
                    refused.push(format!("{kind} {name} cannot be read: {sentence}"));
                }
                Err(failure) => return Err(failure),
            }
        }
        let secret = self.read(&secret_ref(&name)).await?;
        let content = Content::of(&secret.as_ref().map_or(Value::Null, |it| it["data"].clone()));
        let metadata = secret.as_ref().map(|it| it["metadata"].clone());
        let metadata = metadata.and_then(|it| serde_json::from_value(it).ok());
        let secret = match &secret {
            None => Secret::Absent,
            Some(secret) if is_made(secret) => Secret::Made(content.stored()),
            Some(_) => Secret::Foreign,
        };
        let ca_bundle = match &secret {
            Secret::Made(stored) => stored.ca_bundle.clone(),
            Secret::Absent | Secret::Foreign => String::new(),
        };
        Ok(ReadCertificate {
            observation: Observation {
                written: self.written(&key(&name), &ca_bundle),
                secret_written: self.secret_written(&key(&name)),
                name,
                subjects: there,
                services,
                secret,
                lifetimes: Lifetimes::default(),
                now: (self.now)(),
            },
            secret: metadata,
            content,
            refused,
        })
    }

    /// Reads an object that named the certificate. Returns None if the object does not name it any
    /// more.
    async fn subject(
        &self,
        (kind, name): &SubjectName,
        certificate: &CertificateName,
    ) -> Result<Option<Subject>, WriteFailure> {
        let at = ResourceRef::new(kind.api_version(), kind.as_str(), None, name);
        let object = self.read(&at).await?;
        let object = object.filter(|it| named(it).is_ok_and(|it| it.as_ref() == Some(certificate)));
        Ok(object.map(|object| Subject::of(*kind, &object)))
    }

    /// Reads an object. Returns None if the object does not exist.
    async fn read(&self, object: &ResourceRef) -> Result<Option<Value>, WriteFailure> {
        let found = self.writer.client().find(object).await?;
        Ok(found.map(|object| json!(object)))
    }

    /// Returns the times at which this `caBundle` was written, by object.
    fn written(&self, key: &Key, ca_bundle: &str) -> BTreeMap<SubjectName, Vec<Timestamp>> {
        let memories = self.memories();
        let written = memories.get(key).into_iter().flat_map(|it| &it.written);
        let same = written.filter(|(_, (bundle, _))| bundle == ca_bundle);
        same.map(|(subject, (_, times))| (subject.clone(), times.clone()))
            .collect()
    }

    fn secret_written(&self, key: &Key) -> Vec<Timestamp> {
        let memories = self.memories();
        let memory = memories.get(key);
        memory
            .map(|it| it.secret_written.clone())
            .unwrap_or_default()
    }

    // --- writes ---

    async fn write_secret(&self, look: &ReadCertificate, step: &SecretStep) -> Progress {
        let Observation { name, .. } = &look.observation;
        let content = match look.content.after(step) {
            Ok(content) => content,
            Err(error) => {
                let lost = format!("failed to create a certificate: {error}");
                return Progress {
                    lost: Some(lost),
                    ..Progress::default()
                };
            }
        };
        let mut manifest = json!({
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {
                "name": name.secret, "namespace": name.namespace, "labels": {MADE: "true"},
            },
            "type": TYPE,
            "data": content.data(),
        });
        let write = match &look.secret {
            None => Write::create_by_apply(manifest),
            Some(seen) => {
                manifest["metadata"]["uid"] = json!(seen.uid);
                manifest["metadata"]["resourceVersion"] = json!(seen.resource_version);
                Write::apply(manifest)
            }
        };
        let written = match write {
            Ok(write) => self.writer.session().write(write).await,
            Err(failure) => Err(failure),
        };
        let metadata = written.as_ref().ok().and_then(|it| it.object.as_ref());
        if let Some(object) = metadata {
            let uid = object.metadata.uid.clone();
            self.remember_secret(&key(name), look.observation.now);
            self.record(name, uid, step.note.clone(), look.observation.now)
                .await;
        }
        Progress::of(written)
    }

    async fn inject(&self, look: &ReadCertificate, injections: &[Injection]) -> Progress {
        let Observation {
            name,
            subjects,
            now,
            ..
        } = &look.observation;
        let mut progress = Progress::default();
        for Injection { subject, ca_bundle } in injections {
            let subject = &subjects[*subject];
            let write = Write::apply(subject.manifest(&name.namespace, ca_bundle));
            let written = match write {
                Ok(write) => self.writer.session().write(write).await,
                Err(failure) => Err(failure),
            };
            if written.is_ok() {
                let at = (subject.kind, subject.name.clone());
                self.remember(&key(name), at, ca_bundle, *now);
                let (kind, object) = (subject.kind.as_str(), &subject.name);
                tracing::info!(certificate = %name, kind, object, "caBundle is written");
            }
            let object = format!("caBundle of {} {}", subject.kind.as_str(), subject.name);
            progress.add(Progress::of(written), &object);
        }
        progress
    }

    fn remember(&self, key: &Key, subject: SubjectName, ca_bundle: &str, now: Timestamp) {
        let mut memories = self.memories();
        let memory = memories.entry(key.clone()).or_default();
        let (bundle, times) = memory.written.entry(subject).or_default();
        if bundle != ca_bundle {
            (*bundle, *times) = (ca_bundle.to_owned(), Vec::new());
        }
        push(times, now);
    }

    fn remember_secret(&self, key: &Key, now: Timestamp) {
        let mut memories = self.memories();
        let memory = memories.entry(key.clone()).or_default();
        push(&mut memory.secret_written, now);
    }

    // --- reporting ---

    /// Reports each problem that lasts once, in the log and as an event.
    async fn report_problems(
        &self,
        name: &CertificateName,
        look: &ReadCertificate,
        decision: &Decision,
        progress: &Progress,
    ) {
        let notes = decision.notes.iter().map(|note| note.message.clone());
        let all: BTreeSet<_> = notes.chain(progress.refused.iter().cloned()).collect();
        let new = self.warn(name, all);
        let notes = decision.notes.iter();
        let notes = notes.filter(|note| new.contains(&note.message));
        let uid = look.secret.as_ref().and_then(|it| it.uid.clone());
        for note in notes {
            let now = look.observation.now;
            self.record(name, uid.clone(), note.clone(), now).await;
        }
    }

    /// Logs the problems that have not been logged before, and returns them.
    fn warn(&self, name: &CertificateName, all: BTreeSet<String>) -> BTreeSet<String> {
        let mut memories = self.memories();
        let memory = memories.entry(key(name)).or_default();
        let new: BTreeSet<_> = all.difference(&memory.told).cloned().collect();
        memory.told = all;
        for sentence in &new {
            tracing::warn!(certificate = %name, "{sentence}");
        }
        new
    }

    /// Creates an event about the Secret, even if the Secret does not exist. If the outcome is
    /// unknown, the event is created again later.
    async fn record(&self, name: &CertificateName, uid: Option<String>, note: Note, at: Timestamp) {
        let Note { reason, message } = note;
        let news = News {
            about: ObjectReference {
                api_version: Some("v1".to_owned()),
                kind: Some("Secret".to_owned()),
                namespace: Some(name.namespace.clone()),
                name: Some(name.secret.clone()),
                uid,
                ..ObjectReference::default()
            },
            related: None,
            is_warning: reason.is_warning(),
            reason: reason.as_str().to_owned(),
            action: "Reconcile".to_owned(),
            mark: format!("{} {message}", reason.as_str()),
            message,
            at,
        };
        let client = self.writer.client();
        let _ = self.recorder.record(client, &reconciled(name), news).await;
    }
}

impl Reconciler for CertificateReconciler {
    type Cache = CertificateCache;

    async fn reconcile(&self, _: &Key, snapshot: CertificateSnapshot) -> Outcome {
        match &snapshot.access {
            Access::Granted => {}
            // The watch reports a change when it is known if access is granted.
            Access::Unknown => return Outcome::default(),
            Access::Denied(why) => {
                let wrong = denied(&snapshot.name, why);
                self.warn(&snapshot.name, [wrong].into());
                return Outcome::default();
            }
        }
        let (client, reconciled) = (self.writer.client(), reconciled(&snapshot.name));
        match self.recorder.settle(client, &reconciled).await {
            Ok(()) => self.carry_out(snapshot).await,
            Err(failure) => outcome(Progress::of(Err(failure)), None, (self.now)()),
        }
    }

    fn forget(&self, key: &Key) {
        self.memories().remove(key);
        self.recorder.forget(key);
    }
}

// === impl Progress ===

impl Progress {
    /// Converts the result of a write to the progress of the reconciliation.
    fn of(written: Result<Written, WriteFailure>) -> Self {
        let mut progress = Self::default();
        match written {
            Ok(written) => {
                progress.has_acted = true;
                progress.pending = written.pending.into_iter().collect();
            }
            Err(WriteFailure::Conflict(_)) => progress.has_conflict = true,
            Err(WriteFailure::Lost(sentence)) => progress.lost = Some(sentence),
            Err(WriteFailure::Refused(sentence)) => progress.refused = vec![sentence],
            Err(failure @ WriteFailure::FieldsOwned(_)) => {
                progress.refused = vec![failure.to_string()];
            }
        }
        progress
    }

    fn add(&mut self, other: Self, object: &str) {
        let Self {
            pending,
            has_acted,
            has_conflict,
            refused,
            lost,
        } = other;
        self.pending.extend(pending);
        self.has_acted |= has_acted;
        self.has_conflict |= has_conflict;
        let told = |sentence| format!("{object}: {sentence}");
        self.refused.extend(refused.into_iter().map(told));
        self.lost = self.lost.take().or_else(|| lost.map(told));
    }
}

/// Adds a time. Drops times that are older than an hour, because decisions do not use them.
pub(crate) fn push(times: &mut Vec<Timestamp>, now: Timestamp) {
    times.retain(|at| now.duration_since(*at) < SignedDuration::from_hours(1));
    times.push(now);
}

fn outcome(progress: Progress, next: Option<Timestamp>, now: Timestamp) -> Outcome {
    let Progress {
        pending,
        has_acted,
        has_conflict,
        refused,
        lost,
    } = progress;
    let later = |span| now.checked_add(span).unwrap_or(Timestamp::MAX);
    let again = (!refused.is_empty()).then(|| later(REFUSED));
    let next = next.map(|next| next.min(later(LONGEST)));
    Outcome {
        pending,
        has_acted,
        failure: lost,
        has_conflict,
        requeue_at: next.into_iter().chain(again).min().map(instant),
        is_bounded: false,
        report: (),
    }
}

/// Returns true if this controller has created the Secret.
fn is_made(secret: &Value) -> bool {
    secret["metadata"]["labels"][MADE] == "true" && secret["type"] == TYPE
}

fn secret_ref(name: &CertificateName) -> ResourceRef {
    ResourceRef::new("v1", "Secret", &*name.namespace, &name.secret)
}

/// Returns the metadata under which the events of a certificate are kept for a retry.
fn reconciled(name: &CertificateName) -> ObjectMeta {
    ObjectMeta {
        namespace: Some(name.namespace.clone()),
        name: Some(name.secret.clone()),
        ..ObjectMeta::default()
    }
}

fn denied(name: &CertificateName, why: &str) -> String {
    let CertificateName { namespace, .. } = name;
    format!(
        "certificate {name} is not created, because Secrets in namespace {namespace} cannot be \
         watched: {why}; an administrator can permit it: kubectl -n {namespace} create \
         rolebinding portolan-certificates --clusterrole=portolan-certificates-namespace \
         --serviceaccount=portolan:portolan-controller"
    )
}
