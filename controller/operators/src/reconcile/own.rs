//! The writes that a decision about an Operator requires.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::api::DynamicObject;
use portolan_api::operator::{FINALIZER, OPERATOR};
use portolan_core_names::{Gvk, ObjectRef};
use portolan_core_operator::{Act, Step};
use portolan_runtime::{
    FencedClient, Mismatch, ObservedObject, PendingWrite, Propagation, ResourceRef, Session, Write,
    WriteFailure, set,
};
use serde_json::{Value, json};

use super::{Halt, KIND, PLANS, RETIRED_AT, api_version};

/// The sessions for the writes that a decision requires.
pub(super) struct Own<'a> {
    pub(super) session: &'a Session<'a>,
    /// The session with the permissions of the installing ServiceAccount. None if no step needs it.
    pub(super) theirs: Option<&'a Session<'a>>,
    pub(super) metadata: &'a ObjectMeta,
    pub(super) client: &'a FencedClient,
}

impl Own<'_> {
    pub(super) fn observed(&self) -> ObservedObject {
        ObservedObject::of(&api_version(), KIND, self.metadata)
    }

    pub(super) async fn write(&self, step: Step) -> Result<Vec<PendingWrite>, Halt> {
        let there = self.metadata.finalizers.as_deref().unwrap_or_default();
        let write = match step {
            Step::AddFinalizer => Write::add_finalizer(self.observed(), there, FINALIZER),
            Step::RemoveFinalizer => Write::remove_finalizer(self.observed(), there, FINALIZER),
            Step::Create(objects) => return self.create(objects).await,
            Step::Release {
                namespace,
                plan,
                uid,
                version,
            } => {
                let operation = set("/spec/suspend", Some(&json!(false)));
                Some(Write::patch(
                    plan_of(namespace, plan, uid, version),
                    vec![operation],
                ))
            }
            Step::Suspend {
                namespace,
                plan,
                uid,
                version,
            } => {
                let operations = [
                    set("/spec/suspend", Some(&json!(true))),
                    set(RETIRED_AT, Some(&json!("true"))),
                ];
                let seen = plan_of(namespace, plan, uid, version);
                Some(Write::patch(seen, operations.into()))
            }
            Step::Reset {
                namespace,
                plan,
                uid,
                version,
                resume,
                lifecycle,
            } => {
                let resume = resume.then(|| set("/spec/suspend", Some(&json!(false))));
                let lifecycle = lifecycle.map(|it| set("/spec/lifecycle", Some(&it)));
                let seen = plan_of(namespace, plan, uid, version);
                let operations = resume.into_iter().chain(lifecycle).collect();
                Some(Write::patch(seen, operations))
            }
            Step::Delete {
                namespace,
                plan,
                uid,
            } => {
                let seen = plan_of(namespace, plan, uid, String::new());
                Some(Write::delete(seen, Propagation::Background))
            }
            Step::OwnFound {
                namespace,
                plan,
                uid,
                version,
            } => {
                let operation = set("/spec/lifecycle/onFound", Some(&json!("Own")));
                let seen = plan_of(namespace, plan, uid, version);
                Some(Write::patch(seen, vec![operation]))
            }
            Step::DeleteBeside(object) => self.beside(&object).await?,
            Step::As(_, act) => return self.act(act).await,
        };
        match write {
            Some(write) => {
                let written = self.session.write(write).await?;
                Ok(written.pending.into_iter().collect())
            }
            None => Ok(Vec::new()),
        }
    }

    /// Returns the write that deletes an object that belongs to an InstallPlan. Returns None if the
    /// object no longer exists, or if the Operator has not created it.
    async fn beside(&self, object: &ObjectRef<Gvk>) -> Result<Option<Write>, WriteFailure> {
        let at = ResourceRef::from(object.clone());
        let found = self.client.find(&at).await?;
        let is_own = |found: &DynamicObject| {
            let operator = OPERATOR.of(&found.metadata);
            operator.is_some() && operator == self.metadata.name.as_deref()
        };
        let uid = found.filter(is_own).and_then(|found| found.metadata.uid);
        Ok(uid.map(|uid| {
            let seen = ObservedObject {
                target: at,
                uid,
                version: String::new(),
            };
            Write::delete(seen, Propagation::Background)
        }))
    }

    /// Executes an action with the permissions of the installing ServiceAccount.
    async fn act(&self, act: Act) -> Result<Vec<PendingWrite>, Halt> {
        let session = self.theirs.unwrap_or(self.session);
        let seen = |object: &ObjectRef<Gvk>, uid, version| ObservedObject {
            target: ResourceRef::from(object.clone()),
            uid,
            version,
        };
        let write = match act {
            Act::Patch {
                object,
                uid,
                version,
                operations,
            } => Write::patch(seen(&object, uid, version), operations),
            Act::Delete {
                object,
                uid,
                version,
            } => Write::delete_unchanged(seen(&object, uid, version), Propagation::Background),
            Act::Orphan {
                object,
                uid,
                version,
            } => Write::delete_unchanged(seen(&object, uid, version), Propagation::Orphan),
        };
        let written = session.write(write).await?;
        // The cache contains only ClusterServiceVersions and Subscriptions, so no other writes are
        // expected in it.
        let is_seen = |pending: &PendingWrite| {
            matches!(
                pending.kind.as_str(),
                "ClusterServiceVersion" | "Subscription"
            )
        };
        Ok(written.pending.into_iter().filter(is_seen).collect())
    }

    /// Creates an InstallPlan, and before it the objects that belong to it. The names of these
    /// objects are derived from their content, so an existing object is identical. If the
    /// InstallPlan already exists, the cache is outdated, and the function returns a failure.
    async fn create(&self, objects: Vec<Value>) -> Result<Vec<PendingWrite>, Halt> {
        let last = objects.len().saturating_sub(1);
        let mut pending = Vec::new();
        for (place, object) in objects.into_iter().enumerate() {
            match self.session.write(Write::create(object)?).await {
                Ok(written) if place == last => pending.extend(written.pending),
                // The objects that belong to an InstallPlan are not watched, so these writes are
                // not expected in the cache.
                Ok(_) => {}
                Err(WriteFailure::Conflict(Mismatch::Exists(_))) if place < last => {}
                Err(WriteFailure::Conflict(conflict)) => {
                    return Err(Halt::Failure(format!("cannot create the plan: {conflict}")));
                }
                Err(failure) => return Err(failure.into()),
            }
        }
        Ok(pending)
    }
}

fn plan_of(namespace: String, name: String, uid: String, version: String) -> ObservedObject {
    ObservedObject {
        target: ResourceRef::new(PLANS, "InstallPlan", &*namespace, &name),
        uid,
        version,
    }
}
