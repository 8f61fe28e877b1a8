//! Decides if the webhook is available. The decision is based on objects in the cluster.

use jiff::Timestamp;
use k8s_openapi::api::admissionregistration::v1::ValidatingWebhookConfiguration;
use k8s_openapi::api::discovery::v1::EndpointSlice;
use kube::api::ObjectMeta;
use portolan_core_certificate::{Service, Site, Subject, SubjectKind};
use portolan_runtime::certificates::trusted_until;
use serde_json::json;

/// The objects in the cluster that belong to the webhook.
#[derive(Debug, Default)]
pub(super) struct WebhookFacts {
    metadata: ObjectMeta,
    /// The webhooks in the configuration that are called through a Service. None if the
    /// configuration does not exist.
    sites: Option<Vec<Site>>,
    /// The EndpointSlices of the Service of the first webhook.
    pub(super) slices: Vec<EndpointSlice>,
}

/// The availability of the webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Presence {
    /// The webhook configuration does not exist.
    NotInstalled,
    Here,
    /// API servers continue without the webhook, for this reason.
    Away(String),
}

/// The presence of the webhook, with data for reports.
#[derive(Debug)]
pub(super) struct Judged {
    pub(super) presence: Presence,
    pub(super) service: Option<Service>,
    /// The metadata of the webhook configuration.
    pub(super) metadata: ObjectMeta,
    /// The time at which the certificate in the configuration expires. None if it has already
    /// expired, or if there is no certificate.
    pub(super) next: Option<Timestamp>,
}

// === impl WebhookFacts ===

impl WebhookFacts {
    pub(super) fn of(configuration: Option<ValidatingWebhookConfiguration>) -> Self {
        let Some(configuration) = configuration else {
            return Self::default();
        };
        let kind = SubjectKind::ValidatingWebhookConfiguration;
        let subject = Subject::of(kind, &json!(configuration));
        Self {
            metadata: configuration.metadata,
            sites: Some(subject.sites),
            slices: Vec::new(),
        }
    }

    /// Returns the Service of the first webhook.
    pub(super) fn service(&self) -> Option<Service> {
        let site = self.sites.as_ref()?.first()?;
        Some(site.service.clone())
    }

    pub(super) fn judged(self, configuration: &str, now: Timestamp) -> Judged {
        let service = self.service();
        let sites = self.sites.as_deref();
        let ends = sites.into_iter().flatten();
        let ends: Vec<_> = ends.map(|site| trusted_until(&site.ca_bundle)).collect();
        let end = ends.iter().copied().min().flatten();
        let presence = match (&sites, &service) {
            (None, _) => Presence::NotInstalled,
            // A webhook that is called by URL is not managed by Portolan, so it counts as
            // available.
            (Some(_), None) => Presence::Here,
            (Some(_), Some(service)) => {
                let trouble = self.trouble(configuration, service, end, now);
                trouble.map_or(Presence::Here, |trouble| Presence::Away(away(&trouble)))
            }
        };
        Judged {
            presence,
            service,
            metadata: self.metadata,
            next: end.filter(|end| *end > now),
        }
    }

    fn trouble(
        &self,
        configuration: &str,
        service: &Service,
        end: Option<Timestamp>,
        now: Timestamp,
    ) -> Option<String> {
        let Service { namespace, name } = service;
        let mut endpoints = self.slices.iter().flat_map(|slice| &slice.endpoints);
        let is_ready = endpoints.any(|endpoint| {
            let conditions = endpoint.conditions.as_ref();
            conditions.and_then(|it| it.ready).unwrap_or(true)
        });
        let of = format!("caBundle of ValidatingWebhookConfiguration {configuration}");
        if !is_ready {
            return Some(format!(
                "Service {namespace}/{name} has no ready endpoint; check its Pods: kubectl -n \
                 {namespace} get pods -l app.kubernetes.io/component=webhook"
            ));
        }
        match end {
            None => Some(format!(
                "{of} has no certificate; the webhook creates the certificate; if it fails, its \
                 log contains the reason"
            )),
            Some(end) if end <= now => Some(format!(
                "{of} has expired on {end}; the webhook renews the certificate; if it fails, its \
                 log contains the reason"
            )),
            Some(_) => None,
        }
    }
}

fn away(trouble: &str) -> String {
    format!(
        "objects are written without validation by the webhook, and only the conditions of the \
         objects show errors: {trouble}"
    )
}

#[cfg(test)]
mod tests;
