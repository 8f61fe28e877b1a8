//! Tests of `Generate` for a small catalog: requests, responses, and rejected requests.

use jiff::Timestamp;
use portolan_kit::catalog;
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::generate_request::{Cluster, Configuration, Document};
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_proto::resolver::v1::{
    GenerateRequest, GenerateResponse, PackageOwner, autoremove, package_owner, verdict,
};
use portolan_resolver::snapshot::{CatalogState, ContentOrigin, Offer, Rank, SourceObject};
use portolan_resolver::{Resolver, Snapshot, source};
use portolan_shell::client;
use rstest::rstest;
use serde_json::{Value, json};
use tonic::{Code, Status};
use tonic_types::StatusExt;

const HARBOR: &str = "
    ferry: 1.0.0 -> 1.1.0 requires rope >=1.1.0
    rope: 1.0.0 -> 1.1.0 -> 2.0.0
    buoy: 1.0.0";

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

async fn ask(request: GenerateRequest) -> Result<GenerateResponse, Status> {
    let service = Resolver::over(snapshot()).into_service();
    let mut resolver = ResolverClient::new(client::local(service));
    let answer = resolver.generate(request).await;
    answer.map(tonic::Response::into_inner)
}

fn wishing(wishes: &[&str]) -> GenerateRequest {
    GenerateRequest {
        wishes: wishes.iter().map(|&wish| wish.to_owned()).collect(),
        ..GenerateRequest::default()
    }
}

fn operator(name: &str, version: &str) -> Value {
    json!({
        "apiVersion": "operators.operatorframework.io/v1alpha1",
        "kind": "Operator",
        "metadata": {"name": name},
        "spec": {"packageName": name, "version": version},
    })
}

fn document(object: &Value) -> Document {
    Document {
        place: "all.yaml:1".to_owned(),
        object: object.to_string(),
        was_json: false,
    }
}

fn configured(objects: &[Value]) -> Configuration {
    Configuration {
        documents: objects.iter().map(document).collect(),
        unread: Vec::new(),
    }
}

fn versions(answer: &GenerateResponse) -> Vec<(String, String)> {
    let objects = answer.objects.iter().map(|object| {
        let object: Value = serde_json::from_str(object).expect("JSON");
        let text = |at| {
            object
                .pointer(at)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        (
            text("/metadata/name").to_owned(),
            text("/spec/version").to_owned(),
        )
    });
    objects.collect()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let pairs = pairs.iter();
    pairs
        .map(|(one, other)| ((*one).to_owned(), (*other).to_owned()))
        .collect()
}

/// `portolan adopt` and `portolan create --catalog` select a catalog by its name.
#[tokio::test]
async fn operator_that_selects_a_catalog_by_name_is_upgraded() {
    let mut rope = operator("rope", "1.0.0");
    rope["spec"]["catalogSelector"] =
        json!({"matchLabels": {"olm.operatorframework.io/metadata.name": "shop"}});
    let request = GenerateRequest {
        configuration: Some(configured(&[rope])),
        ..wishing(&["rope@1.1.0"])
    };
    let answer = ask(request).await.expect("an answer");
    assert_eq!(versions(&answer), pairs(&[("rope", "1.1.0")]));
}

#[tokio::test]
async fn requested_operator_is_generated_with_its_dependencies() {
    let answer = ask(wishing(&["ferry"])).await.expect("an answer");
    assert_eq!(
        versions(&answer),
        pairs(&[("ferry", "1.1.0"), ("rope", "2.0.0")])
    );
    assert_eq!(answer.verdict(), verdict::Kind::Generated);
    assert_eq!(
        answer.notes,
        ["rope 2.0.0 is added, as ferry.v1.1.0 requires package rope \">=1.1.0\""]
    );
    let catalogs: Vec<_> = answer.catalogs.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(catalogs, ["shop"]);
    assert!(!answer.was_json);
}

#[tokio::test]
async fn answer_keeps_existing_operators_and_lists_changes() {
    let request = GenerateRequest {
        configuration: Some(configured(&[
            operator("rope", "1.0.0"),
            operator("buoy", "1.0.0"),
        ])),
        cluster: Some(Cluster {
            operators: vec![operator("buoy", "0.9.0").to_string()],
        }),
        ..wishing(&["rope=2.0.0"])
    };
    let answer = ask(request).await.expect("an answer");
    assert_eq!(
        versions(&answer),
        pairs(&[("buoy", "1.0.0"), ("rope", "2.0.0")])
    );
    let [change] = answer.changes.as_slice() else {
        panic!("one change: {answer:?}");
    };
    assert_eq!(
        (
            change.name.as_str(),
            change.version.as_str(),
            change.previous.as_str()
        ),
        ("rope", "2.0.0", "1.0.0")
    );
    assert_eq!(change.available, ["1.1.0"]);
    assert_eq!(answer.verdict(), verdict::Kind::Warned);
    assert_eq!(
        answer.warnings,
        ["all.yaml:1: the cluster has another spec of Operator buoy; the files are used"]
    );
}

#[tokio::test]
async fn operator_of_a_managed_package_is_a_warning_with_its_owner() {
    let owner = PackageOwner {
        package: "ferry".to_owned(),
        manager: package_owner::Manager::Olm.into(),
        object: "ClusterServiceVersion harbor/ferry.v1.0.0".to_owned(),
        installed: true,
        remedy: String::new(),
    };
    let owned = GenerateRequest {
        owners: vec![owner.clone()],
        ..wishing(&["ferry"])
    };
    let answer = ask(owned.clone()).await.expect("an answer");
    let owners: Vec<_> = answer.changes.iter().map(|it| it.owner.clone()).collect();
    let remedy = "portolan adopt ferry".to_owned();
    assert_eq!(owners, [Some(PackageOwner { remedy, ..owner }), None]);
    assert_eq!(answer.verdict(), verdict::Kind::Warned);
    assert_eq!(
        answer.warnings,
        [
            "ClusterServiceVersion harbor/ferry.v1.0.0 already manages package ferry: Operator \
             ferry does nothing; to adopt the installation instead: portolan adopt ferry"
        ]
    );
    let mut adopting = operator("ferry", "1.0.0");
    adopting["spec"]["adopt"] = json!(true);
    let adopted = GenerateRequest {
        configuration: Some(configured(&[adopting])),
        ..owned
    };
    let answer = ask(adopted).await.expect("an answer");
    assert!(answer.warnings.is_empty(), "{answer:?}");
    assert!(answer.changes.iter().all(|it| it.owner.is_none()));
}

#[tokio::test]
async fn manifest_removes_unlisted_operators_without_a_version() {
    let manifest = json!({"operators": {"install": [{"name": "rope", "version": "1.0.0"}]}});
    let request = GenerateRequest {
        configuration: Some(configured(&[operator("buoy", "1.0.0")])),
        manifest: Some(document(&manifest)),
        ..GenerateRequest::default()
    };
    let answer = ask(request).await.expect("an answer");
    assert_eq!(versions(&answer), pairs(&[("rope", "1.0.0")]));
    let changes = answer.changes.iter();
    let changes: Vec<_> = changes
        .map(|it| (it.name.as_str(), it.version.as_str()))
        .collect();
    assert_eq!(changes, [("buoy", ""), ("rope", "1.0.0")]);
}

#[tokio::test]
async fn autoremove_deletes_operators_without_dependents() {
    let request = GenerateRequest {
        configuration: Some(configured(&[operator("buoy", "1.0.0")])),
        autoremove: autoremove::Kind::Remove.into(),
        ..GenerateRequest::default()
    };
    let answer = ask(request).await.expect("an answer");
    assert_eq!(versions(&answer), []);
    assert_eq!(answer.verdict(), verdict::Kind::Generated);
}

/// The result "not possible" is not an error.
#[rstest]
#[case::no_package(wishing(&["ferri"]), "no catalog has package ferri; did you mean ferry?")]
#[case::nothing(wishing(&[]), "nothing is requested; name an operator, ")]
#[case::unread(
    GenerateRequest {
        configuration: Some(Configuration {
            unread: vec!["b.yaml: it is no YAML".to_owned()],
            ..Configuration::default()
        }),
        ..GenerateRequest::default()
    },
    "b.yaml: it is no YAML"
)]
#[case::no_operator(
    GenerateRequest {
        configuration: Some(configured(&[json!({"spec": {}})])),
        ..GenerateRequest::default()
    },
    "all.yaml:1: the document has no kind, "
)]
#[tokio::test]
async fn impossible_request_is_refused_without_objects(
    #[case] request: GenerateRequest,
    #[case] why: &str,
) {
    let answer = ask(request).await.expect("an answer");
    assert_eq!(answer.verdict(), verdict::Kind::Refused);
    assert_eq!(answer.objects, [""; 0]);
    let [error] = answer.errors.as_slice() else {
        panic!("one error: {answer:?}");
    };
    assert!(error.starts_with(why), "{error}");
}

#[rstest]
#[case::invalid_requirement(wishing(&["rope", "rope:1"]), "wishes[1]", "\"rope:1\" is not a requirement: at column 5, ")]
#[case::many_requirements(
    GenerateRequest { wishes: vec!["rope".to_owned(); 1001], ..GenerateRequest::default() },
    "wishes",
    "1001 are given; at most 1000 are allowed"
)]
#[case::many_deletes(
    GenerateRequest { deletes: vec!["rope".to_owned(); 1001], ..GenerateRequest::default() },
    "deletes",
    "1001 are given; at most 1000 are allowed"
)]
#[case::many_documents(
    GenerateRequest {
        configuration: Some(Configuration {
            documents: vec![Document::default(); 20_001],
            ..Configuration::default()
        }),
        ..GenerateRequest::default()
    },
    "configuration.documents",
    "20001 are given; at most 20000 are allowed"
)]
#[case::no_json(
    GenerateRequest {
        configuration: Some(Configuration {
            documents: vec![Document { object: "{".to_owned(), ..Document::default() }],
            ..Configuration::default()
        }),
        ..GenerateRequest::default()
    },
    "configuration.documents[0].object",
    "EOF while parsing an object"
)]
#[case::no_json_manifest(
    GenerateRequest { manifest: Some(Document::default()), ..GenerateRequest::default() },
    "manifest.object",
    "EOF while parsing a value"
)]
#[case::no_json_of_a_cluster(
    GenerateRequest {
        cluster: Some(Cluster { operators: vec!["{}".to_owned(), String::new()] }),
        ..GenerateRequest::default()
    },
    "cluster.operators[1]",
    "EOF while parsing a value"
)]
#[case::no_kubernetes(
    GenerateRequest { kubernetes: "new".to_owned(), ..wishing(&["rope"]) },
    "kubernetes",
    "new is not a version of Kubernetes; write it as 1.34.1"
)]
#[case::later_keyword(
    GenerateRequest { autoremove: 7, ..GenerateRequest::default() },
    "autoremove",
    "7 is unknown to this server, which supports NO, TELL, REMOVE"
)]
#[tokio::test]
async fn meaningless_field_is_refused(
    #[case] request: GenerateRequest,
    #[case] field: &str,
    #[case] why: &str,
) {
    let refused = ask(request).await.expect_err("a refusal");
    assert_eq!(refused.code(), Code::InvalidArgument);
    let details = refused.get_details_bad_request().expect("details");
    let violation = &details.field_violations[0];
    assert_eq!(violation.field, field);
    assert!(
        violation.description.contains(why),
        "{}",
        violation.description
    );
}

/// The number of Operators exceeds the limit for planning a route.
#[tokio::test]
async fn generate_refuses_more_operators_than_the_limit() {
    let mut objects: Vec<_> = (0..1_001)
        .map(|at| operator(&format!("x{at}"), "1.0.0"))
        .collect();
    objects.push(operator("rope", "1.0.0"));
    let request = GenerateRequest {
        configuration: Some(configured(&objects)),
        ..wishing(&["rope=1.1.0"])
    };
    let answer = ask(request).await.expect("an answer");
    assert_eq!(answer.verdict(), verdict::Kind::Refused);
    assert_eq!(
        answer.errors,
        ["operators: 1002 are given; at most 1000 are allowed"]
    );
}

#[test]
fn generate_messages_round_trip_as_json() {
    let request = wishing(&["rope"]);
    let text = serde_json::to_string(&request).expect("JSON");
    let read: pb::GenerateRequest = serde_json::from_str(&text).expect("a request");
    assert_eq!(read, request);
}
