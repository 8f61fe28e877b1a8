//! Webhooks of other owners that the API server cannot call for a plan.

#[cfg(test)]
mod tests;

use portolan_api::plan::Reason;

use super::PlanCase;
use crate::webhook::FailingWebhook;

/// The condition reasons that a failing webhook explains.
const EXPLAINED: [Reason; 4] = [
    Reason::WriteRejected,
    Reason::StageDeadlineExceeded,
    Reason::MembersNotReady,
    Reason::MembersFailed,
];

const CONTINUES: &str = "After that, the plan continues by itself: do not delete or recreate the \
                         plan.";

impl<'a> PlanCase<'a> {
    /// Returns the webhook of another owner that a cause with this reason waits for. The plan and
    /// its objects are only affected.
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
