//! Tests of reading the content of an Install.

use portolan_api::installs::{Content, Reason};
use portolan_core_grants::{ImageRef, Images, Imported, NotImported, import};
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

fn faults(raw: Value) -> Vec<String> {
    match read(&[Content::Raw(raw)]) {
        Err(NotImported::Wrong(Reason::RawInvalid, sentences, None)) => sentences,
        other => panic!("invalid content must be reported: {other:?}"),
    }
}

fn read(content: &[Content]) -> Result<Imported, NotImported> {
    import(content, &Images::new(), |image| ImageRef {
        image: image.to_owned(),
        namespace: "harbor".to_owned(),
    })
}

#[test]
fn text_contains_many_manifests_and_an_object_one() {
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\n---\napiVersion: v1\nkind: List\n\
                items:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}\n";
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}});
    let content = [Content::Raw(json!(text)), Content::Raw(object)];
    let imported = read(&content).expect("valid content");
    let names = imported
        .written
        .iter()
        .map(|it| it["metadata"]["name"].as_str());
    assert_eq!(names.collect::<Vec<_>>(), [Some("a"), Some("b"), Some("c")]);
    let counts = imported.resolved.iter().map(|it| it.objects);
    assert_eq!(counts.collect::<Vec<_>>(), [2, 1]);
    assert_ne!(imported.resolved[0].digest, imported.resolved[1].digest);
}

#[rstest]
#[case::empty("---\n", "spec.content[0].raw has no manifest; write at least one")]
#[case::plain_text(
    "ferry",
    "spec.content[0].raw, manifest 1: the manifest is not an object with apiVersion, kind and \
     metadata"
)]
#[case::missing_kind(
    "apiVersion: v1\nmetadata: {name: a}",
    "spec.content[0].raw, manifest 1: kind is missing"
)]
#[case::missing_name(
    "apiVersion: v1\nkind: Pod",
    "spec.content[0].raw, manifest 1: metadata.name is missing"
)]
#[case::secret(
    "apiVersion: v1\nkind: Secret\nmetadata: {name: a}",
    "spec.content[0].raw, manifest 1: the manifest is a Secret, which every reader of the Install \
     could read; create the Secret without an Install"
)]
fn reports_invalid_manifest_with_its_path(#[case] text: &str, #[case] sentence: &str) {
    assert_eq!(faults(json!(text)), [sentence]);
}

#[test]
fn reports_invalid_yaml() {
    let errors = faults(json!("a: [1, 2"));
    assert!(
        errors[0].starts_with("spec.content[0].raw is no YAML: "),
        "{errors:?}"
    );
}

#[test]
fn rejects_exponential_yaml_aliases() {
    let mut text = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (name, before) in ["b", "c", "d", "e", "f", "g", "h", "i"]
        .iter()
        .zip("abcdefgh".chars())
    {
        text += &format!(
            "{name}: &{name} [{}]\n",
            vec![format!("*{before}"); 9].join(", ")
        );
    }
    let errors = faults(json!(text));
    assert!(
        errors[0].starts_with("spec.content[0].raw is no YAML: "),
        "{errors:?}"
    );
}
