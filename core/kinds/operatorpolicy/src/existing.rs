//! An operator that is installed in another namespace and also watches this namespace.

#[cfg(test)]
mod tests;

use portolan_api::{ConditionType, Form, Reason, RelatedObject};
use portolan_core_olm::{ClusterServiceVersion, CsvPhase, Subscription};

use crate::case::Case;
use crate::contribution::{Contribution, known, related};
use crate::desired::{Action, Condition, ConditionReason, Status, Step, Target};
use crate::kinds::{CSV, SUBSCRIPTION};
use crate::not_judged::condition_types;
use crate::{group, managed, plan, valid};

const CSV_TYPE: ConditionType = ConditionType::ClusterServiceVersionCompliant;
const SUBSCRIPTION_TYPE: ConditionType = ConditionType::SubscriptionCompliant;
/// The reason that OLM sets on every copied ClusterServiceVersion.
const COPIED: &str = "Copied";

/// Judges a policy whose operator is already installed in another namespace and watches all
/// namespaces. Returns None if no such operator exists, or if the policy requires an operator in
/// its own namespace.
pub(crate) fn judge(case: &Case<'_>) -> Option<Contribution> {
    let other = serving(case)?;
    let message = format!(
        "the operator is installed as {}/{} and watches all namespaces, so this policy installs \
         nothing",
        namespace(other),
        name(other)
    );
    let condition = |type_| {
        let condition = Condition::good(type_, Reason::ExistingInstallation, message.clone());
        Contribution::of(condition).add_related(type_, Vec::new())
    };
    let same = condition_types(case.intent.form).filter(|type_| is_silent(*type_));
    let start = valid::namespace(case);
    let part = same.fold(start, |part, type_| part.merge(condition(type_)));
    let part = part
        .merge(csv(case, other))
        .merge(subscription(case, other, &message));
    Some(part)
}

/// Returns the operator that is installed in another namespace and also serves the namespace of
/// this policy. Returns None if no such operator exists, or if the policy requires an operator in
/// its own namespace.
pub(crate) fn serving<'a>(case: &Case<'a>) -> Option<&'a ClusterServiceVersion> {
    let here = case.namespace.groups.iter();
    let is_open = here
        .map(|group| &**group)
        .all(|group| group.spec.target_namespaces.is_empty() && !group.has_selector());
    let is_meant = group::is_for_all(case.intent) && is_open && case.installed().is_none();
    best(case).filter(|_| is_meant)
}

/// Returns the operator that watches all namespaces. If there are several, returns the first that
/// succeeded. If none has succeeded, returns the first of all.
fn best<'a>(case: &Case<'a>) -> Option<&'a ClusterServiceVersion> {
    let all = || case.namespace.elsewhere.iter().map(|each| &**each);
    let well = all().find(|each| each.status.phase == CsvPhase::Succeeded);
    well.or_else(|| all().next())
}

/// Returns true if the condition of this type reports only that the operator is installed in
/// another namespace.
fn is_silent(type_: ConditionType) -> bool {
    match type_ {
        ConditionType::OperatorGroupCompliant
        | ConditionType::InstallPlanCompliant
        | ConditionType::CustomResourceDefinitionCompliant
        | ConditionType::DeploymentCompliant
        | ConditionType::DeploymentsAvailable
        | ConditionType::CatalogSourcesUnhealthy => true,
        ConditionType::Compliant
        | ConditionType::ValidPolicySpec
        | ConditionType::SubscriptionCompliant
        | ConditionType::ClusterServiceVersionCompliant
        | ConditionType::NoDeprecations
        | ConditionType::MinorChannelUpgradeAvailable => false,
    }
}

/// Judges the ClusterServiceVersion in the other namespace.
fn csv(case: &Case<'_>, other: &ClusterServiceVersion) -> Contribution {
    let (name, phase) = (name(other), &other.status.phase);
    let place = format!(
        "ClusterServiceVersion {}/{name}, which serves all namespaces,",
        namespace(other)
    );
    let is_allowed = is_allowed(case, other);
    let is_well = *phase == CsvPhase::Succeeded;
    let (condition, reason) = match (is_allowed, is_well) {
        (false, _) => {
            let message = format!("{place} has a version that is not allowed");
            let condition = Condition::bad(CSV_TYPE, Reason::UnapprovedVersion, message);
            (
                condition,
                format!("{name} has a version that is not allowed"),
            )
        }
        (true, is_well) => {
            let status = if is_well { Status::True } else { Status::False };
            let message = format!("{place} is {}", phase_word(phase));
            let condition = Condition::new(CSV_TYPE, status, Reason::ExistingInstallation, message);
            in_words_of(case.intent.form, condition)
        }
    };
    let compliant = if condition.violates {
        "NonCompliant"
    } else {
        "Compliant"
    };
    let at = (other.metadata.namespace.as_deref(), name);
    let entry = related(CSV, at, Some(compliant), reason);
    let entry = known(entry, other.metadata.uid.as_deref(), false);
    Contribution::of(condition).add_related(CSV_TYPE, vec![entry])
}

/// Returns the condition with the reason that the form of the policy uses. The established form
/// uses the reason that OLM sets on a copied ClusterServiceVersion.
fn in_words_of(form: Form, condition: Condition) -> (Condition, String) {
    match form {
        Form::Design => (condition, Reason::ExistingInstallation.to_string()),
        Form::Established => {
            let reason = ConditionReason::Olm(COPIED.to_owned());
            (
                Condition {
                    reason,
                    ..condition
                },
                COPIED.to_owned(),
            )
        }
    }
}

fn phase_word(phase: &CsvPhase) -> String {
    match phase.to_string() {
        word if word.is_empty() => "Unknown".to_owned(),
        word => word,
    }
}

fn is_allowed(case: &Case<'_>, other: &ClusterServiceVersion) -> bool {
    plan::allows(case.intent, name(other), &other.spec.version)
}

/// Judges the Subscription. The policy needs no Subscription in this case. If the policy created
/// the Subscription, the controller deletes it.
fn subscription(case: &Case<'_>, other: &ClusterServiceVersion, message: &str) -> Contribution {
    let condition = Condition::good(SUBSCRIPTION_TYPE, Reason::ExistingInstallation, message);
    let part = Contribution::of(condition);
    let Some(present) = case.subscription() else {
        return part.add_related(SUBSCRIPTION_TYPE, Vec::new());
    };
    let entry = |compliant: Option<&str>, reason: &str| {
        let package = case.intent.subscription.package.as_str();
        let at = (Some(case.namespace.name.as_str()), package);
        let is_created = managed::is_created(case, &present.metadata);
        let uid = present.metadata.uid.as_deref();
        known(
            related(SUBSCRIPTION, at, compliant, reason),
            uid,
            is_created,
        )
    };
    let is_own =
        managed::is_own(case, &present.metadata) && managed::is_created(case, &present.metadata);
    let is_well = other.status.phase == CsvPhase::Succeeded;
    if !is_own || !is_well || !case.acts() || present.metadata.deletion_timestamp.is_some() {
        let reason = "The operator is installed in another namespace";
        return part.add_related(SUBSCRIPTION_TYPE, vec![entry(None, reason)]);
    }
    let reason = "Resource found but should not exist";
    part.add_related(SUBSCRIPTION_TYPE, vec![entry(Some("NonCompliant"), reason)])
        .add_step(delete(
            present,
            message,
            entry(Some("Compliant"), "K8s deletion success"),
        ))
}

fn delete(present: &Subscription, message: &str, gone: RelatedObject) -> Step {
    let (api_version, kind) = SUBSCRIPTION;
    let done = format!("{message}; the Subscription that this policy created was deleted");
    Step {
        action: Action::Delete {
            object: Target::of(api_version, kind, present),
            is_orphaning: false,
        },
        type_: SUBSCRIPTION_TYPE,
        done: Condition::good(SUBSCRIPTION_TYPE, Reason::ExistingInstallation, done),
        related: vec![gone],
    }
}

fn name(csv: &ClusterServiceVersion) -> &str {
    csv.metadata.name.as_deref().unwrap_or_default()
}

fn namespace(csv: &ClusterServiceVersion) -> &str {
    csv.metadata.namespace.as_deref().unwrap_or_default()
}
