//! Explains removals by an OperatorPolicy that wait until finalizers of custom resources are
//! processed.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use portolan_api::status::ConditionTypes;
use portolan_api::{ConditionType, OperatorPolicyStatus, Reason};
use portolan_core_names::text::some;

use crate::command::{DEPLOYMENTS, Target};
use crate::cure::Cure;
use crate::own::OwnKind;
use crate::running::RunningWorkload;
use crate::steps::describe;
use crate::{Cause, Code, Evidence, Object, State, Workloads, words};

/// The maximum number of objects in a sentence.
const MOST_NAMED: usize = 5;

/// The conditions that need no action during a removal. The policy deletes the objects of most of
/// these conditions after the CRDs. InstallPlans have no effect on a removal.
const LATER: [ConditionType; 4] = [
    ConditionType::InstallPlanCompliant,
    ConditionType::OperatorGroupCompliant,
    ConditionType::SubscriptionCompliant,
    ConditionType::ClusterServiceVersionCompliant,
];

/// Returns the violated condition that reports that CRDs are being deleted. Ignores the summary
/// condition.
pub(super) fn held(status: &OperatorPolicyStatus) -> Option<&Condition> {
    let mut conditions = status.conditions.iter();
    conditions.find(|said| {
        let is_summary = ConditionType::of(said) == Some(ConditionType::Compliant);
        let is_deleting =
            Reason::parse(&said.reason) == Some(Reason::CustomResourceDefinitionDeleting);
        !is_summary && is_deleting && super::is_violated(said)
    })
}

/// Returns true if the condition needs no action during a removal.
pub(super) fn is_later(said: &Condition) -> bool {
    ConditionType::of(said).is_some_and(|type_| LATER.contains(&type_))
}

/// Returns the namespaces and names of the ClusterServiceVersions that a policy removes while CRDs
/// are being deleted.
pub(crate) fn removed(status: &OperatorPolicyStatus) -> impl Iterator<Item = (&str, &str)> {
    let related = status.related_objects.iter();
    let csvs = related.filter(|it| it.object.kind == "ClusterServiceVersion");
    let names = csvs.map(|it| {
        let metadata = &it.object.metadata;
        (
            metadata.namespace.as_deref().unwrap_or_default(),
            metadata.name.as_str(),
        )
    });
    names.filter(|_| held(status).is_some())
}

/// Returns the cause for a removal that waits for the deletion of CRDs. Adds the messages and the
/// evidence of the other causes.
pub(super) fn cause(
    object: &Object,
    status: &OperatorPolicyStatus,
    said: &Condition,
    (others, workloads): (Vec<Cause>, &Workloads),
) -> Cause {
    let (code, state) = (Code::PolicyNonCompliant, State::Stuck);
    let message = format!(
        "The removal of the operator is {}",
        words::sentence(&said.message)
    );
    let root = super::told(OwnKind::OperatorPolicy, object, said, code, state, &message);
    let root = match stopped(status, workloads) {
        Some(workload) => blamed(root, workload, &followers(status)),
        None => root.cured(Cure::external(
            "the administrator of the operator that is removed",
            &format!(
                "Let the operator run until the operator has processed the finalizers that the \
                 message names: `portolan diagnose` without a name shows if the operator fails. \
                 {UNDONE}"
            ),
        )),
    };
    others.into_iter().fold(root, |root, other| Cause {
        message: format!("{} {}", root.message, other.message),
        ..root.shown(other.evidence)
    })
}

const UNDONE: &str = "The operator then finishes the deletion of the custom resources, which \
                      cannot be undone: save the data of the custom resources first. Do not remove \
                      finalizers while the operator can run.";

/// Returns a Deployment of a removed operator if it has no ready Pod.
fn stopped<'a>(
    status: &OperatorPolicyStatus,
    workloads: &'a Workloads,
) -> Option<&'a RunningWorkload> {
    let mut nearby = workloads.nearby.iter();
    nearby.find(|it| {
        let of = (it.object.namespace.as_str(), it.csv.as_str());
        it.ready <= 0 && removed(status).any(|csv| csv == of)
    })
}

/// Returns the objects that the policy deletes after the CRDs, as a sentence. Empty if there are
/// none.
fn followers(status: &OperatorPolicyStatus) -> String {
    let removal = status.removal.iter();
    let objects = removal.flat_map(|removal| &removal.objects);
    let pending = objects.filter(|it| it.state.as_deref() == Some("Pending"));
    let names = pending.map(|it| {
        let namespace = it.namespace.clone().unwrap_or_default();
        Object::new(it.kind.clone(), namespace, it.name.clone()).to_string()
    });
    let names: Vec<_> = names.collect();
    if names.is_empty() {
        return String::new();
    }
    format!(" The policy then deletes {}.", some(MOST_NAMED, names))
}

/// Sets the Deployment whose Pods would process the finalizers as the object at fault.
fn blamed(root: Cause, workload: &RunningWorkload, followers: &str) -> Cause {
    let Object {
        namespace, name, ..
    } = &workload.object;
    let at_fault = Object::new("Deployment", namespace, name);
    let state = workload.stop();
    let csv = &workload.csv;
    let action = format!(
        "Save the data of the custom resources. Then let the operator run: `portolan diagnose \
         csv/{csv} -n {namespace}` shows how. The operator then finishes the deletion of the \
         custom resources, which cannot be undone.{followers} Do not remove finalizers while the \
         operator can run."
    );
    let message = format!(
        "{} {at_fault} must process these finalizers, but it {state}.",
        root.message
    );
    let replicas = format!("{} of {}", workload.ready, workload.desired);
    let evidence = Evidence::at(at_fault.clone(), "status.readyReplicas", &replicas);
    let look = describe(Target::new(DEPLOYMENTS, namespace, name));
    let package = csv
        .split_once(".v")
        .map_or(csv.as_str(), |(package, _)| package);
    let who = format!("the administrator of {package}");
    Cause {
        at_fault,
        message,
        ..root
            .cured(Cure::external(&who, &action))
            .shown([evidence])
            .looked([look])
    }
}
