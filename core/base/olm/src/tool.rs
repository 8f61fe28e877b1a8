//! Recognizes the tools that apply objects from another source, such as Git. Also returns the
//! contacts of the owners of objects.

#[cfg(test)]
mod tests;

use kube_core::ObjectMeta;
use portolan_core_names::text::listed;

use crate::deployment::TRACKED;
use crate::{Annotation, Label, argo_cd_application};

/// The label or annotation that a tool sets on the objects that it applies.
struct Mark {
    /// The kind of the source that the label or annotation names, such as `Helm release`.
    place: &'static str,
    name: MarkKey,
    namespace: Option<MarkKey>,
}

/// The key of a label or an annotation.
#[derive(Clone, Copy)]
enum MarkKey {
    Label(Label),
    Annotation(Annotation),
}

const ARGO_CD_INSTANCE: Label = Label::new("argocd.argoproj.io/instance");
const KUSTOMIZATION: Label = Label::new("kustomize.toolkit.fluxcd.io/name");
const KUSTOMIZATION_NAMESPACE: Label = Label::new("kustomize.toolkit.fluxcd.io/namespace");
const HELM_RELEASE: Label = Label::new("helm.toolkit.fluxcd.io/name");
const HELM_RELEASE_NAMESPACE: Label = Label::new("helm.toolkit.fluxcd.io/namespace");
const RELEASE: Annotation = Annotation::new("meta.helm.sh/release-name");
const RELEASE_NAMESPACE: Annotation = Annotation::new("meta.helm.sh/release-namespace");
const CONTACT_OWNER: Annotation = Annotation::new("a8r.io/owner");
const CONTACT_CHAT: Annotation = Annotation::new("a8r.io/chat");
const CONTACT_SUPPORT: Annotation = Annotation::new("a8r.io/support");
const PLAIN_OWNER: Annotation = Annotation::new("owner");
const PLAIN_CONTACT: Annotation = Annotation::new("contact");

/// The annotations that tools set, and the annotations with contacts.
pub const TOOL_ANNOTATIONS: &[Annotation] = &[
    TRACKED,
    RELEASE,
    RELEASE_NAMESPACE,
    CONTACT_OWNER,
    CONTACT_CHAT,
    CONTACT_SUPPORT,
    PLAIN_OWNER,
    PLAIN_CONTACT,
];

/// The labels that tools set.
pub const TOOL_LABELS: &[Label] = &[
    ARGO_CD_INSTANCE,
    KUSTOMIZATION,
    KUSTOMIZATION_NAMESPACE,
    HELM_RELEASE,
    HELM_RELEASE_NAMESPACE,
];

/// The marks of the tools, most specific first. Objects of a Flux HelmRelease have the marks of
/// Flux and of Helm.
const MARKS: [Mark; 4] = [
    Mark {
        place: "Argo CD Application",
        name: MarkKey::Label(ARGO_CD_INSTANCE),
        namespace: None,
    },
    Mark {
        place: "Flux Kustomization",
        name: MarkKey::Label(KUSTOMIZATION),
        namespace: Some(MarkKey::Label(KUSTOMIZATION_NAMESPACE)),
    },
    Mark {
        place: "Flux HelmRelease",
        name: MarkKey::Label(HELM_RELEASE),
        namespace: Some(MarkKey::Label(HELM_RELEASE_NAMESPACE)),
    },
    Mark {
        place: "Helm release",
        name: MarkKey::Annotation(RELEASE),
        namespace: Some(MarkKey::Annotation(RELEASE_NAMESPACE)),
    },
];

/// The field managers of tools, with the name of each tool. They identify tools that set no mark.
/// Some field managers end with an identifier.
const MANAGERS: [(&str, &str); 7] = [
    ("HashiCorp", "Terraform"),
    ("Terraform", "Terraform"),
    ("argocd-controller", "Argo CD"),
    ("helm", "Helm"),
    ("helm-controller", "Flux"),
    ("kustomize-controller", "Flux"),
    ("pulumi-kubernetes", "Pulumi"),
];

/// The annotations with contacts of the owner.
const CONTACTS: [Annotation; 5] = [
    CONTACT_OWNER,
    CONTACT_CHAT,
    CONTACT_SUPPORT,
    PLAIN_OWNER,
    PLAIN_CONTACT,
];

/// Returns the tool and the source from which it applies the object, such as
/// `Flux Kustomization flux-system/apps`. If the object has no mark of a tool, returns the tool by
/// its field manager.
pub fn applying_tool(metadata: &ObjectMeta) -> Option<String> {
    let application = argo_cd_application(metadata);
    let application = application.map(|name| format!("Argo CD Application {name}"));
    let marked = || MARKS.iter().find_map(|mark| mark.of(metadata));
    application.or_else(marked).or_else(|| managing(metadata))
}

/// Returns the tool whose field manager has written the object.
fn managing(metadata: &ObjectMeta) -> Option<String> {
    let entries = metadata.managed_fields.iter().flatten();
    let entries = entries.filter(|entry| entry.subresource.is_none());
    let mut managers = entries.filter_map(|entry| entry.manager.as_deref());
    managers.find_map(|manager| {
        let mut tools = MANAGERS.iter();
        let (_, tool) = tools.find(|(name, _)| is_of(manager, name))?;
        Some((*tool).to_owned())
    })
}

/// Returns true if the field manager has this name. The field manager of Pulumi may add an
/// identifier to the name.
fn is_of(manager: &str, name: &str) -> bool {
    let rest = manager.strip_prefix(name);
    rest.is_some_and(|rest| {
        rest.is_empty() || (name.starts_with("pulumi") && rest.starts_with('-'))
    })
}

/// Returns the contacts of the owner from annotations of the object, such as
/// `a8r.io/owner: harbor team`. Returns None if the object has no such annotation.
pub fn contacts(metadata: &ObjectMeta) -> Option<String> {
    let contacts = CONTACTS.iter().filter_map(|key| {
        let value = key.of(metadata).filter(|value| !value.is_empty())?;
        Some(format!("{}: {value}", key.name()))
    });
    let contacts: Vec<_> = contacts.collect();
    (!contacts.is_empty()).then(|| listed(contacts))
}

// === impl Mark ===

impl Mark {
    /// Returns the source that the mark of an object names. Returns None if the object has no such
    /// mark.
    fn of(&self, metadata: &ObjectMeta) -> Option<String> {
        let name = self.name.of(metadata)?;
        let namespace = self.namespace.and_then(|key| key.of(metadata));
        Some(match namespace {
            Some(namespace) => format!("{} {namespace}/{name}", self.place),
            None => format!("{} {name}", self.place),
        })
    }
}

// === impl MarkKey ===

impl MarkKey {
    fn of(self, metadata: &ObjectMeta) -> Option<&str> {
        match self {
            Self::Label(label) => label.of(metadata),
            Self::Annotation(annotation) => annotation.of(metadata),
        }
    }
}
