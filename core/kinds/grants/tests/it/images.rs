//! Tests of content that comes from the image of a bundle.

use std::sync::Arc;

use portolan_api::installs::{AccountRef, Resolved, ResolvedBundle};
use portolan_core_grants::{
    CONTENT, ImageAnswer, ImageFault, ImageRef, RenderedImage, Step, approval_digest,
};
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::stage::Cluster;

const TAG: &str = "registry.example/plum:v1";
const PINNED: &str = "registry.example/plum@sha256:0b5e";

fn asked(image: &str) -> ImageRef {
    ImageRef {
        image: image.to_owned(),
        namespace: "harbor".to_owned(),
    }
}

fn settings(kind: &str) -> Value {
    json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": "a", "namespace": "harbor"}})
}

fn read(image: &str, manifests: Vec<Value>) -> ImageAnswer {
    ImageAnswer::Read(Arc::new(RenderedImage {
        image: image.to_owned(),
        manifests,
        bundle: Some(plum("Fruit.")),
    }))
}

fn plum(description: &str) -> ResolvedBundle {
    ResolvedBundle {
        name: "plum.v1.0.0".to_owned(),
        version: "1.0.0".to_owned(),
        display_name: "Plum".to_owned(),
        description: description.to_owned(),
        ..ResolvedBundle::default()
    }
}

/// Returns a cluster with an Install. The Install maps the namespace default to harbor, and
/// contains an image that was not read yet.
fn cluster() -> Cluster {
    Cluster::with(json!({
        "content": [{"type": "ManifestImage", "manifestImage": TAG}],
        "namespaces": [{"from": "default", "to": "harbor"}, {"from": "harbor", "to": "quay"}],
    }))
}

#[test]
fn records_digest_of_tag_and_does_not_query_again() {
    let mut cluster = cluster();
    let answer = read(PINNED, vec![settings("ConfigMap")]);
    cluster.images.insert(asked(TAG), answer);
    cluster.run();
    cluster.bind();
    cluster.approve();
    cluster.run();
    let resolved = &cluster.status().resolved[0];
    assert_eq!((&*resolved.manifest_image, resolved.objects), (PINNED, 1));
    assert_eq!(resolved.bundle, Some(plum("Fruit.")));
    let plan = cluster.plans[0].clone();
    let manifest = &plan["spec"]["stages"][0]["resources"][0]["manifest"];
    assert_eq!(manifest["metadata"]["namespace"], "harbor");
    let record = plan["metadata"]["annotations"][CONTENT].as_str();
    assert!(record.expect("a record").contains(PINNED), "{record:?}");

    // From here on, the registry is unreachable, and no image can be read.
    cluster.images.clear();
    cluster.ready(0);
    assert_eq!(cluster.run(), []);
    assert_eq!(cluster.condition_words("Ready"), "True Installed");
    assert_eq!(cluster.status().resolved[0].manifest_image, PINNED);
    assert_eq!(cluster.status().resolved[0].bundle, Some(plum("Fruit.")));

    // The new content contains the same image.
    let same = read(PINNED, vec![settings("ConfigMap")]);
    cluster.images.insert(asked(PINNED), same);
    let more = json!([
        {"type": "ManifestImage", "manifestImage": TAG},
        {"type": "Raw", "raw": "{apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: pier}}"},
    ]);
    cluster.set("content", more);
    cluster.run();
    assert_eq!(
        cluster.condition_words("PendingApproval"),
        "True UnsatisfiedPermissions"
    );
    assert_eq!(cluster.status().resolved[0].manifest_image, PINNED);
}

#[rstest]
#[case::image_cannot_be_pulled(false, "ManifestImagePullFailed")]
#[case::image_has_no_bundle(true, "ManifestImageInvalid")]
fn reports_image_that_cannot_be_installed(#[case] is_invalid: bool, #[case] reason: &str) {
    let mut cluster = cluster();
    let again = Some("1970-01-01T00:00:30Z".parse().expect("a time"));
    let fault = ImageFault {
        is_invalid,
        sentence: "there is no such manifest".to_owned(),
        again,
    };
    cluster
        .images
        .insert(asked(TAG), ImageAnswer::Failed(fault));
    assert_eq!(cluster.run(), []);
    assert_eq!(
        cluster.condition_words("ContentImportError"),
        format!("True {reason}")
    );
    assert_eq!(cluster.condition_words("Ready"), "False ContentInvalid");
    assert_eq!(
        cluster.message("ContentImportError"),
        "spec.content[0].manifestImage: there is no such manifest"
    );
    assert_eq!(cluster.decide().until, again);
}

/// The descriptions are stored in an annotation of the plan, so their size is limited.
#[rstest]
#[case::short_description("Fruit.", "Fruit.")]
#[case::too_long_description(&"long ".repeat(20_000), "")]
fn description_of_a_bundle_is_limited(#[case] written: &str, #[case] kept: &str) {
    let mut cluster = cluster();
    let rendered = RenderedImage {
        image: PINNED.to_owned(),
        manifests: vec![settings("ConfigMap")],
        bundle: Some(plum(written)),
    };
    let answer = ImageAnswer::Read(Arc::new(rendered));
    cluster.images.insert(asked(TAG), answer);
    cluster.run();
    assert_eq!(cluster.status().resolved[0].bundle, Some(plum(kept)));
}

#[test]
fn approval_covers_the_manifests_and_not_their_description() {
    let digest = |description: &str| {
        let resolved = Resolved {
            bundle: Some(plum(description)),
            ..Resolved::default()
        };
        approval_digest(
            ("uid-1", &json!({})),
            &AccountRef::default(),
            &[resolved],
            &[],
        )
    };
    let earlier = [Resolved::default()];
    let account = AccountRef::default();
    let earlier = approval_digest(("uid-1", &json!({})), &account, &earlier, &[]);
    assert_eq!([digest("Fruit."), digest("")], [earlier.clone(), earlier]);
}

/// Returns the labels of the objects in the plan. The Install has these labels, and this Operator
/// owns it.
fn labels(owner: &str, labels: Value) -> Value {
    let mut cluster = cluster();
    cluster
        .images
        .insert(asked(TAG), read(PINNED, vec![settings("ConfigMap")]));
    let owner = json!({
        "apiVersion": "operators.coreos.com/v1", "kind": owner, "name": "plumbus", "uid": "uid-9",
    });
    cluster.install["metadata"]["ownerReferences"] = json!([owner]);
    cluster.install["metadata"]["labels"] = labels;
    cluster.run();
    cluster.bind();
    cluster.approve();
    cluster.run();
    let manifest = &cluster.plans[0]["spec"]["stages"][0]["resources"][0]["manifest"];
    manifest["metadata"]["labels"].clone()
}

#[test]
fn objects_carry_the_label_of_the_operator_that_owns_the_install() {
    let all = json!({
        "operators.coreos.com/plumbus": "", "operators.coreos.com/other": "", "team": "fruit",
        "operators.coreos.com/": "",
    });
    let own = json!({"operators.coreos.com/plumbus": ""});
    assert_eq!(labels("Operator", all.clone()), own);
    // If no Operator owns the Install, no label is copied.
    assert_eq!(labels("ConfigMap", all), Value::Null);
    assert_eq!(labels("Operator", json!({"team": "fruit"})), Value::Null);
}

#[test]
fn image_with_a_secret_is_not_installed() {
    let mut cluster = cluster();
    cluster
        .images
        .insert(asked(TAG), read(PINNED, vec![settings("Secret")]));
    let steps = cluster.run();
    assert!(
        !steps.iter().any(|it| matches!(it, Step::Create(_))),
        "{steps:?}"
    );
    assert_eq!(
        cluster.condition_words("ContentImportError"),
        "True ManifestImageInvalid"
    );
}
