//! Tests of every query of the API, with small catalogs.

use std::ops::{Deref, DerefMut};

use futures::{StreamExt, stream};
use portolan_kit::{TempFolder, assert_same, catalog};
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::batch_list_upgrades_response::Outcome;
use portolan_proto::resolver::v1::find_path_response::Answer;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_resolver::snapshot::{CatalogState, ContentOrigin, Offer, Rank, SourceObject};
use portolan_resolver::source::{self, SourceAccess};
use portolan_resolver::{Resolver, Snapshot};
use portolan_shell::client::{self, Connection};
use tonic::{Code, Status};

/// A resolver for folders of catalog files. The folders exist while this value exists.
struct Over {
    resolver: ResolverClient<Connection>,
    _folders: Vec<TempFolder>,
}

impl Deref for Over {
    type Target = ResolverClient<Connection>;

    fn deref(&self) -> &Self::Target {
        &self.resolver
    }
}

impl DerefMut for Over {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.resolver
    }
}

/// Starts a resolver for catalogs. Each catalog has a name, a priority and a text.
fn over(catalogs: &[(&str, i32, &str)]) -> Over {
    let (snapshot, folders) = snapshot(catalogs);
    Over {
        resolver: ask(snapshot),
        _folders: folders,
    }
}

fn snapshot(catalogs: &[(&str, i32, &str)]) -> (Snapshot, Vec<TempFolder>) {
    let (mut snapshot, mut folders) = (Snapshot::default(), Vec::new());
    for (name, priority, text) in catalogs {
        let folder = catalog(text).temp();
        let read = source::read_folder(&folder).expect("the folder must be readable");
        let origin = ContentOrigin::folder(folder.to_path_buf());
        let offer = Offer {
            observed: SourceObject::local("Folder", (*name).to_owned()),
            rank: (*priority).into(),
            state: CatalogState::Pending.read(jiff::Timestamp::UNIX_EPOCH, read, origin),
        };
        snapshot = snapshot.with(name.parse().expect("a name"), offer);
        folders.push(folder);
    }
    (snapshot, folders)
}

fn ask(snapshot: Snapshot) -> ResolverClient<Connection> {
    ResolverClient::new(client::local(Resolver::over(snapshot).into_service()))
}

fn upgrades(package: &str, installed: &str) -> pb::ListUpgradesRequest {
    pb::ListUpgradesRequest {
        package: package.to_owned(),
        installed: installed.to_owned(),
        ..Default::default()
    }
}

fn path(installed: &str, to: pb::destination::To) -> pb::FindPathRequest {
    pb::FindPathRequest {
        package: "a".to_owned(),
        installed: installed.to_owned(),
        destination: Some(pb::Destination { to: Some(to) }),
        ..Default::default()
    }
}

fn version(version: &str) -> pb::destination::To {
    pb::destination::To::Version(version.to_owned())
}

async fn find(
    resolver: &mut ResolverClient<Connection>,
    request: pb::FindPathRequest,
) -> pb::FindPathResponse {
    let found = resolver.find_path(request).await;
    found.expect("there must be an answer").into_inner()
}

fn refused(status: Result<impl Sized, Status>) -> (Code, String) {
    match status {
        Ok(_) => panic!("it must be refused"),
        Err(status) => (status.code(), status.message().to_owned()),
    }
}

/// Describes each hop as `from -> to via what in where`.
fn hops(answer: &pb::FindPathResponse) -> Vec<String> {
    let Some(Answer::Reached(path)) = &answer.answer else {
        panic!("it must be reached: {answer:?}");
    };
    let hops = path.hops.iter().map(|hop| {
        let via: Vec<_> = hop.via().map(|kind| kind.as_str_name()).collect();
        let channels = hop.channels.join(",");
        format!("{} -> {} {} {channels}", hop.from, hop.to, via.join("+"))
    });
    hops.collect()
}

const WAYS: &str = "a: 1.0.0 -> 1.1.0 -> 2.0.0; 2.0.0 covers >=1.0.0 <2.0.0
                    a/slow: 1.0.0 -> 1.1.0";

#[tokio::test]
async fn list_upgrades_returns_all_details() {
    let mut resolver = over(&[(
        "olm/demo",
        0,
        "a[stable, fast]: 1.0.0 -> 1.1.0 -> 1.2.0
         1.1.0 requires b >=1.0.0; 1.1.0 deprecated \"use 1.2\"; 1.2.0 covers >=1.0.0 <1.2.0
         a/next: 3.0.0
         channel fast deprecated \"too fast\"",
    )]);
    let answer = resolver.list_upgrades(upgrades("a", "a.v1.0.0")).await;
    let answer = answer.expect("an answer").into_inner();
    let json = serde_json::to_value(&answer).expect("an answer has a JSON form");
    let without = |mut json: serde_json::Value| {
        let catalog = json["catalogs"][0].take();
        assert_eq!(catalog["name"], "olm/demo");
        assert!(
            catalog["digest"]
                .as_str()
                .is_some_and(|text| text.starts_with("sha256:"))
        );
        json
    };
    insta::assert_json_snapshot!(without(json));
}

#[tokio::test]
async fn catalog_with_the_highest_priority_answers() {
    let mut resolver = over(&[
        ("high", 10, "b: 1.0.0"),
        ("middle", 5, "a: 1.0.0 -> 1.1.0"),
        ("low", 0, "a: 1.0.0 -> 2.0.0; b: 1.0.0"),
    ]);
    let answer = resolver.list_upgrades(upgrades("a", "a.v1.0.0")).await;
    let answer = answer.expect("an answer").into_inner();
    assert_eq!(answer.catalogs[0].name, "middle");
    assert_eq!(answer.recommended, "a.v1.1.0");

    let request = pb::ListUpgradesRequest {
        catalog: "low".to_owned(),
        ..upgrades("a", "a.v1.0.0")
    };
    let answer = resolver.list_upgrades(request).await;
    assert_eq!(answer.expect("an answer").get_ref().recommended, "a.v2.0.0");
}

#[tokio::test]
async fn package_in_catalogs_of_equal_priority_is_refused() {
    let mut resolver = over(&[("one", 0, "a: 1.0.0"), ("two", 0, "a: 1.0.0")]);
    let refusal = refused(resolver.list_upgrades(upgrades("a", "a.v1.0.0")).await);
    assert_same!(
        refusal,
        (
            Code::InvalidArgument,
            "catalog: package a is in several catalogs of the same priority; select one catalog: \
             one, two"
                .to_owned()
        )
    );
}

#[tokio::test]
async fn unknown_name_is_not_found_with_a_suggestion() {
    let mut resolver = over(&[("one", 0, "ferry: 1.0.0"), ("two", 0, "gong: 1.0.0")]);
    let refusal = refused(
        resolver
            .list_upgrades(upgrades("fery", "ferry.v1.0.0"))
            .await,
    );
    assert_same!(
        refusal,
        (
            Code::NotFound,
            "no catalog has package fery; searched catalogs: one, two; did you mean ferry?"
                .to_owned()
        )
    );
    let request = pb::GetBundleRequest {
        package: "ferry".to_owned(),
        bundle: "ferry.v1.0".to_owned(),
        ..Default::default()
    };
    assert_same!(
        refused(resolver.get_bundle(request).await),
        (
            Code::NotFound,
            "package ferry has no bundle ferry.v1.0; did you mean ferry.v1.0.0?".to_owned()
        )
    );
    let request = pb::ListPackagesRequest {
        catalog: "olm/one".to_owned(),
        ..Default::default()
    };
    assert_same!(
        refused(resolver.list_packages(request).await),
        (
            Code::NotFound,
            "catalog olm/one not found; available catalogs: one, two".to_owned()
        )
    );
}

#[tokio::test]
async fn bundle_is_found_by_name_if_only_one_package_has_it() {
    let mut resolver = over(&[("one", 0, "ferry: 1.0.0"), ("two", 0, "gong: 1.0.0")]);
    let named = |bundle: &str, catalog: &str| pb::GetBundleRequest {
        catalog: catalog.to_owned(),
        bundle: bundle.to_owned(),
        ..Default::default()
    };
    let found = resolver.get_bundle(named("gong.v1.0.0", "two")).await;
    assert_eq!(found.expect("a bundle").into_inner().package, "gong");
    let refusal = refused(resolver.get_bundle(named("gong.v1.0.0", "one")).await);
    let sentence =
        "package: no package has a bundle gong.v1.0.0; select the package, or another bundle";
    assert_same!(refusal, (Code::InvalidArgument, sentence.to_owned()));
}

#[tokio::test]
async fn catalog_without_content_is_unavailable_and_other_catalogs_respond() {
    let failed = Offer {
        observed: SourceObject::local("Folder", "nowhere".to_owned()),
        rank: 10.into(),
        state: CatalogState::Pending.lost(
            jiff::Timestamp::UNIX_EPOCH,
            portolan_resolver::snapshot::SourceFailure {
                code: "ReadFolder",
                message: "there is nothing".to_owned(),
            },
        ),
    };
    let folder = catalog("a: 1.0.0 -> 1.1.0").temp();
    let read = source::read_folder(&folder).expect("the folder must be readable");
    let well = Offer {
        observed: SourceObject::local("Folder", "here".to_owned()),
        rank: Rank::default(),
        state: CatalogState::Pending.read(
            jiff::Timestamp::UNIX_EPOCH,
            read,
            ContentOrigin::folder(folder.to_path_buf()),
        ),
    };
    let only = Snapshot::default().with("ill".parse().expect("a name"), failed);
    let both = only.with("well".parse().expect("a name"), well);

    let excuse = "catalog ill could not be read: there is nothing";
    let refusal = refused(ask(only).list_upgrades(upgrades("a", "a.v1.0.0")).await);
    assert_same!(refusal, (Code::Unavailable, excuse.to_owned()));

    let mut resolver = ask(both);
    let answer = resolver.list_upgrades(upgrades("a", "a.v1.0.0")).await;
    let answer = answer.expect("an answer").into_inner();
    assert_eq!(answer.recommended, "a.v1.1.0");
    assert_eq!(
        answer.faults[0].message,
        format!("{excuse}; its content was not examined")
    );
    let named = pb::ListUpgradesRequest {
        catalog: "ill".to_owned(),
        ..upgrades("a", "a.v1.0.0")
    };
    assert_same!(
        refused(resolver.list_upgrades(named).await),
        (Code::Unavailable, excuse.to_owned())
    );
}

#[tokio::test]
async fn path_contains_its_hops() {
    let mut resolver = over(&[("demo", 0, WAYS)]);
    let all = find(&mut resolver, path("a.v1.0.0", version("2.0.0"))).await;
    assert_same!(hops(&all), ["a.v1.0.0 -> a.v2.0.0 SKIP_RANGE stable"]);
    let request = pb::FindPathRequest {
        channel: "slow".to_owned(),
        destination: None,
        ..path("a.v1.0.0", version(""))
    };
    let slow = find(&mut resolver, request).await;
    assert_same!(hops(&slow), ["a.v1.0.0 -> a.v1.1.0 REPLACES slow"]);
    let range = pb::destination::To::Range(">=1.0.0 <2.0.0".to_owned());
    let within = find(&mut resolver, path("a.v1.0.0", range)).await;
    assert_same!(hops(&within), ["a.v1.0.0 -> a.v1.1.0 REPLACES slow,stable"]);
}

#[tokio::test]
async fn find_path_reports_already_there() {
    let mut resolver = over(&[("demo", 0, WAYS)]);
    let answer = find(&mut resolver, path("a.v2.0.0", version("2.0.0"))).await;
    assert_same!(
        answer.answer,
        Some(Answer::AlreadyThere(
            pb::find_path_response::AlreadyThere {}
        ))
    );
}

#[tokio::test]
async fn blocked_path_has_reachable_bundles_and_suggestions() {
    let mut resolver = over(&[("demo", 0, WAYS)]);
    let request = pb::FindPathRequest {
        channel: "slow".to_owned(),
        ..path("a.v1.0.0", version("2.0.0"))
    };
    let answer = find(&mut resolver, request).await;
    let Some(Answer::Blocked(blockage)) = answer.answer else {
        panic!("it must be blocked: {answer:?}");
    };
    insta::assert_json_snapshot!(blockage);
}

#[tokio::test]
async fn invalid_path_request_is_refused_with_its_field() {
    let mut resolver = over(&[("demo", 0, WAYS)]);
    let refusal = refused(resolver.find_path(path("a.v1.0.0", version("v2"))).await);
    assert_eq!(refusal.0, Code::InvalidArgument);
    assert!(
        refusal
            .1
            .starts_with("destination.version: \"v2\" is not a version"),
        "{refusal:?}"
    );
    let walk = pb::FindPathRequest {
        walk: 7,
        ..path("a.v1.0.0", version("2.0.0"))
    };
    assert_same!(
        refused(resolver.find_path(walk).await),
        (
            Code::InvalidArgument,
            "walk: 7 is unknown to this server, which supports CATALOG, OLM_V0".to_owned()
        )
    );
}

#[tokio::test]
async fn batch_keeps_order_and_only_invalid_query_fails() {
    let mut resolver = over(&[("demo", 0, WAYS)]);
    let questions = ["a.v1.0.0", "b/1", "a.v1.1.0", "a.v2.0.0"];
    let questions = questions.map(|installed| pb::BatchListUpgradesRequest {
        question: Some(upgrades("a", installed)),
    });
    let answers = resolver.batch_list_upgrades(stream::iter(questions)).await;
    let answers = answers.expect("a batch must begin").into_inner();
    let outcomes = answers.map(|answer| match answer.expect("each has an answer").outcome {
        Some(Outcome::Answer(answer)) => answer.recommended,
        Some(Outcome::Refused(refused)) => format!("{} {}", refused.code, refused.field),
        None => "nothing".to_owned(),
    });
    assert_same!(
        outcomes.collect::<Vec<_>>().await,
        ["a.v2.0.0", "INVALID_ARGUMENT installed", "a.v2.0.0", ""]
    );
}

#[tokio::test]
async fn graph_contains_its_nodes_and_edges() {
    let mut resolver = over(&[("demo", 0, WAYS)]);
    let request = pb::GetGraphRequest {
        package: "a".to_owned(),
        channel: "slow".to_owned(),
        ..Default::default()
    };
    let answer = resolver.get_graph(request).await;
    let mut graph = answer.expect("an answer").into_inner();
    graph.catalogs.clear();
    insta::assert_json_snapshot!(graph);
}

/// Returns a package whose skip ranges permit updates between about half of all pairs of bundles.
fn wide(channels: &[&str]) -> String {
    let channel = |name: &&str| {
        let entries = (0..500).map(|minor| format!("1.{minor}.0 covers >=0.0.0"));
        let entries: Vec<_> = entries.collect();
        format!("a/{name}: {}", entries.join("; "))
    };
    let channels: Vec<_> = channels.iter().map(channel).collect();
    channels.join("\n")
}

/// Requests the graph of a channel. Returns the number of its updates, or the error status.
async fn drawn(resolver: Resolver, channel: &str) -> Result<usize, Status> {
    let mut resolver = ResolverClient::new(client::local(resolver.into_service()))
        .max_decoding_message_size(usize::MAX);
    let request = pb::GetGraphRequest {
        package: "a".to_owned(),
        channel: channel.to_owned(),
        ..Default::default()
    };
    let answer = resolver.get_graph(request).await?;
    Ok(answer.into_inner().updates.len())
}

#[tokio::test]
async fn graph_with_too_many_updates_is_refused_with_remedies() {
    let (two, _two_folder) = snapshot(&[("demo", 0, &wide(&["fast", "slow"]))]);
    assert_eq!(
        drawn(Resolver::over(two.clone()), "fast").await.ok(),
        Some(124_750)
    );
    let refused = drawn(Resolver::over(two.clone()), "").await;
    let refused = refused.expect_err("there are too many");
    assert_eq!(refused.code(), Code::ResourceExhausted);
    assert_eq!(
        refused.message(),
        "the graph of package a has 249500 updates; the maximum of one response is 200000; select \
         one channel, or print all of them with portolan graph --catalog NAME=PLACE -o json"
    );
    let request = pb::GetGraphRequest {
        package: "a".to_owned(),
        ..Default::default()
    };
    let streamed = Resolver::over(two).streamed_graph(&request);
    let streamed = serde_json::to_value(streamed.expect("an answer")).expect("a document");
    assert_eq!(streamed["updates"].as_array().map(Vec::len), Some(249_500));
}

#[tokio::test]
async fn streamed_graph_equals_the_single_answer() {
    let text = "a/fast: 1.0.0 -> 1.1.0 -> 2.0.0; 2.0.0 skips 1.0.0; 1.1.0 deprecated \"leaks\"
                a/slow: 1.0.0 -> 2.0.0; 3.0.0 missing";
    let (snapshot, _folder) = snapshot(&[("demo", 0, text)]);
    let resolver = Resolver::over(snapshot);
    for channel in ["", "slow"] {
        let request = pb::GetGraphRequest {
            package: "a".to_owned(),
            channel: channel.to_owned(),
            ..Default::default()
        };
        let mut client = ResolverClient::new(client::local(resolver.clone().into_service()));
        let answer = client.get_graph(request.clone()).await;
        let answer = answer.expect("an answer").into_inner();
        let streamed = resolver.streamed_graph(&request).expect("an answer");
        let [answer, streamed] = [
            serde_json::to_string_pretty(&answer),
            serde_json::to_string_pretty(&streamed),
        ]
        .map(|document| document.expect("a document"));
        assert_same!(streamed, answer);
    }
}

#[tokio::test]
async fn pages_of_packages_have_the_same_content() {
    let text = "a: 1.0.0; b: 1.0.0; c: 1.0.0";
    let mut resolver = over(&[("demo", 0, text)]);
    let mut request = pb::ListPackagesRequest {
        page_size: 2,
        ..Default::default()
    };
    let first = resolver.list_packages(request.clone()).await;
    let first = first.expect("an answer").into_inner();
    let names = |answer: &pb::ListPackagesResponse| -> Vec<String> {
        answer
            .packages
            .iter()
            .map(|package| package.name.clone())
            .collect()
    };
    assert_same!(names(&first), ["a", "b"]);
    request.page_token = first.next_page_token.clone();
    let second = resolver.list_packages(request.clone()).await;
    let second = second.expect("an answer").into_inner();
    assert_same!(names(&second), ["c"]);
    assert_eq!(second.next_page_token, "");

    let mut changed = over(&[("demo", 0, "a: 1.0.0; b: 1.0.0; d: 1.0.0")]);
    let refusal = refused(changed.list_packages(request.clone()).await);
    assert_eq!(refusal.0, Code::Aborted);
    request.page_token = "again".to_owned();
    let refusal = refused(resolver.list_packages(request).await);
    assert_eq!(refusal.0, Code::InvalidArgument);
}

#[tokio::test]
async fn package_and_bundle_have_their_details() {
    let mut resolver = over(&[(
        "demo",
        0,
        "a[stable, fast]: 1.0.0 -> 1.1.0 provides shop.test/v1/Cart; 1.1.0 requires b >=1.0.0
         1.1.0 deprecated \"no\"; package deprecated \"gone\"",
    )]);
    let request = pb::GetPackageRequest {
        package: "a".to_owned(),
        ..Default::default()
    };
    let mut package = resolver
        .get_package(request)
        .await
        .expect("an answer")
        .into_inner();
    package.catalogs.clear();
    insta::assert_json_snapshot!("a_package", package);
    let request = pb::GetBundleRequest {
        package: "a".to_owned(),
        bundle: "a.v1.1.0".to_owned(),
        ..Default::default()
    };
    let mut bundle = resolver
        .get_bundle(request)
        .await
        .expect("an answer")
        .into_inner();
    bundle.catalogs.clear();
    insta::assert_json_snapshot!("a_bundle", bundle);
}

#[tokio::test]
async fn check_lists_errors_before_warnings() {
    let mut resolver = over(&[(
        "demo",
        0,
        "a: 1.0.0; 2.0.0
         b: 1.0.0 -> 2.0.0; 2.0.0 covers >=5.0.0",
    )]);
    let answer = resolver
        .check_catalogs(pb::CheckCatalogsRequest::default())
        .await;
    let answer = answer.expect("an answer").into_inner();
    let faults = answer.faults.iter();
    let faults: Vec<_> = faults
        .map(|f| (f.severity().as_str_name(), f.code.as_str()))
        .collect();
    assert_same!(
        faults,
        [("ERROR", "SeveralHeads"), ("WARNING", "IdleRange")]
    );
    assert_eq!((answer.errors, answer.warnings), (1, 1));
}

#[tokio::test]
async fn cached_and_uncached_answers_are_equal() {
    let folder = catalog(WAYS).temp();
    let at = format!("demo={}", folder.display());
    let at = [at.parse().expect("a catalog")];
    let snapshot = source::read(&at, &SourceAccess::default()).await;
    let snapshot = snapshot.expect("the folder must be readable");
    let uncached = Resolver::over(snapshot.clone()).uncached();
    let mut uncached = ResolverClient::new(client::local(uncached));
    let mut cached = ask(snapshot);
    for installed in ["a.v1.0.0", "a.v1.1.0", "a.v2.0.0", "a.v0.1.0", "not/a/name"] {
        let upgrades = upgrades("a", installed);
        let to = path(installed, version("2.0.0"));
        let batch = || stream::iter([Some(upgrades.clone()), None]);
        let batch = || batch().map(|question| pb::BatchListUpgradesRequest { question });
        let paths = || {
            stream::iter([pb::BatchFindPathRequest {
                question: Some(to.clone()),
            }])
        };
        for _ in 0..2 {
            assert_same!(
                outcome(cached.list_upgrades(upgrades.clone()).await),
                outcome(uncached.list_upgrades(upgrades.clone()).await)
            );
            assert_same!(
                outcome(cached.find_path(to.clone()).await),
                outcome(uncached.find_path(to.clone()).await)
            );
            assert_same!(
                streamed(cached.batch_list_upgrades(batch()).await).await,
                streamed(uncached.batch_list_upgrades(batch()).await).await
            );
            assert_same!(
                streamed(cached.batch_find_path(paths()).await).await,
                streamed(uncached.batch_find_path(paths()).await).await
            );
        }
    }
}

fn outcome<T>(answer: Result<tonic::Response<T>, Status>) -> Result<T, (Code, String, Vec<u8>)> {
    let status = |status: Status| {
        let details = status.details().to_vec();
        (status.code(), status.message().to_owned(), details)
    };
    answer.map(tonic::Response::into_inner).map_err(status)
}

async fn streamed<T>(answers: Result<tonic::Response<tonic::Streaming<T>>, Status>) -> Vec<T> {
    let answers = answers.expect("a batch must begin").into_inner();
    answers
        .map(|answer| answer.expect("each has an answer"))
        .collect()
        .await
}
