//! Finds out who owns `spec.version`, and if the updater may take it over.

use std::collections::BTreeSet;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use portolan_api::operator::UPDATER;
use portolan_core_names::text::listed;

use crate::updater::MANAGER;

/// The field managers of programs with which a user writes an object once: kubectl,
/// `portolan create`, `portolan update`, and clients without a name. Any other field manager may be
/// a controller that restores its value, so the updater never takes over its fields.
const INTERACTIVE: [&str; 8] = [
    "kubectl",
    "kubectl-client-side-apply",
    "kubectl-create",
    "kubectl-edit",
    "kubectl-patch",
    "kubectl-replace",
    "portolan",
    "unknown",
];

/// The labels and annotations that show that a tool applies the object again and again. Some of
/// these tools use the field manager of kubectl.
const MARKS: [(&str, &str); 9] = [
    ("app.kubernetes.io/instance", "Argo CD or Helm"),
    ("argocd.argoproj.io/instance", "Argo CD"),
    ("argocd.argoproj.io/tracking-id", "Argo CD"),
    ("config.k8s.io/owning-inventory", "Config Sync or kpt"),
    ("helm.toolkit.fluxcd.io/name", "Flux"),
    ("kapp.k14s.io/app", "kapp"),
    ("kustomize.toolkit.fluxcd.io/name", "Flux"),
    ("meta.helm.sh/release-name", "Helm"),
    ("objectset.rio.cattle.io/id", "Rancher Fleet"),
];

/// The owners of the `spec.version` of an Operator. The updater itself is not included.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Owners {
    /// The field managers that own the field. Empty if only the updater owns it.
    pub managers: BTreeSet<String>,
    /// A clause about the tool or controller that applies the Operator again and again. None if
    /// there is no sign of one.
    pub source: Option<String>,
}

// === impl Owners ===

impl Owners {
    /// Reads the owners from the metadata of an Operator.
    pub(crate) fn of(metadata: &ObjectMeta) -> Self {
        let entries = metadata.managed_fields.as_deref().unwrap_or_default();
        let owning = entries.iter().filter(|entry| {
            let fields = entry.fields_v1.as_ref();
            fields.is_some_and(|fields| fields.0.pointer("/f:spec/f:version").is_some())
        });
        let managers = owning.map(|entry| entry.manager.clone().unwrap_or_default());
        Self {
            managers: managers.filter(|manager| manager != MANAGER).collect(),
            source: marked(metadata).or_else(|| owned(metadata)),
        }
    }

    /// Returns the reason why the updater must not write the version. Returns None if it may write
    /// the version.
    pub(crate) fn obstacle(&self, takes_over: bool) -> Option<String> {
        if self.managers.is_empty() {
            return None;
        }
        let written = format!("spec.version is written by {}", listed(&self.managers));
        let mut managers = self.managers.iter();
        let is_of_people = managers.all(|manager| INTERACTIVE.contains(&manager.as_str()));
        match &self.source {
            _ if !is_of_people => Some(format!(
                "{written}; to let the updater write spec.version, these writers must omit the \
                 field"
            )),
            Some(source) => Some(format!(
                "{written}, and {source}; to let the updater write spec.version, remove the field \
                 from the source"
            )),
            None if !takes_over => Some(format!(
                "{written}; to let the updater write spec.version, add takeOver: true to the entry \
                 in ConfigMap {UPDATER}"
            )),
            None => None,
        }
    }
}

/// Returns a clause about the tool whose label or annotation the Operator has. Returns None if the
/// Operator has no such label or annotation.
fn marked(metadata: &ObjectMeta) -> Option<String> {
    let has = |key: &str| {
        let both = [&metadata.labels, &metadata.annotations].into_iter();
        both.flatten().any(|all| all.contains_key(key))
    };
    let (key, tool) = MARKS.iter().find(|(key, _)| has(key))?;
    Some(format!("{key} shows that {tool} applies the Operator"))
}

/// Returns a clause about the first owner of the Operator. The controller of this owner may apply
/// the Operator again. Returns None if the Operator has no owner.
fn owned(metadata: &ObjectMeta) -> Option<String> {
    let owner = metadata.owner_references.iter().flatten().next()?;
    let (kind, name) = (&owner.kind, &owner.name);
    Some(format!("{kind} {name} owns the Operator"))
}
