//! The data of the tests: a policy for package `ferry`, its namespace, and the responses of the
//! services about them.

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use portolan_api::{Intent, OperatorPolicy};
use portolan_core_olm::Subscription;
use portolan_core_operatorpolicy::{
    Answer, Answers, Bundle, CatalogSight, Channel, Modes, NamespaceState, Observed, Offer,
    Operator, PlanReview, ReachableBundles, State, Unavailable, Verdict,
};
use portolan_proto::approval::v1 as approval;
use portolan_proto::approval::v1::approval_server::ApprovalServer;
use portolan_proto::basis::v1 as basis;
use portolan_proto::health::v1 as health;
use portolan_proto::health::v1::health_server::HealthServer;
use portolan_proto::resolver::v1 as resolver;
use portolan_proto::resolver::v1::resolver_server::ResolverServer;
use portolan_shell::client;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tonic::Status;

use super::fakes::{FakeApproval, FakeHealth, FakeResolver, Resolver};
use crate::ask::{Clock, Connections, Services, Topic};

pub(super) const SECOND: Duration = Duration::from_secs(1);
pub(super) const EPOCH: &str = "life-1";

/// Fake services, and their client.
pub(super) struct Stage {
    pub(super) resolver: FakeResolver,
    pub(super) health: FakeHealth,
    pub(super) approval: FakeApproval,
    pub(super) services: Services,
}

// === impl Stage ===

impl Stage {
    pub(super) fn new() -> Self {
        let resolver = FakeResolver::new(answers());
        let health = FakeHealth::new(());
        let approval = FakeApproval::new(Err(Status::not_found("there is no such plan.")));
        let connections = in_process((&resolver, &health, &approval));
        Self {
            services: Services::over(connections, clock()),
            resolver,
            health,
            approval,
        }
    }

    /// Returns a stage after one second. All services have sent their complete state.
    pub(super) async fn synced() -> Self {
        let began = Instant::now();
        let stage = Self::new();
        stage.send_all().await;
        stage.settle().await;
        sleep_until(began + SECOND).await;
        stage.resolver.calls();
        stage
    }

    pub(super) async fn send_all(&self) {
        self.send_catalog("sha256:1").await;
        self.resolver.send(catalogs_synced()).await;
        self.send_health(operator("ferry.v1")).await;
        self.send_health(health_synced()).await;
        self.approval.send(approval_message(reviewed("7"))).await;
        self.approval.send(approval_synced()).await;
    }

    pub(super) async fn send_catalog(&self, digest: &str) {
        self.resolver.send(catalog("olm/shop", digest)).await;
    }

    pub(super) async fn send_health(&self, event: health::watch_response::Event) {
        self.health.send(health_message(EPOCH, event)).await;
    }

    /// Ends all streams. The next event is sent on the next stream.
    pub(super) fn forget_streams(&self) {
        self.resolver.end();
        self.health.end();
        self.approval.end();
    }

    /// Starts the heartbeats of all services except the health service.
    pub(super) fn keep_others_alive(&self) {
        let (resolver, approval) = (self.resolver.clone(), self.approval.clone());
        tokio::spawn(async move {
            loop {
                sleep(SECOND * 30).await;
                resolver.send(catalogs_synced()).await;
                approval.send(approval_synced()).await;
            }
        });
    }

    /// Starts the heartbeats of all services.
    pub(super) fn keep_alive(&self) {
        self.keep_others_alive();
        let health = self.health.clone();
        tokio::spawn(async move {
            loop {
                sleep(SECOND * 30).await;
                health.send(health_message(EPOCH, health_synced())).await;
            }
        });
    }

    /// Takes and drops all new topics.
    pub(super) async fn settle(&self) {
        while timeout(Duration::from_millis(50), self.services.changed())
            .await
            .is_ok()
        {}
    }

    /// Returns the topics that are reported within a second.
    pub(super) async fn changes(&self) -> Vec<Topic> {
        let changes = timeout(SECOND, self.services.changed()).await;
        changes.unwrap_or_default()
    }

    pub(super) async fn ask(&self) -> Answers {
        self.services.ask(Some(&intent()), &observed()).await
    }
}

/// Returns connections to fake services without a network.
pub(super) fn in_process(
    (resolver, health, approval): (&FakeResolver, &FakeHealth, &FakeApproval),
) -> Connections {
    Connections {
        resolver: client::local(ResolverServer::new(resolver.clone())),
        health: client::local(HealthServer::new(health.clone())),
        approval: client::local(ApprovalServer::new(approval.clone())),
    }
}

/// Returns a clock that starts on a day in spring and advances with the time of the test.
fn clock() -> Clock {
    let began = Instant::now();
    Clock(Arc::new(move || {
        let passed = SignedDuration::try_from(began.elapsed()).unwrap();
        time("2026-04-01T08:00:00Z") + passed
    }))
}

pub(super) fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub(super) fn silence<T>(service: &'static str, since: &str, why: &str) -> Answer<T> {
    Answer::Unavailable(Unavailable {
        service,
        since: (!since.is_empty()).then(|| time(since)),
        why: why.to_owned(),
    })
}

// --- the policy and the observed objects ---

pub(super) fn intent() -> Intent {
    intent_of(
        json!({"name": "ferry", "namespace": "harbor", "source": "shop",
        "sourceNamespace": "olm", "channel": "stable"}),
    )
}

pub(super) fn intent_of(subscription: Value) -> Intent {
    Intent::parse(&policy_of(subscription, json!(["*"]))).unwrap()
}

pub(super) fn policy_of(subscription: Value, allowed: Value) -> OperatorPolicy {
    serde_json::from_value(json!({
        "metadata": {"name": "ferry", "namespace": "policies", "uid": "p-1", "generation": 2},
        "spec": {"remediationAction": "enforce", "subscription": subscription,
            "allowedCSVs": allowed}
    }))
    .unwrap()
}

pub(super) fn observed() -> Observed {
    observed_in(Some(state()))
}

pub(super) fn observed_in(state: Option<NamespaceState>) -> Observed {
    let policy = policy_of(json!({"name": "ferry"}), json!(["*"]));
    Observed {
        namespace: state,
        ..Observed::alone(Arc::new(policy))
    }
}

/// Returns the state of a namespace in which version 1 is installed.
pub(super) fn state() -> NamespaceState {
    NamespaceState {
        name: "harbor".to_owned(),
        subscriptions: vec![Arc::new(subscription())],
        plans: vec![Arc::new(plan("7"))],
        ..NamespaceState::default()
    }
}

pub(super) fn plan(version: &str) -> portolan_core_olm::InstallPlan {
    serde_json::from_value(json!({
        "metadata": {"name": "install-1", "namespace": "harbor", "uid": "u-1",
            "resourceVersion": version},
        "spec": {"approved": false}
    }))
    .unwrap()
}

pub(super) fn subscription() -> Subscription {
    subscription_with(json!({"installedCSV": "ferry.v1"}))
}

pub(super) fn subscription_with(status: Value) -> Subscription {
    serde_json::from_value(json!({
        "metadata": {"name": "ferry", "namespace": "harbor"},
        "spec": {"name": "ferry", "source": "shop", "sourceNamespace": "olm",
            "channel": "stable"},
        "status": status
    }))
    .unwrap()
}

// --- the responses of the services ---

pub(super) fn reference(kind: &str, namespace: &str, name: &str) -> basis::ObjectRef {
    basis::ObjectRef {
        kind: kind.to_owned(),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    }
}

pub(super) fn made(digest: &str) -> Vec<resolver::CatalogRef> {
    vec![resolver::CatalogRef {
        name: "olm/shop".to_owned(),
        digest: digest.to_owned(),
        ..resolver::CatalogRef::default()
    }]
}

/// Returns package `ferry` of catalog `olm/shop`, with the versions 1 and 2.
pub(super) fn package() -> resolver::GetPackageResponse {
    let bundle = |name: &str, version: &str| resolver::get_package_response::Bundle {
        name: name.to_owned(),
        version: version.to_owned(),
        channels: vec!["stable".to_owned()],
        ..Default::default()
    };
    let head = resolver::Head {
        channel: "stable".to_owned(),
        name: "ferry.v2".to_owned(),
        version: "2.0.0".to_owned(),
    };
    resolver::GetPackageResponse {
        catalogs: made("sha256:1"),
        name: "ferry".to_owned(),
        default_channel: "stable".to_owned(),
        channels: vec![resolver::get_package_response::Channel {
            name: "stable".to_owned(),
            heads: vec![head],
            ..Default::default()
        }],
        bundles: vec![bundle("ferry.v2", "2.0.0"), bundle("ferry.v1", "1.0.0")],
        ..Default::default()
    }
}

pub(super) fn answers() -> Resolver {
    Resolver {
        package: Ok(package()),
        bundle: Ok(resolver::GetBundleResponse {
            catalogs: made("sha256:1"),
            name: "ferry.v1".to_owned(),
            install_modes: vec![mode("AllNamespaces", true), mode("OwnNamespace", false)],
            ..Default::default()
        }),
        upgrades: Ok(resolver::ListUpgradesResponse {
            catalogs: made("sha256:1"),
            installed: Some(resolver::Installed {
                name: "ferry.v1".to_owned(),
                ..Default::default()
            }),
            reachable: vec![resolver::Reachable {
                name: "ferry.v2".to_owned(),
                version: "2.0.0".to_owned(),
                hops: 1,
            }],
            ..Default::default()
        }),
        path: Ok(reached(&[("ferry.v2", "2.0.0")])),
        shorter: Err(Status::internal("nobody asked for a version")),
        prediction: Ok(resolver::PredictOlmResponse::default()),
    }
}

pub(super) fn reached(hops: &[(&str, &str)]) -> resolver::FindPathResponse {
    let hops = hops.iter().map(|(to, version)| resolver::Hop {
        to: (*to).to_owned(),
        version: (*version).to_owned(),
        channels: vec!["stable".to_owned()],
        ..Default::default()
    });
    let path = resolver::find_path_response::Path {
        hops: hops.collect(),
    };
    resolver::FindPathResponse {
        catalogs: made("sha256:1"),
        answer: Some(resolver::find_path_response::Answer::Reached(path)),
        ..Default::default()
    }
}

pub(super) fn mode(name: &str, supported: bool) -> resolver::get_bundle_response::InstallMode {
    resolver::get_bundle_response::InstallMode {
        name: name.to_owned(),
        supported,
    }
}

pub(super) fn catalog(name: &str, digest: &str) -> resolver::WatchCatalogsResponse {
    catalog_in(resolver::catalog::State::Serving, name, digest)
}

pub(super) fn catalog_in(
    state: resolver::catalog::State,
    name: &str,
    digest: &str,
) -> resolver::WatchCatalogsResponse {
    let changed = resolver::Catalog {
        name: name.to_owned(),
        state: state.into(),
        digest: digest.to_owned(),
        since: "2026-03-01T00:00:00Z".to_owned(),
        ..Default::default()
    };
    resolver::WatchCatalogsResponse {
        epoch: EPOCH.to_owned(),
        revision: 1,
        event: Some(resolver::watch_catalogs_response::Event::Changed(changed)),
    }
}

pub(super) fn catalogs_synced() -> resolver::WatchCatalogsResponse {
    let synced = resolver::watch_catalogs_response::Synced {};
    resolver::WatchCatalogsResponse {
        epoch: EPOCH.to_owned(),
        revision: 1,
        event: Some(resolver::watch_catalogs_response::Event::Synced(synced)),
    }
}

pub(super) fn health_message(
    epoch: &str,
    event: health::watch_response::Event,
) -> health::WatchResponse {
    health::WatchResponse {
        epoch: epoch.to_owned(),
        revision: 1,
        event: Some(event),
    }
}

pub(super) fn operator(csv: &str) -> health::watch_response::Event {
    operator_in("harbor", csv)
}

pub(super) fn operator_in(namespace: &str, csv: &str) -> health::watch_response::Event {
    health::watch_response::Event::Operator(health::Operator {
        subject: Some(reference("Subscription", namespace, "ferry")),
        package: "ferry".to_owned(),
        csv: csv.to_owned(),
        verdict: Some(health::Verdict {
            state: health::verdict::State::Yes.into(),
            reasons: Vec::new(),
        }),
        ..Default::default()
    })
}

pub(super) fn health_synced() -> health::watch_response::Event {
    health::watch_response::Event::Synced(health::watch_response::Synced {})
}

/// Returns the review of an InstallPlan in this version. The InstallPlan may be approved.
pub(super) fn reviewed(version: &str) -> approval::Review {
    let policy = basis::Observed {
        object: Some(reference("OperatorPolicy", "policies", "ferry")),
        uid: "p-1".to_owned(),
        ..Default::default()
    };
    approval::Review {
        plan: Some(basis::Observed {
            object: Some(reference("InstallPlan", "harbor", "install-1")),
            uid: "u-1".to_owned(),
            resource_version: version.to_owned(),
            ..Default::default()
        }),
        verdict: Some(approval::Verdict {
            state: approval::verdict::State::Yes.into(),
            reasons: Vec::new(),
        }),
        policies: vec![approval::Standing {
            policy: Some(policy),
            generation: 2,
            ..Default::default()
        }],
        ..Default::default()
    }
}

pub(super) fn approval_message(review: approval::Review) -> approval::WatchResponse {
    approval::WatchResponse {
        epoch: EPOCH.to_owned(),
        revision: 1,
        event: Some(approval::watch_response::Event::Review(review)),
    }
}

pub(super) fn approval_synced() -> approval::WatchResponse {
    let synced = approval::watch_response::Synced {};
    approval::WatchResponse {
        epoch: EPOCH.to_owned(),
        revision: 1,
        event: Some(approval::watch_response::Event::Synced(synced)),
    }
}

// --- the decoded responses ---

pub(super) fn expected_answers() -> Answers {
    Answers {
        sight: CatalogSight::Current,
        offer: Answer::Found(offer()),
        modes: Answer::Found(Modes {
            bundle: "ferry.v1".to_owned(),
            supported: Some(vec!["AllNamespaces".to_owned()]),
        }),
        route: Answer::Found(ReachableBundles {
            installed: "ferry.v1".to_owned(),
            channel: "stable".to_owned(),
            digests: vec!["sha256:1".to_owned()],
            reachable: vec![bundle("ferry.v2", "2.0.0")],
            walk: vec![bundle("ferry.v2", "2.0.0")],
            blocked: Vec::new(),
        }),
        conflict: Answer::NotAsked,
        operator: Answer::Found(healthy("ferry.v1")),
        catalog: Answer::NotFound("health found no CatalogSource olm/shop".to_owned()),
        reviews: Answer::Found(vec![review("7")]),
    }
}

pub(super) fn offer() -> Offer {
    Offer {
        catalog: "olm/shop".to_owned(),
        digest: "sha256:1".to_owned(),
        default_channel: "stable".to_owned(),
        channels: vec![Channel {
            name: "stable".to_owned(),
            deprecation: None,
        }],
        bundles: vec![bundle("ferry.v2", "2.0.0"), bundle("ferry.v1", "1.0.0")],
        ..Offer::default()
    }
}

pub(super) fn bundle(name: &str, version: &str) -> Bundle {
    Bundle {
        name: name.to_owned(),
        version: version.to_owned(),
        channels: vec!["stable".to_owned()],
        deprecation: None,
    }
}

pub(super) fn healthy(csv: &str) -> Operator {
    Operator {
        csv: csv.to_owned(),
        verdict: Verdict {
            state: State::Yes,
            reasons: Vec::new(),
        },
        facts: Vec::new(),
    }
}

pub(super) fn review(version: &str) -> PlanReview {
    crate::ask::wire::decode_review(reviewed(version))
}
