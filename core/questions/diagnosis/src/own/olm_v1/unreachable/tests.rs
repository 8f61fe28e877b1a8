use std::sync::Arc;

use portolan_core_catalog::{Catalog, Reading};
use portolan_core_graph::Charted;
use portolan_core_olm::{ClusterCatalog, ClusterExtension, read_value};
use portolan_kit::catalog;
use rstest::rstest;
use serde_json::json;

use crate::{Cause, Certainty, Code, Listed, OwnObjects, OwnQuestion, ServedPackage, diagnose_own};

/// Channel `slow` permits direct upgrades from 3.2.0 to 3.3.0 and to 3.4.1. Only 3.4.1 can be
/// upgraded to 4.0.0.
const TWO_STEPS: &str = "harbour/slow: 3.2.0 -> 3.3.0 -> 3.4.1 -> 4.0.0 -> 4.1.2
                         harbour/slow: 3.4.1 covers >=3.2.0 <3.4.1
                         harbour/fast: 3.2.0 -> 4.2.0";

/// Returns a ClusterExtension with installed version 3.2.0 that requests this version range from
/// this channel.
fn extension(range: &str, channel: &str) -> ClusterExtension {
    let channels: Vec<_> = [channel].into_iter().filter(|it| !it.is_empty()).collect();
    let said = json!({
        "type": "Progressing", "status": "True", "reason": "Retrying", "observedGeneration": 1,
        "message": format!("error upgrading from currently installed version \"3.2.0\": no bundles found for package \"harbour\" matching version \"{range}\""),
        "lastTransitionTime": "2026-01-01T06:00:00Z",
    });
    let annotations = json!({
        "argocd.argoproj.io/tracking-id": "coast:a/b:/harbour", "a8r.io/owner": "divers",
    });
    let object = json!({
        "metadata": {"name": "harbour", "generation": 1, "annotations": annotations},
        "spec": {"namespace": "docks", "source": {"catalog": {
            "packageName": "harbour", "version": range, "channels": channels,
        }}},
        "status": {
            "conditions": [said],
            "install": {"bundle": {"name": "harbour.v3.2.0", "version": "3.2.0"}},
        },
    });
    read_value(object).expect("an extension").0
}

/// Returns the root cause for a ClusterExtension. `content` is the content of the ClusterCatalog
/// `charts`. With None, the content was not read.
fn cause(extension: ClusterExtension, content: Option<&str>) -> Cause {
    let object = json!({
        "metadata": {"name": "charts", "generation": 1},
        "status": {"conditions": [{"type": "Serving", "status": "True", "reason": "Available"}]},
    });
    let (charts, _) = read_value::<ClusterCatalog>(object).expect("a catalog");
    let packages = content.into_iter().flat_map(|text| {
        let json = catalog(text).to_json_lines();
        let catalog = Catalog::of([Reading::of("text", json.as_bytes())]);
        let packages = catalog.packages.values().cloned();
        packages.collect::<Vec<_>>()
    });
    let packages = packages.map(|package| ServedPackage {
        catalog: "charts".to_owned(),
        package: Arc::new(Charted::new(package)),
    });
    let own = OwnObjects {
        extensions: Listed {
            objects: vec![extension.into()],
            troubles: Vec::new(),
        },
        catalogs: Listed {
            objects: vec![charts.into()],
            troubles: Vec::new(),
        },
        packages: packages.collect(),
        ..OwnObjects::default()
    };
    assert_eq!(own.packages_to_read(), ["harbour"].into());
    let mut all = diagnose_own(&own, OwnQuestion::default());
    all.remove(0).cause.expect("a cause")
}

fn commands(cause: &Cause) -> Vec<&str> {
    let changes = cause.remedy.changes();
    changes.flat_map(|change| change.texts()).collect()
}

const PATCH: &str =
    "kubectl patch clusterextensions.olm.operatorframework.io/harbour --type merge -p ";
const JUMP: &str =
    "'{\"spec\":{\"source\":{\"catalog\":{\"upgradeConstraintPolicy\":\"SelfCertified\"}}}}'";

#[test]
fn range_that_needs_two_steps_is_widened_by_the_next_version() {
    let cause = cause(extension(">=4.0.0 <5.0.0", "slow"), Some(TWO_STEPS));
    assert_eq!(cause.code, Code::NoUpgradePath);
    let message = "OLM v1 does not upgrade harbour.v3.2.0. OLM v1 makes one upgrade at a time, to a \
                   version that the catalog permits after the installed one. From 3.2.0, channel slow of ClusterCatalog charts permits \
                   only 3.3.0 and 3.4.1. Version \">=4.0.0 <5.0.0\" excludes all of them. The shortest \
                   way to a requested version is 3.2.0 -> 3.4.1 -> 4.0.0. OLM v1 retries, and continues by itself \
                   once spec.source.catalog.version includes the next version of the upgrade path.";
    assert_eq!(cause.message, message);
    assert_eq!(cause.quotes[0].source, "OLM v1");
    let check = "kubectl wait clusterextensions.olm.operatorframework.io/harbour \
                 '--for=jsonpath={.status.install.bundle.version}=4.1.2' --timeout=10m";
    assert_eq!(cause.remedy.later[0].texts().next(), Some(check));
    let range = "'{\"spec\":{\"source\":{\"catalog\":{\"version\":\">=4.0.0 <5.0.0 || 3.4.1\"}}}}'";
    let expected = [format!("{PATCH}{range}"), format!("{PATCH}{JUMP}")];
    assert_eq!(commands(&cause), expected);
    let title = "Set spec.source.catalog.version of ClusterExtension harbour to \">=4.0.0 <5.0.0 || \
                 3.4.1\". OLM v1 then upgrades by itself: 3.2.0 -> 3.4.1 -> 4.0.0 -> 4.1.2.";
    let tool = "In the source of Argo CD Application coast, set";
    assert_eq!(cause.remedy.decide[0].title, title.replacen("Set", tool, 1));
    assert_eq!(cause.confidence.certainty, Certainty::Proved);
}

/// The tool that manages the ClusterExtension undoes a change in the cluster. Therefore each
/// command names the source in which the user must make the change.
#[test]
fn source_of_the_extension_is_named_with_each_command() {
    let cause = cause(extension(">=4.0.0 <5.0.0", "slow"), Some(TWO_STEPS));
    let note = "The command changes only the cluster: Argo CD Application coast may undo it.";
    for change in &cause.remedy.decide {
        assert!(change.risk.starts_with(note), "{}", change.risk);
    }
    let first = &cause.remedy.decide[0];
    let comment = "Only if you cannot wait for Argo CD Application coast: make the same change in the cluster";
    assert_eq!(first.steps[0].comment, comment);
    let who = "the owner of the ClusterExtension (a8r.io/owner: divers)";
    assert_eq!(cause.responsible.who, who);
}

/// The API server accepts at most 64 characters in `spec.source.catalog.version`.
#[test]
fn long_range_is_replaced_by_the_next_version_until_it_is_installed() {
    let range = format!(">=4.0.0 <5.0.0{}", " !=4.0.7 !=4.0.8".repeat(3));
    let cause = cause(extension(&range, "slow"), Some(TWO_STEPS));
    let version = "'{\"spec\":{\"source\":{\"catalog\":{\"version\":\"3.4.1\"}}}}'";
    assert_eq!(commands(&cause)[0], format!("{PATCH}{version}"));
    let again = "After this upgrade, set the version to the requested range again.";
    assert!(cause.remedy.decide[0].risk.ends_with(again));
}

#[rstest]
#[case::one_successor(
    "harbour/slow: 3.2.0 -> 3.3.0 -> 4.0.0",
    ">=4.0.0, <5.0.0",
    "permits only 3.3.0, which version \">=4.0.0, <5.0.0\" excludes. The shortest way to a requested \
     version is 3.2.0 -> 3.3.0 -> 4.0.0."
)]
#[case::syntax_of_olm_v1(
    "harbour/slow: 3.2.0 -> 3.3.0 -> 4.0.0",
    "~4.0",
    "permits only 3.3.0, which version \"~4.0\" excludes. The shortest way to a requested version \
     is 3.2.0 -> 3.3.0 -> 4.0.0."
)]
#[case::no_way(
    "harbour/slow: 3.2.0 -> 3.3.0; 4.0.0",
    ">=4.0.0",
    "excludes. No chain of upgrades leads to a requested version."
)]
#[case::other_channel(
    "harbour/slow: 3.2.0; harbour/fast: 3.2.0 -> 4.0.0",
    ">=4.0.0",
    "In channel slow of ClusterCatalog charts, no bundle upgrades 3.2.0. With all channels of the \
     package, the shortest way leads to 4.0.0."
)]
fn reason_why_no_direct_upgrade_is_requested_is_named(
    #[case] content: &str,
    #[case] range: &str,
    #[case] expected: &str,
) {
    let cause = cause(extension(range, "slow"), Some(content));
    assert_eq!(cause.code, Code::NoUpgradePath);
    assert!(cause.message.contains(expected), "{}", cause.message);
    let last = commands(&cause).last().map(|it| it.ends_with(JUMP));
    assert_eq!(last, Some(true), "the risky choice is the last one");
}

#[rstest]
#[case::unknown_content("4.x", None)]
#[case::invalid_range("stable", Some(TWO_STEPS))]
fn unknown_upgrades_are_only_likely(#[case] range: &str, #[case] content: Option<&str>) {
    let cause = cause(extension(range, "slow"), content);
    assert_eq!(
        (cause.code, cause.confidence.certainty),
        (Code::NoUpgradePath, Certainty::Likely)
    );
    assert!(!cause.message.contains("->"), "{}", cause.message);
}

#[test]
fn deprecated_intermediate_version_is_used_if_there_is_no_other() {
    let content = "harbour/slow: 3.2.0 -> 3.3.0 -> 4.0.0; 3.3.0 deprecated \"old\"";
    let cause = cause(extension("4.x", "slow"), Some(content));
    let title = "OLM v1 then upgrades by itself: 3.2.0 -> 3.3.0 -> 4.0.0.";
    assert!(cause.remedy.decide[0].title.ends_with(title));
}
