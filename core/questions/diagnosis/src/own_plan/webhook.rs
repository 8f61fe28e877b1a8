//! Finds webhooks of other owners that the API server cannot call when it writes objects of a plan.

#[cfg(test)]
mod tests;

use portolan_api::plan::Reason;

use super::PlanCase;
use crate::webhook::FailingWebhook;

/// The reasons of conditions that a failing webhook can explain.
const EXPLAINED: [Reason; 4] = [
    Reason::WriteRejected,
    Reason::StageDeadlineExceeded,
    Reason::MembersNotReady,
    Reason::MembersFailed,
];

const CONTINUES: &str = "After that, the plan continues by itself: do not delete or recreate the \
                         plan.";

impl<'a> PlanCase<'a> {
    /// Returns the failing webhook because of which the API server rejects a member of the plan.
    /// The webhook belongs to another owner, so neither the plan nor its objects must change.
    pub(super) fn failing_webhook(self, reason: Reason) -> Option<FailingWebhook<'a>> {
        let members = self.status.members.iter();
        let mut members = members.filter(|_| EXPLAINED.contains(&reason));
        members.find_map(|member| {
            let name = member.failing_webhook.as_deref()?;
            let webhook = FailingWebhook::named(name, &member.message);
            Some(webhook.refusing(format!("to write {}", member.object), CONTINUES))
        })
    }
}
