//! What is said of matters that cannot be judged.

use portolan_api::{ConditionType, Effect, Form, OperatorPolicyStatus, Reason, RelatedObject};

use crate::case::Case;
use crate::contribution::{Contribution, related};
use crate::defaults::Unresolved;
use crate::desired::{Condition, Desired, Report, Status};
use crate::status::belongs;
use crate::{Observed, StaleKind, kinds, valid};

/// Why a namespace without OLM is as it is.
const NO_OLM: &str = "the cluster has no OLM, which would install the operator; install OLM, and \
                      this is looked at again";

/// The matters of a policy in this form, but for the policy itself.
pub(crate) fn matters(form: Form) -> impl Iterator<Item = ConditionType> {
    let all = ConditionType::ALL.iter().copied();
    all.filter(move |type_| match type_ {
        ConditionType::Compliant | ConditionType::ValidPolicySpec => false,
        ConditionType::DeploymentsAvailable => form == Form::Design,
        ConditionType::OperatorGroupCompliant
        | ConditionType::SubscriptionCompliant
        | ConditionType::InstallPlanCompliant
        | ConditionType::ClusterServiceVersionCompliant
        | ConditionType::CustomResourceDefinitionCompliant
        | ConditionType::DeploymentCompliant
        | ConditionType::CatalogSourcesUnhealthy
        | ConditionType::NoDeprecations
        | ConditionType::MinorChannelUpgradeAvailable => true,
    })
}

/// A policy that means nothing that can be done. Nothing is known of its matters. Of what was known
/// stays what it had made and how far its removal is: once it is valid again, it goes on from there.
pub(crate) fn invalid(observed: &Observed, sentences: &[String]) -> Desired {
    let before = observed.policy.status.as_ref();
    let mut distinct: Vec<&str> = Vec::new();
    for sentence in sentences {
        if !distinct.contains(&sentence.as_str()) {
            distinct.push(sentence);
        }
    }
    let type_ = ConditionType::ValidPolicySpec;
    let condition = Condition::bad(type_, Reason::InvalidPolicySpec, distinct.join(", "));
    let form = observed.policy.form();
    let part = matters(form).fold(Contribution::of(condition), |part, type_| {
        let message = format!(
            "{} is not looked at before the policy is valid",
            subject(type_)
        );
        let condition = Condition::new(type_, Status::Unknown, Reason::InvalidPolicySpec, message);
        part.add_condition(condition)
            .add_related(type_, made(before, type_))
    });
    let mut desired = part.into_desired();
    desired.report.removal = before.and_then(|status| status.removal.clone());
    desired
}

/// What was told to be made for a policy, of one matter.
fn made(before: Option<&OperatorPolicyStatus>, type_: ConditionType) -> Vec<RelatedObject> {
    let told = before
        .into_iter()
        .flat_map(|status| &status.related_objects);
    let made = told.filter(|object| {
        let properties = object.properties.as_ref();
        let is_made = properties.and_then(|properties| properties.created_by_policy);
        is_made == Some(true) && belongs(object, type_)
    });
    made.map(|object| RelatedObject {
        compliant: None,
        reason: Some("Made for the policy, which is not valid now".to_owned()),
        ..object.clone()
    })
    .collect()
}

/// Everything stays as it was.
pub(crate) fn kept(form: Form, why: &str) -> Desired {
    let all = std::iter::once(ConditionType::ValidPolicySpec).chain(matters(form));
    let report = Report {
        kept: all.map(|type_| (type_, why.to_owned())).collect(),
        ..Report::default()
    };
    Desired {
        report,
        ..Desired::default()
    }
}

/// The same of what was judged from an old sight, but for the policy itself. Nothing is done.
pub(crate) fn frozen(mut desired: Desired, why: &str) -> Desired {
    desired.steps.clear();
    let report = &mut desired.report;
    let conditions = std::mem::take(&mut report.conditions);
    for condition in conditions {
        match condition.type_ == ConditionType::ValidPolicySpec
            || condition.reason == Reason::InvalidPolicySpec.into()
        {
            true => report.conditions.push(condition),
            false => {
                report
                    .related
                    .retain(|(type_, _)| *type_ != condition.type_);
                report.kept.push((condition.type_, why.to_owned()));
            }
        }
    }
    desired
}

/// Why nobody can tell how the objects of a kind are.
pub(crate) fn not_seen(stale: &StaleKind) -> String {
    let StaleKind { kind, since, why } = stale;
    match since {
        Some(since) => format!("the API server has not shown any {kind} since {since:.0}: {why}"),
        None => format!("the API server has not shown any {kind} yet: {why}"),
    }
}

/// Matters of a Subscription of which nobody knows how it shall be.
pub(crate) fn unasked(unresolved: &Unresolved, type_: &[ConditionType]) -> Contribution {
    let part = Contribution::default();
    type_
        .iter()
        .fold(part, |part, type_| part.keep(*type_, unresolved.sentence()))
}

/// A policy that wants an operator where nobody installs one.
pub(crate) fn without_olm(case: &Case<'_>, form: Form) -> Desired {
    let start = valid::namespace(case);
    let part = matters(form).fold(start, |part, type_| part.merge(missing(case, type_)));
    part.into_desired()
}

fn missing(case: &Case<'_>, type_: ConditionType) -> Contribution {
    let (reason, kind) = match type_ {
        ConditionType::OperatorGroupCompliant => {
            (Reason::OperatorGroupMissing, Some(kinds::OPERATOR_GROUP))
        }
        ConditionType::SubscriptionCompliant => {
            (Reason::SubscriptionMissing, Some(kinds::SUBSCRIPTION))
        }
        ConditionType::ClusterServiceVersionCompliant => {
            (Reason::ClusterServiceVersionMissing, Some(kinds::CSV))
        }
        ConditionType::CatalogSourcesUnhealthy => (Reason::CatalogSourcesNotFound, None),
        ConditionType::InstallPlanCompliant => return fine(type_, Reason::NoInstallPlansFound),
        ConditionType::CustomResourceDefinitionCompliant => {
            return fine(type_, Reason::RelevantCRDNotFound);
        }
        ConditionType::DeploymentCompliant | ConditionType::DeploymentsAvailable => {
            return fine(type_, Reason::NoRelevantDeployments);
        }
        ConditionType::NoDeprecations | ConditionType::MinorChannelUpgradeAvailable => {
            return fine(type_, Reason::Skipped);
        }
        ConditionType::Compliant | ConditionType::ValidPolicySpec => {
            return Contribution::default();
        }
    };
    let message = format!("{} cannot be there, as {NO_OLM}", subject(type_));
    let mut condition = Condition::bad(type_, reason, message);
    if type_ == ConditionType::CatalogSourcesUnhealthy {
        condition.violates = case.intent.effects.catalog_source_unhealthy == Effect::NonCompliant;
    }
    let package = case.intent.subscription.package.as_str();
    let missing = kind.map(|kind| {
        let name = match kind == kinds::SUBSCRIPTION {
            true => package,
            false => "-",
        };
        let at = (Some(case.namespace.name.as_str()), name);
        related(
            kind,
            at,
            Some("NonCompliant"),
            "Resource not found but should exist",
        )
    });
    Contribution::of(condition).add_related(type_, missing.into_iter().collect())
}

fn fine(type_: ConditionType, reason: Reason) -> Contribution {
    let condition = Condition::good(
        type_,
        reason,
        format!("{} needs OLM: {NO_OLM}", subject(type_)),
    );
    Contribution::of(condition).add_related(type_, Vec::new())
}

/// What a condition is about, as the beginning of a sentence.
fn subject(type_: ConditionType) -> &'static str {
    match type_ {
        ConditionType::Compliant => "the cluster",
        ConditionType::ValidPolicySpec => "the policy",
        ConditionType::OperatorGroupCompliant => "the OperatorGroup",
        ConditionType::SubscriptionCompliant => "the Subscription",
        ConditionType::InstallPlanCompliant => "the InstallPlan",
        ConditionType::ClusterServiceVersionCompliant => "the ClusterServiceVersion",
        ConditionType::CustomResourceDefinitionCompliant => "the list of CustomResourceDefinitions",
        ConditionType::DeploymentCompliant | ConditionType::DeploymentsAvailable => {
            "the list of Deployments"
        }
        ConditionType::CatalogSourcesUnhealthy => "the CatalogSource",
        ConditionType::NoDeprecations => "the list of deprecations",
        ConditionType::MinorChannelUpgradeAvailable => "the list of later minor channels",
    }
}
