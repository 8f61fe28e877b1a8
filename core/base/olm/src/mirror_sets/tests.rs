use serde_json::json;

use super::*;
use crate::read_value;

#[test]
fn mirrors_are_read_with_their_order_and_policy() {
    let set = json!({
        "metadata": {"name": "quay"},
        "spec": {"imageDigestMirrors": [
            {
                "source": "quay.io",
                "mirrors": ["b.example/quay", "a.example/quay"],
                "mirrorSourcePolicy": "NeverContactSource",
            },
            {"source": "*.docker.io"},
        ]},
    });
    let (set, faults) = read_value::<ImageDigestMirrorSet>(set).expect("a set");
    assert!(faults.is_empty(), "{faults:?}");
    let expected = [
        ImageMirrors {
            source: "quay.io".to_owned(),
            mirrors: vec!["b.example/quay".to_owned(), "a.example/quay".to_owned()],
            source_policy: MirrorSourcePolicy::Never,
        },
        ImageMirrors {
            source: "*.docker.io".to_owned(),
            ..ImageMirrors::default()
        },
    ];
    assert_eq!(set.spec.image_digest_mirrors, expected);
}

#[test]
fn reads_mirrors_from_the_field_of_each_kind() {
    let mirrors = || json!([{"source": "quay.io", "mirrors": ["a.example"]}]);
    let expected = [ImageMirrors {
        source: "quay.io".to_owned(),
        mirrors: vec!["a.example".to_owned()],
        ..ImageMirrors::default()
    }];
    let tags = json!({"spec": {"imageTagMirrors": mirrors()}});
    let (tags, _) = read_value::<ImageTagMirrorSet>(tags).expect("a set");
    assert_eq!(tags.spec.image_tag_mirrors, expected);
    let older = json!({"spec": {"repositoryDigestMirrors": mirrors()}});
    let (older, _) = read_value::<ImageContentSourcePolicy>(older).expect("a policy");
    assert_eq!(older.spec.repository_digest_mirrors, expected);
}
