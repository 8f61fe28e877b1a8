//! The APIServices and the webhook with which API servers call Portolan.

use portolan_core_olm::{ApiService, Condition, ValidatingWebhookConfiguration};

use super::{Components, failure, told};
use crate::command::Target;
use crate::cure::Cure;
use crate::headline::Impact;
use crate::steps::describe;
use crate::{Cause, Code, Diagnosis, Evidence, Object, State, Step, words};

const WEBHOOKS: &str = "validatingwebhookconfigurations.admissionregistration.k8s.io";
const WEBHOOK: &str = "ValidatingWebhookConfiguration";

/// Diagnoses an APIService that the API server of Portolan serves.
pub(super) fn of_api_service(service: &ApiService, components: &Components) -> Diagnosis {
    let name = service.metadata.name.as_deref().unwrap_or_default();
    let object = Object::new("APIService", "", name);
    let cause = unavailable(&object, service).map(|cause| match components.stopped("apiserver") {
        Some(workload) => with_deployment(cause, failure(workload)),
        None => cause,
    });
    let impact = Impact {
        effect: "Until it answers, namespaces may not be deleted completely, because API servers cannot list all \
                 kinds."
            .to_owned(),
        ..Impact::of(&object)
    };
    told(object, cause, impact)
}

fn unavailable(object: &Object, service: &ApiService) -> Option<Cause> {
    let said = Condition::about(&service.status.conditions, "Available");
    if said.is_some_and(Condition::is_true) {
        return None;
    }
    let said = said.map_or("the APIService reports no state", Condition::words);
    let message = format!(
        "API servers get no answer for {}: {}",
        object.name,
        words::sentence(said)
    );
    let cause = Cause::new(Code::ApiMissing, State::Broken, object.clone(), &message);
    let evidence = Evidence::at(object.clone(), "status.conditions[Available]", said);
    let cure = Cure::external(
        "the administrator of Portolan",
        "Start the API server of this APIService. If the API server was removed on purpose, delete \
         the APIService.",
    );
    let look = Target::named(object).map(describe);
    Some(cause.cured(cure).looked(look).shown([evidence]))
}

/// Diagnoses the webhook of Portolan.
pub(super) fn of_webhook(
    configuration: &ValidatingWebhookConfiguration,
    components: &Components,
) -> Diagnosis {
    let name = configuration.metadata.name.as_deref().unwrap_or_default();
    let object = Object::new(WEBHOOK, "", name);
    let of_service = configuration.webhooks.iter();
    let mut of_service = of_service.filter(|it| it.client_config.service.is_some());
    let is_untrusted = of_service
        .clone()
        .any(|it| it.client_config.ca_bundle.is_empty());
    let stopped = components
        .stopped("webhook")
        .filter(|_| of_service.next().is_some());
    let cause = match stopped {
        Some(workload) => {
            let why = format!("its Deployment {}", workload.stop());
            let cause = webhook_cause(&object, &why);
            Some(with_deployment(cause, failure(workload)))
        }
        None if is_untrusted => Some(webhook_cause(
            &object,
            "caBundle is empty, so API servers do not trust its certificate",
        )),
        None => None,
    };
    let impact = Impact {
        since: stopped.and_then(|workload| workload.unavailable_since.clone()),
        effect: effect(configuration).to_owned(),
        ..Impact::of(&object)
    };
    told(object, cause, impact)
}

/// Describes what the API servers do while they cannot call the webhook.
fn effect(configuration: &ValidatingWebhookConfiguration) -> &'static str {
    let mut webhooks = configuration.webhooks.iter();
    if webhooks.any(|it| it.failure_policy == "Fail") {
        "API servers reject all changes that the webhook must check."
    } else {
        "API servers accept objects of Portolan without validation. Conditions report errors later."
    }
}

fn webhook_cause(object: &Object, why: &str) -> Cause {
    let message = format!("API servers cannot call the webhook: {why}.");
    let cause = Cause::new(
        Code::ComponentUnavailable,
        State::Broken,
        object.clone(),
        &message,
    );
    let cure = Cure::external(
        "the administrator of Portolan",
        "Start the webhook. It creates its certificate and sets caBundle by itself.",
    );
    let target = Target::new(WEBHOOKS, "", &object.name);
    let look = Step::new("Show the webhooks", target.get());
    let evidence = Evidence::at(object.clone(), "webhooks", why);
    cause.cured(cure).looked([look]).shown([evidence])
}

/// If the Deployment behind the APIService or the webhook has failed, sets this Deployment as the
/// object at fault, with its cure.
fn with_deployment(cause: Cause, failure: Option<Cause>) -> Cause {
    let Some(failure) = failure else {
        return cause;
    };
    Cause {
        at_fault: failure.at_fault.clone(),
        below: vec![failure.clone()],
        ..cause.cured_like(&failure)
    }
}
