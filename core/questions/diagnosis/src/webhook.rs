//! Explains webhooks that the API server cannot call, with the Deployments that serve them.

use portolan_core_health as health;
use portolan_core_names::text::some;
use portolan_core_olm::messages::{failing_service, failing_webhook, webhook_failure};

use crate::cure::Cure;
use crate::diagnose::in_order;
use crate::refused::ignored;
use crate::rollout::{Parties, of_workload};
use crate::running::RunningWorkload;
use crate::steps::describe;
use crate::{Cause, Code, Confidence, Object, Quote, Step, Workloads, command, words};

/// The kind of the object at fault if the webhook configuration is unknown.
const WEBHOOK: &str = "webhook";
/// The resource names of webhook configurations in kubectl.
const CONFIGURATIONS: &str = "validatingwebhookconfigurations.admissionregistration.k8s.io,\
                              mutatingwebhookconfigurations.admissionregistration.k8s.io";
/// The maximum number of workloads that a sentence names.
const MOST_NAMED: usize = 3;

/// A webhook that the API server cannot call, and the write that the API server therefore rejects.
#[derive(Debug, Clone)]
pub(crate) struct FailingWebhook<'a> {
    name: &'a str,
    /// The message of the API server.
    message: &'a str,
    /// The namespace and the name of the webhook's Service. None if the webhook has a URL.
    service: Option<(&'a str, &'a str)>,
    /// The rejected write, as the end of a sentence that begins with "so it refuses".
    refused: String,
    /// A sentence about objects that the user need not change.
    innocent: String,
}

// === impl FailingWebhook ===

impl<'a> FailingWebhook<'a> {
    /// Returns the webhook that a message of the API server names. Returns None for other messages.
    pub(crate) fn of(message: &'a str) -> Option<Self> {
        Some(Self::named(failing_webhook(message)?, message))
    }

    /// Returns the webhook with this name.
    pub(crate) fn named(name: &'a str, message: &'a str) -> Self {
        Self {
            name,
            message,
            service: failing_service(message),
            refused: "a write".to_owned(),
            innocent: String::new(),
        }
    }

    /// Sets the rejected write, and the sentence about objects that the user need not change.
    pub(crate) fn refusing(self, refused: String, innocent: &str) -> Self {
        Self {
            refused,
            innocent: innocent.to_owned(),
            ..self
        }
    }

    /// Returns the webhook as the object at fault.
    pub(crate) fn object(&self) -> Object {
        Object::new(WEBHOOK, "", self.name)
    }

    /// Sets the webhook as the object at fault. If a Deployment without a ready Pod probably serves
    /// the webhook, sets this Deployment as the object at fault instead.
    pub(crate) fn explain(&self, cause: Cause, workloads: &Workloads) -> Cause {
        let stopped = self.stopped(workloads);
        let server = self.server(&stopped);
        let message = self.explanation(server, &stopped);
        let cause = Cause { message, ..cause };
        let said = webhook_failure(self.message);
        let said = said.and_then(|said| Quote::of("the API server", said));
        let of_server = server
            .and_then(failure)
            .map_or_else(Vec::new, |it| it.quotes);
        let schedule = server.and_then(RunningWorkload::schedule);
        let quotes = of_server.into_iter().map(Some).chain([said, schedule]);
        let cause = quotes.fold(cause, Cause::quoting);
        match server {
            Some(server) => self.blame(cause, server),
            None => {
                let looks = stopped.iter().take(MOST_NAMED);
                let looks = looks.map(|it| describe(it.target()));
                let looks = looks.chain([configurations()]);
                let at_fault = self.object();
                Cause { at_fault, ..cause }.cured(self.cure()).looked(looks)
            }
        }
    }

    /// Returns the code for the Deployment that probably serves the webhook. Returns None if this
    /// Deployment is unknown.
    pub(crate) fn code(&self, workloads: &Workloads) -> Option<Code> {
        let stopped = self.stopped(workloads);
        let server = self.server(&stopped)?;
        Some(match failure(server) {
            Some(failure) => failure.code,
            None if server.is_scaled_to_zero() => Code::ScaledToZero,
            None => Code::RolloutFailing,
        })
    }

    /// Returns the workloads without a ready Pod in the namespace of the webhook's Service.
    fn stopped<'w>(&self, workloads: &'w Workloads) -> Vec<&'w RunningWorkload> {
        let Some((namespace, _)) = self.service else {
            return Vec::new();
        };
        let all = workloads.nearby.iter();
        let own = all.filter(|it| it.object.namespace == namespace && it.ready <= 0);
        let mut own: Vec<_> = own.collect();
        own.sort_by(|a, b| a.object.cmp(&b.object));
        own
    }

    /// Returns the Deployment that probably serves the webhook. This is the only Deployment without
    /// a ready Pod, or the one with the name of the Service.
    fn server<'w>(&self, stopped: &[&'w RunningWorkload]) -> Option<&'w RunningWorkload> {
        let mut all = stopped.iter().copied();
        let named = all.find(|it| self.has_name_of_service(it));
        match stopped {
            [only] => Some(only),
            _ => named,
        }
    }

    /// Returns true if the Service has the name of the Deployment. OLM appends `-service` to the
    /// names of Services that it creates.
    fn has_name_of_service(&self, server: &RunningWorkload) -> bool {
        self.service.is_some_and(|(_, service)| {
            let rest = service.strip_prefix(&*server.object.name);
            rest.is_some_and(|rest| ["", "-service"].contains(&rest))
        })
    }

    /// Sets the Deployment that probably serves the webhook as the object at fault. The certainty
    /// is "likely", because the selector of the Service was not compared with the labels of the
    /// Pods.
    fn blame(&self, cause: Cause, server: &RunningWorkload) -> Cause {
        let failure = failure(server);
        let continues = self.continues();
        let ignored = ignored(self.name);
        let cure = match &failure {
            Some(failure) => {
                let action = format!("{} {continues}", failure.responsible.action);
                let changes = failure.remedy.changes().cloned();
                let changes = changes.chain([ignored]).collect();
                Cure::advised(&failure.responsible.who, action.trim_start(), changes)
            }
            None if server.is_scaled_to_zero() => {
                let action = format!("Scale {} up. {continues}", server.object);
                let changes = vec![server.scale_up(), ignored];
                Cure::advised(&server.administrator(), &action, changes)
            }
            None => {
                let action = format!("Make {} run. {continues}", server.object);
                Cure::advised(&server.administrator(), &action, vec![ignored])
            }
        };
        let looks = failure.iter().flat_map(|it| it.remedy.look.clone());
        let looks = looks.chain([describe(server.target())]).take(1);
        let looks: Vec<_> = looks.chain([configurations()]).collect();
        let shown: Vec<_> = failure.iter().flat_map(|it| it.evidence.clone()).collect();
        let scaled = server.is_scaled_to_zero();
        let scaled = scaled.then(|| server.scaled_evidence());
        let at_fault = failure.as_ref().map(|failure| failure.at_fault.clone());
        Cause {
            at_fault: at_fault.unwrap_or_else(|| server.object.clone()),
            confidence: Confidence::likely(self.doubt(server)),
            ..cause
                .cured(cure)
                .looked(looks)
                .shown(shown)
                .shown(scaled.into_iter().flatten())
        }
    }

    /// Returns the reason why it is only likely that the Deployment serves the webhook.
    fn doubt(&self, server: &RunningWorkload) -> &'static str {
        if self.has_name_of_service(server) {
            "This Deployment has no ready Pod, and has the name of the webhook's Service. The \
             selector of the Service was not read."
        } else {
            "This Deployment is the only Deployment without a ready Pod in the namespace of the \
             webhook's Service."
        }
    }

    fn continues(&self) -> String {
        let continues = "Until the webhook answers, the API server refuses all writes in the cluster \
                         that the webhook must check.";
        format!("{continues} {}", self.innocent)
            .trim_end()
            .to_owned()
    }

    /// Returns the cure if the workload that serves the webhook is unknown.
    fn cure(&self) -> Cure {
        let action = format!(
            "Find out why the Pods behind the Service of the webhook do not run, and fix the \
             cause. {} A ValidatingWebhookConfiguration or a MutatingWebhookConfiguration \
             names the webhook and its Service.",
            self.continues()
        );
        let who = format!("the administrator of webhook {}", self.name);
        Cure::advised(&who, &action, vec![ignored(self.name)])
    }

    /// Returns the message: the webhook that the API server cannot call, the rejected write, and
    /// the reason.
    fn explanation(
        &self,
        server: Option<&RunningWorkload>,
        stopped: &[&RunningWorkload],
    ) -> String {
        let name = self.name;
        let service = self.service.map_or_else(String::new, |(namespace, name)| {
            format!(" of Service {namespace}/{name}")
        });
        let why = match (server, stopped) {
            (Some(server), _) => format!(" {}", why(server)),
            (None, []) => String::new(),
            (None, servers) => {
                let names = servers.iter().map(|it| it.object.to_string());
                format!(
                    " The following objects have no ready Pod: {}.",
                    some(MOST_NAMED, names)
                )
            }
        };
        format!(
            "The API server cannot call webhook {name}{service}, so it refuses {}.{why}",
            self.refused
        )
    }
}

/// Returns sentences about the reason why a workload has no ready Pod.
fn why(server: &RunningWorkload) -> String {
    let object = &server.object;
    match failure(server) {
        Some(failure) => format!(
            "{object} {}: {}",
            server.stop(),
            words::sentence(&failure.message)
        ),
        None => format!("{object} {}. {}", server.stop(), server.scaled_by())
            .trim_end()
            .to_owned(),
    }
}

/// Returns the cause that the Pods of the workload show. Returns None if they show no cause.
pub(crate) fn failure(server: &RunningWorkload) -> Option<Cause> {
    let parties = Parties {
        administrator: format!("the administrator of {}", server.object),
        publisher: "the publisher of the image".to_owned(),
        content: server.object.to_string(),
    };
    let mut causes = of_workload(server, health::State::No, &parties);
    in_order(&mut causes);
    causes.into_iter().next()
}

fn configurations() -> Step {
    Step::new(
        "Find the configuration that has the webhook, with its Service",
        command::all_cluster_scoped(CONFIGURATIONS),
    )
}
