//! The APIService and the webhook of Portolan that API servers call.

use portolan_core_olm::{ApiService, Condition, ValidatingWebhookConfiguration};

use super::{Components, failure, told};
use crate::command::Target;
use crate::cure::Cure;
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
    told(object, cause)
}

fn unavailable(object: &Object, service: &ApiService) -> Option<Cause> {
    let said = Condition::about(&service.status.conditions, "Available");
    if said.is_some_and(Condition::is_true) {
        return None;
    }
    let said = said.map_or("the APIService reports no state", Condition::words);
    let message = format!(
        "API servers get no answer for APIService {}: {} Until this API answers, Kubernetes may \
         not finish the deletion of namespaces, because API servers cannot list all kinds.",
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
            let cause = webhook_cause(
                &object,
                configuration,
                "the Deployment of the webhook has \
                                                               no ready Pod",
            );
            Some(with_deployment(cause, failure(workload)))
        }
        None if is_untrusted => Some(webhook_cause(
            &object,
            configuration,
            "caBundle is empty, so API servers do not trust the certificate of the webhook",
        )),
        None => None,
    };
    told(object, cause)
}

fn webhook_cause(
    object: &Object,
    configuration: &ValidatingWebhookConfiguration,
    why: &str,
) -> Cause {
    let is_required = configuration
        .webhooks
        .iter()
        .any(|it| it.failure_policy == "Fail");
    let impact = if is_required {
        "API servers reject all changes that the webhook must check"
    } else {
        "API servers accept objects of Portolan's kinds without validation. Conditions in their \
         status report errors later"
    };
    let message = format!("API servers cannot call the webhook: {why}. {impact}.");
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

/// Sets the Deployment whose Pods do not run as the object at fault.
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
