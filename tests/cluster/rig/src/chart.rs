//! The templates of the Helm chart, made of what kustomize renders: what an installation may choose
//! is a value, and all else is as it stands there.

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

const WRITTEN: &str = "# Written from deploy/base; not to be edited.\n";

/// The name and the text of each template, in the order of the manifests. Helm makes the namespace.
///
/// # Panics
/// A manifest has no kind or no name, or looks like a template already.
pub fn templates(rendered: &str) -> Vec<(String, String)> {
    assert!(!rendered.contains("{{"), "a manifest is no template");
    let manifests = rendered.trim_end().split("\n---\n");
    let manifests = manifests.filter(|manifest| kind(manifest) != "Namespace");
    manifests.map(template).collect()
}

fn template(manifest: &str) -> (String, String) {
    let lines = manifest.lines().map(|line| {
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
    });
    let text = lines.collect::<String>();
    let name = format!("{}-{}.yaml", kind(manifest).to_lowercase(), name(manifest));
    (name, WRITTEN.to_owned() + &text)
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

#[test]
fn what_an_installation_chooses_is_a_value() {
    let rendered = "kind: Namespace\nmetadata:\n  name: portolan\n---\nkind: Thing\nmetadata:\n  \
                    labels:\n    a: b\n  name: one\n  namespace: portolan\nspec:\n  image: portolan:1\n";
    let text = "# Written from deploy/base; not to be edited.\nkind: Thing\nmetadata:\n  labels:\n    \
                a: b\n  name: one\n  namespace: {{ .Release.Namespace | quote }}\nspec:\n  image: {{ \
                .Values.image.repository }}:{{ .Values.image.tag }}\n";
    let template = ("thing-one.yaml".to_owned(), text.to_owned());
    assert_eq!(templates(rendered), [template]);
}
