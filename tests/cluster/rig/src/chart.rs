//! The templates of the Helm chart, generated from the output of kustomize. The choices of an
//! installation become values, and the rest stays unchanged.

use std::collections::BTreeMap;
use std::iter::{Copied, Peekable};
use std::path::{Component, Path};
use std::slice;

/// Lines of a manifest, and the lines of the template that replace them.
const VALUES: [(&str, &str); 4] = [
    (
        "namespace: portolan",
        "namespace: {{ .Release.Namespace | quote }}",
    ),
    (
        "image: portolan:",
        "image: {{ .Values.image.repository }}:{{ .Values.image.tag }}",
    ),
    (
        "minReplicas: ",
        "minReplicas: {{ .Values.resolver.minReplicas }}",
    ),
    (
        "maxReplicas: ",
        "maxReplicas: {{ .Values.resolver.maxReplicas }}",
    ),
];

const FROM_BASE: &str = "# Written from deploy/base; not to be edited.\n";

/// Ends the part of a single component.
const END: &str = "{{- end }}\n";

/// A CRD in the folder `crds` of a chart cannot be left out, and is never updated. A CRD in a
/// template can. This annotation keeps the CRD and all plans when plans are turned off or the chart
/// is uninstalled.
const KEPT: &str = "  annotations:\n    helm.sh/resource-policy: keep\n";

/// A component of `deploy/overlays` that an installation enables with a value of the same name.
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    pub name: &'static str,
    /// The component that this component extends. It must be chosen too.
    upon: Option<&'static str>,
}

/// The list of choices.
pub const CHOICES: [Choice; 10] = [
    alone("apiserver"),
    alone("certificates"),
    alone("diagnosis"),
    alone("installs"),
    alone("operators"),
    alone("plans"),
    alone("updater"),
    alone("webhook"),
    upon_webhook("approvals"),
    upon_webhook("v2alpha1"),
];

const fn alone(name: &'static str) -> Choice {
    Choice { name, upon: None }
}

const fn upon_webhook(name: &'static str) -> Choice {
    Choice {
        name,
        upon: Some("webhook"),
    }
}

/// The additions of a component, as rendered with it and with the components that it extends.
struct With<'a> {
    component: &'static str,
    lines: Vec<&'a str>,
    upon: Vec<With<'a>>,
}

/// Returns the name and the text of each template of the base, and of the additions of each
/// component. `with` contains the base as rendered with each of the [`CHOICES`]. Helm creates its
/// own namespace.
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
        texts.push((name, FROM_BASE.to_owned() + &merged(&lines, &more)));
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
            let text = merged(&lines, &more);
            texts.push((name.clone(), optional(choice.name, kind(manifest), text)));
        }
    }
    texts
}

/// A manifest with the additions of the components that extend the base, or a component.
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

/// Returns the name and the text of each template that enables namespaces for templates in
/// OperatorPolicies. Each manifest is repeated for every namespace in the value
/// `templates.namespaces`. In `rendered` the manifests have no namespace.
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
            // Inside a range, the dot is a namespace.
            text += &line(of_manifest).replace("{{ .", "{{ $.");
            if of_manifest == "metadata:" {
                text += "  namespace: {{ . | quote }}\n";
            }
        }
        (name, text + END)
    });
    each.collect()
}

// === impl Choice ===

impl Choice {
    /// Returns the components that an overlay must name for this choice.
    pub fn components(&self) -> Vec<&'static str> {
        self.upon.into_iter().chain([self.name]).collect()
    }
}

/// Returns a kustomization in the folder `from` that combines the base and some components. Both
/// paths must be real paths without links.
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

fn manifests(rendered: &str) -> impl Iterator<Item = (String, &str)> {
    let manifests = rendered.trim_end().split("\n---\n");
    let is_own = |manifest: &str| kind(manifest) == "Namespace" && name(manifest) == "portolan";
    let manifests = manifests.filter(move |manifest| !is_own(manifest));
    manifests.map(|manifest| {
        let name = format!("{}-{}.yaml", kind(manifest).to_lowercase(), name(manifest));
        (name, manifest)
    })
}

/// Returns the lines with the additions of components.
fn merged(lines: &[&str], with: &[With<'_>]) -> String {
    let mut with: Vec<_> = with.iter().map(Reader::of).collect();
    let mut text = String::new();
    // Nothing is added after the last line.
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

/// A position in the lines of a component, and in the lines of the components that extend it.
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

    /// Returns the additions before the next line of the extended lines.
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

/// A manifest that exists with a single component only. Without the component, not even a comment
/// is left, because Helm would treat it as an object.
fn optional(component: &str, kind: &str, mut text: String) -> String {
    if kind == "CustomResourceDefinition" {
        text = text.replacen("\nmetadata:\n", &format!("\nmetadata:\n{KEPT}"), 1);
    }
    let begin = begin(component);
    format!("{begin}# Written from deploy/overlays/{component}; not to be edited.\n{text}{END}")
}

fn begin(component: &str) -> String {
    format!("{{{{- if .Values.{component}.enabled }}}}\n")
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

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "kind: Namespace\nmetadata:\n  name: portolan\n---\nkind: Thing\nmetadata:\n  \
                        labels:\n    a: b\n  name: one\n  namespace: portolan\nspec:\n  image: portolan:1\n";

    /// Returns the rendered base for each choice of components. Some choices change a text.
    fn with(base: &str, changed: &[(&str, &str)]) -> Vec<String> {
        let rendered = CHOICES.iter().map(|choice| {
            let names = choice.components();
            let mut changed = changed.iter().filter(|(name, _)| names.contains(name));
            changed
                .next_back()
                .map_or(base, |(_, text)| text)
                .to_owned()
        });
        rendered.collect()
    }

    #[test]
    fn choices_of_an_installation_become_values() {
        let text = "# Written from deploy/base; not to be edited.\nkind: Thing\nmetadata:\n  \
                    labels:\n    a: b\n  name: one\n  namespace: {{ .Release.Namespace | quote }}\nspec:\n  \
                    image: {{ .Values.image.repository }}:{{ .Values.image.tag }}\n";
        let template = ("thing-one.yaml".to_owned(), text.to_owned());
        assert_eq!(templates(BASE, &with(BASE, &[])), [template]);
    }

    #[test]
    fn additions_of_components_become_choices() {
        let base = "kind: Thing\nmetadata:\n  name: one\nargs:\n- a\n- b";
        let certificates = "kind: Thing\nmetadata:\n  name: one\nargs:\n- a\n- b\n- d";
        let plans = "kind: Thing\nmetadata:\n  name: one\nargs:\n- a\n- b\n- c\n---\n\
                    kind: CustomResourceDefinition\nmetadata:\n  name: two";
        let one = "# Written from deploy/base; not to be edited.\nkind: Thing\nmetadata:\n  name: one\n\
                   args:\n- a\n- b\n{{- if .Values.certificates.enabled }}\n- d\n{{- end }}\n\
                   {{- if .Values.plans.enabled }}\n- c\n{{- end }}\n";
        let two = "{{- if .Values.plans.enabled }}\n\
                   # Written from deploy/overlays/plans; not to be edited.\nkind: CustomResourceDefinition\nmetadata:\n  \
                   annotations:\n    helm.sh/resource-policy: keep\n  name: two\n{{- end }}\n";
        let expected = [
            ("thing-one.yaml", one),
            ("customresourcedefinition-two.yaml", two),
        ];
        let expected = expected.map(|(name, text)| (name.to_owned(), text.to_owned()));
        let with = with(base, &[("certificates", certificates), ("plans", plans)]);
        assert_eq!(templates(base, &with), expected);
    }

    #[test]
    fn additions_to_a_component_become_nested_choices() {
        let base = "kind: Thing\nmetadata:\n  name: one";
        let webhook = "kind: Thing\nmetadata:\n  name: one\n---\n\
                       kind: Thing\nmetadata:\n  name: two\nargs:\n- a";
        let v2alpha1 = "kind: Thing\nmetadata:\n  name: one\nargs:\n- c\n---\n\
                        kind: Thing\nmetadata:\n  name: two\nargs:\n- a\n- b";
        let one = "# Written from deploy/base; not to be edited.\nkind: Thing\nmetadata:\n  name: one\n\
                   {{- if .Values.v2alpha1.enabled }}\nargs:\n- c\n{{- end }}\n";
        let two = "{{- if .Values.webhook.enabled }}\n\
                   # Written from deploy/overlays/webhook; not to be edited.\nkind: Thing\nmetadata:\n  name: two\n\
                   args:\n- a\n{{- if .Values.v2alpha1.enabled }}\n- b\n{{- end }}\n{{- end }}\n";
        let expected = [("thing-one.yaml", one), ("thing-two.yaml", two)];
        let expected = expected.map(|(name, text)| (name.to_owned(), text.to_owned()));
        let with = with(base, &[("webhook", webhook), ("v2alpha1", v2alpha1)]);
        assert_eq!(templates(base, &with), expected);
    }

    #[test]
    fn each_namespace_is_enabled_for_templates() {
        let rendered =
            "kind: Role\nmetadata:\n  name: one\nsubjects:\n- name: a\n  namespace: portolan";
        let text = "{{- range .Values.templates.namespaces }}\n---\n\
                    # Written from deploy/overlays/templates; not to be edited.\nkind: Role\nmetadata:\n  \
                    namespace: {{ . | quote }}\n  name: one\nsubjects:\n- name: a\n  \
                    namespace: {{ $.Release.Namespace | quote }}\n{{- end }}\n";
        let template = ("role-one.yaml".to_owned(), text.to_owned());
        assert_eq!(opening(rendered), [template]);
    }

    #[test]
    #[should_panic(expected = "plans changes lines")]
    fn changed_line_of_a_component_panics() {
        let base = "kind: Thing\nmetadata:\n  name: one\nargs: a";
        let changed = "kind: Thing\nmetadata:\n  name: one\nargs: b";
        templates(base, &with(base, &[("plans", changed)]));
    }

    #[test]
    fn overlay_has_relative_paths_to_the_base() {
        let overlay = overlay(Path::new("/srv/deploy"), Path::new("/tmp/a"), &["plans"]);
        let expected =
            "resources: [../../srv/deploy/base]\ncomponents: [../../srv/deploy/overlays/plans]\n";
        assert_eq!(overlay, expected);
    }
}
