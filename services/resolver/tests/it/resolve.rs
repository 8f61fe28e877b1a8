//! Tests of `Resolve` for small catalogs: requests, responses, and the order of catalogs.

use std::sync::Arc;

use futures::future::join_all;
use jiff::Timestamp;
use portolan_kit::{assert_same, catalog};
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::resolve_response::Answer;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_proto::resolver::v1::solution::{choice, optimality};
use portolan_resolver::snapshot::{CatalogState, ContentOrigin, Offer, Rank, SourceObject};
use portolan_resolver::{Resolver, Snapshot, source};
use portolan_shell::client;
use rstest::rstest;
use tonic::{Code, Status};

/// Two packages provide the rope that a ferry requires. No package provides the steam that a crane
/// requires.
const HARBOR: &str = "
    ferry: 1.0.0 -> 1.1.0 -> 2.0.0; 2.0.0 requires rope >=1.0.0
    ferry: 2.0.0 deprecated \"it leaks\"
    rope: 1.0.0 -> 1.1.0; 1.1.0 provides harbor.test/v1/Rope
    rope: 1.0.0 provides harbor.test/v1/Rope
    winch: 1.0.0 provides harbor.test/v1/Rope
    crane: 1.0.0 requires harbor.test/v1/Steam";

fn offer(state: CatalogState) -> Offer {
    Offer {
        observed: SourceObject::local("Folder", "somewhere".to_owned()),
        rank: Rank::default(),
        state,
    }
}

fn serving(text: &str) -> CatalogState {
    let folder = catalog(text).temp();
    let read = source::read_folder(&folder).expect("the folder must be readable");
    let origin = ContentOrigin::folder(folder.to_path_buf());
    CatalogState::Pending.read(Timestamp::UNIX_EPOCH, read, origin)
}

fn harbor() -> Snapshot {
    let name = "demo".parse().expect("a name");
    Snapshot::default().with(name, offer(serving(HARBOR)))
}

fn wish(text: &str) -> pb::Wish {
    let (package, range) = text.split_once('@').unwrap_or((text, ""));
    pb::Wish {
        package: package.to_owned(),
        range: range.to_owned(),
        ..Default::default()
    }
}

fn wishes(texts: &[&str]) -> pb::ResolveRequest {
    pb::ResolveRequest {
        wishes: texts.iter().map(|text| wish(text)).collect(),
        ..Default::default()
    }
}

fn installed(name: &str) -> pb::InstalledOperator {
    pb::InstalledOperator {
        name: name.to_owned(),
        ..Default::default()
    }
}

async fn ask(
    snapshot: Snapshot,
    request: pb::ResolveRequest,
) -> Result<pb::ResolveResponse, Status> {
    let service = Resolver::over(snapshot).into_service();
    let mut resolver = ResolverClient::new(client::local(service));
    resolver
        .resolve(request)
        .await
        .map(tonic::Response::into_inner)
}

async fn solve(request: pb::ResolveRequest) -> pb::Solution {
    let answer = ask(harbor(), request).await.expect("an answer");
    match answer.answer {
        Some(Answer::Solution(solution)) => solution,
        other => panic!("it must be solved: {other:?}"),
    }
}

async fn conflict(snapshot: Snapshot, request: pb::ResolveRequest) -> pb::Conflict {
    let answer = ask(snapshot, request).await.expect("an answer");
    match answer.answer {
        Some(Answer::Conflict(conflict)) => conflict,
        other => panic!("it must be refused: {other:?}"),
    }
}

/// Returns the causes of a conflict: the kind, the code and the object of each cause.
fn causes(conflict: &pb::Conflict) -> Vec<String> {
    let causes = conflict.causes.iter().map(|cause| {
        let reason = cause.reason.clone().unwrap_or_default();
        let object = reason.object.unwrap_or_default();
        let kind = cause.kind().as_str_name();
        format!("{kind} {}: {} {}", reason.code, object.kind, object.name)
    });
    causes.collect()
}

#[tokio::test]
async fn solution_has_all_details() {
    let request = pb::ResolveRequest {
        installed: vec![installed("ferry.v1.0.0"), installed("crane.v1.0.0")],
        ..wishes(&["ferry"])
    };
    let solution = solve(request).await;
    let requirement = |text: &str, of| {
        Some(pb::Requirement {
            text: text.to_owned(),
            of: Some(of),
        })
    };
    let rope = pb::requirement::Of::Package(pb::requirements::Package {
        name: "rope".to_owned(),
        range: ">=1.0.0".to_owned(),
    });
    let steam = pb::requirement::Of::Api(pb::Api {
        group: "harbor.test".to_owned(),
        version: "v1".to_owned(),
        kind: "Steam".to_owned(),
    });
    let taken = |package: &str, version: &str| pb::solution::Operator {
        package: package.to_owned(),
        name: format!("{package}.v{version}"),
        version: version.to_owned(),
        catalog: "demo".to_owned(),
        channel: "stable".to_owned(),
        head: true,
        default_channel: true,
        passed_over: Some(pb::Conflict::default()),
        ..Default::default()
    };
    let expected = pb::Solution {
        choices: vec![pb::solution::Choice {
            wish: Some(wish("ferry")),
            outcome: Some(choice::Outcome::Granted(0)),
            faults: Vec::new(),
        }],
        operators: vec![
            pb::solution::Operator {
                change: pb::solution::change::Kind::Move.into(),
                from: "ferry.v1.0.0".to_owned(),
                hops: 2,
                wishes: vec![0],
                deprecation: "it leaks".to_owned(),
                needs: vec![pb::solution::Need {
                    requirement: requirement("package rope \">=1.0.0\"", rope),
                    by: "rope.v1.1.0".to_owned(),
                }],
                ..taken("ferry", "2.0.0")
            },
            pb::solution::Operator {
                change: pb::solution::change::Kind::Install.into(),
                ..taken("rope", "1.1.0")
            },
        ],
        optimality: optimality::Kind::Best.into(),
        lacking: vec![pb::solution::Lacking {
            name: "crane.v1.0.0".to_owned(),
            requirement: requirement("API harbor.test/v1/Steam", steam),
        }],
        steps: 0,
    };
    assert_same!(solution, expected);
}

#[rstest]
#[case::package("fery", "WISH MissingPackage: Package fery")]
#[case::version("ferry@>=3.0.0", "WISH NoVersionInRange: Package ferry")]
#[tokio::test]
async fn unknown_package_or_version_is_a_cause_and_not_an_error(
    #[case] requirement: &str,
    #[case] cause: &str,
) {
    let conflict = conflict(harbor(), wishes(&[requirement])).await;
    assert_eq!(causes(&conflict), [cause]);
    assert!(conflict.minimal);
    assert!(
        conflict
            .text
            .starts_with(&format!("{requirement} is requested, but ")),
        "{}",
        conflict.text
    );
}

#[tokio::test]
async fn unknown_channel_or_catalog_is_a_cause() {
    let channel = pb::Wish {
        channel: "slow".to_owned(),
        ..wish("ferry")
    };
    let catalog = pb::Wish {
        catalog: "olm/prod".to_owned(),
        ..wish("ferry")
    };
    for (wish, cause) in [
        (channel, "WISH NoChannel: Channel ferry/slow"),
        (catalog, "WISH NoCatalog: Catalog olm/prod"),
    ] {
        let request = pb::ResolveRequest {
            wishes: vec![wish],
            ..Default::default()
        };
        assert_eq!(causes(&conflict(harbor(), request).await), [cause]);
    }
}

#[tokio::test]
async fn causes_name_their_objects() {
    let request = pb::ResolveRequest {
        installed: vec![installed("winch.v1.0.0")],
        ..wishes(&["crane", "ferry@2.0.0"])
    };
    let together = conflict(harbor(), request.clone()).await;
    let found_causes = causes(&together);
    assert!(
        found_causes.contains(&"REQUIREMENT NoProvider: Bundle crane.v1.0.0".to_owned()),
        "{found_causes:?}"
    );

    let request = pb::ResolveRequest {
        mode: pb::mode::Kind::Each.into(),
        ..request
    };
    let answer = ask(harbor(), request).await.expect("an answer");
    let Some(Answer::Solution(each)) = answer.answer else {
        panic!("in EACH there is a solution: {answer:?}");
    };
    let refused = each.choices.iter().map(|choice| match &choice.outcome {
        Some(choice::Outcome::Refused(conflict)) => causes(conflict),
        other => panic!("it must be refused: {other:?}"),
    });
    let refused: Vec<_> = refused.collect();
    assert_eq!(
        refused[0],
        [
            "WISH Wish: Package crane",
            "REQUIREMENT NoProvider: Bundle crane.v1.0.0"
        ]
    );
    let [wish, rest @ ..] = refused[1].as_slice() else {
        panic!("there must be causes");
    };
    assert_eq!(wish, "WISH Wish: Package ferry");
    for cause in [
        "REQUIREMENT Requires: Bundle ferry.v2.0.0",
        "STAYS Stays: Bundle winch.v1.0.0",
        "ONE_PROVIDER OneProvider: Api harbor.test/v1/Rope",
    ] {
        assert!(rest.contains(&cause.to_owned()), "{cause} in {rest:?}");
    }
    let places = each
        .choices
        .iter()
        .filter_map(|choice| match &choice.outcome {
            Some(choice::Outcome::Refused(conflict)) => Some(conflict.causes[0].wish),
            _ => None,
        });
    assert_eq!(places.collect::<Vec<_>>(), [0, 1]);
}

#[tokio::test]
async fn unread_catalogs_are_listed_as_possible_solutions() {
    let lost = CatalogState::Failed {
        since: Timestamp::UNIX_EPOCH,
        why: portolan_resolver::snapshot::SourceFailure {
            code: "Dial",
            message: "nobody answers".to_owned(),
        },
    };
    let snapshot = harbor()
        .with("lost".parse().expect("a name"), offer(lost))
        .with("new".parse().expect("a name"), offer(CatalogState::Pending));
    let answer = ask(snapshot.clone(), wishes(&["ferry"])).await;
    let answer = answer.expect("an answer");
    let unread = answer
        .unread
        .iter()
        .map(|reason| (&*reason.code, &*reason.message));
    assert_eq!(
        unread.collect::<Vec<_>>(),
        [
            ("Dial", "nobody answers"),
            ("NotReadYet", "it has not been read yet; retry in a moment"),
        ]
    );
    let names: Vec<_> = answer
        .catalogs
        .iter()
        .map(|catalog| &*catalog.name)
        .collect();
    assert_eq!(names, ["demo"]);

    let conflict = conflict(snapshot, wishes(&["crane"])).await;
    let found_causes = causes(&conflict);
    assert!(
        found_causes.contains(&"CATALOG UnreadCatalog: Catalog lost".to_owned()),
        "{found_causes:?}"
    );
    assert!(
        conflict
            .text
            .contains("nobody answers (since 1970-01-01T00:00:00Z)"),
        "{}",
        conflict.text
    );
}

#[tokio::test]
async fn resolve_without_any_content_is_unavailable() {
    let snapshot =
        Snapshot::default().with("new".parse().expect("a name"), offer(CatalogState::Pending));
    let refused = ask(snapshot, wishes(&["ferry"]))
        .await
        .map_err(|status| status.code());
    assert_eq!(refused, Err(Code::Unavailable));
}

#[tokio::test]
async fn reports_search_that_reached_the_step_limit() {
    let request = pb::ResolveRequest {
        steps: 1,
        ..wishes(&["ferry", "crane", "winch"])
    };
    let answer = ask(harbor(), request).await.expect("an answer");
    assert!(
        matches!(
            answer.answer,
            Some(Answer::GaveUp(_) | Answer::Conflict(pb::Conflict { minimal: false, .. }))
        ),
        "{answer:?}"
    );
}

#[tokio::test]
async fn refusals_name_the_field_as_data() {
    let refused = ask(harbor(), wishes(&["ferry", "Rope"])).await;
    let status = refused.expect_err("it must be refused");
    assert_eq!(status.code(), Code::InvalidArgument);
    let details = tonic_types::StatusExt::get_details_bad_request(&status);
    let fields = details.expect("violations").field_violations;
    assert_eq!(fields[0].field, "wishes[1].package");
}

#[tokio::test]
async fn cached_and_uncached_answers_are_equal() {
    let snapshot = harbor();
    let uncached = Resolver::over(snapshot.clone()).uncached();
    let mut uncached = ResolverClient::new(client::local(uncached));
    let cached = Resolver::over(snapshot).into_service();
    let mut cached = ResolverClient::new(client::local(cached));
    for texts in [&["ferry"][..], &["crane"], &["Rope"], &[]] {
        let outcome = |answer: Result<tonic::Response<pb::ResolveResponse>, Status>| {
            let status = |status: Status| (status.code(), status.message().to_owned());
            answer.map(tonic::Response::into_inner).map_err(status)
        };
        let expected = outcome(uncached.resolve(wishes(texts)).await);
        for _ in 0..2 {
            assert_same!(
                outcome(cached.resolve(wishes(texts)).await),
                expected.clone()
            );
        }
    }
}

#[tokio::test]
async fn concurrent_callers_get_the_same_answer() {
    let service = Resolver::over(harbor()).into_service();
    let resolver = Arc::new(ResolverClient::new(client::local(service)));
    let asked = (0..50).map(|_| {
        let mut resolver = ResolverClient::clone(&resolver);
        async move { resolver.resolve(wishes(&["ferry", "winch"])).await }
    });
    let answers = join_all(asked).await;
    let answers: Vec<_> = answers
        .into_iter()
        .map(|answer| answer.expect("an answer").into_inner())
        .collect();
    assert!(answers.iter().all(|answer| *answer == answers[0]));
}
