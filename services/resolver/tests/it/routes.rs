//! Tests of `PlanRoute` for a small catalog: requests, responses, and rejected requests.

use jiff::Timestamp;
use portolan_kit::catalog;
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::batch_plan_route_response::Outcome;
use portolan_proto::resolver::v1::plan_route_request::operator::Wish;
use portolan_proto::resolver::v1::plan_route_request::{Operator, Stay};
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_resolver::snapshot::{CatalogState, ContentOrigin, Offer, Rank, SourceObject};
use portolan_resolver::{Resolver, Snapshot, source};
use portolan_shell::client;
use rstest::rstest;
use tonic::{Code, Status};

const HARBOR: &str = "
    ferry: 1.0.0 requires rope =1.0.0; ferry: 1.0.0 -> 1.1.0 requires rope =1.1.0
    rope: 1.0.0 -> 1.1.0 -> 1.2.0
    crane: 1.0.0 requires rope <1.1.0";

fn snapshot() -> Snapshot {
    let folder = catalog(HARBOR).temp();
    let read = source::read_folder(&folder).expect("the folder must be readable");
    let origin = ContentOrigin::folder(folder.to_path_buf());
    let offer = Offer {
        observed: SourceObject::local("Folder", "somewhere".to_owned()),
        rank: Rank::default(),
        state: CatalogState::Pending.read(Timestamp::UNIX_EPOCH, read, origin),
    };
    Snapshot::default().with("shop".parse().expect("a name"), offer)
}

fn operator(package: &str, installed: &str, range: &str) -> Operator {
    let installed = (!installed.is_empty()).then(|| named(installed));
    Operator {
        package: package.to_owned(),
        installed,
        wish: (!range.is_empty()).then(|| Wish::Range(range.to_owned())),
        ..Operator::default()
    }
}

fn named(name: &str) -> pb::InstalledOperator {
    pb::InstalledOperator {
        name: name.to_owned(),
        ..pb::InstalledOperator::default()
    }
}

fn harbor(range: &str) -> pb::PlanRouteRequest {
    pb::PlanRouteRequest {
        operators: vec![
            operator("ferry", "ferry.v1.0.0", ""),
            operator("rope", "rope.v1.0.0", range),
        ],
        ..pb::PlanRouteRequest::default()
    }
}

async fn ask(request: pb::PlanRouteRequest) -> Result<pb::PlanRouteResponse, Status> {
    let service = Resolver::over(snapshot()).into_service();
    let mut resolver = ResolverClient::new(client::local(service));
    let answer = resolver.plan_route(request).await;
    answer.map(tonic::Response::into_inner)
}

#[tokio::test]
async fn two_operators_move_together() {
    let answer = ask(harbor("<=1.1.0")).await.expect("an answer");
    assert_eq!(
        answer.text,
        "1. together: ferry.v1.0.0 -> ferry.v1.1.0, rope.v1.0.0 -> rope.v1.1.0"
    );
    let [route] = answer.routes.as_slice() else {
        panic!("one route: {answer:?}");
    };
    let moves = &route.steps[0].moves;
    let outcomes: Vec<_> = moves
        .iter()
        .map(|made| (&*made.from, &*made.version))
        .collect();
    assert_eq!(
        outcomes,
        [("ferry.v1.0.0", "1.1.0"), ("rope.v1.0.0", "1.1.0")]
    );
    let via: Vec<_> = moves[0].via().collect();
    assert_eq!(via, [pb::edge::Kind::Replaces]);
    assert!(route.ends.iter().all(|end| end.blocked.is_none()));
    assert_eq!(answer.catalogs[0].name, "shop");
}

#[tokio::test]
async fn blocked_operator_has_its_cause_and_suggestions() {
    let mut request = harbor("1.1.0");
    request.operators[0].wish = Some(Wish::Stay(Stay {}));
    let answer = ask(request).await.expect("an answer");
    let ends = answer.routes.iter().flat_map(|route| &route.ends);
    let blocked: Vec<_> = ends.filter_map(|end| end.blocked.as_ref()).collect();
    let [rope] = blocked.as_slice() else {
        panic!("one is blocked: {answer:?}");
    };
    assert_eq!(rope.causes[0].code, "RequiredBy");
    let help: Vec<_> = rope
        .suggestions
        .iter()
        .map(|one| (&*one.code, &*one.package))
        .collect();
    assert_eq!(help, [("LetGo", "ferry"), ("Lift", "ferry")]);
    assert!(answer.text.contains(&rope.text), "{}", answer.text);
}

#[tokio::test]
async fn bundle_installed_by_another_owner_keeps_catalog_constraints() {
    let mut request = harbor("<=1.1.0");
    request.others.push(named("crane.v1.0.0"));
    let answer = ask(request).await.expect("an answer");
    let ends = answer.routes.iter().flat_map(|route| &route.ends);
    let bundles: Vec<_> = ends.map(|end| &*end.bundle).collect();
    assert_eq!(bundles, ["ferry.v1.0.0", "rope.v1.0.0"], "{}", answer.text);
}

#[rstest]
#[case::nothing(Vec::new(), Code::InvalidArgument)]
#[case::invalid_range(vec![operator("rope", "", "^1.0.0")], Code::InvalidArgument)]
#[case::a_package_twice(
    vec![operator("rope", "", ""), operator("rope", "", "")],
    Code::InvalidArgument,
)]
#[case::missing_package(vec![operator("robe", "", "")], Code::NotFound)]
#[case::missing_channel(
    vec![Operator { channels: vec!["fast".to_owned()], ..operator("rope", "", "") }],
    Code::NotFound,
)]
#[tokio::test]
async fn invalid_route_request_is_refused(#[case] operators: Vec<Operator>, #[case] code: Code) {
    let request = pb::PlanRouteRequest {
        operators,
        ..pb::PlanRouteRequest::default()
    };
    let refused = ask(request).await.expect_err("it means nothing");
    assert_eq!(refused.code(), code, "{refused:?}");
}

#[tokio::test]
async fn invalid_range_is_refused_with_its_field() {
    let mut request = harbor("^1.0.0");
    request.operators.remove(0);
    let refused = ask(request).await.expect_err("it is no range");
    assert!(
        refused.message().starts_with("operators[0].range: "),
        "{}",
        refused.message()
    );
}

/// In a batch, one query never affects another query.
#[tokio::test]
async fn many_routes_are_planned_in_order() {
    let questions = [harbor("<=1.1.0"), harbor("no range"), harbor("<=1.1.0")];
    let [one, refused, _] = [0, 1, 2].map(|at| ask(questions[at].clone()));
    let (one, refused) = (one.await.expect("an answer"), refused.await);
    let asked = questions.map(|question| pb::BatchPlanRouteRequest {
        question: Some(question),
    });
    let service = Resolver::over(snapshot()).into_service();
    let mut resolver = ResolverClient::new(client::local(service));
    let answers = resolver
        .batch_plan_route(futures::stream::iter(asked))
        .await;
    let mut answers = answers.expect("a batch must begin").into_inner();
    let mut outcomes = Vec::new();
    while let Some(answer) = answers.message().await.expect("an answer") {
        outcomes.push(match answer.outcome.expect("an outcome") {
            Outcome::Answer(answer) => Ok(answer),
            Outcome::Refused(refusal) => Err(refusal.field),
        });
    }
    assert_eq!(
        refused.expect_err("it is no range").code(),
        Code::InvalidArgument
    );
    let field = "operators[1].range".to_owned();
    assert_eq!(outcomes, [Ok(one.clone()), Err(field), Ok(one)]);
}
