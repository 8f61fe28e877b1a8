//! Builds the related objects of a status, and copies fields that keep their values.

use portolan_api::{
    ConditionType, OperatorPolicy, OperatorPolicyStatus, Properties, Reason, RelatedObject,
    Upgrades,
};

use crate::desired::{ConditionReason, Report, Status};

/// Returns the related objects: the objects of the report, and the previous objects of kept
/// conditions. The result is sorted by kind, namespace and name. If the policy created an object,
/// the object stays marked as created as long as its uid is unchanged.
pub(super) fn related(report: &Report, before: &OperatorPolicyStatus) -> Vec<RelatedObject> {
    let reported = report.related.iter().flat_map(|(_, objects)| objects);
    let is_reported = |type_: ConditionType| {
        report
            .related
            .iter()
            .any(|(reported, _)| *reported == type_)
    };
    let kept = report.kept.iter().map(|(type_, _)| *type_);
    let kept = kept.filter(|type_| !is_reported(*type_)).flat_map(|type_| {
        let old = before.related_objects.iter();
        old.filter(move |old| belongs(old, type_))
    });
    let mut all: Vec<_> = reported
        .map(|each| created(each.clone(), before))
        .chain(kept.cloned())
        .collect();
    let key = |each: &RelatedObject| (each.object.kind.clone(), each.object.metadata.clone());
    let order = |each: &RelatedObject| {
        let (kind, metadata) = key(each);
        (kind, metadata.namespace, metadata.name)
    };
    all.sort_by_key(order);
    all.dedup_by_key(|each| key(each));
    all
}

/// Returns true if the object belongs to this condition.
pub(crate) fn belongs(object: &RelatedObject, type_: ConditionType) -> bool {
    kind(type_).is_some_and(|kind| kind == object.object.kind)
}

/// Returns the kind of the objects that belong to a condition.
fn kind(type_: ConditionType) -> Option<&'static str> {
    match type_ {
        ConditionType::ValidPolicySpec => Some("Namespace"),
        ConditionType::OperatorGroupCompliant => Some("OperatorGroup"),
        ConditionType::SubscriptionCompliant => Some("Subscription"),
        ConditionType::InstallPlanCompliant => Some("InstallPlan"),
        ConditionType::ClusterServiceVersionCompliant => Some("ClusterServiceVersion"),
        ConditionType::CustomResourceDefinitionCompliant => Some("CustomResourceDefinition"),
        ConditionType::DeploymentCompliant => Some("Deployment"),
        ConditionType::DeploymentsAvailable => Some("ServiceAccount"),
        ConditionType::CatalogSourcesUnhealthy => Some("CatalogSource"),
        ConditionType::Compliant
        | ConditionType::NoDeprecations
        | ConditionType::MinorChannelUpgradeAvailable => None,
    }
}

fn created(mut object: RelatedObject, before: &OperatorPolicyStatus) -> RelatedObject {
    let Some(properties) = &mut object.properties else {
        return object;
    };
    let was_created = before.related_objects.iter().any(|old| {
        let old = old.properties.as_ref();
        old.is_some_and(|old| {
            old.created_by_policy == Some(true) && old.uid.is_some() && old.uid == properties.uid
        })
    });
    if was_created {
        properties.created_by_policy = Some(true);
    }
    object
}

/// Adds the uid of a created object, unless the object already has a uid.
pub(super) fn with_uid(mut object: RelatedObject, uid: Option<&str>) -> RelatedObject {
    let Some(uid) = uid else { return object };
    let properties = object.properties.get_or_insert_with(Properties::default);
    properties.uid.get_or_insert_with(|| uid.to_owned());
    object
}

/// Returns the previous status with the policy's namespace. Replaces only the label, the
/// generation, and the related object for the Subscription, which contains the namespace.
pub(super) fn with_namespace(
    report: &Report,
    policy: &OperatorPolicy,
    before: &OperatorPolicyStatus,
) -> OperatorPolicyStatus {
    let type_ = ConditionType::SubscriptionCompliant;
    let mut status = before.clone();
    status.resolved_subscription_label.clone_from(&report.label);
    status.related_objects.retain(|old| !belongs(old, type_));
    let reported = report.related.iter().flat_map(|(_, objects)| objects);
    status.related_objects.extend(reported.cloned());
    status.observed_generation = policy.metadata.generation;
    status
}

/// Returns the label of the Subscription. If the report has no label, returns the previous label if
/// it is for the same package.
pub(super) fn label(
    report: &Report,
    policy: &OperatorPolicy,
    before: &OperatorPolicyStatus,
) -> Option<String> {
    let package = policy
        .spec
        .as_json()
        .pointer("/subscription/name")?
        .as_str()?;
    let known = before.resolved_subscription_label.as_ref();
    let known = known.filter(|label| {
        let rest = label.strip_prefix(package);
        rest.is_some_and(|rest| rest.starts_with('.'))
    });
    report.label.as_ref().or(known).cloned()
}

/// Copies the fields that no report contains from the previous status. This is used if all
/// conditions of the policy are kept.
pub(super) fn keep(status: &mut OperatorPolicyStatus, before: &OperatorPolicyStatus) {
    status
        .overlapping_policies
        .clone_from(&before.overlapping_policies);
    status.removal.clone_from(&before.removal);
    status
        .subscription_intervention_time
        .clone_from(&before.subscription_intervention_time);
}

/// Returns the upgrades of the report. If the report has none, returns the previous upgrades as
/// long as the policy wants its operator.
pub(super) fn upgrades(report: &Report, before: &OperatorPolicyStatus) -> Option<Upgrades> {
    let conditions = || report.conditions.iter();
    let is_told = conditions().any(|condition| {
        condition.type_ == ConditionType::InstallPlanCompliant
            && condition.status != Status::Unknown
    });
    let not_wanted = ConditionReason::Ours(Reason::DeploymentNotApplicable);
    let is_wanted = conditions().all(|condition| condition.reason != not_wanted);
    let stays = (is_told && is_wanted) || !report.kept.is_empty();
    let before = before.upgrades.clone().filter(|_| stays);
    report.upgrades.clone().or(before)
}
