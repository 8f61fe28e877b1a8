use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use kube::api::{DynamicObject, ObjectMeta};
use portolan_runtime::certificates::Content;
use rstest::rstest;
use serde_json::{Value, json};

use super::certificates::{NotIssued, ObservedSecret, issued};
use super::check::{CheckPhase, CheckState, check};
use super::decide::{Owner, change, owner};
use super::observed::{ClusterSetup, DeployedPart, ServingCertificate, Setup};
use crate::server_side_apply::ApplyChange;

fn now() -> Timestamp {
    "2026-11-30T12:00:00Z".parse().expect("a time")
}

fn metadata(labels: &Value, annotations: &Value) -> ObjectMeta {
    let all = json!({"labels": labels, "annotations": annotations});
    serde_json::from_value(all).expect("metadata")
}

#[rstest]
#[case::none(json!({}), json!({}), Owner::Unknown)]
#[case::portolan(json!({"app.kubernetes.io/managed-by": "portolan"}), json!({}), Owner::Portolan)]
#[case::helm(
    json!({"app.kubernetes.io/managed-by": "Helm"}),
    json!({"meta.helm.sh/release-name": "mine"}),
    Owner::Helm("mine".to_owned())
)]
#[case::other(json!({"app.kubernetes.io/managed-by": "argo"}), json!({}), Owner::Other("argo".to_owned()))]
fn owner_is_read_from_the_label(
    #[case] labels: Value,
    #[case] annotations: Value,
    #[case] expected: Owner,
) {
    assert_eq!(owner(&metadata(&labels, &annotations)), expected);
}

#[test]
fn apply_reports_its_change() {
    let object = |value: &str| -> DynamicObject {
        let object =
            json!({"metadata": {"name": "one", "resourceVersion": value}, "data": {"a": value}});
        serde_json::from_value(object).expect("an object")
    };
    assert_eq!(change(None, &object("1")), ApplyChange::Created);
    assert_eq!(
        change(Some(&object("1")), &object("2")),
        ApplyChange::Configured
    );
    let mut written = object("1");
    written.metadata.resource_version = Some("9".to_owned());
    assert_eq!(change(Some(&object("1")), &written), ApplyChange::Unchanged);
}

/// Issues certificates. Returns all Secrets after that.
fn issue(
    secrets: &BTreeMap<&'static str, ObservedSecret>,
    now: Timestamp,
) -> Result<(Vec<String>, BTreeMap<&'static str, ObservedSecret>), NotIssued> {
    let mut services = secrets.clone();
    let authority = services
        .remove("authority")
        .unwrap_or(ObservedSecret::Absent);
    let made = issued("portolan", (authority, services), now)?;
    let mut after = secrets.clone();
    for secret in &made {
        let name = ["authority", "health", "resolver", "console"]
            .into_iter()
            .find(|name| secret.name.contains(name));
        let content = Content::of(&secret.manifest["data"]);
        after.insert(name.expect("a known name"), ObservedSecret::Ours(content));
    }
    Ok((made.into_iter().map(|secret| secret.name).collect(), after))
}

fn absent(names: &[&'static str]) -> BTreeMap<&'static str, ObservedSecret> {
    names
        .iter()
        .map(|name| (*name, ObservedSecret::Absent))
        .collect()
}

#[test]
fn certificates_are_created_once_and_renewed_before_they_expire() {
    let (made, after) = issue(&absent(&["health", "resolver"]), now()).expect("certificates");
    let expected = [
        "portolan-authority",
        "portolan-health-tls",
        "portolan-resolver-tls",
    ];
    assert_eq!(made, expected);
    let (made, after) = issue(&after, now()).expect("nothing to do");
    assert_eq!(made, [""; 0]);
    let mut more = after.clone();
    more.insert("console", ObservedSecret::Absent);
    let (made, _) = issue(&more, now()).expect("a certificate");
    assert_eq!(made, ["portolan-console-tls"]);
    let years = SignedDuration::from_hours(24 * 365 * 9 + 24 * 30);
    let (made, _) = issue(&after, now().saturating_add(years).expect("a time")).expect("all");
    assert_eq!(made, expected);
}

#[test]
fn only_the_authority_keeps_its_key() {
    let services = BTreeMap::from([("health", ObservedSecret::Absent)]);
    let made = issued("portolan", (ObservedSecret::Absent, services), now()).expect("certificates");
    let key = |place: usize| made[place].manifest["data"].get("ca.key");
    assert!(key(0).is_some());
    assert_eq!(key(1), None);
}

#[test]
fn certificates_of_two_authorities_are_rejected() {
    let mut secrets = absent(&["health", "console"]);
    secrets.insert("resolver", ObservedSecret::Foreign(Owner::Unknown));
    let error = issue(&secrets, now())
        .expect_err("two authorities")
        .to_string();
    assert_eq!(
        error,
        "Secret portolan-health-tls is missing, but Secret portolan-resolver-tls belongs to an unknown installer; \
         create portolan-health-tls with the same authority, or delete portolan-resolver-tls"
    );
    secrets.insert("health", ObservedSecret::Foreign(Owner::Unknown));
    let (made, _) = issue(&secrets, now()).expect("a certificate for browsers");
    assert_eq!(made, ["portolan-authority", "portolan-console-tls"]);
}

fn setup(edit: impl FnOnce(&mut Setup)) -> ClusterSetup {
    let part = |name: &str| DeployedPart {
        name: name.to_owned(),
        desired: 1,
        ready: 1,
    };
    let valid = ServingCertificate::ValidUntil(now() + SignedDuration::from_hours(24 * 90));
    let mut setup = Setup {
        namespace: "portolan".to_owned(),
        owner: Owner::Helm("mine".to_owned()),
        parts: vec![part("portolan-health"), part("portolan-controller")],
        certificates: BTreeMap::from([("portolan-health-tls".to_owned(), Ok(valid))]),
        crds: BTreeMap::from([("installplans.plans.portolan.dev".to_owned(), Ok(Some(true)))]),
        holder: Some(Ok(Some("controller-0".to_owned()))),
        preparation: Some(Ok(Vec::new())),
    };
    edit(&mut setup);
    ClusterSetup {
        version: Ok((1, 36)),
        groups: Ok(BTreeSet::from(
            ["metrics.k8s.io", "operators.coreos.com"].map(str::to_owned),
        )),
        denied: Ok(Vec::new()),
        setup: Ok(Some(setup)),
    }
}

/// Returns the checks that did not pass.
fn troubles(facts: &ClusterSetup, phase: CheckPhase) -> Vec<String> {
    let checks = check(facts, phase, now()).into_iter();
    let checks = checks.filter(|check| check.state != CheckState::Passed);
    checks
        .map(|it| format!("{:?}: {} -> {}", it.state, it.message, it.remedy))
        .collect()
}

#[test]
fn healthy_installation_passes_each_check() {
    let facts = setup(|_| ());
    assert_eq!(troubles(&facts, CheckPhase::After), [""; 0]);
    assert_eq!(check(&facts, CheckPhase::After, now()).len(), 10);
}

#[rstest]
#[case::pods(
    |it: &mut Setup| it.parts[0].ready = 0,
    "Failed: Deployment portolan-health has 0 of 1 ready Pods -> portolan diagnose component/portolan-health"
)]
#[case::scaled_down(
    |it: &mut Setup| it.parts[0].desired = 0,
    "Warning: Deployment portolan-health is scaled to 0 -> Scale it up when you need it."
)]
#[case::certificate_missing(
    |it: &mut Setup| drop(it.certificates.insert("portolan-health-tls".to_owned(), Ok(ServingCertificate::Missing))),
    "Failed: Secret portolan-health-tls with the certificate is missing -> helm upgrade mine CHART -n portolan \
     --reuse-values"
)]
#[case::certificate_expires(
    |it: &mut Setup| drop(it.certificates.insert(
        "portolan-health-tls".to_owned(),
        Ok(ServingCertificate::ValidUntil(now() + SignedDuration::from_hours(24))),
    )),
    "Warning: the certificate in Secret portolan-health-tls expires on 2026-12-01 -> helm upgrade mine CHART -n \
     portolan --reuse-values"
)]
#[case::certificate_forbidden(
    |it: &mut Setup| drop(it.certificates.insert("portolan-health-tls".to_owned(), Err("forbidden".to_owned()))),
    "Unknown: the certificate in Secret portolan-health-tls cannot be read: forbidden -> Check your permissions and the \
     connection to the API server."
)]
#[case::crd_missing(
    |it: &mut Setup| drop(it.crds.insert("installplans.plans.portolan.dev".to_owned(), Ok(None))),
    "Failed: CRD installplans.plans.portolan.dev is missing -> portolan install crds"
)]
#[case::no_leader(
    |it: &mut Setup| it.holder = Some(Ok(None)),
    "Failed: no controller is active, because no process holds the Lease portolan-controller -> \
     portolan diagnose component/portolan-controller"
)]
#[case::namespace_not_prepared(
    |it: &mut Setup| it.preparation = Some(Ok(vec!["kubectl label".to_owned()])),
    "Failed: Operators cannot be installed, because the namespace is not prepared -> kubectl label"
)]
fn problem_has_its_remedy(#[case] edit: fn(&mut Setup), #[case] expected: &str) {
    assert_eq!(troubles(&setup(edit), CheckPhase::After), [expected]);
}

#[test]
fn missing_installation_fails_only_the_next_check() {
    let mut facts = setup(|_| ());
    facts.setup = Ok(None);
    assert_eq!(troubles(&facts, CheckPhase::Before), [""; 0]);
    let expected = "Failed: Portolan is not installed -> portolan install --profile look";
    assert_eq!(troubles(&facts, CheckPhase::After), [expected]);
}

#[test]
fn unsupported_cluster_is_reported_before_an_installation() {
    let mut facts = setup(|_| ());
    facts.version = Ok((1, 28));
    facts.groups = Ok(BTreeSet::new());
    facts.denied = Ok(vec!["clusterroles".to_owned()]);
    let expected = [
        "Failed: the version is 1.28, and Portolan needs 1.30 or later -> Upgrade Kubernetes.",
        "Warning: neither OLM v0 nor OLM v1 is installed, so the cluster has no catalogs -> To use catalogs without OLM, \
         set --catalog of the resolver.",
        "Warning: the metrics API is not served, so the resolver keeps its minimum of replicas -> \
         To scale the resolver according to its load, install metrics-server.",
        "Failed: you cannot create clusterroles -> Ask an administrator of the cluster to install Portolan.",
        "Warning: Portolan is already installed in namespace portolan, by the Helm release mine -> helm upgrade mine CHART \
         -n portolan --reuse-values",
    ];
    assert_eq!(troubles(&facts, CheckPhase::Before), expected);
}
