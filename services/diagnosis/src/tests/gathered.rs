//! Tests that facts that only the diagnosis service reads reach the core crates.

use portolan_kit::{Catalog, World, catalog};
use portolan_world::{State, Trouble};
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use super::{Asking, OfFiles, SHOP, Stage, diagnosis, following, line, settled, well};
use crate::{DiagnosisService, Options};

const BUNDLE: &str = "registry.example/ferry:v1.0.0";

/// Returns a catalog whose manifests are in images.
fn by_image() -> Catalog {
    catalog("ferry: 1.0.0").installable().by_image()
}

/// Returns a world in which OLM unpacks a bundle for a Subscription.
fn unpacking() -> World {
    let world = well(&[]).namespace("harbor").operator_group();
    world
        .subscription("ferry", "stable")
        .edit(|subscription| {
            let said = |kind: &str, status: &str, reason: &str| {
                json!({"type": kind, "status": status, "reason": reason})
            };
            subscription["status"]["conditions"] = json!([
                said("CatalogSourcesUnhealthy", "False", "AllCatalogSourcesHealthy"),
                said("BundleUnpacking", "True", "UnpackingInProgress"),
            ]);
        })
        .object(job("4b1d"))
        .object(pod("4b1d"))
}

/// Returns a Job with which OLM unpacks the bundle.
fn job(name: &str) -> Value {
    json!({
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": {
            "name": name, "namespace": "olm", "uid": format!("uid-{name}"),
            "labels": {"operatorframework.io/bundle-unpack-ref": name},
        },
        "spec": {"template": {"spec": {
            "initContainers": [{"name": "pull", "image": BUNDLE}],
            "containers": [{"name": "extract", "image": "registry.example/opm:1"}],
        }}},
        "status": {},
    })
}

/// Returns the Pod of a Job. The image of the Pod cannot be pulled.
fn pod(job: &str) -> Value {
    let waiting = json!({"reason": "ImagePullBackOff", "message": "Back-off pulling image"});
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": format!("{job}-x"), "namespace": "olm", "uid": "uid-pod",
            "labels": {"operatorframework.io/bundle-unpack-ref": job},
            "ownerReferences": [{
                "apiVersion": "batch/v1", "kind": "Job", "name": job,
                "uid": format!("uid-{job}"), "controller": true,
            }],
        },
        "status": {
            "phase": "Pending",
            "initContainerStatuses": [{
                "name": "pull", "image": BUNDLE, "state": {"waiting": waiting},
            }],
        },
    })
}

/// Returns a copy of the world in which each object of a kind is edited.
fn edited(world: &World, kind: &str, edit: impl Fn(&mut Value)) -> World {
    let objects = world.objects().iter().cloned().map(|mut object| {
        if object["kind"] == kind {
            edit(&mut object);
        }
        object
    });
    objects.fold(portolan_kit::world(), World::object)
}

async fn diagnosis_lines(world: &World, shop: &Catalog) -> Vec<String> {
    let mut asking = Asking::of(world, shop, Options::default()).await;
    asking.diagnosis_lines("", "").await
}

#[tokio::test]
async fn unpack_job_with_a_failing_image_pull_is_the_cause() {
    let reported = diagnosis_lines(&unpacking(), &by_image()).await;
    let expected = "Subscription harbor/ferry STUCK UnpackFailing Job olm/4b1d";
    assert_eq!(reported, [expected]);
}

/// OLM runs the Pod of the registry. The image of this Pod cannot be pulled.
#[tokio::test]
async fn catalog_pod_explains_an_unreachable_catalog() {
    let world = edited(&well(&["pilot.v1.1.0"]), "CatalogSource", |source| {
        source["spec"]["image"] = "registry.example/shop:1".into();
        source["status"]["connectionState"]["lastObservedState"] = "TRANSIENT_FAILURE".into();
    });
    let waiting = json!({"reason": "ErrImagePull", "message": "no such image"});
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": "shop-x", "namespace": "olm", "labels": {"olm.catalogSource": "shop"},
        },
        "status": {"phase": "Pending", "containerStatuses": [{
            "name": "registry-server", "image": "registry.example/shop:1",
            "state": {"waiting": waiting},
        }]},
    });
    let mut asking = Asking::of(&world.object(pod), &catalog(SHOP), Options::default()).await;
    let answers = asking.asked("", "").await.expect("an answer");
    let [pilot] = answers.as_slice() else {
        panic!("one operator: {answers:?}");
    };
    let expected =
        "Subscription pilot-system/pilot STUCK CatalogUnreachable CatalogSource olm/shop";
    assert_eq!(line(pilot), expected);
    let cause = pilot.cause.as_ref().expect("a cause");
    let why = "Image registry.example/shop:1 for container registry-server of Pod olm/shop-x \
               cannot be pulled.";
    assert!(cause.message.ends_with(why), "{}", cause.message);
    assert_eq!(cause.quotes[0].text, "no such image");
}

#[tokio::test]
async fn completed_unpack_job_is_not_the_cause() {
    let world = edited(&unpacking(), "Job", |job| {
        job["status"]["conditions"] = json!([{"type": "Complete", "status": "True"}]);
    });
    let reported = diagnosis_lines(&world, &by_image()).await;
    let expected = "Subscription harbor/ferry WORKING InProgress Subscription harbor/ferry";
    assert_eq!(reported, [expected]);
}

/// Returns an operator that OLM has given up because an image could not be pulled. Its author has
/// fixed the image since then.
fn corrected(named: &str) -> World {
    well(&[])
        .namespace("harbor")
        .operator_group()
        .subscription("ferry", "stable")
        .installed("ferry.v1.0.0")
        .csv("ferry.v1.0.0", "Failed")
        .because("InstallCheckFailed", "install timeout")
        .edit(|csv| {
            csv["spec"]["customresourcedefinitions"] = json!({});
            let deployments = &mut csv["spec"]["install"]["spec"]["deployments"];
            let template = &mut deployments[0]["spec"]["template"];
            template["spec"]["containers"][0]["image"] = json!(named);
        })
        .running(&["ferry"])
        .deployment("ferry", 0, 1)
        .deadline_exceeded()
        .replica_set("ferry-6f", 1, 1)
        .pod("ferry-6f-x")
        .image_pull_failing("not found")
}

#[rstest]
#[case::an_image_that_is_named_no_longer(
    "registry.example/operator:v2",
    "Subscription harbor/ferry BROKEN DeadlinePassed ClusterServiceVersion harbor/ferry.v1.0.0"
)]
#[case::the_image_that_is_named(
    "registry.example/operator:v1",
    "Subscription harbor/ferry BROKEN ImagePullFailing Deployment harbor/ferry"
)]
#[tokio::test]
async fn reports_image_pull_failure_only_for_current_image(
    #[case] named: &str,
    #[case] expected: &str,
) {
    let reported = diagnosis_lines(&corrected(named), &catalog(SHOP)).await;
    assert_eq!(reported, [expected]);
}

/// Returns a world with an operator whose next version supports only older OpenShift versions.
fn for_older() -> (World, Catalog) {
    let world = well(&["pilot.v1.0.0"]);
    let most = json!("4.14");
    let shop = catalog(SHOP).with_property("pilot.v1.1.0", "olm.maxOpenShiftVersion", most);
    (world, shop)
}

#[tokio::test]
async fn bundle_for_another_openshift_version_is_the_cause() {
    let (world, shop) = for_older();
    let version = json!({
        "apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion",
        "metadata": {"name": "version"},
        "status": {"desired": {"version": "4.16.0"}, "history": [
            {"state": "Partial", "version": "4.16.0"},
            {"state": "Completed", "version": "4.15.9"},
        ]},
    });
    let reported = diagnosis_lines(&world.object(version), &shop).await;
    let expected = "Subscription pilot-system/pilot STUCK NotForThisCluster Bundle /pilot.v1.1.0";
    assert_eq!(reported, [expected]);
}

fn forbidden() -> State {
    State::Unknown {
        trouble: Trouble::Forbidden("no".to_owned()),
        since: "2026-11-22T09:00:00Z".parse().expect("a time"),
    }
}

#[rstest]
#[case::of_kubernetes(State::NotServed, &[])]
#[case::reading_is_denied(forbidden(), &[
    "It is unknown if pilot.v1.1.0, the next version, supports the cluster: this version supports \
     at most OpenShift 4.14, but it is unknown if the cluster is OpenShift.",
])]
#[case::of_a_dump_without_it(State::Synced, &[
    "It is unknown if pilot.v1.1.0, the next version, supports the cluster: this version supports \
     at most OpenShift 4.14, but it is unknown if the cluster is OpenShift.",
])]
#[tokio::test]
async fn openshift_version_is_unknown_unless_kind_is_not_served(
    #[case] state: State,
    #[case] unknowns: &[&str],
) {
    let (world, shop) = for_older();
    let stage = Stage::shared(&world);
    stage.turn("ClusterVersion", state);
    let (diagnosis, shop) = diagnosis(&stage, &shop, Options::default());
    settled(&diagnosis).await;
    let answers = Asking::diagnosis(diagnosis, shop).asked("", "").await;
    let answers = answers.expect("an answer");
    let [pilot] = answers.as_slice() else {
        panic!("one operator: {answers:?}");
    };
    let said = (line(pilot), pilot.unknowns.as_slice());
    let well = "Subscription pilot-system/pilot WELL".to_owned();
    let unknowns: Vec<String> = unknowns.iter().map(|why| (*why).to_owned()).collect();
    assert_eq!(said, (well, unknowns.as_slice()));
}

#[tokio::test]
async fn forbidden_jobs_are_reported_where_they_are_relevant() {
    let world = edited(&unpacking(), "Subscription", |subscription| {
        subscription["status"]["conditions"] = json!([{
            "type": "BundleUnpackFailed", "status": "True", "reason": "BundleUnpackFailed",
            "message": "Job was active longer than specified deadline",
        }]);
    });
    let stage = Stage::shared(&world);
    stage.turn("Job", forbidden());
    let (diagnosis, shop) = diagnosis(&stage, &by_image(), Options::default());
    settled(&diagnosis).await;
    let answers = Asking::diagnosis(diagnosis, shop).asked("", "").await;
    let ferry = answers.expect("an answer").remove(0);
    assert_eq!(
        line(&ferry),
        "Subscription harbor/ferry STUCK UnpackFailing CatalogSource olm/shop"
    );
    let unknown = "Jobs that unpack bundles are not observed: unknown since \
                   2026-11-22T09:00:00Z: forbidden: no";
    assert_eq!(ferry.unknowns, [unknown.to_owned()]);
}

#[tokio::test]
async fn single_namespace_opens_no_watches_of_other_operators() {
    let stage = Stage::shared(&well(&["ferry.v1.0.0", "pilot.v1.1.0"]));
    let options = Options {
        namespace: Some("pilot-system".to_owned()),
        ..Options::default()
    };
    let (diagnosis, shop) = diagnosis(&stage, &catalog(SHOP), options);
    settled(&diagnosis).await;
    let everywhere = stage.open().into_iter();
    let everywhere = everywhere.filter_map(|open| {
        let (kind, area) = open.split_once(' ')?;
        area.starts_with("everywhere").then(|| kind.to_owned())
    });
    let expected = [
        "ApiService",
        "CatalogSource",
        "ClusterCatalog",
        "ClusterVersion",
        "CustomResourceDefinition",
        "Job",
        "JobEvent",
        // Only the cordoned nodes.
        "Node",
        // OLM can run in any namespace.
        "OlmDeployment",
        // Objects that may block an InstallPlan can be in any namespace, or can be cluster-scoped.
        "Operator",
        "OperatorPolicy",
        // Pods are read for Jobs, for catalogs, and for OLM's two controllers.
        "Pod",
        "Pod",
        "Pod",
        "Pod",
        "Policy",
        "PolicyBinding",
        "PullSecretEvent",
    ];
    assert_eq!(everywhere.collect::<Vec<_>>(), expected);
    let reported = Asking::diagnosis(diagnosis, shop)
        .diagnosis_lines("", "")
        .await;
    assert_eq!(reported, ["Subscription pilot-system/pilot WELL"]);
}

/// A dump may lack a kind. The objects of this kind are then unknown, and not missing.
#[rstest]
#[case::cluster_without_groups(false, "STUCK OperatorGroupMissing")]
#[case::files_without_any_group_do_not_tell(true, "WORKING NotObserved")]
#[tokio::test]
async fn missing_operator_group_is_unknown_if_dump_lacks_the_kind(
    #[case] of_files: bool,
    #[case] wanted: &str,
) {
    let all = well(&["ferry.v1.0.0"]);
    let mut some = portolan_kit::world();
    for object in all.objects() {
        if object["kind"] != "OperatorGroup" {
            some = some.object(object.clone());
        }
    }
    let shop = catalog(SHOP).temp();
    let diagnosis = DiagnosisService::unopened();
    let stage = Stage::shared(&some);
    let catalogs = following(&stage, &shop.display().to_string());
    if of_files {
        diagnosis.follow(OfFiles(stage), catalogs, Options::default())
    } else {
        diagnosis.follow(stage, catalogs, Options::default())
    }
    settled(&diagnosis).await;
    let reported = Asking::diagnosis(diagnosis, shop)
        .diagnosis_lines("", "")
        .await;
    let [ferry] = &reported[..] else {
        panic!("one operator: {reported:?}");
    };
    assert!(ferry.contains(wanted), "{ferry}");
}
