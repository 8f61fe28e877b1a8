//! Tests of `PredictOlm` for small catalogs: requests, responses, and the facts in the responses.

use jiff::Timestamp;
use portolan_kit::catalog;
use portolan_proto::basis::v1 as basis;
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::predict_olm_request as request;
use portolan_proto::resolver::v1::predict_olm_response::{self as response, End};
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_resolver::snapshot::{
    CatalogState, ContentOrigin, Offer, Rank, SourceFailure, SourceObject,
};
use portolan_resolver::{Resolver, Snapshot, source};
use portolan_shell::client;
use rstest::rstest;
use tonic::{Code, Status};
use tonic_types::StatusExt;

const HARBOR: &str = "
    ferry: 1.0.0 -> 1.1.0; 1.1.0 requires rope >=1.0.0
    ferry: 1.0.0 provides harbor.test/v1/Ferry
    rope: 1.0.0
    crane: 1.0.0 -> 1.1.0; 1.1.0 requires harbor.test/v1/Steam";

fn serving() -> CatalogState {
    let folder = catalog(HARBOR).temp();
    let read = source::read_folder(&folder).expect("the folder must be readable");
    let origin = ContentOrigin::folder(folder.to_path_buf());
    CatalogState::Pending.read(Timestamp::UNIX_EPOCH, read, origin)
}

fn lost(state: &CatalogState) -> CatalogState {
    let why = SourceFailure {
        code: "ReadFolder",
        message: "the disk is gone".to_owned(),
    };
    state.lost(Timestamp::UNIX_EPOCH, why)
}

fn with(snapshot: &Snapshot, name: &str, state: CatalogState) -> Snapshot {
    let offer = Offer {
        observed: SourceObject::local("Folder", "somewhere".to_owned()),
        rank: Rank::default(),
        state,
    };
    snapshot.with(name.parse().expect("a name"), offer)
}

fn shop(state: CatalogState) -> Snapshot {
    with(&Snapshot::default(), "olm/shop", state)
}

fn subscription(package: &str) -> request::Subscription {
    request::Subscription {
        name: package.to_owned(),
        package: package.to_owned(),
        channel: "stable".to_owned(),
        catalog: "olm/shop".to_owned(),
        ..Default::default()
    }
}

/// Returns a Subscription whose bundle is installed, in the state that OLM writes.
fn at(package: &str, bundle: &str) -> request::Subscription {
    request::Subscription {
        installed_csv: bundle.to_owned(),
        current_csv: bundle.to_owned(),
        ..subscription(package)
    }
}

fn csv(name: &str, version: &str) -> request::Csv {
    request::Csv {
        name: name.to_owned(),
        version: version.to_owned(),
        phase: "Succeeded".to_owned(),
        ..Default::default()
    }
}

fn harbor(
    subscriptions: Vec<request::Subscription>,
    csvs: Vec<request::Csv>,
) -> pb::PredictOlmRequest {
    pb::PredictOlmRequest {
        namespace: "harbor".to_owned(),
        global_namespace: String::new(),
        operator_groups: vec![request::OperatorGroup::default()],
        subscriptions,
        csvs,
    }
}

async fn ask(
    snapshot: Snapshot,
    request: pb::PredictOlmRequest,
) -> Result<pb::PredictOlmResponse, Status> {
    let service = Resolver::over(snapshot).into_service();
    let mut resolver = ResolverClient::new(client::local(service));
    let answer = resolver.predict_olm(request).await;
    answer.map(tonic::Response::into_inner)
}

async fn answered(snapshot: Snapshot, request: pb::PredictOlmRequest) -> pb::PredictOlmResponse {
    ask(snapshot, request).await.expect("an answer")
}

/// Returns the Subscriptions without an upgrade: the installed bundle and the code of the cause.
async fn stays(request: pb::PredictOlmRequest) -> Vec<response::Stay> {
    match answered(shop(serving()), request).await.end {
        Some(End::Settled(settled)) => settled.stays,
        other => panic!("it must settle: {other:?}"),
    }
}

async fn failure(snapshot: Snapshot, request: pb::PredictOlmRequest) -> response::Failed {
    match answered(snapshot, request).await.end {
        Some(End::Failed(failed)) => failed,
        other => panic!("it must fail: {other:?}"),
    }
}

fn object(kind: &str, namespace: &str, name: &str) -> basis::ObjectRef {
    basis::ObjectRef {
        kind: kind.to_owned(),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    }
}

fn trouble(catalog: &str) -> basis::Reason {
    basis::Reason {
        code: "ReadFolder".to_owned(),
        message: "the disk is gone".to_owned(),
        object: Some(object("Catalog", "", catalog)),
    }
}

#[tokio::test]
async fn pass_lists_the_subscriptions_of_each_bundle() {
    let request = harbor(
        vec![at("ferry", "ferry.v1.0.0")],
        vec![csv("ferry.v1.0.0", "1.0.0")],
    );
    let answer = answered(shop(serving()), request).await;
    let install = |package: &str, version: &str| response::Install {
        bundle: format!("{package}.v{version}"),
        version: version.to_owned(),
        package: package.to_owned(),
        channel: "stable".to_owned(),
        catalog: "olm/shop".to_owned(),
        ..Default::default()
    };
    let pass = response::Pass {
        installs: vec![
            response::Install {
                subscriptions: vec!["ferry".to_owned()],
                replaces: "ferry.v1.0.0".to_owned(),
                ..install("ferry", "1.1.0")
            },
            response::Install {
                subscriptions: vec!["rope-stable-shop-olm".to_owned()],
                generated: true,
                ..install("rope", "1.0.0")
            },
        ],
    };
    assert_eq!(answer.passes, [pass]);
}

#[rstest]
#[case::head(
    at("rope", "rope.v1.0.0"),
    "Head",
    "the installed bundle is the head of its channel"
)]
#[case::gone(
    request::Subscription { current_csv: "rope.v1.0.0".to_owned(), ..subscription("rope") },
    "Gone",
    "the ClusterServiceVersion was deleted, and OLM does not install it again; delete the \
     Subscription, and create the Subscription again"
)]
#[case::refused(
    at("crane", "crane.v1.0.0"),
    "Refused",
    "crane.v1.1.0 would replace it, but that bundle cannot be installed"
)]
#[case::no_edge(
    at("ferry", "ferry.v0.9.0"),
    "NoEdge",
    "no entry of the channel replaces ferry.v0.9.0"
)]
#[tokio::test]
async fn reports_why_subscription_is_not_upgraded(
    #[case] subscription: request::Subscription,
    #[case] code: &str,
    #[case] message: &str,
) {
    let installed = subscription.installed_csv.clone();
    let csvs = match installed.as_str() {
        "" => Vec::new(),
        name => vec![csv(name, name.split_once(".v").expect("a version").1)],
    };
    let package = subscription.package.clone();
    let cause = basis::Reason {
        code: code.to_owned(),
        message: message.to_owned(),
        object: Some(object("Subscription", "harbor", &package)),
    };
    let stay = stays(harbor(vec![subscription], csvs)).await.remove(0);
    assert_eq!((stay.installed, stay.cause), (installed, Some(cause)));
}

#[tokio::test]
async fn obstacles_of_a_successor_use_the_messages_of_olm() {
    let request = harbor(
        vec![at("crane", "crane.v1.0.0")],
        vec![csv("crane.v1.0.0", "1.0.0")],
    );
    let stay = stays(request).await.remove(0);
    assert_eq!(stay.successors, ["crane.v1.1.0"]);
    let needs = "bundle crane.v1.1.0 requires an operator providing an API with group: \
                 harbor.test, version: v1, kind: Steam";
    assert!(stay.obstacles.iter().any(|each| each == needs), "{stay:?}");
}

#[tokio::test]
async fn copied_csv_counts_as_installed_in_predictions() {
    let copy = request::Csv {
        copied: true,
        ..csv("rope.v1.0.0", "")
    };
    let request = harbor(vec![at("rope", "rope.v1.0.0")], vec![copy]);
    let stay = stays(request).await.remove(0);
    let cause = stay.cause.expect("a cause");
    assert_eq!(
        (cause.code.as_str(), cause.message.as_str()),
        (
            "Copied",
            "rope.v1.0.0 is a copy from another namespace, which OLM regards as installed"
        )
    );
}

#[tokio::test]
async fn unreadable_catalog_fails_the_namespace_even_if_unused() {
    let snapshot = with(
        &shop(serving()),
        "harbor/mine",
        lost(&CatalogState::Pending),
    );
    let snapshot = with(&snapshot, "dock/other", lost(&CatalogState::Pending));
    let request = harbor(vec![subscription("rope")], Vec::new());
    let answer = answered(snapshot.clone(), request.clone()).await;
    assert_eq!(answer.unread, [trouble("harbor/mine")]);
    let failed = failure(snapshot, request).await;
    let why = "catalog harbor/mine could not be read: the disk is gone";
    let blame = response::Blame {
        object: Some(object("CatalogSource", "harbor", "mine")),
        why: format!(
            "The catalog does not answer ({why}). OLM queries all visible catalogs, and no \
             Subscription of the namespace names this catalog."
        ),
        remedy: "Repair or delete the CatalogSource harbor/mine.".to_owned(),
        ..Default::default()
    };
    assert_eq!(
        failed,
        response::Failed {
            reason: "ErrorPreventedResolution".to_owned(),
            message: format!("error using catalogsource harbor/mine: {why}"),
            blames: vec![blame],
        }
    );
}

#[tokio::test]
async fn blamed_bundle_has_its_catalog_and_channel() {
    let request = harbor(
        vec![request::Subscription {
            starting_csv: "crane.v1.1.0".to_owned(),
            ..subscription("crane")
        }],
        Vec::new(),
    );
    let failed = failure(shop(serving()), request).await;
    let blame = &failed.blames[0];
    assert_eq!(blame.object, Some(object("Bundle", "", "crane.v1.1.0")));
    let place = (blame.catalog.as_str(), blame.channel.as_str());
    assert_eq!(place, ("olm/shop", "stable"));
}

#[tokio::test]
async fn stale_catalog_uses_its_last_content() {
    let request = harbor(vec![subscription("rope")], Vec::new());
    let answer = answered(shop(lost(&serving())), request).await;
    assert_eq!(answer.stale, [trouble("olm/shop")]);
    assert_eq!(answer.passes[0].installs[0].bundle, "rope.v1.0.0");
    assert!(answer.catalogs[0].stale);
}

#[tokio::test]
async fn catalog_not_read_yet_makes_the_prediction_unavailable() {
    let request = harbor(vec![subscription("rope")], Vec::new());
    let near = with(&shop(serving()), "harbor/mine", CatalogState::Pending);
    let refused = ask(near, request.clone()).await.expect_err("a refusal");
    assert_eq!(refused.code(), Code::Unavailable);
    assert_eq!(
        refused.message(),
        "catalog harbor/mine has not been read yet; retry in a moment"
    );
    let far = with(&shop(serving()), "dock/other", CatalogState::Pending);
    assert_eq!(answered(far, request).await.passes.len(), 1);
}

#[tokio::test]
async fn catalog_without_a_namespace_is_global() {
    let snapshot = with(&Snapshot::default(), "shop", serving());
    let rope = request::Subscription {
        catalog: "shop".to_owned(),
        ..subscription("rope")
    };
    let request = pb::PredictOlmRequest {
        global_namespace: "market".to_owned(),
        ..harbor(vec![rope], Vec::new())
    };
    let answer = answered(snapshot, request).await;
    assert_eq!(answer.catalogs[0].name, "shop");
    assert_eq!(answer.passes[0].installs[0].catalog, "market/shop");
}

/// OLM v0 does not use ClusterCatalogs, even if one has the name of a CatalogSource.
#[rstest]
#[case::fails("hub", lost(&CatalogState::Pending))]
#[case::is_not_read_yet("hub", CatalogState::Pending)]
#[case::is_stale("hub", lost(&serving()))]
#[case::is_called_like_a_source("shop", serving())]
#[tokio::test]
async fn prediction_ignores_cluster_catalogs_in_any_state(
    #[case] name: &str,
    #[case] state: CatalogState,
) {
    let offer = Offer {
        observed: SourceObject::local("Folder", name.to_owned()),
        rank: Rank {
            is_of_olm_v1: true,
            ..Rank::from(1)
        },
        state,
    };
    let snapshot = shop(serving()).with(name.parse().expect("a name"), offer);
    let request = harbor(vec![subscription("rope")], Vec::new());
    let expected = answered(shop(serving()), request.clone()).await;
    let answer = answered(snapshot, request).await;
    let digests = |answer: &pb::PredictOlmResponse| {
        let catalogs = answer.catalogs.iter();
        let digests: Vec<_> = catalogs
            .map(|it| (it.name.clone(), it.digest.clone()))
            .collect();
        digests
    };
    assert_eq!(digests(&answer), digests(&expected));
    assert_eq!((answer.unread, answer.stale), (Vec::new(), Vec::new()));
    assert_eq!((answer.passes, answer.end), (expected.passes, expected.end));
}

#[tokio::test]
async fn catalogs_of_olm_v1_do_not_count_for_olm_v0() {
    let offer = Offer {
        observed: SourceObject::local("ClusterCatalog", "shop".to_owned()),
        rank: Rank {
            is_of_olm_v1: true,
            ..Rank::default()
        },
        state: serving(),
    };
    let snapshot = Snapshot::default().with("shop".parse().expect("a name"), offer);
    let request = harbor(vec![subscription("rope")], Vec::new());
    let failed = failure(snapshot, request).await;
    assert_eq!(failed.reason, "ConstraintsNotSatisfiable");
}

#[tokio::test]
async fn several_operator_groups_are_too_many() {
    let request = pb::PredictOlmRequest {
        operator_groups: vec![request::OperatorGroup::default(); 2],
        ..harbor(vec![subscription("rope")], Vec::new())
    };
    let answer = answered(shop(serving()), request).await;
    let message = "there are 2 OperatorGroups in namespace harbor; OLM requires exactly one, and \
     does not report this";
    let silent = response::Silent {
        cause: Some(basis::Reason {
            code: "SeveralOperatorGroups".to_owned(),
            message: message.to_owned(),
            object: Some(object("Namespace", "", "harbor")),
        }),
        operator_groups: 2,
    };
    assert_eq!(answer.end, Some(End::Silent(silent)));
}

#[tokio::test]
async fn prediction_lists_subscriptions_that_await_plan_approval() {
    let pending = |package: &str, approved_by_hand| request::Subscription {
        current_csv: format!("{package}.v1.0.0"),
        has_plan: true,
        approved_by_hand,
        ..subscription(package)
    };
    let request = harbor(
        vec![pending("rope", true), pending("crane", false)],
        Vec::new(),
    );
    let answer = answered(shop(serving()), request).await;
    let awaited = response::AwaitsPlans {
        subscriptions: vec!["crane".to_owned(), "rope".to_owned()],
        approved_by_hand: vec!["rope".to_owned()],
    };
    assert_eq!(answer.end, Some(End::AwaitsPlans(awaited)));
}

#[tokio::test]
async fn package_is_known_from_csv_properties() {
    let annotated = request::Csv {
        properties: r#"{"properties": [{"type": "olm.package",
            "value": {"packageName": "rope", "version": "1.0.0"}}]}"#
            .to_owned(),
        ..csv("string.v1.0.0", "1.0.0")
    };
    let request = harbor(vec![subscription("rope")], vec![annotated]);
    let failed = failure(shop(serving()), request).await;
    assert!(
        failed.message.contains("originate from package rope"),
        "{}",
        failed.message
    );
}

#[tokio::test]
async fn csv_without_properties_provides_its_owned_apis() {
    let api = pb::Api {
        group: "harbor.test".to_owned(),
        version: "v1".to_owned(),
        kind: "Ferry".to_owned(),
    };
    let raft = request::Csv {
        provides: vec![api],
        ..csv("raft.v1.0.0", "1.0.0")
    };
    let ferry = request::Subscription {
        starting_csv: "ferry.v1.0.0".to_owned(),
        ..subscription("ferry")
    };
    let failed = failure(shop(serving()), harbor(vec![ferry], vec![raft])).await;
    assert!(
        failed.message.contains("provide Ferry (harbor.test/v1)"),
        "{}",
        failed.message
    );
}

fn properties(text: String) -> pb::PredictOlmRequest {
    let broken = request::Csv {
        properties: text,
        ..csv("rope.v1.0.0", "")
    };
    harbor(Vec::new(), vec![csv("a.v1", ""), broken])
}

#[rstest]
#[case::no_namespace(
    pb::PredictOlmRequest::default(),
    "namespace",
    "\"\" is not a namespace"
)]
#[case::global(
    pb::PredictOlmRequest { global_namespace: "a/b".to_owned(), ..harbor(Vec::new(), Vec::new()) },
    "global_namespace",
    "\"a/b\" is not a namespace"
)]
#[case::package(
    harbor(vec![request::Subscription { package: String::new(), ..subscription("rope") }], Vec::new()),
    "subscriptions[0].package",
    "Subscription rope: package: "
)]
#[case::unnamed(
    harbor(vec![request::Subscription::default()], Vec::new()),
    "subscriptions[0].name",
    "Subscription : name: it is empty; a Subscription requires it"
)]
#[case::version(
    harbor(Vec::new(), vec![csv("rope.v1", "one")]),
    "csvs[0].version",
    "ClusterServiceVersion rope.v1: version: "
)]
#[case::annotation(
    properties("[]".to_owned()),
    "csvs[1].properties",
    "ClusterServiceVersion rope.v1.0.0: properties: the annotation of properties is not a list"
)]
#[case::long_annotation(
    properties(" ".repeat((256 << 10) + 1)),
    "csvs[1].properties",
    "ClusterServiceVersion rope.v1.0.0: properties: it has 262145 bytes; at most 262144"
)]
#[case::crowd(
    harbor(vec![subscription("rope"); 10_001], Vec::new()),
    "subscriptions",
    "10001 are given; at most 10000 are allowed"
)]
#[tokio::test]
async fn invalid_prediction_request_is_refused_with_its_field(
    #[case] request: pb::PredictOlmRequest,
    #[case] field: &str,
    #[case] said: &str,
) {
    let refused = ask(shop(serving()), request).await.expect_err("a refusal");
    assert_eq!(refused.code(), Code::InvalidArgument);
    let details = refused.get_details_bad_request().expect("details");
    let violation = &details.field_violations[0];
    assert_eq!(violation.field, field);
    assert!(
        violation.description.starts_with(said),
        "{}",
        violation.description
    );
}

#[tokio::test]
async fn duplicate_catalog_source_is_refused() {
    let snapshot = with(&shop(serving()), "shop", serving());
    let refused = ask(snapshot, harbor(Vec::new(), Vec::new())).await;
    assert_eq!(
        refused.expect_err("a refusal").message(),
        "global_namespace: the catalogs olm/shop and shop would have the same name; omit one of \
         these catalogs"
    );
}

#[tokio::test]
async fn cached_and_uncached_predictions_are_equal() {
    let request = harbor(
        vec![subscription("ferry"), subscription("crane")],
        Vec::new(),
    );
    let resolver = Resolver::over(shop(serving()));
    let mut cached = ResolverClient::new(client::local(resolver.clone().into_service()));
    let mut uncached = ResolverClient::new(client::local(resolver.uncached()));
    let mut answers = Vec::new();
    for _ in 0..2 {
        answers.push(
            cached
                .predict_olm(request.clone())
                .await
                .expect("an answer")
                .into_inner(),
        );
    }
    answers.push(
        uncached
            .predict_olm(request)
            .await
            .expect("an answer")
            .into_inner(),
    );
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0], answers[2]);
    assert_eq!(answers[0].passes.len(), 1);
}
