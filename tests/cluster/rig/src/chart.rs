//! The templates of the Helm chart, made of what kustomize renders: what an installation may choose
//! is a value, and all else is as it stands there.

use std::collections::BTreeMap;
use std::path::{Component, Path};

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
const FROM_PLANS: &str = "# Written from deploy/overlays/plans; not to be edited.\n";

/// Begins and ends what is there with plans alone.
const WITH_PLANS: [&str; 2] = ["{{- if .Values.plans.enabled }}\n", "{{- end }}\n"];

/// In a chart's folder `crds` a definition cannot be left out, and is never updated. As a template
/// it can, and this keeps it, and so all plans, when plans are turned off or the chart goes.
const KEPT: &str = "  annotations:\n    helm.sh/resource-policy: keep\n";

/// The name and the text of each template: of the base, and of the base with the component of plans.
/// They are in the order of the manifests. Helm makes the namespace.
///
/// # Panics
/// A manifest has no kind or no name, or looks like a template already; or plans change a line of
/// the base, where they may only add some.
pub fn templates(base: &str, with_plans: &str) -> Vec<(String, String)> {
    assert!(!with_plans.contains("{{"), "a manifest is no template");
    let base: BTreeMap<_, _> = manifests(base).collect();
    let templates = manifests(with_plans).map(|(name, manifest)| {
        let text = match base.get(&name) {
            Some(base) => FROM_BASE.to_owned() + &more(base, manifest),
            None => optional(manifest),
        };
        (name, text)
    });
    templates.collect()
}

/// A kustomization in the folder `from` of the base and one of the components. Both paths have to be
/// those of the file system, without links.
pub fn overlay(deploy: &Path, from: &Path, component: &str) -> String {
    let parents = from.components();
    let parents = parents.filter(|part| matches!(part, Component::Normal(_)));
    let root = "../".repeat(parents.count());
    let deploy = deploy.display().to_string();
    let deploy = root + deploy.trim_start_matches('/');
    format!("resources: [{deploy}/base]\ncomponents: [{deploy}/overlays/{component}]\n")
}

fn manifests(rendered: &str) -> impl Iterator<Item = (String, &str)> {
    let manifests = rendered.trim_end().split("\n---\n");
    let manifests = manifests.filter(|manifest| kind(manifest) != "Namespace");
    manifests.map(|manifest| {
        let name = format!("{}-{}.yaml", kind(manifest).to_lowercase(), name(manifest));
        (name, manifest)
    })
}

/// A manifest that plans add lines to.
fn more(base: &str, with_plans: &str) -> String {
    let [begin, end] = WITH_PLANS;
    let mut text = String::new();
    let mut base = base.lines().peekable();
    let mut is_more = false;
    for next in with_plans.lines() {
        let is_of_base = base.next_if_eq(&next).is_some();
        if is_of_base == is_more {
            text += if is_more { end } else { begin };
            is_more = !is_more;
        }
        text += &line(next);
    }
    assert_eq!(base.next(), None, "plans change the base");
    if is_more { text + end } else { text }
}

/// A manifest that is there with plans alone. Without them not even a comment is, which Helm would
/// take for an object.
fn optional(manifest: &str) -> String {
    let [begin, end] = WITH_PLANS;
    let mut text = manifest.lines().map(line).collect::<String>();
    if kind(manifest) == "CustomResourceDefinition" {
        text = text.replacen("\nmetadata:\n", &format!("\nmetadata:\n{KEPT}"), 1);
    }
    format!("{begin}{FROM_PLANS}{text}{end}")
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

    #[test]
    fn what_an_installation_chooses_is_a_value() {
        let text = "# Written from deploy/base; not to be edited.\nkind: Thing\nmetadata:\n  \
                    labels:\n    a: b\n  name: one\n  namespace: {{ .Release.Namespace | quote }}\nspec:\n  \
                    image: {{ .Values.image.repository }}:{{ .Values.image.tag }}\n";
        let template = ("thing-one.yaml".to_owned(), text.to_owned());
        assert_eq!(templates(BASE, BASE), [template]);
    }

    #[test]
    fn what_plans_add_is_a_choice() {
        let base = "kind: Thing\nmetadata:\n  name: one\nargs:\n- a\n- b";
        let more = "kind: Thing\nmetadata:\n  name: one\nargs:\n- a\n- b\n- c\n---\n\
                    kind: CustomResourceDefinition\nmetadata:\n  name: two";
        let one = "# Written from deploy/base; not to be edited.\nkind: Thing\nmetadata:\n  name: one\n\
                   args:\n- a\n- b\n{{- if .Values.plans.enabled }}\n- c\n{{- end }}\n";
        let two = "{{- if .Values.plans.enabled }}\n\
                   # Written from deploy/overlays/plans; not to be edited.\nkind: CustomResourceDefinition\nmetadata:\n  \
                   annotations:\n    helm.sh/resource-policy: keep\n  name: two\n{{- end }}\n";
        let expected = [
            ("thing-one.yaml", one),
            ("customresourcedefinition-two.yaml", two),
        ];
        let expected = expected.map(|(name, text)| (name.to_owned(), text.to_owned()));
        assert_eq!(templates(base, more), expected);
    }

    #[test]
    #[should_panic(expected = "plans change the base")]
    fn what_plans_change_is_not_passed_over() {
        let base = "kind: Thing\nmetadata:\n  name: one\nargs: a";
        templates(base, "kind: Thing\nmetadata:\n  name: one\nargs: b");
    }

    #[test]
    fn an_overlay_finds_the_way() {
        let overlay = overlay(Path::new("/srv/deploy"), Path::new("/tmp/a"), "plans");
        let expected =
            "resources: [../../srv/deploy/base]\ncomponents: [../../srv/deploy/overlays/plans]\n";
        assert_eq!(overlay, expected);
    }
}
