//! Sends the steps of a decision.

use std::collections::BTreeMap;

use portolan_api::plan::Order;
use portolan_core_install::{
    Attempt, Conflict, Decision, Discovery, Identity, Member, Members, Observation, Outcome, Sight,
    Step,
};
use portolan_runtime::{
    FieldConflict, ObjectRef, Order as Sequence, Session, Step as Tried, Write, WriteFailure,
    carry_out,
};
use serde_json::{Value, json};

/// How many writes are under way at once, where they do not wait for each other.
const AT_ONCE: usize = 8;
/// The most writes between two looks at the plan itself: somebody may suspend it.
const MOST: usize = 100;

/// What became of the steps that were tried.
#[derive(Debug, Default)]
pub(crate) struct Sent {
    /// How they ended, in their order.
    pub(crate) outcomes: Vec<Outcome>,
    /// What is known of their objects now.
    pub(crate) objects: BTreeMap<Identity, Option<Sight>>,
    pub(crate) attempts: BTreeMap<Identity, Attempt>,
    /// The first of which nobody knows how it ended.
    lost: Option<String>,
}

/// Carries out the first steps of a decision.
pub(crate) async fn send(
    session: &Session<'_>,
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
    let act = |place: usize| one(session, observed, members, &steps[place]);
    let tried = carry_out(&order, at_once, act).await;
    let mut sent = Sent::default();
    for (step, tried) in steps.iter().zip(tried) {
        let member = &members[step.member()];
        let outcome = match tried {
            Tried::Done(sight) => {
                sent.objects.insert(member.identity.clone(), sight);
                Outcome::Done
            }
            Tried::Blocked(_) => Outcome::Again,
            Tried::Failed(failure) => sent.fail(observed, &member.identity, failure),
        };
        sent.outcomes.push(outcome);
    }
    sent
}

impl Sent {
    fn fail(
        &mut self,
        observed: &Observation,
        member: &Identity,
        failure: WriteFailure,
    ) -> Outcome {
        match failure {
            WriteFailure::Conflict(_) => {
                self.objects.insert(member.clone(), None);
                Outcome::Again
            }
            WriteFailure::FieldsOwned(conflicts) => {
                let conflicts: Vec<_> = conflicts.into_iter().map(conflict).collect();
                if let Some(Sight::Present(object)) = observed.objects.get(member) {
                    let attempt = Attempt::new(object, conflicts.clone());
                    self.attempts.insert(member.clone(), attempt);
                }
                Outcome::FieldsOwned(conflicts)
            }
            WriteFailure::Refused(sentence) => Outcome::Refused(sentence),
            WriteFailure::Lost(sentence) => {
                self.objects.insert(member.clone(), None);
                self.lost.get_or_insert(format!("{member}: {sentence}"));
                Outcome::Again
            }
        }
    }

    /// Why it is tried again only after a while.
    pub(crate) fn failure(&self) -> Option<String> {
        let refused = self.outcomes.iter().find_map(|outcome| match outcome {
            Outcome::Refused(sentence) => Some(sentence),
            Outcome::Done | Outcome::Again | Outcome::FieldsOwned(_) => None,
        });
        self.lost.as_ref().or(refused).cloned()
    }

    /// Puts what is known now into an observation.
    pub(crate) fn put(self, observed: &mut Observation) {
        for (member, sight) in self.objects {
            match sight {
                Some(sight) => drop(observed.objects.insert(member, sight)),
                None => drop(observed.objects.remove(&member)),
            }
        }
        observed.attempts.extend(self.attempts);
        observed.is_discovery_fresh = false;
    }
}

async fn one(
    session: &Session<'_>,
    observed: &Observation,
    members: &Members,
    step: &Step,
) -> Result<Option<Sight>, WriteFailure> {
    let member = &members[step.member()];
    let mut write = match step {
        Step::Create { .. } => Write::create(member.applied(&observed.plan.lineage))?,
        Step::Apply { uid, force, .. } => {
            let write = applied(observed, member, &json!(uid), force.as_deref())?;
            match force {
                Some(_) => write,
                None => write.unforced(),
            }
        }
    };
    let discovery = observed.discovery.as_ref();
    let at = discovery.and_then(|all| object_ref(all, &member.identity, Some(&member.version)));
    if let Some(at) = at {
        write.object = at;
    }
    let written = session.write(write).await?;
    Ok(written.object.map(|object| Sight::Present(json!(object))))
}

/// The apply of a manifest to the object with this uid, in this version if one is given.
///
/// # Errors
/// The manifest names no object.
pub(crate) fn applied(
    observed: &Observation,
    member: &Member,
    uid: &Value,
    version: Option<&str>,
) -> Result<Write, WriteFailure> {
    let mut manifest = member.applied(&observed.plan.lineage);
    manifest["metadata"]["uid"] = uid.clone();
    if let Some(version) = version {
        manifest["metadata"]["resourceVersion"] = json!(version);
    }
    Write::apply(manifest)
}

/// Where a member is found, in the version of its kind or in any that is served; None if none is.
pub(crate) fn object_ref(
    discovery: &Discovery,
    member: &Identity,
    version: Option<&str>,
) -> Option<ObjectRef> {
    let served = discovery.kind(&member.kind)?;
    let version = match version {
        Some(version) => version,
        None => served.versions.first()?,
    };
    let api_version = match member.kind.group.as_str() {
        "" => version.to_owned(),
        group => format!("{group}/{version}"),
    };
    Some(ObjectRef {
        api_version,
        kind: member.kind.kind.clone(),
        plural: Some(served.plural.clone()),
        namespace: member.namespace.clone(),
        name: member.name.clone(),
    })
}

fn conflict(conflict: FieldConflict) -> Conflict {
    let FieldConflict {
        manager,
        subresource,
        field,
    } = conflict;
    Conflict {
        manager,
        subresource,
        field,
    }
}
