//! Tests with details of a bundle that a registry returns only on request.

use portolan_kit::catalog;
use rstest::rstest;
use similar_asserts::assert_eq;

use super::registry::{Newest, Registry};
use super::{Asking, SHOP, Stage, diagnosis, diagnosis_at, line, settled, well};
use crate::Options;

const WELL: &str = "Subscription pilot-system/pilot WELL";

/// Returns the diagnosis of the only operator, its unknown facts, and the requests to the registry.
async fn diagnose_only(installed: &str, newest: Newest) -> (String, Vec<String>, Vec<String>) {
    let registry = Registry::run(newest).await;
    let stage = Stage::shared(&well(&[installed]));
    stage.runs("v1.34.1");
    let place = format!("grpc://{}", registry.address);
    let diagnosis = diagnosis_at(&stage, &place, Options::default());
    settled(&diagnosis).await;
    let answers = Asking::diagnosis(diagnosis, None).asked("", "").await;
    let answers = answers.expect("an answer");
    let [pilot] = answers.as_slice() else {
        panic!("one operator: {answers:?}");
    };
    (line(pilot), pilot.unknowns.clone(), registry.asked())
}

#[rstest]
#[case::a_newer_kubernetes(
    "1.99.0",
    "Subscription pilot-system/pilot STUCK NotForThisCluster Bundle /pilot.v1.1.0"
)]
#[case::an_older_kubernetes("1.30.0", WELL)]
#[tokio::test]
async fn diagnosis_compares_cluster_with_required_kubernetes_version(
    #[case] kubernetes: &'static str,
    #[case] expected: &str,
) {
    let reported = diagnose_only("pilot.v1.0.0", Newest::Needs(kubernetes)).await;
    let asked = vec!["pilot.v1.1.0".to_owned()];
    assert_eq!(reported, (expected.to_owned(), Vec::new(), asked));
}

#[rstest]
#[case::unhealthy_operator(
    Newest::Broken("the cache is torn"),
    "call GetBundle of the registry failed: Unknown: the cache is torn"
)]
#[case::healthy_operator(Newest::Silent, "no data was received for 3 s")]
#[tokio::test]
async fn failing_registry_makes_required_kubernetes_version_unknown(
    #[case] newest: Newest,
    #[case] why: &str,
) {
    let reported = diagnose_only("pilot.v1.0.0", newest).await;
    let unknown = format!(
        "It is unknown if pilot.v1.1.0, the next version, supports the cluster: catalog \
         CatalogSource olm/shop returns the required Kubernetes version only on request, but did \
         not answer: {why}."
    );
    let asked = vec!["pilot.v1.1.0".to_owned()];
    assert_eq!(reported, (WELL.to_owned(), vec![unknown], asked));
}

/// The files contain the manifests of a bundle, and the manifests contain the requirements of the
/// bundle.
#[tokio::test]
async fn next_version_manifest_has_its_kubernetes_requirement() {
    let mut shop = catalog(SHOP).installable();
    for package in &mut shop.packages {
        for bundle in package
            .bundles
            .iter_mut()
            .filter(|it| it.name == "pilot.v1.1.0")
        {
            bundle.objects[0]["spec"]["minKubeVersion"] = "1.99.0".into();
        }
    }
    let stage = Stage::shared(&well(&["pilot.v1.0.0"]));
    stage.runs("v1.34.1");
    let (diagnosis, shop) = diagnosis(&stage, &shop, Options::default());
    settled(&diagnosis).await;
    let answers = Asking::diagnosis(diagnosis, shop).asked("", "").await;
    let reported: Vec<_> = answers.expect("an answer").iter().map(line).collect();
    let stuck = "Subscription pilot-system/pilot STUCK NotForThisCluster Bundle /pilot.v1.1.0";
    assert_eq!(reported, [stuck]);
}

#[tokio::test]
async fn newest_version_sends_no_registry_request() {
    let reported = diagnose_only("pilot.v1.1.0", Newest::Needs("1.99.0")).await;
    assert_eq!(reported, (WELL.to_owned(), Vec::new(), Vec::new()));
}
