use portolan_core_olm::{FromJson, read_value};
use rstest::rstest;
use serde_json::{Value, json};

use super::*;
use crate::own::{Listed, OwnKind, OwnObjects, OwnQuestion, diagnose_own};

fn read<K: FromJson>(object: Value) -> K {
    let (object, faults) = read_value::<K>(object).expect("an object");
    assert_eq!(faults, []);
    object
}

fn condition(type_: &str, status: &str, reason: &str, message: &str) -> Value {
    json!({
        "type": type_, "status": status, "reason": reason, "message": message, "observedGeneration": 1,
        "lastTransitionTime": "2026-01-01T06:00:00Z",
    })
}

/// Returns the ClusterExtension `harbour`, with this bundle unless it is empty.
fn extension(bundle: &str, conditions: &[Value]) -> ClusterExtension {
    let install = (!bundle.is_empty()).then(|| json!({"bundle": {"name": bundle}}));
    read(json!({
        "metadata": {"name": "harbour", "generation": 1},
        "spec": {"source": {"catalog": {"packageName": "harbour", "selector": {"matchLabels": {"tier": "one"}}}}},
        "status": {"conditions": conditions, "install": install},
    }))
}

fn retrying(bundle: &str, message: &str) -> ClusterExtension {
    let installed = if bundle.is_empty() { "False" } else { "True" };
    extension(
        bundle,
        &[
            condition("Installed", installed, "Succeeded", "Installed bundle"),
            condition("Progressing", "True", "Retrying", message),
        ],
    )
}

fn catalog(name: &str, tier: &str, serving: &str, progress: &str) -> ClusterCatalog {
    read(json!({
        "metadata": {"name": name, "generation": 1, "labels": {"tier": tier}},
        "status": {"conditions": [
            condition("Serving", serving, "Available", "no word"),
            condition("Progressing", "True", progress, "manifest unknown"),
        ]},
    }))
}

fn root(diagnosis: &Diagnosis) -> &Cause {
    diagnosis.cause.as_ref().expect("a cause")
}

/// The messages are from OLM v1.11.
#[rstest]
#[case::crd(
    "error for resolved bundle \"harbour.v2.0.0\" with version \"2.0.0\": validating upgrade for CRD \
     \"boats.harbour.test\": existingFieldRemoval: removed field : v1.^.spec.colour",
    Code::CrdUpgradeUnsafe
)]
#[case::package("no bundles found for package \"absent\"", Code::PackageMissing)]
#[case::version(
    "no bundles found for package \"kube\" matching version \"7.x\"",
    Code::PackageMissing
)]
#[case::dependency(
    "validating bundle \"needs.v1.0.0\": bundle \"needs.v1.0.0\" has a dependency declared via property \
     \"olm.package.required\" which is currently not supported",
    Code::DependencyMissing
)]
#[case::install_mode(
    "unsupported bundle: bundle does not support AllNamespaces install mode",
    Code::InstallModeUnsupported
)]
#[case::second_owner(
    "CustomResourceDefinition 'boats.harbour.test' already exists in namespace '' and cannot be managed by \
     operator-controller",
    Code::ObjectNotOwned
)]
#[case::image(
    "error copying image: initializing source: manifest unknown",
    Code::ImagePullFailing
)]
#[case::removed_api(
    "no matches for kind \"PodDisruptionBudget\" in version \"policy/v1beta1\"\nensure CRDs are \
     installed first",
    Code::BundleNotInstallable
)]
#[case::unknown("something else", Code::ExtensionFailing)]
fn failing_extension_is_explained(#[case] message: &str, #[case] code: Code) {
    let diagnosis = diagnose_extension(&retrying("harbour.v1.1.0", message), &[]);
    let cause = root(&diagnosis);
    assert_eq!((diagnosis.state, cause.code), (State::Stuck, code));
    assert!(
        cause
            .message
            .starts_with("OLM v1 does not upgrade harbour.v1.1.0:"),
        "{}",
        cause.message
    );
    let end = "OLM v1 retries by itself, but fails until the problem is fixed.";
    assert!(cause.message.ends_with(end), "{}", cause.message);
    assert_eq!(cause.at_fault.to_string(), "ClusterExtension harbour");
    let since = "Any upgrade has been blocked since 2026-01-01 06:00 UTC.";
    assert_eq!(
        diagnosis.headline,
        format!("harbour.v1.1.0 keeps running. {since}")
    );
    let look = "kubectl describe clusterextensions.olm.operatorframework.io/harbour";
    assert_eq!(cause.remedy.look[0].action.text(), look);
    assert!(cause.is_external());
}

#[test]
fn extension_without_a_bundle_is_not_installed() {
    let diagnosis = diagnose_extension(&retrying("", "something else"), &[]);
    let message = &root(&diagnosis).message;
    assert!(
        message.starts_with("OLM v1 installs nothing: "),
        "{message}"
    );
}

#[rstest]
#[case::succeeded(&[condition("Installed", "True", "Succeeded", ""), condition("Progressing", "True", "Succeeded", "")], "Well")]
#[case::rolling_out(&[condition("Progressing", "True", "RollingOut", "")], "Working InProgress")]
#[case::blocked(&[condition("Progressing", "False", "Blocked", "no")], "Stuck ExtensionFailing")]
#[case::new(&[], "Working NotObserved")]
fn state_follows_progress(#[case] conditions: &[Value], #[case] expected: &str) {
    let diagnosis = diagnose_extension(&extension("", conditions), &[]);
    let code = diagnosis
        .cause
        .as_ref()
        .map(|it| format!(" {}", it.code.as_str()));
    assert_eq!(
        format!("{}{}", diagnosis.state.as_str(), code.unwrap_or_default()),
        expected
    );
}

#[test]
fn catalog_that_is_not_served_is_at_fault() {
    let stuck = retrying(
        "harbour.v1.1.0",
        "error walking catalogs: catalog \"nolabel\" is not being served",
    );
    let served = catalog("served", "one", "True", "Succeeded");
    let broken = catalog("broken", "one", "False", "Retrying");
    let unused = catalog("unused", "two", "False", "Retrying");
    let own = OwnObjects {
        extensions: Listed {
            objects: vec![stuck.into()],
            troubles: Vec::new(),
        },
        catalogs: Listed {
            objects: vec![unused.into(), served.into(), broken.into()],
            troubles: Vec::new(),
        },
        ..OwnObjects::default()
    };
    let all = diagnose_own(&own, OwnQuestion::default());
    let lines = all.iter().map(|it| {
        let victims = it.victims.iter().map(|it| format!(" harms {it}"));
        let cause = root(it);
        format!(
            "{}: {} {}{}",
            it.subject.object,
            cause.code.as_str(),
            cause.at_fault,
            victims.collect::<String>()
        )
    });
    assert_eq!(
        lines.collect::<Vec<_>>(),
        [
            "ClusterExtension harbour: CatalogNotServed ClusterCatalog broken",
            "ClusterCatalog unused: CatalogNotServed ClusterCatalog unused",
            "ClusterCatalog broken: CatalogNotServed ClusterCatalog broken harms ClusterExtension harbour",
        ]
    );
    let named = OwnQuestion {
        kind: Some(OwnKind::ClusterCatalog),
        ..OwnQuestion::default()
    };
    assert_eq!(diagnose_own(&own, named).len(), 3);
}

#[test]
fn outdated_catalog_is_stuck_and_disabled_catalog_is_healthy() {
    let outdated = diagnose_catalog(&catalog("a", "one", "True", "Retrying"), &[]);
    let beginning = "The served content of the ClusterCatalog is outdated, because OLM v1 cannot \
                     read its image again: manifest unknown.";
    assert!(
        root(&outdated).message.starts_with(beginning),
        "{:?}",
        outdated.cause
    );
    let mut disabled = catalog("a", "one", "False", "Retrying");
    disabled.spec.availability = Availability::Unavailable;
    assert_eq!(diagnose_catalog(&disabled, &[]).state, State::Well);
}

/// Returns a diagnosis for each code of OLM v1.
pub(crate) fn stories() -> Vec<Diagnosis> {
    vec![
        diagnose_extension(&retrying("", "something else"), &[]),
        diagnose_catalog(&catalog("a", "one", "False", "Retrying"), &[]),
    ]
}
