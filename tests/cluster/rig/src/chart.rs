//! Generates the templates of the Helm chart from the output of kustomize. The choices of an
//! installation become values of the chart. All other lines stay unchanged.

mod deployment;
mod labels;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::iter::{Copied, Peekable};
use std::path::{Component, Path};
use std::slice;

/// Lines of a manifest that are replaced, and their replacement in the template.
const VALUES: [(&str, &str); 5] = [
    (
        "namespace: portolan",
        "namespace: {{ .Release.Namespace | quote }}",
    ),
    (
        "image: portolan:",
        r#"image: {{ include "portolan.image" $ }}"#,
    ),
    (
        "minReplicas: ",
        "minReplicas: {{ .Values.resolver.minReplicas }}",
    ),
    (
        "maxReplicas: ",
        "maxReplicas: {{ .Values.resolver.maxReplicas }}",
    ),
    (
        "host: localhost:8443",
        r#"host: {{ include "portolan.consoleHost" $ | quote }}"#,
    ),
];

const FROM_BASE: &str = "# Written from deploy/base; not to be edited.\n";

const CONTROLLER: &str = "portolan-controller";

/// The line that ends a conditional section for a component.
const END: &str = "{{- end }}\n";

/// An annotation that Helm respects when it would delete an object. With this annotation, a CRD and
/// all its plans are kept if plans are disabled or the chart is uninstalled.
///
/// The CRDs are in templates, so that Helm can omit and update them. Helm cannot omit or update a
/// CRD in the folder `crds`.
const KEPT: &str = "  annotations:\n    helm.sh/resource-policy: keep\n";

/// A component of `deploy/overlays`. The user of the chart enables the component with a value of
/// the same name.
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    pub name: &'static str,
    /// The component that this component extends. It must also be enabled.
    upon: Option<&'static str>,
}

/// The components that a user of the chart can enable.
pub const CHOICES: [Choice; 12] = [
    alone("apiserver"),
    alone("certificates"),
    alone("console"),
    alone("diagnosis"),
    alone("installs"),
    alone("monitoring"),
    alone("operators"),
    alone("plans"),
    alone("updater"),
    alone("webhook"),
    upon_webhook("approvals"),
    upon_webhook("v2alpha1"),
];

/// The names of the profiles. Each profile is an overlay.
pub const PROFILES: [&str; 2] = ["look", "manage"];

const fn alone(name: &'static str) -> Choice {
    Choice { name, upon: None }
}

const fn upon_webhook(name: &'static str) -> Choice {
    Choice {
        name,
        upon: Some("webhook"),
    }
}

/// The lines of a manifest with a component, and the lines with the components that extend this
/// component.
struct With<'a> {
    component: &'static str,
    lines: Vec<&'a str>,
    upon: Vec<With<'a>>,
}

/// Returns the templates of the base, and the templates of the additional objects of each
/// component. Each template has a name and a text.
///
/// `base` is the rendered base. `with` contains the rendered base with each of the [`CHOICES`]. The
/// namespace is omitted, because Helm creates it.
/// # Panics
/// A manifest has no kind or no name, or contains template syntax; or a component changes a line
/// instead of adding some.
pub fn templates(base: &str, with: &[String]) -> Vec<(String, String)> {
    let is_template = with.iter().any(|rendered| rendered.contains("{{"));
    assert!(!is_template, "a manifest is no template");
    let with: BTreeMap<_, BTreeMap<_, _>> = CHOICES
        .into_iter()
        .zip(with)
        .map(|(choice, rendered)| (choice.name, manifests(rendered).collect()))
        .collect();
    let mut texts = Vec::new();
    for (name, manifest) in manifests(base) {
        let more = added(None, &name, &with);
        let lines: Vec<_> = manifest.lines().collect();
        let text = finished(FROM_BASE.to_owned() + &merged(&lines, &more));
        let text = if is_controller(manifest) {
            format!("{}{text}{END}", begin("controller"))
        } else {
            text
        };
        texts.push((name, text));
    }
    for choice in CHOICES {
        for (name, manifest) in &with[choice.name] {
            let is_known = texts.iter().any(|(known, _)| known == name);
            if is_known
                || choice
                    .upon
                    .is_some_and(|upon| with[upon].contains_key(name))
            {
                continue;
            }
            let more = added(Some(choice.name), name, &with);
            let lines: Vec<_> = manifest.lines().collect();
            let text = finished(merged(&lines, &more));
            texts.push((name.clone(), optional(choice.name, kind(manifest), text)));
        }
    }
    texts
}

/// Returns the lines of a manifest with each component that extends `upon`. Without `upon`, these
/// are the components that extend the base.
fn added<'a>(
    upon: Option<&str>,
    name: &str,
    with: &BTreeMap<&str, BTreeMap<String, &'a str>>,
) -> Vec<With<'a>> {
    let choices = CHOICES.into_iter().filter(|choice| choice.upon == upon);
    choices
        .map(|choice| {
            let manifest = with[choice.name].get(name);
            let manifest = manifest.expect("a component may not remove a manifest that it extends");
            With {
                component: choice.name,
                lines: manifest.lines().collect(),
                upon: added(Some(choice.name), name, with),
            }
        })
        .collect()
}

/// Returns the templates that let OperatorPolicies use templates in namespaces. Each template has a
/// name and a text.
///
/// A template repeats its manifests for each namespace in the value `templates.namespaces`. The
/// manifests in `rendered` have no namespace.
/// # Panics
/// See [`templates`].
pub fn opening(rendered: &str) -> Vec<(String, String)> {
    assert!(!rendered.contains("{{"), "a manifest is no template");
    let each = manifests(rendered).map(|(name, manifest)| {
        let mut text = String::from(
            "{{- range .Values.templates.namespaces }}\n---\n\
             # Written from deploy/overlays/templates; not to be edited.\n",
        );
        for of_manifest in manifest.lines() {
            // Inside a `range`, the dot is the namespace, so the values of the chart are in `$`.
            text += &line(of_manifest).replace("{{ .", "{{ $.");
            if of_manifest == "metadata:" {
                text += "  namespace: {{ . | quote }}\n";
            }
        }
        (name, labels::added(&text) + END)
    });
    each.collect()
}

// === impl Choice ===

impl Choice {
    /// Returns the components that an overlay must contain for this choice.
    pub fn components(&self) -> Vec<&'static str> {
        self.upon.into_iter().chain([self.name]).collect()
    }
}

/// Returns a kustomization file for the folder `from` that combines the base with components. Both
/// paths must be absolute and without symbolic links.
pub fn overlay(deploy: &Path, from: &Path, components: &[&str]) -> String {
    let parents = from.components();
    let parents = parents.filter(|part| matches!(part, Component::Normal(_)));
    let root = "../".repeat(parents.count());
    let deploy = deploy.display().to_string();
    let deploy = root + deploy.trim_start_matches('/');
    let components = components.iter();
    let components: Vec<_> = components
        .map(|component| format!("{deploy}/overlays/{component}"))
        .collect();
    let components = components.join(", ");
    format!("resources: [{deploy}/base]\ncomponents: [{components}]\n")
}

/// Returns the objects of a profile that `portolan install` applies. `rendered` is the rendered
/// overlay of the profile. CRDs and certificates are omitted, because the command installs them in
/// another way.
pub fn profile(name: &str, rendered: &str) -> String {
    let is_applied = |manifest: &&str| {
        kind(manifest) != "CustomResourceDefinition"
            && !manifest.contains("\napiVersion: cert-manager.io/")
            && !manifest.starts_with("apiVersion: cert-manager.io/")
    };
    let manifests = rendered.trim_end().split("\n---\n").filter(is_applied);
    let manifests: Vec<_> = manifests.collect();
    format!(
        "# Written from deploy/overlays/{name}; not to be edited.\n{}\n",
        manifests.join("\n---\n")
    )
}

fn manifests(rendered: &str) -> impl Iterator<Item = (String, &str)> {
    let manifests = rendered.trim_end().split("\n---\n");
    // Omits the namespace, which Helm creates, and the certificates, which the chart creates in
    // another way.
    let is_own = |manifest: &str| match kind(manifest) {
        "Namespace" => name(manifest) == "portolan",
        kind => kind == "Certificate",
    };
    let manifests = manifests.filter(move |manifest| !is_own(manifest));
    manifests.map(|manifest| {
        let name = format!("{}-{}.yaml", kind(manifest).to_lowercase(), name(manifest));
        (name, manifest)
    })
}

/// Merges the lines of a manifest with the lines that components add.
fn merged(lines: &[&str], with: &[With<'_>]) -> String {
    let mut with: Vec<_> = with.iter().map(Reader::of).collect();
    let mut text = String::new();
    // The last element, None, stands for the end of the manifest. Components can also add lines
    // there.
    for of_base in lines.iter().copied().map(Some).chain([None]) {
        for reader in &mut with {
            let added = reader.until(of_base);
            let more = merged(&added.lines, &added.upon);
            if added.lines.is_empty() {
                text += &more;
            } else {
                text += &begin(added.component);
                text += &more;
                text += END;
            }
        }
        text.extend(of_base.map(line));
    }
    text
}

/// The lines of a component that are not merged yet, and the readers of the components that extend
/// this component.
struct Reader<'a> {
    component: &'static str,
    rest: Peekable<Copied<slice::Iter<'a, &'a str>>>,
    upon: Vec<Reader<'a>>,
}

impl<'a> Reader<'a> {
    fn of(with: &'a With<'a>) -> Self {
        Self {
            component: with.component,
            rest: with.lines.iter().copied().peekable(),
            upon: with.upon.iter().map(Self::of).collect(),
        }
    }

    /// Returns the lines that the component adds before the next line of the extended manifest.
    fn until(&mut self, next: Option<&str>) -> With<'a> {
        let mut lines = Vec::new();
        while let Some(line) = self.rest.next_if(|line| Some(*line) != next) {
            lines.push(line);
        }
        assert_eq!(self.rest.next(), next, "{} changes lines", self.component);
        With {
            component: self.component,
            lines,
            upon: self.upon.iter_mut().map(|it| it.until(next)).collect(),
        }
    }
}

/// Returns a template for a manifest that exists only with one component. Without the component,
/// the template produces no text. Helm would treat even a comment as an object.
fn optional(component: &str, kind: &str, mut text: String) -> String {
    if kind == "CustomResourceDefinition" {
        text = text.replacen("\nmetadata:\n", &format!("\nmetadata:\n{KEPT}"), 1);
    }
    let begin = begin(component);
    format!("{begin}# Written from deploy/overlays/{component}; not to be edited.\n{text}{END}")
}

fn begin(component: &str) -> String {
    format!("{{{{- if include \"portolan.on\" (list $ \"{component}\") }}}}\n")
}

fn line(line: &str) -> String {
    let content = line.trim_start();
    let indent = &line[..line.len() - content.len()];
    let value = VALUES.iter().find(|(begin, _)| {
        if begin.ends_with([' ', ':']) {
            content.starts_with(begin)
        } else {
            content == *begin
        }
    });
    match value {
        Some((_, value)) => format!("{indent}{value}\n"),
        None => format!("{line}\n"),
    }
}

/// Adds the standard labels, and the values that all Deployments support.
fn finished(text: String) -> String {
    let text = labels::added(&text);
    match kind(&text) {
        "Deployment" => deployment::with_values(&text),
        _ => text,
    }
}

/// Returns true for the objects of the base that belong to the controller. The profile `look` omits
/// these objects.
fn is_controller(manifest: &str) -> bool {
    let name = name(manifest);
    name == CONTROLLER || name.starts_with(&format!("{CONTROLLER}-"))
}

fn kind(manifest: &str) -> &str {
    let mut lines = manifest.lines();
    let kind = lines.find_map(|line| line.strip_prefix("kind: "));
    kind.expect("a manifest has a kind")
}

fn name(manifest: &str) -> &str {
    let lines = manifest.lines().skip_while(|line| *line != "metadata:");
    let mut names = lines.filter_map(|line| line.strip_prefix("  name: "));
    names.next().expect("a manifest has a name")
}
