//! The templates of the Helm chart, made of what kustomize renders: what an installation may choose
//! is a value, and all else is as it stands there.

use std::collections::{BTreeMap, BTreeSet};
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

/// Ends what is there with a component alone.
const END: &str = "{{- end }}\n";

/// In a chart's folder `crds` a definition cannot be left out, and is never updated. As a template
/// it can, and this keeps it, and so all plans, when plans are turned off or the chart goes.
const KEPT: &str = "  annotations:\n    helm.sh/resource-policy: keep\n";

/// The components of `deploy/overlays` that an installation chooses by a value of their name.
pub const COMPONENTS: [&str; 6] = [
    "apiserver",
    "certificates",
    "operators",
    "plans",
    "updater",
    "webhook",
];

/// The name and the text of each template: of the base, and of what each component adds to it. `with`
/// has the base as it is rendered with each of [`COMPONENTS`] alone. Helm makes the namespace.
///
/// # Panics
/// A manifest has no kind or no name, or looks like a template already; or a component changes a line
/// of the base, where it may only add some.
pub fn templates(base: &str, with: [&str; COMPONENTS.len()]) -> Vec<(String, String)> {
    let is_template = with.iter().any(|rendered| rendered.contains("{{"));
    assert!(!is_template, "a manifest is no template");
    let with = with.map(|rendered| manifests(rendered).collect::<BTreeMap<_, _>>());
    let mut texts = Vec::new();
    for (name, manifest) in manifests(base) {
        let with = with.each_ref().map(|all| {
            let manifest = all.get(&name);
            *manifest.expect("a component leaves the manifests of the base")
        });
        texts.push((name, FROM_BASE.to_owned() + &more(manifest, with)));
    }
    let known: BTreeSet<_> = texts.iter().map(|(name, _)| name.clone()).collect();
    for (component, with) in COMPONENTS.into_iter().zip(with) {
        let added = with.into_iter().filter(|(name, _)| !known.contains(name));
        texts.extend(added.map(|(name, manifest)| (name, optional(component, manifest))));
    }
    texts
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
    let manifests = manifests.filter(|manifest| kind(manifest) != "Namespace");
    manifests.map(|manifest| {
        let name = format!("{}-{}.yaml", kind(manifest).to_lowercase(), name(manifest));
        (name, manifest)
    })
}

/// A manifest that components add lines to.
fn more(base: &str, with: [&str; COMPONENTS.len()]) -> String {
    let mut with = with.map(|manifest| manifest.lines().peekable());
    let mut text = String::new();
    // What stands behind the last line is added to nothing.
    for of_base in base.lines().map(Some).chain([None]) {
        for (component, lines) in COMPONENTS.into_iter().zip(&mut with) {
            let mut added = String::new();
            while let Some(next) = lines.next_if(|next| Some(*next) != of_base) {
                added += &line(next);
            }
            if !added.is_empty() {
                text += &begin(component);
                text += &added;
                text += END;
            }
            assert_eq!(lines.next(), of_base, "{component} change the base");
        }
        text.extend(of_base.map(line));
    }
    text
}

/// A manifest that is there with a component alone. Without it not even a comment is, which Helm
/// would take for an object.
fn optional(component: &str, manifest: &str) -> String {
    let mut text = manifest.lines().map(line).collect::<String>();
    if kind(manifest) == "CustomResourceDefinition" {
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

    #[test]
    fn what_an_installation_chooses_is_a_value() {
        let text = "# Written from deploy/base; not to be edited.\nkind: Thing\nmetadata:\n  \
                    labels:\n    a: b\n  name: one\n  namespace: {{ .Release.Namespace | quote }}\nspec:\n  \
                    image: {{ .Values.image.repository }}:{{ .Values.image.tag }}\n";
        let template = ("thing-one.yaml".to_owned(), text.to_owned());
        assert_eq!(templates(BASE, [BASE; COMPONENTS.len()]), [template]);
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
        assert_eq!(
            templates(base, [base, certificates, base, plans, base, base]),
            expected
        );
    }

    #[test]
    #[should_panic(expected = "plans change the base")]
    fn what_plans_change_is_not_passed_over() {
        let base = "kind: Thing\nmetadata:\n  name: one\nargs: a";
        let changed = "kind: Thing\nmetadata:\n  name: one\nargs: b";
        templates(base, [base, base, base, changed, base, base]);
    }

    #[test]
    fn an_overlay_finds_the_way() {
        let overlay = overlay(Path::new("/srv/deploy"), Path::new("/tmp/a"), &["plans"]);
        let expected =
            "resources: [../../srv/deploy/base]\ncomponents: [../../srv/deploy/overlays/plans]\n";
        assert_eq!(overlay, expected);
    }
}
