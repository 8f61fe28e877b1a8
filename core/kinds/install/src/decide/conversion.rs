//! CRDs whose new manifest has no conversion webhook.
//!
//! An apply removes only the fields of its own field manager. The `caBundle` of a webhook belongs
//! to the component that issues certificates. An apply would therefore leave a webhook without a
//! strategy, and the API server rejects such a CRD. For this reason, the controller first replaces
//! the whole spec of the CRD.

use serde_json::Value;

use super::case::PlanContext;
use super::plan::Plan;
use crate::lineages::manager;
use crate::manifest::Member;
use crate::object::{items, text};

const STRATEGY: &str = "/spec/conversion/strategy";
const WEBHOOK: &str = "Webhook";

impl PlanContext<'_> {
    /// Returns true if the CRD has a conversion webhook that its manifest lacks and that an apply
    /// cannot remove.
    pub(super) fn keeps_webhook(&self, place: usize) -> bool {
        let plan = &self.observed.plan;
        let object = self.object(place);
        object.is_some_and(|object| keeps_webhook(plan, &self.members[place], object))
    }
}

fn keeps_webhook(plan: &Plan, member: &Member, crd: &Value) -> bool {
    let is_removed = member.identity.kind.is_definition()
        && text(crd, STRATEGY) == WEBHOOK
        && text(&member.manifest, STRATEGY) != WEBHOOK;
    let bundle = text(crd, "/spec/conversion/webhook/clientConfig/caBundle");
    is_removed && !bundle.is_empty() && sets_strategy(plan, crd)
}

/// Returns true if a lineage of the plan has applied the conversion strategy. Otherwise, an apply
/// does not change the strategy.
fn sets_strategy(plan: &Plan, crd: &Value) -> bool {
    let Some(manager) = plan.lineage_of(crd).map(manager) else {
        return false;
    };
    let mut entries = items(crd, "/metadata/managedFields").iter();
    entries.any(|entry| {
        let field = entry.pointer("/fieldsV1/f:spec/f:conversion/f:strategy");
        entry["manager"] == *manager && entry["operation"] == "Apply" && field.is_some()
    })
}
