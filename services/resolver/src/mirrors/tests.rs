use jiff::Timestamp;
use portolan_core_olm::{FromJson, read_value};
use portolan_world::{Key, Trouble};
use serde_json::{Value, json};

use super::*;

/// Returns a view of one object with this spec.
fn view<K: Kind + FromJson>(spec: Value) -> View<K> {
    let object = json!({"metadata": {"name": "one"}, "spec": spec});
    let (object, _) = read_value::<K>(object).expect("an object");
    View {
        state: State::Synced,
        objects: Arc::new([(Key::new("", "one"), Arc::new(object))].into()),
        ..View::default()
    }
}

fn without<K>(state: State) -> View<K> {
    View {
        state,
        ..View::default()
    }
}

fn mirrors(policy: &str) -> Value {
    json!([{"source": "quay.io", "mirrors": ["m.io/quay"], "mirrorSourcePolicy": policy}])
}

fn expected(by: PulledBy, is_source_barred: bool) -> ClusterMirrors {
    let list = MirrorList {
        source: "quay.io".to_owned(),
        mirrors: vec!["m.io/quay".to_owned()],
        by,
        is_source_barred,
    };
    ClusterMirrors::of([list]).0
}

#[test]
fn each_mirror_kind_applies_to_its_references() {
    let digests = view(json!({"imageDigestMirrors": mirrors("NeverContactSource")}));
    let tags = view(json!({"imageTagMirrors": mirrors("AllowContactingSource")}));
    let older = view(json!({"repositoryDigestMirrors": mirrors("")}));
    let none = || State::NotServed;
    let found = [
        decided(&digests, &without(none()), &without(none())),
        decided(&without(none()), &tags, &without(none())),
        decided(&without(none()), &without(none()), &older),
    ];
    let wanted = [
        expected(PulledBy::Digest, true),
        expected(PulledBy::Tag, false),
        expected(PulledBy::Digest, false),
    ];
    assert_eq!(found, wanted.map(|mirrors| (mirrors, Vec::new())));
}

#[test]
fn forbidden_mirrors_are_reported_and_stale_ones_still_apply() {
    let trouble = Trouble::Forbidden("no".to_owned());
    let since = Timestamp::UNIX_EPOCH;
    let unknown = State::Unknown {
        trouble: trouble.clone(),
        since,
    };
    let tags = View {
        state: State::Stale { trouble, since },
        ..view(json!({"imageTagMirrors": mirrors("")}))
    };
    let (found, flaws) = decided(&without(unknown), &tags, &without(State::NotServed));
    let why = "ImageDigestMirrorSets: forbidden: no".to_owned();
    assert_eq!(found, expected(PulledBy::Tag, false).unknown(Some(why)));
    assert_eq!(flaws, Vec::<String>::new());
}
