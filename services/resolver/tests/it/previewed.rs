//! Tests of `Preview` for a small catalog: the effect of a change, and the catalogs that determine
//! it.

use jiff::Timestamp;
use portolan_kit::catalog;
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::preview_request::Change;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_proto::resolver::v1::{CatalogScope, PreviewRequest, PreviewResponse, verdict};
use portolan_resolver::snapshot::{CatalogState, ContentOrigin, Offer, Rank, SourceObject};
use portolan_resolver::{Resolver, Snapshot, source};
use portolan_shell::client;
use rstest::rstest;
use serde_json::json;
use tonic::{Code, Status};

const HARBOR: &str = "
    ferry: 1.0.0 requires rope >=1.0.0
    ferry: 1.0.0 -> 1.1.0 requires rope >=1.1.0
    rope: 1.0.0 -> 1.1.0
    buoy: 1.0.0";

/// Returns a catalog of the cluster, and a catalog of a tenant. The tenant's catalog has a higher
/// priority and newer versions.
fn snapshot() -> Snapshot {
    let offer = |text: &str, rank| {
        let folder = catalog(text).temp();
        let read = source::read_folder(&folder).expect("the folder must be readable");
        let origin = ContentOrigin::folder(folder.to_path_buf());
        Offer {
            observed: SourceObject::local("Folder", "somewhere".to_owned()),
            rank,
            state: CatalogState::Pending.read(Timestamp::UNIX_EPOCH, read, origin),
        }
    };
    let first = Rank {
        priority: 9,
        ..Rank::default()
    };
    let tenants = offer("rope: 1.0.0 -> 6.6.6", first);
    Snapshot::default()
        .with(
            "shop".parse().expect("a name"),
            offer(HARBOR, Rank::default()),
        )
        .with("tenant/shop".parse().expect("a name"), tenants)
}

async fn ask(
    change: Option<Change>,
    scope: Option<CatalogScope>,
) -> Result<PreviewResponse, Status> {
    let operators = [("ferry", "1.0.0"), ("rope", "1.0.0")].map(|(name, version)| {
        json!({
            "apiVersion": "operators.operatorframework.io/v1alpha1",
            "kind": "Operator",
            "metadata": {"name": name},
            "spec": {"packageName": name, "version": version},
            "status": {"versions": {"installed": version}},
        })
    });
    let request = PreviewRequest {
        operators: operators.iter().map(ToString::to_string).collect(),
        change,
        scope,
        ..PreviewRequest::default()
    };
    let service = Resolver::over(snapshot()).into_service();
    let mut resolver = ResolverClient::new(client::local(service));
    let answer = resolver.preview(request).await;
    answer.map(tonic::Response::into_inner)
}

/// Returns the scope of catalogs without a namespace.
fn cluster_catalogs() -> Option<CatalogScope> {
    Some(CatalogScope::default())
}

fn change_lines(answer: &PreviewResponse) -> Vec<String> {
    let changes = answer.changes.iter();
    let changes = changes.map(|change| {
        let pb::generate_response::Change {
            name,
            version,
            previous,
            ..
        } = change;
        format!("{name}: {previous} -> {version}")
    });
    changes.chain(answer.errors.iter().cloned()).collect()
}

#[rstest]
#[case::an_addition(Change::Add("buoy".to_owned()), &["buoy:  -> 1.0.0"])]
#[case::upgrade_with_its_requirements(
    Change::Upgrade("ferry".to_owned()),
    &["ferry: 1.0.0 -> 1.1.0", "rope: 1.0.0 -> 1.1.0"]
)]
#[case::an_upgrade_to_a_version(Change::Upgrade("rope=1.1.0".to_owned()), &["rope: 1.0.0 -> 1.1.0"])]
#[case::a_deletion(Change::Delete("ferry".to_owned()), &["ferry: 1.0.0 -> ", "rope: 1.0.0 -> "])]
#[case::installed_operators(
    Change::Add("ferry".to_owned()),
    &["ferry already exists; request its upgrade"]
)]
#[case::missing_operators(
    Change::Upgrade("buoy".to_owned()),
    &["there is no Operator buoy; request its creation"]
)]
#[case::nothing_to_delete(
    Change::Delete("buoy".to_owned()),
    &["there is no Operator buoy, so there is nothing to delete"]
)]
#[tokio::test]
async fn preview_lists_the_effects_of_one_change(
    #[case] change: Change,
    #[case] expected: &[&str],
) {
    let answer = ask(Some(change), cluster_catalogs()).await;
    let answer = answer.expect("it must be answered");
    assert_eq!(change_lines(&answer), expected, "{answer:?}");
    let is_refused = answer.verdict == i32::from(verdict::Kind::Refused);
    assert_eq!(is_refused, !answer.errors.is_empty());
}

#[tokio::test]
async fn preview_uses_only_catalogs_of_the_scope() {
    let upgrade = || Some(Change::Upgrade("rope".to_owned()));
    let tenants = CatalogScope {
        namespaces: vec!["tenant".to_owned()],
    };
    for (scope, version) in [
        (None, "6.6.6"),
        (Some(tenants), "6.6.6"),
        (cluster_catalogs(), "1.1.0"),
    ] {
        let answer = ask(upgrade(), scope).await.expect("it must be answered");
        assert_eq!(change_lines(&answer), [format!("rope: 1.0.0 -> {version}")]);
    }
}

#[tokio::test]
async fn preview_without_a_change_is_rejected() {
    let status = ask(None, None).await.expect_err("it must be refused");
    assert_eq!(status.code(), Code::InvalidArgument);
    assert!(
        status.message().contains("add, upgrade or delete"),
        "{status:?}"
    );
}
