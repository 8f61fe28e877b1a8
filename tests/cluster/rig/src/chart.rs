//! The templates of the Helm chart, made of what kustomize renders: what an installation may choose
//! is a value, and all else is as it stands there.

use std::collections::BTreeMap;
use std::iter::{Copied, Peekable};
use std::path::{Component, Path};
use std::slice;

/// Lines of a manifest and what a template has in their place.
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

/// Ends what is there with a component alone.
const END: &str = "{{- end }}\n";

/// In a chart's folder `crds` a definition cannot be left out, and is never updated. As a template
/// it can, and this keeps it, and so all plans, when plans are turned off or the chart goes.
const KEPT: &str = "  annotations:\n    helm.sh/resource-policy: keep\n";

/// A component of `deploy/overlays` that an installation chooses by a value of its name.
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    pub name: &'static str,
    /// The component before it that it adds to, and that has to be chosen, too.
    upon: Option<&'static str>,
}

/// All of them.
pub const CHOICES: [Choice; 9] = [
    alone("apiserver"),
    alone("certificates"),
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

/// The additions of a component to lines: they are as rendered with it and with the components that
/// it adds to.
struct With<'a> {
    component: &'static str,
    lines: Vec<&'a str>,
    upon: Vec<With<'a>>,
}

/// The name and the text of each template: of the base, and of what each component adds to it. `with`
/// has the base as it is rendered with each of the [`CHOICES`]. Helm makes its own namespace.
///
/// # Panics
/// A manifest has no kind or no name, or looks like a template already; or a component changes a line
/// of what it adds to, where it may only add some.
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

/// A manifest as those components have it that add to the base, or to a component.
fn added<'a>(
    upon: Option<&str>,
    name: &str,
    with: &BTreeMap<&str, BTreeMap<String, &'a str>>,
) -> Vec<With<'a>> {
    let choices = CHOICES.into_iter().filter(|choice| choice.upon == upon);
    choices
        .map(|choice| {
            let manifest = with[choice.name].get(name);
            let manifest = manifest.expect("a component leaves the manifests that it adds to");
            With {
                component: choice.name,
                lines: manifest.lines().collect(),
                upon: added(Some(choice.name), name, with),
            }
        })
        .collect()
}

/// The name and the text of each template that opens namespaces to templates in OperatorPolicies: each of the
/// manifests once for every namespace of the value `templates.namespaces`. `rendered` has them without one.
///
/// # Panics
/// As [`templates`].
pub fn opening(rendered: &str) -> Vec<(String, String)> {
    assert!(!rendered.contains("{{"), "a manifest is no template");
    let each = manifests(rendered).map(|(name, manifest)| {
        let mut text = String::from(
            "{{- range .Values.templates.namespaces }}\n---\n\
             # Written from deploy/overlays/templates; not to be edited.\n",
        );
        for of_manifest in manifest.lines() {
            // Within a range the dot is a namespace.
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
    /// Returns the components that an overlay names to have it.
    pub fn components(&self) -> Vec<&'static str> {
        self.upon.into_iter().chain([self.name]).collect()
    }
}

/// A kustomization in the folder `from` of the base and some of the components. Both paths have to be
/// those of the file system, without links.
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

/// Lines that components add others to.
fn merged(lines: &[&str], with: &[With<'_>]) -> String {
    let mut with: Vec<_> = with.iter().map(Reader::of).collect();
    let mut text = String::new();
    // What stands behind the last line is added to nothing.
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

/// A place in what a component makes of lines, and in what those make of it that add to it.
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

    /// Returns the additions before the next line of those that it is added to.
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

/// A manifest that is there with a component alone. Without it not even a comment is, which Helm
/// would take for an object.
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
    let told = line.trim_start();
    let indent = &line[..line.len() - told.len()];
    let value = VALUES.iter().find(|(begin, _)| {
        if begin.ends_with([' ', ':']) {
            told.starts_with(begin)
        } else {
            told == *begin
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

    /// The base as rendered with each of the choices, some of which change something.
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
    fn what_an_installation_chooses_is_a_value() {
        let text = "# Written from deploy/base; not to be edited.\nkind: Thing\nmetadata:\n  \
                    labels:\n    a: b\n  name: one\n  namespace: {{ .Release.Namespace | quote }}\nspec:\n  \
                    image: {{ .Values.image.repository }}:{{ .Values.image.tag }}\n";
        let template = ("thing-one.yaml".to_owned(), text.to_owned());
        assert_eq!(templates(BASE, &with(BASE, &[])), [template]);
    }

    #[test]
    fn what_components_add_is_a_choice() {
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
    fn what_is_added_to_a_component_is_a_choice_within_it() {
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
    fn each_namespace_is_opened() {
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
    fn what_plans_change_is_not_passed_over() {
        let base = "kind: Thing\nmetadata:\n  name: one\nargs: a";
        let changed = "kind: Thing\nmetadata:\n  name: one\nargs: b";
        templates(base, &with(base, &[("plans", changed)]));
    }

    #[test]
    fn an_overlay_finds_the_way() {
        let overlay = overlay(Path::new("/srv/deploy"), Path::new("/tmp/a"), &["plans"]);
        let expected =
            "resources: [../../srv/deploy/base]\ncomponents: [../../srv/deploy/overlays/plans]\n";
        assert_eq!(overlay, expected);
    }
}
