//! Tests with the content of valid registries.

use std::time::Duration;

use portolan_core_catalog::Reading;
use portolan_kit::assert_same;
use portolan_proto::registry as pb;
use tonic::Status;

use crate::registry::fake::{Fake, content_lines, property, row};

fn deprecated(message: &str) -> Option<pb::Deprecation> {
    let message = message.to_owned();
    Some(pb::Deprecation { message })
}

#[tokio::test]
async fn registry_content_equals_the_content_of_documents() {
    let mut fake = Fake::of([
        row("a", "1.0.0"),
        pb::Bundle {
            replaces: "a.v1.0.0".to_owned(),
            skips: vec!["a.v0.9.0".to_owned()],
            skip_range: "<1.1.0".to_owned(),
            deprecation: deprecated("mind the step"),
            ..row("a", "1.1.0")
        },
        pb::Bundle {
            channel_name: "t".to_owned(),
            deprecation: deprecated("mind the step"),
            ..row("a", "1.1.0")
        },
    ]);
    fake.rows[0].properties.push(property(
        "olm.constraint",
        r#"{"package": {"packageName": "b", "versionRange": ">=1.0.0"}, "failureMessage": "x"}"#,
    ));
    let channel = |name: &str, deprecation| pb::Channel {
        name: name.to_owned(),
        deprecation,
    };
    let package = pb::Package {
        name: "a".to_owned(),
        channels: vec![channel("s", None), channel("t", deprecated("use s"))],
        default_channel_name: "s".to_owned(),
        deprecation: deprecated("gone soon"),
    };
    fake.packages.insert("a".to_owned(), Ok(package));
    let read = fake.read().await.expect("the fake must be readable");

    let documents = br#"
        {"schema": "olm.package", "name": "a", "defaultChannel": "s"}
        {"schema": "olm.channel", "package": "a", "name": "t", "entries": [{"name": "a.v1.1.0"}]}
        {"schema": "olm.channel", "package": "a", "name": "s", "entries": [{"name": "a.v1.0.0"},
          {"name": "a.v1.1.0", "replaces": "a.v1.0.0", "skips": ["a.v0.9.0"],
           "skipRange": "<1.1.0"}]}
        {"schema": "olm.bundle", "package": "a", "name": "a.v1.0.0", "image": "r.example/a:1",
         "properties": [{"type": "olm.package", "value": {"packageName": "a", "version": "1.0.0"}},
          {"type": "olm.constraint", "value": {"failureMessage": "x",
           "package": {"packageName": "b", "versionRange": ">=1.0.0"}}}]}
        {"schema": "olm.bundle", "package": "a", "name": "a.v1.1.0", "image": "r.example/a:1",
         "properties": [{"type": "olm.package", "value": {"packageName": "a", "version": "1.1.0"}}]}
        {"schema": "olm.deprecations", "package": "a", "entries": [
          {"reference": {"schema": "olm.package"}, "message": "gone soon"},
          {"reference": {"schema": "olm.channel", "name": "t"}, "message": "use s"},
          {"reference": {"schema": "olm.bundle", "name": "a.v1.1.0"}, "message": "mind the step"}]}
    "#;
    let expected = portolan_core_catalog::Catalog::of([Reading::of("f", documents)]);
    assert_same!(expected.faults, []);
    assert_same!(read.faults, []);
    assert_eq!(read.digest, expected.digest);
}

#[tokio::test]
async fn bundles_that_carry_their_manifests_need_no_image() {
    let inline = pb::Bundle {
        image: String::new(),
        csv_json: "{}".into(),
        objects: vec!["{}".into()],
        ..row("a", "1.0.0")
    };
    let nothing = pb::Bundle {
        image: String::new(),
        ..row("a", "2.0.0")
    };
    let read = Fake::of([inline, nothing]).read().await;
    let read = read.expect("the fake must be readable");
    assert_same!(
        content_lines(&read),
        [
            "a: a.v1.0.0, a.v2.0.0",
            "! package a, bundle a.v2.0.0: olm.bundle has no `image`",
        ]
    );
    assert!(read.packages["a"].bundles["a.v1.0.0"].has_objects);
}

#[tokio::test]
async fn only_bundles_with_an_unlisted_release_are_requested() {
    let substitute = r#"{"metadata": {"annotations": {"olm.substitutesFor": "a.v1.0.0"}}}"#;
    let mut fake = Fake::of([
        row("a", "1.0.0"),
        row("a", "1.0.0+1"),
        row("a", "1.0.0+2"),
        // The build metadata is not a valid release, because it has a leading zero.
        row("a", "1.1.0+001"),
        pb::Bundle {
            csv_json: substitute.into(),
            ..row("a", "1.2.0+3")
        },
    ]);
    fake.csvs
        .insert("a.v1.0.0+1".to_owned(), substitute.to_owned());
    fake.csvs.insert("a.v1.0.0+2".to_owned(), "{}".to_owned());
    let asked = fake.asked.clone();
    let read = fake.read().await.expect("the fake must be readable");
    assert_same!(read.faults, []);
    let bundles = read.packages["a"].bundles.values();
    let releases: Vec<_> = bundles
        .map(|bundle| bundle.release.as_ref().map(|release| release.as_str()))
        .collect();
    assert_same!(releases, [None, Some("1"), None, None, Some("3")]);
    let mut asked = asked.lock().unwrap().bundles.clone();
    asked.sort();
    assert_same!(asked, ["a/s/a.v1.0.0+1", "a/s/a.v1.0.0+2"]);
}

#[tokio::test]
async fn only_package_unknown_to_the_registry_is_omitted() {
    let mut fake = Fake::of([row("a", "1.0.0"), row("b", "1.0.0")]);
    fake.packages.remove("b");
    let read = fake.read().await.expect("the fake must be readable");
    assert_same!(
        content_lines(&read),
        [
            "a: a.v1.0.0",
            "! package b: package b has no olm.package document, so it is not offered",
            "! package b: `GetPackage`: the registry answers Unknown: \
             \"package \\\"b\\\" not found\"",
        ]
    );
}

#[tokio::test]
async fn only_bundle_with_unreadable_release_is_skipped() {
    let fake = Fake::of([row("a", "1.0.0"), row("a", "1.1.0+1")]);
    let read = fake.read().await.expect("the fake must be readable");
    assert_same!(
        content_lines(&read),
        [
            "a: a.v1.0.0",
            "! package a: `GetBundle`: the registry answers Unknown: \
             \"bundle \\\"a.v1.1.0+1\\\" not found\"",
            "! package a: channel s has the entry a.v1.1.0+1, but the catalog has no such bundle",
        ]
    );
}

#[tokio::test]
async fn temporarily_failing_registry_is_not_read_partially() {
    let mut fake = Fake::of([row("a", "1.0.0"), row("b", "1.0.0")]);
    let away = Status::unavailable("shutting down");
    fake.packages.insert("b".to_owned(), Err(away));
    let error = fake
        .read()
        .await
        .expect_err("an incomplete list must be an error");
    assert_eq!(
        error.to_string(),
        "call GetPackage of the registry failed: Unavailable: shutting down"
    );
    let error = std::error::Error::source(&error);
    assert!(error.is_none(), "the sentence says it all");
}

#[tokio::test]
async fn packages_are_requested_concurrently_up_to_a_limit() {
    let names: Vec<String> = (0..100).map(|n| format!("p{n}")).collect();
    let fake = Fake {
        thinking: Duration::from_millis(5),
        ..Fake::of(names.iter().map(|name| row(name, "1.0.0")))
    };
    let asked = fake.asked.clone();
    let read = fake.read().await.expect("the fake must be readable");
    assert_eq!((read.packages.len(), read.faults.len()), (100, 0));
    let most = asked.lock().unwrap().most_waiting;
    assert!((2..=16).contains(&most), "{most} at once");
}
