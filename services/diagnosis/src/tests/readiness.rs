//! Tests of requests for the readiness of operators for a cluster upgrade.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use portolan_kit::{TempFolder, catalog};
use portolan_proto::diagnosis::v1 as pb;
use portolan_proto::diagnosis::v1::diagnosis_client::DiagnosisClient;
use portolan_proto::diagnosis::v1::list_readiness_request::Target;
use portolan_proto::diagnosis::v1::list_readiness_response::Content;
use portolan_proto::diagnosis::v1::operator_readiness::Verdict;
use portolan_resolver::readiness::Minor;
use portolan_resolver::source::{SourceAccess, SourceFlags};
use portolan_shell::Holder;
use portolan_shell::client::{Connection, local};
use portolan_world::{AnyWorld, Files};
use rstest::rstest;
use serde_json::json;
use similar_asserts::assert_eq;
use tonic::{Code, Status};

use super::{Asking, SHOP, settled, well};
use crate::readiness::{
    AskedReadiness, Assessment, ReadinessFlags, ReadinessServer, ReadinessSources,
};
use crate::{DiagnosisService, Options};

/// A service for files with the operators ferry and pilot.
struct Judging {
    judge: ReadinessServer,
    diagnosis: DiagnosisService,
    client: DiagnosisClient<Connection>,
    world: TempFolder,
    _shop: TempFolder,
}

// === impl Judging ===

impl Judging {
    /// Starts the service. `later` may contain the content of `olm/shop` in Kubernetes 1.35.
    async fn of(target: Option<&str>, later: Option<&Path>, only: Option<&str>) -> Self {
        let world = well(&["ferry.v1.0.0", "pilot.v1.0.0"]).temp();
        let shop = catalog(SHOP).temp();
        let later = later.map(|folder| format!("1.35=olm/shop={}", folder.display()));
        let flags = ReadinessFlags {
            readiness_target: target.map(|text| text.parse().expect("a target")),
            readiness_catalogs: later
                .iter()
                .map(|text| text.parse().expect("a catalog"))
                .collect(),
        };
        let files = AnyWorld::Files(Files::at(&*world));
        let only = only.map(str::to_owned);
        let sources = ReadinessSources::of_server(flags, &SourceFlags::default(), &files);
        let sources = sources.expect("folders");
        let judge = ReadinessServer::of(files.clone(), only.clone(), sources);
        let diagnosis = DiagnosisService::unopened();
        diagnosis.judging(judge.clone());
        let current = format!("olm/shop={}", shop.display());
        let given = vec![current.parse().expect("a catalog")];
        let options = Options {
            namespace: only,
            ..Options::default()
        };
        let opened = diagnosis.open(files, (given, &SourceAccess::default()), options);
        opened.expect("folders");
        settled(&diagnosis).await;
        Self {
            client: DiagnosisClient::new(local(diagnosis.clone().into_service())),
            judge,
            diagnosis,
            world,
            _shop: shop,
        }
    }

    /// Returns the objects that could not be read, and the operators with their verdicts.
    async fn ask(
        &mut self,
        request: pb::ListReadinessRequest,
    ) -> Result<(Vec<String>, Vec<pb::OperatorReadiness>), Status> {
        let mut stream = self.client.list_readiness(request).await?.into_inner();
        let (mut unread, mut operators) = (None, Vec::new());
        while let Some(response) = stream.message().await? {
            match response.content.expect("a content") {
                Content::Overview(overview) => unread = Some(overview.unread),
                Content::Operator(operator) => operators.push(operator),
            }
        }
        Ok((unread.expect("an overview"), operators))
    }

    /// Judges the operators for the target of the server.
    async fn assessment(&self) -> Arc<Assessment> {
        let asked = AskedReadiness {
            from: Some(Minor::new(1, 34)),
            ..AskedReadiness::default()
        };
        let caller = Holder::Address(None);
        let assessment = self.diagnosis.readiness(asked, caller).await;
        assessment.expect("an answer")
    }

    async fn verdicts(&mut self, request: pb::ListReadinessRequest) -> Vec<String> {
        let (_, operators) = self.ask(request).await.expect("an answer");
        let verdicts = operators.iter().map(|it| {
            let subject = it.subject.as_ref().expect("a subject");
            format!("{} {}", subject.name, it.verdict().as_str_name())
        });
        verdicts.collect()
    }
}

fn request(target: &str) -> pb::ListReadinessRequest {
    pb::ListReadinessRequest {
        target: Some(Target::Kubernetes(target.to_owned())),
        from: "1.34".to_owned(),
        ..pb::ListReadinessRequest::default()
    }
}

#[tokio::test]
async fn operators_are_compared_with_the_given_catalogs() {
    let later = catalog("ferry: 1.0.0").temp();
    let mut judging = Judging::of(None, Some(&later), None).await;
    assert_eq!(
        judging.verdicts(request("1.35")).await,
        ["ferry READY", "pilot PACKAGE_GONE"]
    );
}

#[rstest]
#[case::of_no_release(None, "1.35")]
#[case::of_another_release(Some(SHOP), "1.36")]
#[tokio::test]
async fn operator_is_not_checked_without_catalog_of_target(
    #[case] later: Option<&str>,
    #[case] target: &str,
) {
    let later = later.map(|text| catalog(text).temp());
    let mut judging = Judging::of(None, later.as_deref(), None).await;
    let (_, operators) = judging.ask(request(target)).await.expect("an answer");
    for operator in operators {
        assert_eq!(operator.verdict(), Verdict::NotChecked);
        let reason = format!(
            "catalog olm/shop of Kubernetes {target} is not given; start the server with \
             --readiness-catalog {target}=olm/shop=PLACE."
        );
        let messages = operator.reasons.iter().map(|it| it.message.as_str());
        assert!(messages.into_iter().any(|it| it == reason), "{operator:?}");
    }
}

#[tokio::test]
async fn request_for_namespace_returns_only_its_operators() {
    let later = catalog(SHOP).temp();
    let mut judging = Judging::of(None, Some(&later), None).await;
    let asked = pb::ListReadinessRequest {
        namespace: "pilot-system".to_owned(),
        ..request("1.35")
    };
    assert_eq!(judging.verdicts(asked).await, ["pilot READY"]);
}

#[tokio::test]
async fn server_of_one_namespace_rejects_other_namespaces() {
    let later = catalog(SHOP).temp();
    let mut judging = Judging::of(None, Some(&later), Some("pilot-system")).await;
    assert_eq!(judging.verdicts(request("1.35")).await, ["pilot READY"]);
    let asked = pb::ListReadinessRequest {
        namespace: "ferry-system".to_owned(),
        ..request("1.35")
    };
    let refused = judging.ask(asked).await.expect_err("another namespace");
    assert_eq!(refused.code(), Code::Unavailable);
}

#[rstest]
#[case::no_target(pb::ListReadinessRequest::default(), Code::InvalidArgument)]
#[case::older_target(request("1.33"), Code::InvalidArgument)]
#[case::invalid_target(request("new"), Code::InvalidArgument)]
#[case::unknown_current_release(
    pb::ListReadinessRequest { from: String::new(), ..request("1.35") },
    Code::FailedPrecondition
)]
#[case::openshift_without_a_cluster_version(
    pb::ListReadinessRequest {
        target: Some(Target::Openshift("4.22".to_owned())),
        ..pb::ListReadinessRequest::default()
    },
    Code::FailedPrecondition
)]
#[tokio::test]
async fn rejects_invalid_readiness_request(
    #[case] asked: pb::ListReadinessRequest,
    #[case] expected: Code,
) {
    let mut judging = Judging::of(None, None, None).await;
    let refused = judging.ask(asked).await.expect_err("a wrong question");
    assert_eq!(refused.code(), expected, "{refused}");
}

/// A service within another process, such as the console, watches no catalogs of later releases.
#[tokio::test]
async fn returns_unimplemented_without_readiness_flags() {
    let mut asking = Asking::at(&well(&["ferry.v1.0.0"])).await;
    let refused = asking.client.list_readiness(request("1.35")).await;
    assert_eq!(
        refused.expect_err("no readiness").code(),
        Code::Unimplemented
    );
}

#[rstest]
#[case::one_operator(Some(Minor::new(1, 34)), "ferry: 1.0.0", Some(1))]
#[case::no_operator(Some(Minor::new(1, 34)), SHOP, Some(0))]
#[case::unknown_current_release(None, SHOP, None)]
#[tokio::test]
async fn counts_operators_that_are_not_ready(
    #[case] from: Option<Minor>,
    #[case] later: &str,
    #[case] expected: Option<usize>,
) {
    let later = catalog(later).temp();
    let judging = Judging::of(Some("kubernetes=1.35"), Some(&later), None).await;
    let asked = AskedReadiness {
        from,
        ..AskedReadiness::default()
    };
    let count = judging
        .judge
        .count(asked, judging.diagnosis.catalogs())
        .await;
    assert_eq!(count.ok(), expected);
}

/// Pages and callers ask again and again.
#[tokio::test]
async fn answer_is_kept_until_an_object_changes() {
    let later = catalog(SHOP).temp();
    let judging = Judging::of(Some("kubernetes=1.35"), Some(&later), None).await;
    let first = judging.assessment().await;
    assert!(Arc::ptr_eq(&first, &judging.assessment().await));
    let subscription = json!({
        "apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription",
        "metadata": {"name": "tug", "namespace": "tug-system"},
        "spec": {"name": "tug", "channel": "stable", "source": "shop", "sourceNamespace": "olm"},
    });
    let file = judging.world.join("tug.json");
    std::fs::write(file, subscription.to_string()).expect("a file");
    let changed = async {
        while Arc::ptr_eq(&first, &judging.assessment().await) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let changed = tokio::time::timeout(Duration::from_secs(30), changed).await;
    assert_eq!(changed, Ok(()));
}
