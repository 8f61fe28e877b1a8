//! Finds the reasons why an upgrade stops at a bundle.

use kube_core::Resource;
use portolan_api::{Blocked, BlockingObject, OperatorPolicy, Reason};
use portolan_core_olm::ApprovalCode;

use super::Way;
use crate::kinds::{ApiKind, INSTALL_PLAN, SUBSCRIPTION};
use crate::phrase::clause;
use crate::plan::{Objection, Relevant, exact, field, objections, skipped};
use crate::{Bundle, PlanReview, State, Why};

/// Returns the reasons why the upgrade stops, in this order:
///
/// 1. OLM skips an allowed bundle.
/// 2. The approval service objects to the waiting InstallPlan.
/// 3. The policy does not allow a bundle.
/// 4. The policy approves no upgrade.
/// 5. The resolver reports obstacles.
pub(super) fn of(way: Way<'_>, refused: Option<&Bundle>) -> Vec<Blocked> {
    let mut all = Vec::new();
    all.extend(passed(way));
    let is_told = refused.is_some_and(|bundle| is_reviewed(way, &bundle.name));
    all.extend(reviewed(way));
    if let Some(bundle) = refused.filter(|_| !is_told) {
        all.push(unlisted(way, bundle));
    }
    all.extend(by_hand(way));
    all.extend(way.route.blocked.iter().map(|obstacle| Blocked {
        message: Some(clause(&obstacle.message)),
        object: None,
        reason: Some(obstacle.reason.clone()),
    }));
    all
}

fn passed(way: Way<'_>) -> Option<Blocked> {
    let why = skipped(way.case)?;
    let name = way.case.intent.subscription.package.as_str();
    Some(Blocked {
        message: Some(why),
        object: Some(own(way, SUBSCRIPTION, name)),
        reason: Some(Reason::AllowedVersionSkippedByOLM.to_string()),
    })
}

/// Returns the objections of the approval service to the waiting InstallPlan, each as a reason.
fn reviewed(way: Way<'_>) -> Vec<Blocked> {
    let Some((relevant, review)) = objecting(way) else {
        return Vec::new();
    };
    let object = own(way, INSTALL_PLAN, relevant.name());
    let blocked = |(Why { code, message }, fix): Objection| {
        let message = clause(&message);
        Blocked {
            message: Some(match fix {
                Some(fix) => format!("{message}. {}", clause(&fix)),
                None => message,
            }),
            object: Some(object.clone()),
            reason: Some(code.to_string()),
        }
    };
    objections(review).into_iter().map(blocked).collect()
}

/// Returns the waiting InstallPlan and the review of the approval service that objects to it.
/// Returns None if no InstallPlan waits or the review has no objection.
fn objecting(way: Way<'_>) -> Option<(Relevant<'_>, &PlanReview)> {
    let relevant = Relevant::of(way.case).filter(|relevant| relevant.awaits_approval())?;
    let review = exact(way.case, relevant.plan).ok()?;
    (review.verdict.state != State::Yes).then_some((relevant, review))
}

/// Returns true if the objections of the approval service already include that the policy does not
/// allow this bundle.
fn is_reviewed(way: Way<'_>, bundle: &str) -> bool {
    let bundles = objecting(way).map(|(_, review)| &review.bundles);
    let mut same = bundles.into_iter().flatten().filter(|it| it.name == bundle);
    same.any(|it| {
        let reason = it.verdict.reasons.first();
        reason.is_some_and(|why| why.code.known() == Some(ApprovalCode::NotAllowed))
    })
}

fn unlisted(way: Way<'_>, bundle: &Bundle) -> Blocked {
    let (name, field) = (&bundle.name, field(way.case.intent));
    Blocked {
        message: Some(format!(
            "{field} does not allow {name}. Add {name} to {field}"
        )),
        object: Some(policy(way)),
        reason: Some(ApprovalCode::NotAllowed.to_string()),
    }
}

/// Returns the reason that the policy approves no upgrade. Returns None if the policy approves
/// upgrades, or if there is no upgrade.
fn by_hand(way: Way<'_>) -> Option<Blocked> {
    let is_withheld = !way.case.intent.approves_updates && !way.walk().is_empty();
    let message = "No upgrade is approved because spec.upgradeApproval is None. Set \
                   spec.upgradeApproval to Automatic";
    is_withheld.then(|| Blocked {
        message: Some(message.to_owned()),
        object: Some(policy(way)),
        reason: Some(ApprovalCode::UpdatesNotAllowed.to_string()),
    })
}

fn policy(way: Way<'_>) -> BlockingObject {
    let metadata = &way.case.observed.policy.metadata;
    BlockingObject {
        api_version: OperatorPolicy::api_version(&()).into_owned(),
        kind: OperatorPolicy::kind(&()).into_owned(),
        name: metadata.name.clone().unwrap_or_default(),
        namespace: metadata.namespace.clone(),
    }
}

fn own(way: Way<'_>, (api_version, kind): ApiKind, name: &str) -> BlockingObject {
    BlockingObject {
        api_version: api_version.to_owned(),
        kind: kind.to_owned(),
        name: name.to_owned(),
        namespace: Some(way.case.namespace.name.clone()),
    }
}
