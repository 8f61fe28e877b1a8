//! Whether an InstallPlan that is approved already brings what nobody allowed.

use portolan_core_olm::{ApprovalCode, InstallPlanPhase};

use super::consent::{allows, field, is_certain};
use super::{Relevant, news, review};
use crate::phrase::clause;
use crate::{PlannedBundle, State};

/// Which bundle nobody allowed, and why, while that can still be seen of the plan.
pub(super) fn why(relevant: &Relevant<'_>) -> Option<String> {
    let is_under_way = match relevant.plan.status.phase {
        InstallPlanPhase::Complete | InstallPlanPhase::Failed => false,
        InstallPlanPhase::Planning
        | InstallPlanPhase::RequiresApproval
        | InstallPlanPhase::Installing
        | InstallPlanPhase::Other(_) => true,
    };
    if !relevant.plan.spec.approved || !is_under_way {
        return None;
    }
    let why = own(relevant).or_else(|| another(relevant))?;
    let name = relevant.name();
    Some(format!(
        "The InstallPlan {name} is approved already, and {why}"
    ))
}

/// The operator of the policy itself, in a version that it does not allow.
fn own(relevant: &Relevant<'_>) -> Option<String> {
    let intent = relevant.case.intent;
    let bundle = relevant.current();
    let version = news::version(relevant.case, bundle);
    let is_foreign =
        relevant.is_next() && is_certain(intent, &version) && !allows(intent, bundle, &version);
    let field = field(intent);
    is_foreign.then(|| format!("brings {bundle}, which {field} does not allow"))
}

/// What comes with it. One that only informs has no say in that.
fn another(relevant: &Relevant<'_>) -> Option<String> {
    if !relevant.case.intent.is_enforced() {
        return None;
    }
    let review = review::any(relevant.case, relevant.plan)?;
    let is_other = |bundle: &&PlannedBundle| bundle.name != relevant.current();
    let mut bundles = review.bundles.iter().filter(is_other);
    bundles.find_map(|bundle| {
        // An update that no policy lets through by itself, a person may.
        let by_hand = Some(ApprovalCode::UpdatesNotAllowed);
        let mut reasons = bundle.verdict.reasons.iter();
        let reason = reasons.find(|reason| reason.code.known() != by_hand);
        let reason = reason.filter(|_| bundle.verdict.state == State::No)?;
        let message = clause(&reason.message);
        Some(format!(
            "brings {}, which nobody allows: {message}",
            bundle.name
        ))
    })
}
