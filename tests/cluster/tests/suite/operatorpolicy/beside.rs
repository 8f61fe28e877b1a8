//! Tests a cluster on which another controller handles policies, or handled them before.

use kube::api::{DynamicObject, ListParams, Patch, PatchParams};
use portolan_api::FINALIZER;
use portolan_rig::{Failure, Kind, PATIENCE, Seen, until, until_gone, until_object};
use serde_json::{Value, json};

use super::bare::{Bare, delivered, own};
use crate::objects::api;
use crate::process::{Running, on_free_probes, until_metric};

const RIVAL: &str = "config-policy-controller";
const TOLD: &str = "; Portolan: config-policy-controller wrote the status of OperatorPolicy";

/// A controller without services. It has its own user.
pub(super) struct Controller {
    probes: std::net::SocketAddr,
    _running: Running,
}

impl Controller {
    pub(super) async fn start(bare: &Bare, user: &str, flags: &[&str]) -> Result<Self, Failure> {
        let kubeconfig = bare.cluster.admit(user, Some("system:masters"))?;
        let unreachable = "http://127.0.0.1:1";
        let own = [
            format!("--kubeconfig={}", kubeconfig.display()),
            format!("--resolver={unreachable}"),
            format!("--health={unreachable}"),
            format!("--approval={unreachable}"),
            "--no-lease".to_owned(),
        ];
        let enforces = !flags.contains(&"--read-only");
        let flags = flags.iter().copied().chain(enforces.then_some("--enforce"));
        let flags = flags.map(str::to_owned).chain(own);
        let listening = portolan_controller::listen(on_free_probes("controller", flags));
        let listening = listening.await.expect("free ports must exist");
        Ok(Self {
            probes: listening.probes_address().expect("it listens"),
            _running: Running::until_dropped(|stops| listening.run(stops)),
        })
    }

    /// Waits until the metrics of the controller contain this line.
    pub(super) async fn until_metric(&self, line: &str) -> Result<(), Failure> {
        until_metric(self.probes, line).await
    }
}

/// Creates a policy that is valid for both controllers.
pub(super) async fn policy(bare: &Bare) -> Result<(), Failure> {
    policy_about(bare, "hull").await
}

async fn policy_about(bare: &Bare, package: &str) -> Result<(), Failure> {
    let here = &*bare.namespace;
    let body = json!({"spec": {
        "remediationAction": "enforce",
        "complianceType": "musthave",
        "upgradeApproval": "None",
        "operatorGroup": {"name": "own", "targetNamespaces": [here]},
        "subscription": {
            "name": package, "namespace": here, "channel": "stable",
            "source": "fleet", "sourceNamespace": "olm",
        },
    }});
    bare.create("kubectl", Kind::OperatorPolicy, package, body)
        .await?;
    Ok(())
}

/// Returns a status as the other controller writes it.
fn theirs() -> Value {
    let condition = |kind: &str, reason: &str, message: &str| {
        json!({
            "type": kind, "status": "True", "reason": reason, "message": message,
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        })
    };
    json!({
        "compliant": "Compliant",
        "conditions": [
            condition("Compliant", "Compliant", "Compliant; all is well"),
            condition("ValidPolicySpec", "PolicyValidated", "the spec is fine"),
        ],
    })
}

pub(super) async fn patched(
    bare: &Bare,
    by: &str,
    change: Value,
    is_status: bool,
) -> Result<(), Failure> {
    written(bare, ("hull", by), change, is_status).await
}

async fn written(
    bare: &Bare,
    (name, by): (&str, &str),
    change: Value,
    is_status: bool,
) -> Result<(), Failure> {
    let policies = bare.objects(Kind::OperatorPolicy);
    let by = PatchParams {
        field_manager: Some(by.to_owned()),
        ..PatchParams::default()
    };
    let change = Patch::Merge(change);
    if is_status {
        policies.patch_status(name, &by, &change).await?
    } else {
        policies.patch(name, &by, &change).await?
    };
    Ok(())
}

/// Waits until the status of the policy explains why the controller does nothing. Returns the
/// status.
async fn until_message(bare: &Bare, part: &str) -> Result<Value, Failure> {
    let policies = bare.objects(Kind::OperatorPolicy);
    let is_reported = |policy: &DynamicObject| message(&policy.data["status"]).contains(part);
    let policy = until_object(&policies, "hull", part, is_reported).await?;
    Ok(policy.data["status"].clone())
}

fn message(status: &Value) -> &str {
    let conditions = status["conditions"].as_array().into_iter().flatten();
    let mut valid = conditions.filter(|it| it["type"] == "ValidPolicySpec");
    valid
        .next()
        .and_then(|it| it["message"].as_str())
        .unwrap_or_default()
}

/// Returns all writes of a user.
fn writes(bare: &Bare, user: &str) -> Result<Vec<String>, Failure> {
    let audit = bare.cluster.audit()?.by(user).writes();
    let records = audit.records().iter();
    Ok(records
        .map(|record| format!("{} {}", record.verb, record.resource))
        .collect())
}

async fn has_subscription(bare: &Bare) -> Result<bool, Failure> {
    let subscriptions = bare.objects(Kind::Subscription);
    Ok(subscriptions.get_opt("hull").await?.is_some())
}

/// The controller writes one message for each generation of a policy, even if another controller
/// overwrites the message. A read-only controller writes nothing. With `--take-over`, the
/// controller takes over the policies.
#[tokio::test]
async fn controller_writes_one_message_per_generation_beside_another_controller()
-> Result<(), Failure> {
    let Some(bare) = own("beside", delivered()?).await? else {
        return Ok(());
    };
    policy(&bare).await?;
    patched(&bare, RIVAL, json!({"status": theirs()}), true).await?;

    let reads = Controller::start(&bare, "reads", &["--read-only"]).await?;
    reads
        .until_metric("cluster_policy_governance_info{")
        .await?;
    reads
        .until_metric("portolan_controller_read_only 1")
        .await?;
    assert_eq!(writes(&bare, "reads")?, Vec::<String>::new());
    drop(reads);

    let onlooker = Controller::start(&bare, "looks-on", &[]).await?;
    let mut status = until_message(&bare, TOLD).await?;
    onlooker
        .until_metric("portolan_controller_read_only 1")
        .await?;
    status["conditions"][1]["message"] = json!("the spec is fine");
    assert_eq!(status, theirs(), "the rest of the status is unchanged");

    patched(&bare, RIVAL, json!({"status": theirs()}), true).await?;
    patched(
        &bare,
        "kubectl",
        json!({"spec": {"severity": "low"}}),
        false,
    )
    .await?;
    until_message(&bare, TOLD).await?;
    assert_eq!(
        writes(&bare, "looks-on")?,
        vec!["patch operatorpolicies/status"; 2]
    );
    assert!(!has_subscription(&bare).await?);
    drop(onlooker);

    let takes_over = Controller::start(&bare, "takes-over", &["--take-over"]).await?;
    let subscriptions = bare.objects(Kind::Subscription);
    until_object(&subscriptions, "hull", "made", |_| true).await?;
    takes_over
        .until_metric("portolan_controller_read_only 0")
        .await
}

/// Returns the patch in the printed command that resumes a policy.
fn way_out(message: &str) -> Result<Value, Failure> {
    let start = "kubectl patch operatorpolicies.policy.open-cluster-management.io hull -n ";
    assert!(message.contains(start), "{message}");
    let patch = message.split('\'').nth(1).unwrap_or_default();
    serde_json::from_str(patch).map_err(Failure::read("parse a patch"))
}

/// If an unknown field manager writes the status of a policy, only this policy is suspended, even
/// while it is deleted. The status contains a command that resumes it. If a user edits a status,
/// the controller overwrites the change.
#[tokio::test]
async fn unknown_status_writer_suspends_only_its_policy() -> Result<(), Failure> {
    let Some(bare) = own("by-hand", delivered()?).await? else {
        return Ok(());
    };
    policy(&bare).await?;
    policy_about(&bare, "keel").await?;
    let held = json!({"metadata": {"finalizers": [FINALIZER]}});
    patched(&bare, "kubectl", held, false).await?;
    let by_hand = json!({"status": {"compliant": "Compliant"}});
    patched(&bare, "fleet-agent", by_hand, true).await?;
    let _controller = Controller::start(&bare, "works", &[]).await?;
    let subscriptions = bare.objects(Kind::Subscription);
    until_object(&subscriptions, "keel", "made", |_| true).await?;
    let status = until_message(&bare, "fleet-agent wrote the status of OperatorPolicy").await?;
    let cleared = way_out(message(&status))?;
    assert!(!has_subscription(&bare).await?);

    let policies = bare.objects(Kind::OperatorPolicy);
    let edited = json!({"status": {"compliant": "Terminating"}});
    written(&bare, ("keel", "kubectl-edit"), edited, true).await?;
    until_object(&policies, "keel", "written again", |keel| {
        keel.data["status"]["compliant"] != "Terminating"
    })
    .await?;

    policies.delete("hull", &Default::default()).await?;
    until_message(
        &bare,
        &format!("its finalizer {FINALIZER} stays until then"),
    )
    .await?;
    patched(&bare, "kubectl", cleared, false).await?;
    until_gone(&policies, "hull").await
}

/// Returns the CRD of policies without the fields that only Portolan's CRD has.
pub(super) fn established() -> Result<Value, Failure> {
    let mut crd = delivered()?;
    let version = &mut crd["spec"]["versions"][0];
    version["additionalPrinterColumns"] = json!([]);
    let root = &mut version["schema"]["openAPIV3Schema"]["properties"];
    let spec = &mut root["spec"];
    let anything = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    spec["required"] = json!(["complianceType", "subscription", "upgradeApproval"]);
    for field in ["operatorGroup", "subscription"] {
        spec["properties"][field] = anything.clone();
    }
    remove(spec, "x-kubernetes-validations");
    for field in ["allowedCSVs", "statusConfig"] {
        remove(&mut spec["properties"], field);
    }
    for field in ["installPlans", "apiServiceDefinitions"] {
        remove(
            &mut spec["properties"]["removalBehavior"]["properties"],
            field,
        );
    }
    for field in ["upgrades", "removal"] {
        remove(&mut root["status"]["properties"], field);
    }
    Ok(crd)
}

fn remove(object: &mut Value, field: &str) {
    let removed = object.as_object_mut().and_then(|it| it.remove(field));
    assert!(removed.is_some(), "{field} is missing");
}

/// With the CRD of another controller, only a controller with `--take-over` acts. It then supports
/// only the established form.
#[tokio::test]
async fn takeover_works_with_the_established_crd() -> Result<(), Failure> {
    let Some(bare) = own("established", established()?).await? else {
        return Ok(());
    };
    policy(&bare).await?;
    let onlooker = Controller::start(&bare, "looks-on", &[]).await?;
    onlooker
        .until_metric("portolan_controller_read_only 1")
        .await?;
    let events = api(&bare.client, ["v1", "Event", &bare.namespace]);
    let lacking = "The OperatorPolicy CRD on this cluster lacks spec.allowedCSVs";
    until("an Event", PATIENCE, async || {
        let mut all = events.list(&ListParams::default()).await?.items.into_iter();
        let has_message =
            |event: &DynamicObject| event.data["message"].to_string().contains(lacking);
        Ok(if all.any(|event| has_message(&event)) {
            Seen::Yes(())
        } else {
            Seen::NotYet("no Event".to_owned())
        })
    })
    .await?;
    assert_eq!(
        writes(&bare, "looks-on")?,
        ["create events"],
        "a write to the policy might drop fields of it"
    );
    assert!(!has_subscription(&bare).await?);
    drop(onlooker);

    let _takes_over = Controller::start(&bare, "takes-over", &["--take-over"]).await?;
    let policies = bare.objects(Kind::OperatorPolicy);
    let is_carried_out = |policy: &DynamicObject| {
        let status = &policy.data["status"];
        let conditions = status["conditions"].as_array().into_iter().flatten();
        let mut reasons = conditions.filter_map(|it| it["reason"].as_str());
        reasons.any(|reason| reason == "SubscriptionMatches")
    };
    let policy = until_object(&policies, "hull", "carried out", is_carried_out).await?;
    let status = &policy.data["status"];
    let fields = status.as_object().into_iter().flat_map(|it| it.keys());
    let own = ["upgrades", "removal"];
    assert!(
        fields.clone().all(|field| !own.contains(&field.as_str())),
        "{status:#}"
    );
    assert!(has_subscription(&bare).await?);
    let refused = bare.cluster.audit()?.by("takes-over");
    let refused = refused.only(|record| record.code == 422 || record.code == 400);
    assert_eq!(
        refused.records(),
        [],
        "nothing is written that is not declared"
    );
    Ok(())
}
