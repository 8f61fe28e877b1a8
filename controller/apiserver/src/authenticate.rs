//! Authenticates callers by client certificate. An API server may name the user for whom it sends a
//! request.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use http::HeaderMap;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Api, Client};
use portolan_core_installed::apiserver::{Caller, FrontProxy};
use portolan_runtime::certificates::{changes, named};
use portolan_shell::{ClientAuthorities, ShownCertificate, with_causes};
use tokio::sync::watch;
use x509_parser::certificate::X509Certificate;
use x509_parser::prelude::FromDer;

/// The ConfigMap in which the Kubernetes API server publishes the certificate authority of its
/// client certificate.
const NAMESPACE: &str = "kube-system";
const NAME: &str = "extension-apiserver-authentication";

/// The maximum pause before the ConfigMap is read again without a change. `AGAIN` is the pause
/// after a failure.
const LONGEST: Duration = Duration::from_secs(600);
const AGAIN: Duration = Duration::from_secs(5);

/// The certificate authorities that sign client certificates of callers, if they are known. Clones
/// share them.
#[derive(Debug, Clone)]
pub(crate) struct Identities(watch::Sender<Option<Arc<TrustedAuthorities>>>);

/// The certificate authorities from the ConfigMap: those of API servers and those of users.
#[derive(Debug)]
pub(crate) struct TrustedAuthorities {
    proxy: FrontProxy,
    servers: ClientAuthorities,
    users: ClientAuthorities,
}

// === impl Identities ===

impl Identities {
    /// Creates a value without certificate authorities.
    pub(crate) fn pending() -> Self {
        Self(watch::Sender::new(None))
    }

    pub(crate) fn set(&self, known: TrustedAuthorities) {
        self.0.send_replace(Some(Arc::new(known)));
    }

    /// Returns true if callers can be authenticated.
    pub(crate) fn are_known(&self) -> bool {
        self.0.borrow().is_some()
    }

    /// Waits until callers can be authenticated.
    pub(crate) async fn known(&self) {
        let mut known = self.0.subscribe();
        // `self` holds the sender, so the wait cannot fail.
        let _ = known.wait_for(Option::is_some).await;
    }

    /// Authenticates a request by its client certificate and its headers. Returns None if this is
    /// not possible.
    pub(crate) fn caller(
        &self,
        shown: Option<&ShownCertificate>,
        headers: &HeaderMap,
    ) -> Option<Caller> {
        let known = self.0.borrow().clone()?;
        known.caller(shown?, headers)
    }

    /// Reads the ConfigMap after each of its changes, until the future is dropped.
    pub(crate) async fn follow(self, client: Client) {
        let maps = Api::<ConfigMap>::namespaced(client.clone(), NAMESPACE);
        let mut changes = std::pin::pin!(changes::<ConfigMap>(
            Api::namespaced(client, NAMESPACE),
            named(NAME)
        ));
        let mut told = None;
        loop {
            let wrong = self.look(&maps).await.err();
            if let Some(why) = &wrong
                && told != wrong
            {
                tracing::warn!(
                    error = why,
                    "front-proxy authentication of other callers is \
                 disabled"
                );
            }
            let wait = if wrong.is_some() { AGAIN } else { LONGEST };
            told = wrong;
            tokio::select! {
                Some(()) = changes.next() => {}
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    async fn look(&self, maps: &Api<ConfigMap>) -> Result<(), String> {
        let map = maps.get(NAME).await;
        let map = map.map_err(|error| {
            format!(
                "cannot read ConfigMap {NAMESPACE}/{NAME}: {}",
                with_causes(&error)
            )
        })?;
        let proxy = FrontProxy::parse(&map.data.unwrap_or_default());
        let proxy = proxy.map_err(|no| format!("ConfigMap {NAMESPACE}/{NAME}: {no}"))?;
        let is_new = {
            let known = self.0.borrow();
            known.as_ref().is_none_or(|known| known.proxy != proxy)
        };
        if is_new {
            let known = TrustedAuthorities::of(proxy).ok_or_else(|| {
                format!(
                    "ConfigMap {NAMESPACE}/{NAME}: requestheader-client-ca-file contains no \
                     certificate in PEM format"
                )
            })?;
            self.set(known);
            tracing::info!("callers can be authenticated through the front proxy");
        }
        Ok(())
    }
}

// === impl TrustedAuthorities ===

impl TrustedAuthorities {
    /// Returns None if there is no certificate authority for API servers.
    pub(crate) fn of(proxy: FrontProxy) -> Option<Self> {
        let servers = ClientAuthorities::of(&proxy.authorities);
        let users = ClientAuthorities::of(&proxy.user_authorities);
        let known = Self {
            proxy,
            servers,
            users,
        };
        (!known.servers.is_empty()).then_some(known)
    }

    fn caller(&self, shown: &ShownCertificate, headers: &HeaderMap) -> Option<Caller> {
        let (_, certificate) = X509Certificate::from_der(shown.leaf()).ok()?;
        let subject = certificate.subject();
        let name = subject.iter_common_name().next()?.as_str().ok()?;
        if self.servers.vouch_for(shown) && self.proxy.allows(name) {
            let headers = headers.iter();
            let headers = headers.filter_map(|(name, value)| {
                let value = std::str::from_utf8(value.as_bytes()).ok()?;
                Some((name.as_str(), value))
            });
            if let Some(caller) = self.proxy.caller(headers) {
                return Some(caller);
            }
        }
        if name.is_empty() || !self.users.vouch_for(shown) {
            return None;
        }
        let organizations = subject.iter_organization();
        let organizations = organizations.filter_map(|it| it.as_str().ok().map(str::to_owned));
        Some(Caller::of_certificate(name, organizations))
    }
}
