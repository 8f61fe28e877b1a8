//! Finds the resource name of a kind, such as `networkpolicies` for NetworkPolicy.

use std::collections::BTreeMap;

use crate::object::{self, text};
use crate::render::Manifest;

/// The resource names of the kinds that CRDs in the manifests define. These names take precedence.
pub(super) struct Plurals<'m>(BTreeMap<(&'m str, &'m str), &'m str>);

// === impl Plurals ===

impl<'m> Plurals<'m> {
    pub(super) fn of(manifests: &'m [Manifest]) -> Self {
        let crds = manifests
            .iter()
            .map(|manifest| &manifest.object)
            .filter(|json| json["kind"] == "CustomResourceDefinition");
        let plurals = crds.map(|json| {
            let spec = &json["spec"];
            let names = &spec["names"];
            let key = (text(&spec["group"]), text(&names["kind"]));
            (key, text(&names["plural"]))
        });
        Self(plurals.collect())
    }

    /// Returns the resource name of a kind. Returns None if it is unknown.
    pub(super) fn of_kind(&self, group: &str, kind: &str) -> Option<&str> {
        let defined = self.0.get(&(group, kind)).copied();
        let known = || object::supported_kind(kind).filter(|known| known.group == group);
        let made = || {
            RENDERED
                .iter()
                .find(|made| (made.0, made.1) == (group, kind))
        };
        defined
            .or_else(|| known().map(|known| known.plural))
            .or_else(|| made().map(|made| made.2))
    }
}

/// The kinds that are rendered but that bundles cannot contain: group, kind, resource name.
const RENDERED: [(&str, &str, &str); 7] = [
    ("", "Namespace", "namespaces"),
    (
        "admissionregistration.k8s.io",
        "MutatingWebhookConfiguration",
        "mutatingwebhookconfigurations",
    ),
    (
        "admissionregistration.k8s.io",
        "ValidatingWebhookConfiguration",
        "validatingwebhookconfigurations",
    ),
    (
        object::APIEXTENSIONS,
        "CustomResourceDefinition",
        "customresourcedefinitions",
    ),
    ("apps", "Deployment", "deployments"),
    ("cert-manager.io", "Certificate", "certificates"),
    ("cert-manager.io", "Issuer", "issuers"),
];

/// Returns the plural of a kind, by the rules with which Kubernetes guesses plurals.
pub(super) fn guess(kind: &str) -> String {
    let singular = kind.to_ascii_lowercase();
    match singular.as_bytes() {
        [.., b's' | b'x'] | [.., b'c' | b's', b'h'] => format!("{singular}es"),
        [rest @ .., b'y'] => format!("{}ies", String::from_utf8_lossy(rest)),
        _ => format!("{singular}s"),
    }
}
