use kube::core::{Expression, GroupVersionKind};
use portolan_core_olm::{
    CatalogSource, ClusterCatalog, ClusterServiceVersion, CopiedCsv, Deployment, Event,
    InstallPlan, Job, Pod,
};
use rstest::rstest;

use super::*;

/// Returns the path and the query parameters of a request, without the parameters that every
/// request has.
fn target(request: Built) -> String {
    let request = request.expect("a request");
    let text = request.uri().to_string();
    let (path, params) = text
        .split_once('?')
        .expect("a request must have parameters");
    let params = params.split('&').filter(|param| {
        let usual = [
            "timeoutSeconds=",
            "allowWatchBookmarks=",
            "resourceVersion=",
        ];
        !param.is_empty() && !usual.iter().any(|usual| param.starts_with(usual))
    });
    let parts: Vec<_> = [path].into_iter().chain(params).collect();
    parts.join(" ")
}

fn app() -> Area {
    let selected = Expression::Equal("app".to_owned(), "ferry".to_owned());
    Area::namespace("harbor").with_labels(selected.into())
}

fn raw(group: &str, version: &str, kind: &str) -> ApiResource {
    ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind))
}

fn everywhere<K: Kind>() -> String {
    target(ListQuery::of::<K>(&Area::everywhere()).list(None))
}

/// Copies of a CatalogSource exist in every namespace. A client that needs only the originals
/// excludes the copies in its request.
///
/// This is defect D22.
#[rstest]
#[case::all(
    everywhere::<CatalogSource>(),
    "/apis/operators.coreos.com/v1alpha1/catalogsources limit=500"
)]
#[case::big(
    everywhere::<InstallPlan>(),
    "/apis/operators.coreos.com/v1alpha1/installplans limit=5"
)]
#[case::originals(
    everywhere::<ClusterServiceVersion>(),
    "/apis/operators.coreos.com/v1alpha1/clusterserviceversions limit=20 \
     labelSelector=%21olm.copiedFrom"
)]
#[case::copies(
    everywhere::<CopiedCsv>(),
    "/apis/operators.coreos.com/v1alpha1/clusterserviceversions limit=500 \
     labelSelector=olm.copiedFrom"
)]
#[case::unpacking(
    everywhere::<Job>(),
    "/apis/batch/v1/jobs limit=500 labelSelector=operatorframework.io%2Fbundle-unpack-ref"
)]
#[case::of_an_area(
    target(ListQuery::of::<Pod>(&app()).list(None)),
    "/api/v1/namespaces/harbor/pods limit=500 labelSelector=app%3Dferry"
)]
#[case::of_both(
    target(ListQuery::of::<Deployment>(&app()).list(Some("next".to_owned()))),
    "/apis/apps/v1/namespaces/harbor/deployments limit=500 continue=next \
     labelSelector=olm.owner%2Capp%3Dferry"
)]
#[case::warnings(
    target(ListQuery::of::<Event>(&Area::namespace("harbor")).list(None)),
    "/api/v1/namespaces/harbor/events limit=500 fieldSelector=type%3DWarning"
)]
#[case::watched_warnings(
    target(ListQuery::of::<Event>(&Area::namespace("harbor")).watch("7")),
    "/api/v1/namespaces/harbor/events watch=true fieldSelector=type%3DWarning"
)]
#[case::whole(
    target(ListQuery::raw(&raw("batch", "v1", "Job"), &app()).list(None)),
    "/apis/batch/v1/namespaces/harbor/jobs limit=10 labelSelector=app%3Dferry"
)]
#[case::whole_and_everywhere(
    target(ListQuery::raw(&raw("", "v1", "Pod"), &Area::everywhere()).watch("7")),
    "/api/v1/pods watch=true"
)]
#[case::metadata(
    target(ListQuery::metadata(&raw("apps", "v1", "Deployment"), &app()).list(None)),
    "/apis/apps/v1/namespaces/harbor/deployments limit=500 labelSelector=app%3Dferry"
)]
fn area_becomes_a_path_and_a_selector(#[case] reported: String, #[case] expected: &str) {
    let sorted = |text: &str| {
        let mut parts: Vec<_> = text.split(' ').map(str::to_owned).collect();
        parts.sort();
        parts
    };
    assert_eq!(sorted(&reported), sorted(expected));
}

#[test]
fn copies_are_requested_as_metadata() {
    let accept = |request: Built| {
        let request = request.expect("a request");
        let accept = request.headers().get(http::header::ACCEPT);
        accept.is_some_and(|accept| {
            let accept = accept.to_str().expect("a header of text");
            accept.contains("as=PartialObjectMetadata")
        })
    };
    let area = Area::everywhere();
    assert!(accept(ListQuery::of::<CopiedCsv>(&area).list(None)));
    assert!(accept(ListQuery::of::<CopiedCsv>(&area).watch("7")));
    let jobs = raw("batch", "v1", "Job");
    assert!(accept(ListQuery::metadata(&jobs, &area).list(None)));
    assert!(accept(ListQuery::metadata(&jobs, &area).watch("7")));
    assert!(!accept(ListQuery::raw(&jobs, &area).watch("7")));
    assert!(!accept(
        ListQuery::of::<ClusterServiceVersion>(&area).list(None)
    ));
    assert!(!accept(ListQuery::of::<ClusterCatalog>(&area).watch("7")));
}
