//! Executes the steps of a decision.

mod sent;

use std::collections::{BTreeMap, BTreeSet};

use kube::api::{DynamicObject, ObjectMeta};
use portolan_api::plan::{FINALIZER, Order};
use portolan_core_install::{
    Decision, Discovery, GroupKind, Member, Members, ObjectRead, ObjectRef, Observation, Outcome,
    OwnedField, Step,
};
use portolan_runtime::{
    FieldConflict, Mismatch, ObservedObject, PendingWrite, Propagation, ResourceRef, Session,
    StepOrder as Sequence, StepResult as Tried, Write, WriteFailure, Written, carry_out, set,
};
use portolan_world::Gvk;
pub(crate) use sent::Sent;
use serde_json::{Value, json};

pub(crate) const API_VERSION: &str = "plans.portolan.dev/v1alpha1";
pub(crate) const KIND: &str = "InstallPlan";
/// The maximum number of concurrent writes that do not depend on each other.
const AT_ONCE: usize = 8;
/// The maximum number of writes before the plan is read again, because a user may have suspended
/// the plan.
const MOST: usize = 100;

/// The sessions for writes, by user and field manager.
pub(crate) struct Names<'a> {
    /// The session of the controller itself.
    pub(crate) own: &'a Session<'a>,
    /// The session of the plan's ServiceAccount, with the field manager of the plan's lineage.
    pub(crate) theirs: &'a Session<'a>,
    /// The sessions of the plan's ServiceAccount, with the field managers of the lineages that the
    /// plan has merged.
    pub(crate) merged: &'a BTreeMap<String, Session<'a>>,
    pub(crate) plan: &'a ObjectMeta,
    /// The members that this reconciliation has already written.
    pub(crate) written: &'a BTreeSet<ObjectRef>,
}

impl Names<'_> {
    fn theirs_of(&self, lineage: &str) -> &Session<'_> {
        self.merged.get(lineage).unwrap_or(self.theirs)
    }
}

/// The result of a write.
enum Wrote {
    /// The object has this state after the write.
    Object(ObjectRef, ObjectRead),
    /// The finalizer was added to the plan (true) or removed from the plan (false).
    Finalizer(bool, Option<PendingWrite>),
}

/// Executes the first steps of a decision.
pub(crate) async fn send(
    names: &Names<'_>,
    observed: &Observation,
    members: &Members,
    decision: &Decision,
) -> Sent {
    let steps = &decision.steps[..decision.steps.len().min(MOST)];
    let (order, at_once) = match decision.order {
        Order::InOrder => (Sequence::sequence(steps.len()), 1),
        Order::Any => {
            let mut order = Sequence::default();
            for _ in steps {
                order.add([]);
            }
            (order, AT_ONCE)
        }
    };
    let act = |place: usize| one(names, observed, members, &steps[place]);
    let tried = carry_out(&order, at_once, act).await;
    let mut sent = Sent::default();
    for (step, tried) in steps.iter().zip(tried) {
        let outcome = match tried {
            Tried::Done(wrote) => sent.done(step, wrote),
            Tried::Blocked(_) => Outcome::Again,
            Tried::Failed(failure) => {
                sent.fail(observed, object(observed, members, step).as_ref(), failure)
            }
        };
        sent.outcomes.push(outcome);
    }
    sent
}

/// Returns the object that a step writes. Returns None if the step writes the plan itself.
fn object(observed: &Observation, members: &Members, step: &Step) -> Option<ObjectRef> {
    match step {
        Step::Create { member, .. }
        | Step::Apply { member, .. }
        | Step::Replace { member, .. }
        | Step::Seal { member, .. } => Some(members[*member].identity.clone()),
        Step::Run { job, run } => {
            let intent = observed.intent.as_ref().ok()?;
            Some(members.jobs()[*job].identity(observed.job_owner(intent), *run))
        }
        Step::Delete { object, .. } => Some(object.clone()),
        Step::AddFinalizer | Step::RemoveFinalizer => None,
    }
}

async fn one(
    names: &Names<'_>,
    observed: &Observation,
    members: &Members,
    step: &Step,
) -> Result<Wrote, WriteFailure> {
    match step {
        Step::Create { member, lineage } => {
            let member = &members[*member];
            let write = Write::create_by_apply(member.applied(lineage))?;
            write_member(names, observed, (member, lineage), write).await
        }
        Step::Apply { member, uid, force } => {
            let member = &members[*member];
            let write = applied(observed, member, &json!(uid), force.as_deref())?;
            let write = match force {
                Some(_) => write,
                None => write.unforced(),
            };
            let lineage = observed.lineage_of(&member.identity);
            write_member(names, observed, (member, lineage), write).await
        }
        Step::Run { job, run } => {
            let Ok(intent) = &observed.intent else {
                return Err(WriteFailure::Conflict(Mismatch::Changed(
                    "the plan has no such Job".to_owned(),
                )));
            };
            let (job, owner) = (&members.jobs()[*job], observed.job_owner(intent));
            let write = Write::create_by_apply(job.manifest(owner, *run))?;
            let written = names.theirs.write(write).await?;
            Ok(Wrote::Object(
                job.identity(owner, *run),
                object_read(written),
            ))
        }
        Step::Seal {
            member,
            uid,
            version,
            fields,
        } => {
            let member = &members[*member];
            let removals = fields.iter().map(|pointer| set(pointer, None));
            let write = patched(observed, member, (uid, version), removals.collect())?;
            let session = names.theirs_of(observed.lineage_of(&member.identity));
            let written = session.write(write).await?;
            Ok(Wrote::Object(member.identity.clone(), object_read(written)))
        }
        Step::Replace {
            member,
            uid,
            version,
        } => {
            let member = &members[*member];
            let spec = set("/spec", member.manifest.get("spec"));
            let write = patched(observed, member, (uid, version), vec![spec])?;
            let lineage = observed.lineage_of(&member.identity);
            write_member(names, observed, (member, lineage), write).await
        }
        Step::Delete { object, uid } => {
            let version = members.get(object).map(|member| member.version.as_str());
            delete(names, observed, object, uid, version).await
        }
        Step::AddFinalizer | Step::RemoveFinalizer => {
            let is_wanted = *step == Step::AddFinalizer;
            let pending = write_finalizer(names, is_wanted).await?;
            Ok(Wrote::Finalizer(is_wanted, pending))
        }
    }
}

async fn write_member(
    names: &Names<'_>,
    observed: &Observation,
    (member, lineage): (&Member, &str),
    write: Write,
) -> Result<Wrote, WriteFailure> {
    if names.written.contains(&member.identity) {
        // Another controller has reverted the previous write, and would also revert the next
        // writes.
        let sentence = "another client changes the object immediately after the object is written";
        return Err(WriteFailure::Refused(sentence.to_owned()));
    }
    let session = names.theirs_of(lineage);
    let written = session.write(placed(observed, member, write)).await?;
    Ok(Wrote::Object(member.identity.clone(), object_read(written)))
}

/// Returns the state of an object after a write.
fn object_read(written: Written) -> ObjectRead {
    let object = written.object;
    object.map_or(ObjectRead::Absent, |object| {
        ObjectRead::Present(json!(object))
    })
}

/// Returns a write that patches an object. Fails if the object has changed since it was read.
fn patched(
    observed: &Observation,
    member: &Member,
    (uid, version): (&str, &str),
    operations: Vec<Value>,
) -> Result<Write, WriteFailure> {
    let seen = ObservedObject {
        target: ResourceRef::of(&member.manifest)?,
        uid: uid.to_owned(),
        version: version.to_owned(),
    };
    let write = Write::patch(seen, operations);
    Ok(placed(observed, member, write))
}

/// Deletes the object if it still has this uid.
async fn delete(
    names: &Names<'_>,
    observed: &Observation,
    object: &ObjectRef,
    uid: &str,
    version: Option<&str>,
) -> Result<Wrote, WriteFailure> {
    let discovery = observed.discovery.as_ref();
    let Some(at) = discovery.and_then(|all| object_ref(all, object, version)) else {
        // If the kind is not served any more, the object does not exist any more.
        return Ok(Wrote::Object(object.clone(), ObjectRead::Absent));
    };
    let seen = ObservedObject {
        target: at,
        uid: uid.to_owned(),
        version: String::new(),
    };
    let delete = Write::delete(seen, Propagation::Background);
    let written = names.theirs.write(delete).await?;
    let is_held = |object: &DynamicObject| object.metadata.deletion_timestamp.is_some();
    let held = written.object.filter(is_held);
    let object_read = held.map_or(ObjectRead::Absent, |object| {
        ObjectRead::Present(json!(object))
    });
    Ok(Wrote::Object(object.clone(), object_read))
}

/// Adds the finalizer to the plan or removes it.
async fn write_finalizer(
    names: &Names<'_>,
    is_wanted: bool,
) -> Result<Option<PendingWrite>, WriteFailure> {
    let seen = ObservedObject::of(API_VERSION, KIND, names.plan);
    let there = names.plan.finalizers.as_deref().unwrap_or_default();
    let write = if is_wanted {
        Write::add_finalizer(seen, there, FINALIZER)
    } else {
        Write::remove_finalizer(seen, there, FINALIZER)
    };
    match write {
        Some(write) => Ok(names.own.write(write).await?.pending),
        None => Ok(None),
    }
}

/// Returns the write that applies a manifest to the object with this uid. With `version`, the write
/// fails if the object has another version.
///
/// # Errors
/// Returns an error if the manifest names no object.
pub(crate) fn applied(
    observed: &Observation,
    member: &Member,
    uid: &Value,
    version: Option<&str>,
) -> Result<Write, WriteFailure> {
    let lineage = observed.lineage_of(&member.identity);
    let mut manifest = match observed.objects.get(&member.identity) {
        Some(ObjectRead::Present(object)) => member.applied_to(object, lineage),
        Some(ObjectRead::Absent | ObjectRead::Unreadable(_) | ObjectRead::Unanswered(_)) | None => {
            member.applied(lineage)
        }
    };
    manifest["metadata"]["uid"] = uid.clone();
    if let Some(version) = version {
        manifest["metadata"]["resourceVersion"] = json!(version);
    }
    Write::apply(manifest)
}

/// Sets the resource of a write to the resource that the API server serves.
pub(crate) fn placed(observed: &Observation, member: &Member, mut write: Write) -> Write {
    let discovery = observed.discovery.as_ref();
    let at = discovery.and_then(|all| object_ref(all, &member.identity, Some(&member.version)));
    if let Some(at) = at {
        write.target = at;
    }
    write
}

/// Returns the reference to a member. Uses the version in its manifest if this version is served,
/// and otherwise another served version. Returns None if the kind is not served.
pub(crate) fn object_ref(
    discovery: &Discovery,
    member: &ObjectRef,
    version: Option<&str>,
) -> Option<ResourceRef> {
    let served = discovery.kind(&member.kind)?;
    let version = discovery.version(&member.kind, version.unwrap_or_default())?;
    let GroupKind { group, kind } = member.kind.clone();
    Some(ResourceRef {
        object: ObjectRef {
            kind: Gvk {
                group,
                version: version.to_owned(),
                kind,
            },
            namespace: member.namespace.clone(),
            name: member.name.clone(),
        },
        plural: Some(served.plural.clone()),
    })
}

pub(crate) fn conflict(conflict: FieldConflict) -> OwnedField {
    let FieldConflict {
        manager,
        subresource,
        field,
    } = conflict;
    OwnedField {
        manager,
        subresource,
        field,
    }
}
