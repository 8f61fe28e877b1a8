//! Webhooks of other owners that the API server cannot call for a plan, and the workloads that
//! serve them.

#[cfg(test)]
mod tests;

use portolan_api::plan::{MemberStatus, Reason};
use portolan_core_health as health;
use portolan_core_names::text::some;
use portolan_core_olm::messages::{failing_service, webhook_failure};

use super::PlanCase;
use crate::command::{DEPLOYMENTS, Target};
use crate::cure::Cure;
use crate::diagnose::in_order;
use crate::refused::ignored;
use crate::rollout::{Parties, of_workload};
use crate::running::RunningWorkload;
use crate::steps::describe;
use crate::{Cause, Confidence, Object, Step, command, words};

/// The kind of a webhook in an unknown configuration.
const WEBHOOK: &str = "webhook";
/// The resources of webhook configurations.
const CONFIGURATIONS: &str = "validatingwebhookconfigurations.admissionregistration.k8s.io,\
                              mutatingwebhookconfigurations.admissionregistration.k8s.io";
/// The maximum number of workloads in a sentence.
const MOST_NAMED: usize = 3;

/// The condition reasons that a failing webhook explains.
const EXPLAINED: [Reason; 4] = [
    Reason::WriteRejected,
    Reason::StageDeadlineExceeded,
    Reason::MembersNotReady,
    Reason::MembersFailed,
];

/// A webhook that the API server cannot call, with an object that waits for it.
#[derive(Debug, Clone, Copy)]
pub(super) struct FailingWebhook<'a> {
    name: &'a str,
    member: &'a MemberStatus,
    /// The namespace and the name of its Service. None for a webhook with a URL.
    service: Option<(&'a str, &'a str)>,
}

impl<'a> PlanCase<'a> {
    /// Returns the webhook of another owner that a cause with this reason waits for. The plan and
    /// its objects are only affected.
    pub(super) fn failing_webhook(self, reason: Reason) -> Option<FailingWebhook<'a>> {
        let members = self.status.members.iter();
        let mut members = members.filter(|_| EXPLAINED.contains(&reason));
        members.find_map(|member| {
            Some(FailingWebhook {
                name: member.failing_webhook.as_deref()?,
                member,
                service: failing_service(&member.message),
            })
        })
    }

    /// Returns the cause with the webhook as the object at fault. If exactly one stopped workload
    /// may serve the webhook, this workload is at fault instead.
    pub(super) fn of_webhook(self, cause: Cause, webhook: FailingWebhook<'a>) -> Cause {
        let stopped = self.stopped(webhook);
        let message = webhook.message(&stopped);
        let cause = Cause { message, ..cause };
        match stopped.as_slice() {
            [server] => blamed(cause, webhook, server),
            servers => {
                let looks = servers.iter().take(MOST_NAMED).map(|it| shown(it));
                let looks = looks.chain([configurations()]);
                cause.cured(webhook.cure()).looked(looks)
            }
        }
    }

    /// Returns the workloads without a ready Pod in the namespace of the webhook's Service.
    fn stopped(self, webhook: FailingWebhook<'_>) -> Vec<&'a RunningWorkload> {
        let Some((namespace, _)) = webhook.service else {
            return Vec::new();
        };
        let all = self.workloads.nearby.iter();
        let own = all.filter(|it| it.object.namespace == namespace && it.ready <= 0);
        let mut own: Vec<_> = own.collect();
        own.sort_by(|a, b| a.object.cmp(&b.object));
        own
    }
}

/// Sets the workload that serves the webhook as the object at fault. The selector of the webhook's
/// Service was not compared with the Pods, so the certainty is only "likely".
fn blamed(cause: Cause, webhook: FailingWebhook<'_>, server: &RunningWorkload) -> Cause {
    let failure = failure(server);
    let cure = match &failure {
        Some(failure) => {
            let action = format!("{} {CONTINUES}", failure.responsible.action);
            let changes = failure.remedy.changes().cloned();
            let changes = changes.chain([ignored(webhook.name)]).collect();
            Cure::advised(&failure.responsible.who, action.trim_start(), changes)
        }
        None => Cure::advised(
            &webhook.administrator(),
            &format!("Make {} run. {CONTINUES}", server.object),
            vec![ignored(webhook.name)],
        ),
    };
    let looks = failure.iter().flat_map(|it| it.remedy.look.clone());
    let looks = looks.chain([shown(server)]).take(1);
    let looks: Vec<_> = looks.chain([configurations()]).collect();
    let shown: Vec<_> = failure.iter().flat_map(|it| it.evidence.clone()).collect();
    let reason = "This Deployment is the only Deployment without a ready Pod in the namespace of the \
         webhook's Service.";
    Cause {
        at_fault: server.object.clone(),
        confidence: Confidence::likely(reason),
        ..cause.cured(cure).looked(looks).shown(shown)
    }
}

const CONTINUES: &str = "Until the webhook answers, the API server refuses all writes in the \
                         cluster that the webhook must check. After that, the plan continues by \
                         itself: do not delete or recreate the plan.";

/// Returns the cause why a workload has no ready Pod, if its Pods show it.
fn failure(server: &RunningWorkload) -> Option<Cause> {
    let parties = Parties {
        administrator: format!("the administrator of {}", server.object),
        publisher: "the publisher of the image".to_owned(),
        content: server.object.to_string(),
    };
    let mut causes = of_workload(server, health::State::No, &parties);
    in_order(&mut causes);
    causes.into_iter().next()
}

fn shown(server: &RunningWorkload) -> Step {
    let name = &server.object.name;
    describe(Target::new(DEPLOYMENTS, &server.object.namespace, name))
}

fn configurations() -> Step {
    Step::new(
        "Find the configuration that has the webhook, with its Service",
        command::all_cluster_scoped(CONFIGURATIONS),
    )
}

// === impl FailingWebhook ===

impl FailingWebhook<'_> {
    /// Returns the webhook as the object at fault.
    pub(super) fn object(self) -> Object {
        Object::new(WEBHOOK, "", self.name)
    }

    fn administrator(self) -> String {
        format!("the administrator of webhook {}", self.name)
    }

    /// Returns the cure if the workload that serves the webhook is unknown.
    fn cure(self) -> Cure {
        let action = format!(
            "Find out why the Pods behind the Service of the webhook do not run, and fix the \
             cause. {CONTINUES} A ValidatingWebhookConfiguration or a MutatingWebhookConfiguration \
             names the webhook and its Service."
        );
        Cure::advised(&self.administrator(), &action, vec![ignored(self.name)])
    }

    /// Returns the message with the webhook that the API server cannot call, the object that waits
    /// for it, and the reason.
    fn message(self, stopped: &[&RunningWorkload]) -> String {
        let name = self.name;
        let service = self.service.map_or_else(String::new, |(namespace, name)| {
            format!(" of Service {namespace}/{name}")
        });
        let why = match stopped {
            [] => String::new(),
            [server] => format!(" {}", self.why(server)),
            servers => {
                let names = servers.iter().map(|it| it.object.to_string());
                format!(
                    " The following objects have no ready Pod: {}.",
                    some(MOST_NAMED, names)
                )
            }
        };
        let said = webhook_failure(&self.member.message);
        let said = said.map_or_else(String::new, |said| {
            format!(" The API server reports: {}", words::sentence(said))
        });
        format!(
            "The API server cannot call webhook {name}{service}, so it refuses to write {}.{why}{said}",
            self.member.object
        )
    }

    fn why(self, server: &RunningWorkload) -> String {
        let object = &server.object;
        match failure(server) {
            Some(failure) => format!(
                "{object} {}: {}",
                server.stop(),
                words::sentence(&failure.message)
            ),
            None => format!("{object} {}.", server.stop()),
        }
    }
}
