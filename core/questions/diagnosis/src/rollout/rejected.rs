//! Explains Deployments that OLM cannot create because the API server rejects them.

use portolan_core_health::{self as health, Csv};
use portolan_core_names::text::cite;
use portolan_core_olm::messages::{Denial, Denier, denial, failing_webhook, is_of_policy};
use serde_json::{Value, json};

use super::Outage;
use crate::case::Case;
use crate::command::{SUBSCRIPTIONS, Target};
use crate::cure::{Cure, administrator};
use crate::{Cause, Code, Evidence, Object, Procedure, Quote, State, evidence, refused};

/// The request for CPU that is sufficient for most operators.
const CPU: &str = "100m";
const MEMORY: [&str; 2] = ["128Mi", "512Mi"];
const CPU_LIMIT: &str = "1";

/// A missing Deployment that OLM tries to create, with the error.
#[derive(Debug, Clone, Copy)]
struct Attempt<'a> {
    case: Case<'a>,
    csv: &'a Csv,
    deployment: &'a health::Object,
    /// The message of OLM about its last failed attempt.
    message: &'a str,
}

/// Returns the cause if a Deployment is missing because the API server rejects it. OLM reports the
/// error only in the ClusterServiceVersion, and retries.
pub(super) fn cause(case: Case<'_>, outage: Outage, fact: &health::Fact) -> Option<Cause> {
    let csv = case.newest().filter(|_| outage == Outage::Missing)?;
    let attempt = Attempt {
        case,
        csv,
        deployment: &fact.observed.object,
        message: last(csv)?,
    };
    let state = if case.has_worked() && !case.works() {
        State::Broken
    } else {
        State::Stuck
    };
    let cause = attempt.cause(state)?;
    let said = Evidence::new(
        &csv.observed.object,
        "status.conditions[InstallComponentFailed]",
        attempt.message,
    );
    Some(cause.shown([said]).shown(evidence::csv(csv)))
}

/// Returns the message of OLM about its last failed attempt to create the Deployments.
fn last(csv: &Csv) -> Option<&str> {
    let is_now = csv.status.phase == health::CsvPhase::Failed
        && csv.status.reason == "InstallComponentFailed";
    if is_now {
        return Some(&csv.status.message);
    }
    let [_, last] = csv.failed_attempts()?;
    Some(&last.message)
}

// === impl Attempt ===

impl Attempt<'_> {
    fn cause(self, state: State) -> Option<Cause> {
        if let Some(denial) = denial(self.message) {
            return Some(self.denied(state, denial));
        }
        let namespace = &self.deployment.namespace;
        if failing_webhook(self.message).is_none() && !is_of_policy(self.message) {
            return None;
        }
        let at_fault = refused::refuser(namespace, self.message);
        let at_fault = at_fault.unwrap_or_else(|| webhook(self.message, self.deployment));
        let message = format!(
            "OLM cannot create {}, because the API server rejects it.",
            self.deployment
        );
        let cause = Cause::new(Code::DeploymentRejected, state, at_fault, &message);
        let cause = cause.quoting(Quote::of("the API server", self.message));
        Some(cause.cured(refused::cure(namespace, self.message)))
    }

    /// Returns the cause for a Deployment that a webhook or a policy rejects.
    fn denied(self, state: State, denial: Denial<'_>) -> Cause {
        let by = rejecting(denial);
        let subscription = self
            .case
            .subscription
            .filter(|_| denial.is_about_resources());
        let container = self.container(denial);
        let lacks = match denial.field {
            Some(path) if path.ends_with("limits") => "limits",
            Some(path) if path.ends_with("requests") => "requests",
            Some(_) | None => "requests or limits",
        };
        let container = container.map_or_else(
            || "A container".to_owned(),
            |container| format!("Container {container}"),
        );
        let field = denial.field.map(|path| cite(&path.replace('/', ".")));
        let why = match (subscription, field) {
            (Some(_), Some(field)) => {
                format!(
                    " {container} does not set the resource {lacks} that the policy requires ({field})."
                )
            }
            (Some(_), None) => {
                format!(" {container} does not set the resource {lacks} that the policy requires.")
            }
            (None, Some(field)) => format!(" The field is {field}."),
            (None, None) => String::new(),
        };
        let message = format!(
            "OLM cannot create {}, because {} rejects it.{why}",
            self.deployment,
            described(denial),
        );
        let quote = Quote::of("the webhook or policy", denial.words);
        let Some(subscription) = subscription else {
            let who = format!("the owner of {by}");
            let action = format!(
                "Allow {} in {by}, or make an exception for it. OLM tries again by itself. The publisher of \
                 package {} can also correct the Deployment.",
                self.deployment, self.case.operator.package
            );
            let cause = Cause::new(Code::DeploymentRejected, state, by, &message).quoting(quote);
            return cause.cured(Cure::external(&who, &action));
        };
        let target = Target::of(SUBSCRIPTIONS, &subscription.observed);
        let at_fault = Object::from(&subscription.observed.object);
        let action = format!(
            "Set the required resources in the Subscription: OLM copies them to the Deployment, and tries again \
             by itself. Or ask the owner of {by} for an exception. Do not remove the webhook or policy, and do not \
             create the Deployment yourself."
        );
        let who = format!("{}, or the owner of {by}", administrator(&at_fault));
        let cure = Cure::advised(&who, &action, vec![resources(target, denial)]);
        let cause = Cause::new(Code::DeploymentRejected, state, at_fault, &message);
        let cause = Cause {
            also_at_fault: vec![by],
            ..cause
        };
        cause.quoting(quote).cured(cure)
    }

    /// Returns the name of the rejected container.
    fn container(self, denial: Denial<'_>) -> Option<String> {
        let mut wanted = self.csv.deployments().iter();
        let own = wanted.find(|wanted| wanted.name == self.deployment.name)?;
        let container = own.spec.template.spec.containers.get(denial.container()?)?;
        Some(cite(&container.name))
    }
}

/// Returns the webhook or policy that rejects the Deployment.
fn rejecting(denial: Denial<'_>) -> Object {
    match (denial.by, denial.policy) {
        (Denier::Policy(name), _) => Object::new("ValidatingAdmissionPolicy", "", cite(name)),
        (Denier::Webhook(webhook), Some(policy)) if webhook.contains("kyverno") => {
            Object::new("ClusterPolicy.kyverno.io", "", cite(policy))
        }
        (Denier::Webhook(webhook), Some(policy)) if webhook.contains("gatekeeper") => {
            Object::new("Constraint", "", cite(policy))
        }
        (Denier::Webhook(webhook), _) => Object::new("Webhook", "", cite(webhook)),
    }
}

/// Formats the webhook or policy as the subject of a sentence.
fn described(denial: Denial<'_>) -> String {
    match (denial.by, denial.policy) {
        (Denier::Policy(name), _) => format!("ValidatingAdmissionPolicy {}", cite(name)),
        (Denier::Webhook(webhook), Some(policy)) => {
            format!(
                "policy {} of admission webhook {}",
                cite(policy),
                cite(webhook)
            )
        }
        (Denier::Webhook(webhook), None) => format!("admission webhook {}", cite(webhook)),
    }
}

/// Returns the webhook that the API server cannot call. If the message names no such webhook,
/// returns the Deployment.
fn webhook(message: &str, deployment: &health::Object) -> Object {
    failing_webhook(message).map_or_else(
        || Object::from(deployment),
        |name| Object::new("Webhook", "", cite(name)),
    )
}

/// Returns the command that sets resources for all containers, in the settings of the Subscription.
fn resources(subscription: Target<'_>, denial: Denial<'_>) -> Procedure {
    let [request, limit] = MEMORY;
    let mut limits = json!({"memory": limit});
    let words = denial.words.to_lowercase();
    if ["cpu limit", "limits.cpu", "limits/cpu"]
        .iter()
        .any(|it| words.contains(it))
    {
        limits["cpu"] = Value::from(CPU_LIMIT);
    }
    let resources = json!({"requests": {"cpu": CPU, "memory": request}, "limits": limits});
    let patch = json!({"spec": {"config": {"resources": resources}}});
    let title = format!(
        "Set requests and limits of the containers in spec.config of {}.",
        subscription.called()
    );
    let risk = "The values are examples: Kubernetes ends a container that needs more memory than its limit. OLM \
                applies only these values, and removes all other requests and limits of the containers of the operator.";
    Procedure::command(&title, subscription.merge(&patch), risk)
}
