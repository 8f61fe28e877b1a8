//! Tests of diagnosing Portolan's own objects.

use portolan_kit::{World, catalog};
use portolan_proto::diagnosis::v1::DiagnoseRequest;
use portolan_proto::diagnosis::v1::diagnose_request::Kind;
use portolan_world::{State, Trouble};
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;
use tonic::Code;

use super::ask::violated;
use super::{Asking, SHOP, Stage, diagnosis, settled, well};
use crate::{DiagnosisService, Options};

const OLM: &str = "Subscription ferry-system/ferry WELL";
const TUG: &str = "Operator.operators.operatorframework.io /tug STUCK PackageTaken \
                   Operator.operators.operatorframework.io /tug";
const TUG_PLAN: &str = "InstallPlan.plans.portolan.dev portolan/tug-1 WAITING PlanSuspended \
                        InstallPlan.plans.portolan.dev portolan/tug-1";
const LIGHTS: &str = "InstallPlan.plans.portolan.dev portolan/lights WAITING PlanSuspended \
                      InstallPlan.plans.portolan.dev portolan/lights";
const PLUMBUS: &str = "Install.operators.coreos.com /plumbus WAITING ApprovalRequired \
                       Install.operators.coreos.com /plumbus";
const OF_FERRY: &str =
    "OperatorPolicy policies/ferry STUCK PolicyNonCompliant OperatorPolicy policies/ferry";
const NIGHTS: &str = "Policy.operators.operatorframework.io /nights STUCK PolicyInvalid \
                      Policy.operators.operatorframework.io /nights";
const BINDING: &str = "PolicyBinding.operators.operatorframework.io /nights STUCK \
                       ReferenceMissing PolicyBinding.operators.operatorframework.io /nights";

const PLUMBUS_V2: &str = "Operator.operators.coreos.com /plumbus.harbor STUCK PermissionMissing \
                          Operator.operators.coreos.com /plumbus.harbor";
const HARBOUR: &str = "ClusterExtension /harbour STUCK CatalogNotServed ClusterCatalog /broken";
const BROKEN: &str = "ClusterCatalog /broken STUCK CatalogNotServed ClusterCatalog /broken";
const SERVED: &str = "ClusterCatalog /served WELL";
const API: &str = "APIService /v2alpha1.packages.operators.coreos.com BROKEN ApiMissing APIService \
                   /v2alpha1.packages.operators.coreos.com";

fn object(api_version: &str, kind: &str, metadata: Value, status: Value) -> Value {
    json!({
        "apiVersion": api_version, "kind": kind, "metadata": metadata,
        "spec": {"packageName": metadata["name"]}, "status": status,
    })
}

fn conditions(type_: &str, status: &str, reason: &str) -> Value {
    json!({
        "observedGeneration": 1, "phase": "Applying", "compliant": "NonCompliant",
        "conditions": [{
            "type": type_, "status": status, "reason": reason, "message": "why it is so",
            "lastTransitionTime": "2026-01-01T06:00:00Z",
        }],
    })
}

/// Returns a world with a healthy operator of OLM, and an object of each kind of Portolan with a
/// problem. The Operator has an InstallPlan.
fn harbor() -> World {
    const OWN: &str = "operators.operatorframework.io/v1alpha1";
    const PLANS: &str = "plans.portolan.dev/v1alpha1";
    let suspended = || conditions("Applied", "False", "Suspended");
    let of_tug = json!({"operators.portolan.dev/operator": "tug"});
    [
        object(
            OWN,
            "Operator",
            json!({"name": "tug"}),
            conditions("Installing", "False", "InstalledByOlm"),
        ),
        object(
            PLANS,
            "InstallPlan",
            json!({"name": "tug-1", "namespace": "portolan", "labels": of_tug}),
            suspended(),
        ),
        object(
            PLANS,
            "InstallPlan",
            json!({"name": "lights", "namespace": "portolan"}),
            suspended(),
        ),
        object(
            "operators.coreos.com/v2alpha1",
            "Install",
            json!({"name": "plumbus", "uid": "7"}),
            conditions("PendingApproval", "True", "UnsatisfiedPermissions"),
        ),
        object(
            "policy.open-cluster-management.io/v1beta1",
            "OperatorPolicy",
            json!({"name": "ferry", "namespace": "policies"}),
            conditions("SubscriptionCompliant", "False", "SubscriptionMismatch"),
        ),
        object(
            OWN,
            "Policy",
            json!({"name": "nights"}),
            conditions("Accepted", "False", "SpecInvalid"),
        ),
        object(
            OWN,
            "PolicyBinding",
            json!({"name": "nights"}),
            conditions("Broken", "True", "ReferenceMissing"),
        ),
    ]
    .into_iter()
    .chain(others())
    .fold(well(&["ferry.v1.0.0"]), World::object)
}

/// Returns an object of each kind that Portolan does not install, and a healthy catalog.
fn others() -> [Value; 5] {
    const OLM_V1: &str = "olm.operatorframework.io/v1";
    const MESSAGE: &str = "error walking catalogs: catalog \"broken\" is not being served";
    let said = |type_: &str, status: &str, reason: &str, message: &str| json!({"type": type_, "status": status, "reason": reason, "message": message});
    let catalog = |name: &str, serving: &str, progress: &str| {
        let conditions = [
            said("Serving", serving, "Available", "no word"),
            said("Progressing", "True", progress, "no word"),
        ];
        object(
            OLM_V1,
            "ClusterCatalog",
            json!({"name": name}),
            json!({"conditions": conditions}),
        )
    };
    let extension = json!({"conditions": [said("Progressing", "True", "Retrying", MESSAGE)]});
    [
        object(
            "operators.coreos.com/v2alpha1",
            "Operator",
            json!({"name": "plumbus.harbor"}),
            conditions("ComponentsNotListed", "True", "KindsForbidden"),
        ),
        object(
            OLM_V1,
            "ClusterExtension",
            json!({"name": "harbour"}),
            extension,
        ),
        catalog("broken", "False", "Retrying"),
        catalog("served", "True", "Succeeded"),
        object(
            "apiregistration.k8s.io/v1",
            "APIService",
            json!({"name": "v2alpha1.packages.operators.coreos.com"}),
            conditions("Available", "False", "MissingEndpoints"),
        ),
    ]
}

fn request(kind: Kind, namespace: &str, name: &str) -> DiagnoseRequest {
    DiagnoseRequest {
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        kind: kind.into(),
    }
}

fn forbidden() -> State {
    State::Unknown {
        trouble: Trouble::Forbidden("no".to_owned()),
        since: "2026-11-22T09:00:00Z".parse().expect("a time"),
    }
}

async fn over(stage: &Stage, options: Options) -> Asking {
    let (diagnosis, shop) = diagnosis(stage, &catalog(SHOP), options);
    settled(&diagnosis).await;
    Asking::diagnosis(diagnosis, shop)
}

#[rstest]
#[case::all(
    Kind::Unspecified,
    "",
    "",
    &[
        OLM, TUG, LIGHTS, PLUMBUS, OF_FERRY, NIGHTS, BINDING, PLUMBUS_V2, HARBOUR, BROKEN, API,
    ]
)]
#[case::a_name(Kind::Unspecified, "", "ferry", &[OLM, OF_FERRY])]
#[case::a_plan_of_an_operator(Kind::Unspecified, "", "tug-1", &[TUG_PLAN])]
#[case::subscriptions(Kind::Subscription, "", "", &[OLM])]
#[case::a_subscription(Kind::Subscription, "", "ferry", &[OLM])]
#[case::a_version(Kind::ClusterServiceVersion, "", "ferry.v1.0.0", &[OLM])]
#[case::a_package_of_olm(Kind::Package, "", "ferry", &[OLM])]
#[case::a_package_of_portolan(Kind::Package, "", "tug", &[TUG])]
#[case::an_operator(Kind::Operator, "", "tug", &[TUG])]
#[case::plans(Kind::InstallPlan, "", "", &[LIGHTS, TUG_PLAN])]
#[case::a_plan_in_its_namespace(Kind::InstallPlan, "portolan", "tug-1", &[TUG_PLAN])]
#[case::installs(Kind::Install, "", "", &[PLUMBUS])]
#[case::operator_policies(Kind::OperatorPolicy, "", "", &[OF_FERRY])]
#[case::policies(Kind::Policy, "", "nights", &[NIGHTS])]
#[case::bindings(Kind::PolicyBinding, "", "nights", &[BINDING])]
#[case::operators_v2alpha1(Kind::ComponentOperator, "", "plumbus.harbor", &[PLUMBUS_V2])]
#[case::extensions(Kind::ClusterExtension, "", "", &[HARBOUR])]
#[case::an_extension(Kind::ClusterExtension, "", "harbour", &[HARBOUR])]
#[case::catalogs_of_olm_v1(Kind::ClusterCatalog, "", "", &[BROKEN, SERVED])]
#[case::a_catalog_of_olm_v1(Kind::ClusterCatalog, "", "served", &[SERVED])]
#[case::components(Kind::Component, "", "", &[API])]
#[case::a_component(Kind::Component, "", "v2alpha1.packages.operators.coreos.com", &[API])]
// The response for a namespace contains no objects outside of the namespace.
#[case::a_namespace(Kind::Unspecified, "portolan", "", &[LIGHTS, TUG_PLAN])]
#[case::another_namespace(Kind::Unspecified, "policies", "", &[OF_FERRY])]
#[case::a_package_in_a_namespace(Kind::Package, "portolan", "", &[])]
#[tokio::test]
async fn selects_by_kind_name_and_namespace(
    #[case] kind: Kind,
    #[case] namespace: &str,
    #[case] name: &str,
    #[case] expected: &[&str],
) {
    let mut asking = Asking::at(&harbor()).await;
    let (lines, end) = asking.lines_and_end(request(kind, namespace, name)).await;
    assert_eq!(lines, expected);
    assert!(end.is_none(), "{end:?}");
}

#[rstest]
#[case::cluster_scoped_in_a_namespace(request(Kind::Operator, "portolan", "tug"), "namespace")]
#[case::of_a_later_version(DiagnoseRequest { kind: 99, ..DiagnoseRequest::default() }, "kind")]
#[tokio::test]
async fn invalid_kind_is_refused(#[case] request: DiagnoseRequest, #[case] field: &str) {
    let (lines, end) = Asking::at(&harbor()).await.lines_and_end(request).await;
    assert_eq!(lines, Vec::<String>::new());
    assert_eq!(violated(&end.expect("it must be refused")), field);
}

#[rstest]
#[case::cluster_scoped(
    Kind::Operator,
    "tugg",
    "there is no Operator.operators.operatorframework.io tugg; did you mean tug?"
)]
#[case::namespaced(
    Kind::InstallPlan,
    "light",
    "there is no InstallPlan.plans.portolan.dev light in any namespace; did you mean lights?"
)]
#[case::of_another_kind(
    Kind::Subscription,
    "tug",
    "there is no Subscription tug in any namespace"
)]
#[tokio::test]
async fn missing_object_is_not_found(
    #[case] kind: Kind,
    #[case] name: &str,
    #[case] message: &str,
) {
    let mut asking = Asking::at(&harbor()).await;
    let (lines, end) = asking.lines_and_end(request(kind, "", name)).await;
    assert_eq!(lines, Vec::<String>::new());
    let end = end.expect("it must be refused");
    assert_eq!((end.code(), end.message()), (Code::NotFound, message));
}

#[tokio::test]
async fn unlisted_kind_is_reported_as_unknown() {
    let stage = Stage::shared(&harbor());
    stage.turn("Install", forbidden());
    let mut asking = over(&stage, Options::default()).await;
    let unknown =
        "Install.operators.coreos.com / WORKING NotObserved Install.operators.coreos.com /";
    let (lines, _) = asking.lines_and_end(DiagnoseRequest::default()).await;
    let expected = [
        OLM, TUG, LIGHTS, unknown, OF_FERRY, NIGHTS, BINDING, PLUMBUS_V2, HARBOUR, BROKEN, API,
    ];
    assert_eq!(lines, expected);
    let (_, end) = asking
        .lines_and_end(request(Kind::Install, "", "plumbus"))
        .await;
    let end = end.expect("an Install of this name may exist");
    assert_eq!(end.code(), Code::Unavailable);
    let why = "Installs cannot be read: forbidden: no";
    assert!(end.message().contains(why), "{end}");
    // The request finds the object, although other objects cannot be listed.
    let (lines, end) = asking
        .lines_and_end(request(Kind::Unspecified, "", "tug-1"))
        .await;
    assert_eq!((lines, end.is_none()), (vec![TUG_PLAN.to_owned()], true));
}

#[tokio::test]
async fn unlisted_operators_of_olm_hide_no_objects_of_portolan() {
    let stage = Stage::shared(&harbor());
    stage.turn("ClusterServiceVersion", forbidden());
    stage.turn("Subscription", forbidden());
    let mut asking = over(&stage, Options::default()).await;
    let (lines, end) = asking.lines_and_end(DiagnoseRequest::default()).await;
    let expected = [
        TUG, LIGHTS, PLUMBUS, OF_FERRY, NIGHTS, BINDING, PLUMBUS_V2, HARBOUR, BROKEN, API,
    ];
    assert_eq!(lines, expected);
    assert_eq!(end.expect("an error").code(), Code::Unavailable);
    let (lines, end) = asking
        .lines_and_end(request(Kind::Operator, "", "tug"))
        .await;
    assert_eq!((lines, end.is_none()), (vec![TUG.to_owned()], true));
}

#[tokio::test]
async fn service_of_one_namespace_reports_no_cluster_scoped_objects() {
    let stage = Stage::shared(&harbor());
    let options = Options {
        namespace: Some("portolan".to_owned()),
        ..Options::default()
    };
    let mut asking = over(&stage, options).await;
    let (lines, _) = asking.lines_and_end(DiagnoseRequest::default()).await;
    assert_eq!(lines, [LIGHTS, TUG_PLAN]);
    let (_, end) = asking
        .lines_and_end(request(Kind::Operator, "", "tug"))
        .await;
    let end = end.expect("Operators are not observed");
    assert_eq!(end.code(), Code::Unavailable);
    assert!(end.message().contains("only namespace portolan"), "{end}");
}

#[tokio::test]
async fn service_for_objects_of_portolan_reads_no_objects_of_olm() {
    let stage = Stage::shared(&harbor());
    let diagnosis = DiagnosisService::of_own_objects(&stage, None);
    settled(&diagnosis).await;
    let open = stage.open();
    let kinds: Vec<_> = open.iter().filter_map(|it| it.split(' ').next()).collect();
    let expected = [
        "AnyDeployment",
        "AnyDeployment",
        "ApiService",
        "ClusterCatalog",
        "ClusterExtension",
        "ComponentOperator",
        "CustomResourceDefinition",
        "DaemonSet",
        "DaemonSet",
        "Install",
        "InstallPlan.plans.portolan.dev",
        "Lease",
        "Operator",
        "OperatorPolicy",
        "Policy",
        "PolicyBinding",
        "StatefulSet",
        "StatefulSet",
        "ValidatingWebhookConfiguration",
    ];
    assert_eq!(kinds, expected);
    let mut asking = Asking::diagnosis(diagnosis, None);
    let (lines, end) = asking
        .lines_and_end(request(Kind::Operator, "", "tug"))
        .await;
    assert_eq!((lines, end.is_none()), (vec![TUG.to_owned()], true));
}
