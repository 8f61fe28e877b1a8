//! The reasons why the conditions of a policy are not judged, and the status that the controller
//! reports in these cases.

use jiff::Timestamp;
use portolan_api::status::find;
use portolan_api::{
    ConditionType, Effect, Form, OperatorPolicyStatus, Reason, RelatedObject, RemovalRecord,
};
use portolan_core_olm::component;

use crate::case::Case;
use crate::contribution::{Contribution, related};
use crate::desired::{Action, Condition, Desired, NAMESPACE_FOUND, Report, Status, Step};
use crate::kinds;
use crate::observed::{Observed, StaleKind};
use crate::phrase::listed;
use crate::removal::is_begun;
use crate::status::belongs;

/// The message about a cluster without OLM: the problem and the remedy.
const NO_OLM: &str = "the cluster has no OLM; install OLM, which then installs the operator";

/// The reason why the conditions of a policy are not judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NotJudged {
    /// The spec of the policy is invalid, or the policy contradicts other objects.
    Invalid {
        /// The errors, one sentence each.
        sentences: Vec<String>,
        /// The policies that request the same Subscription, as `name.namespace`. The list includes
        /// this policy.
        overlapping: Vec<String>,
    },
    /// Required facts are unknown. Contains the reason as a clause.
    Unknown(String),
    /// The controller has just determined the namespace. The status reports this namespace, so that
    /// the next reconciliation observes the objects there.
    NamespaceFound {
        /// The package of the operator.
        package: String,
        /// The namespace of the operator.
        namespace: String,
    },
    /// The policy is being deleted and no longer has Portolan's finalizer.
    LetGo,
    /// The policy is being deleted, and its operator stays installed.
    NotRemoved {
        /// The reason why the operator is kept, as a clause.
        why: String,
        /// True if Portolan's finalizer is removed although the operator stays installed.
        is_final: bool,
        /// The end of the wait, if the reason may disappear without an action of a user. None
        /// otherwise.
        until: Option<Timestamp>,
    },
    /// The controller must remove the operator, but it does not observe the operator's objects.
    RemovalUnseen,
}

impl NotJudged {
    pub(crate) fn invalid(sentences: Vec<String>) -> Self {
        Self::Invalid {
            sentences,
            overlapping: Vec::new(),
        }
    }

    /// Returns the report for this reason, and the steps that are possible without judging the
    /// conditions.
    pub(crate) fn into_desired(self, observed: &Observed) -> Desired {
        match self {
            Self::Invalid {
                sentences,
                overlapping,
            } => {
                let mut desired = invalid(observed, &sentences);
                desired.report.overlapping = overlapping;
                desired
            }
            Self::Unknown(why) => unknown(observed.policy.form(), &why),
            Self::NamespaceFound { package, namespace } => namespace_found(&package, &namespace),
            Self::LetGo => Desired::default(),
            Self::NotRemoved {
                why,
                is_final,
                until,
            } => Desired {
                requeue_at: until,
                ..not_removed(observed, &why, is_final)
            },
            Self::RemovalUnseen => removal_unseen(observed),
        }
    }
}

/// Returns the condition types of a form, without the conditions about the policy itself.
pub(crate) fn condition_types(form: Form) -> impl Iterator<Item = ConditionType> {
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

/// Sets all conditions to Unknown. The status keeps the list of created objects and the progress of
/// a removal. The policy needs them when it becomes valid again.
fn invalid(observed: &Observed, sentences: &[String]) -> Desired {
    let before = observed.policy.status.as_ref();
    let mut distinct: Vec<&str> = Vec::new();
    for sentence in sentences {
        if !distinct.contains(&sentence.as_str()) {
            distinct.push(sentence);
        }
    }
    let reason = Reason::InvalidPolicySpec;
    let valid = Condition::bad(ConditionType::ValidPolicySpec, reason, distinct.join("; "));
    let all = condition_types(observed.policy.form());
    let all = all.fold(Contribution::of(valid), |all, type_| {
        let subject = subject(type_);
        let message = format!("{subject} is not checked while the policy is invalid");
        let condition = Condition::new(type_, Status::Unknown, reason, message);
        all.add_condition(condition)
            .add_related(type_, made(before, type_))
    });
    let mut desired = all.into_desired();
    desired.report.removal = removal(observed);
    desired
}

/// Returns the related objects of one condition that this policy created.
fn made(before: Option<&OperatorPolicyStatus>, type_: ConditionType) -> Vec<RelatedObject> {
    before
        .into_iter()
        .flat_map(|status| &status.related_objects)
        .filter(|object| {
            let properties = object.properties.as_ref();
            let is_made = properties.and_then(|properties| properties.created_by_policy);
            is_made == Some(true) && belongs(object, type_)
        })
        .map(|object| RelatedObject {
            compliant: None,
            reason: Some(
                "This policy created the object, but the policy is invalid \
                          now"
                .to_owned(),
            ),
            ..object.clone()
        })
        .collect()
}

/// Keeps the whole status unchanged.
fn unknown(form: Form, why: &str) -> Desired {
    let all = std::iter::once(ConditionType::ValidPolicySpec).chain(condition_types(form));
    all.fold(Contribution::default(), |all, type_| all.keep(type_, why))
        .into_desired()
}

fn namespace_found(package: &str, namespace: &str) -> Desired {
    let at = (Some(namespace), package);
    let subscription = related(kinds::SUBSCRIPTION, at, None, NAMESPACE_FOUND);
    let report = Report {
        is_partial: true,
        related: vec![(ConditionType::SubscriptionCompliant, vec![subscription])],
        label: Some(component(package, namespace)),
        ..Report::default()
    };
    Desired {
        report,
        ..Desired::default()
    }
}

fn not_removed(observed: &Observed, why: &str, is_final: bool) -> Desired {
    let type_ = ConditionType::SubscriptionCompliant;
    let begun = begun(observed);
    let message = format!("the operator is not removed with its policy because {why}{begun}");
    let condition = Condition::new(type_, Status::False, Reason::Withheld, message);
    let step = |action| Step {
        action,
        type_,
        done: condition.clone(),
        related: Vec::new(),
    };
    let actions = match (is_final, observed.is_crd_terminating) {
        (false, _) => Vec::new(),
        (true, false) => vec![Action::WriteStatus, Action::RemoveFinalizer],
        // After this step, the policy no longer exists, so the controller cannot write its status.
        (true, true) => vec![Action::RemoveFinalizer],
    };
    let steps = actions.into_iter().map(step).collect();
    Desired {
        report: Report {
            conditions: vec![condition],
            removal: removal(observed),
            label: label(observed),
            ..Report::default()
        },
        steps,
        requeue_at: None,
    }
}

/// Returns the end of a sentence that lists the objects which an interrupted removal has deleted or
/// is deleting. Empty if there are no such objects.
fn begun(observed: &Observed) -> String {
    let record = removal(observed);
    let objects = record.iter().flat_map(|record| &record.objects);
    let begun: Vec<_> = objects
        .filter(|object| is_begun(object))
        .map(|object| format!("{} {}", object.kind, object.name))
        .collect();
    match begun.as_slice() {
        [] => String::new(),
        begun => format!("; already deleted or being deleted: {}", listed(begun)),
    }
}

/// Keeps each condition in its previous state. If a condition has no previous state, it becomes
/// Unknown.
fn removal_unseen(observed: &Observed) -> Desired {
    let clause = |StaleKind { kind, since, why }: &StaleKind| match since {
        Some(since) => format!("{kind}s have not been read since {since:.0}: {why}"),
        None => format!("{kind}s have not been read yet: {why}"),
    };
    let clauses: Vec<_> = observed.stale.iter().map(clause).collect();
    let why = if clauses.is_empty() {
        "the namespace of the operator is not known yet".to_owned()
    } else {
        clauses.join("; ")
    };
    let before = observed.policy.status.as_ref();
    let before = before.map_or(&[][..], |status| &status.conditions);
    let required = ConditionType::ALL.iter().filter(|each| each.is_required());
    let all = required.fold(Contribution::default(), |all, type_| {
        if find(before, *type_).is_some() {
            return all.keep(*type_, &why);
        }
        let message = format!("nothing is removed because {why}");
        let condition = Condition::new(*type_, Status::Unknown, Reason::NotChecked, message);
        all.add_condition(condition)
    });
    let mut desired = all.into_desired();
    desired.report.removal = removal(observed);
    desired.report.label = label(observed);
    desired
}

fn removal(observed: &Observed) -> Option<RemovalRecord> {
    observed.policy.status.as_ref()?.removal.clone()
}

/// Returns the label of the Subscription, as recorded in the status.
pub(crate) fn label(observed: &Observed) -> Option<String> {
    let status = observed.policy.status.as_ref()?;
    status.resolved_subscription_label.clone()
}

/// Builds the conditions of a policy that requires an operator on a cluster without OLM.
pub(crate) fn without_olm(case: &Case<'_>) -> Contribution {
    let all = condition_types(case.intent.form);
    all.fold(Contribution::default(), |all, type_| {
        all.merge(missing(case, type_))
    })
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
    let message = format!("{} cannot exist because {NO_OLM}", subject(type_));
    let mut condition = Condition::bad(type_, reason, message);
    if type_ == ConditionType::CatalogSourcesUnhealthy {
        condition.violates = case.intent.effects.catalog_source_unhealthy == Effect::NonCompliant;
    }
    let missing = kind.map(|kind| {
        let name = if kind == kinds::SUBSCRIPTION {
            case.intent.subscription.package.as_str()
        } else {
            "-"
        };
        let at = (Some(case.namespace.name.as_str()), name);
        let reason = "Resource not found but should exist";
        related(kind, at, Some("NonCompliant"), reason)
    });
    Contribution::of(condition).add_related(type_, missing.into_iter().collect())
}

fn fine(type_: ConditionType, reason: Reason) -> Contribution {
    let message = format!("{} needs OLM: {NO_OLM}", subject(type_));
    Contribution::of(Condition::good(type_, reason, message)).add_related(type_, Vec::new())
}

/// Returns the subject of a condition, as the beginning of a sentence.
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
