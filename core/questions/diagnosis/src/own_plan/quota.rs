//! Finds quotas because of which the API server rejects the objects of a plan.

use portolan_api::plan::{MemberStatus, Reason};

use super::{PlanCase, at_fault};
use crate::command::{QUOTAS, Target};
use crate::rollout::quota::{self, Exceeded};
use crate::steps::describe;
use crate::{Cause, Code, Confidence, Object};

/// The reasons of conditions that an exceeded quota can explain.
const EXPLAINED: [Reason; 2] = [Reason::WriteRejected, Reason::StageDeadlineExceeded];

/// A quota because of which the API server rejects an object of a plan.
#[derive(Debug, Clone)]
pub(super) struct RefusingQuota<'a> {
    namespace: String,
    exceeded: Exceeded,
    member: &'a MemberStatus,
}

impl<'a> PlanCase<'a> {
    /// Returns the quota because of which the API server rejects a member of the plan.
    pub(super) fn refusing_quota(self, reason: Reason) -> Option<RefusingQuota<'a>> {
        let members = self.status.members.iter();
        let mut members = members.filter(|_| EXPLAINED.contains(&reason));
        members.find_map(|member| {
            Some(RefusingQuota {
                namespace: at_fault(member)?.namespace,
                exceeded: quota::exceeded(&member.message)?,
                member,
            })
        })
    }
}

// === impl RefusingQuota ===

impl RefusingQuota<'_> {
    /// Returns the ResourceQuota as the object at fault.
    pub(super) fn object(&self) -> Object {
        Object::new("ResourceQuota", &self.namespace, &self.exceeded.name)
    }

    /// Changes the cause so that its code, message and cure are about the quota.
    pub(super) fn blamed(&self, cause: Cause) -> Cause {
        let object = &self.member.object;
        let refuses = self.exceeded.refuses(&self.namespace, object);
        let message = format!("The API server refuses to write {object}, because {refuses}");
        let target = Target::new(QUOTAS, &self.namespace, &self.exceeded.name);
        let cure = quota::cure(&self.namespace, &self.member.message);
        Cause {
            code: Code::QuotaExceeded,
            message,
            confidence: Confidence::refused(),
            ..cause.cured(cure).looked([describe(target)])
        }
    }
}
