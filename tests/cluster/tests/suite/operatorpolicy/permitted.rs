//! Tests a controller that has only the permissions of its roles in the manifests.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use kube::Client;
use kube::api::{DeleteParams, DynamicObject};
use portolan_api::OperatorPolicyStatus;
use portolan_core_operatorpolicy::{Action, StepOutcome};
use portolan_kit::catalog;
use portolan_rig::{Audit, Failure, Kind, PATIENCE, Seen, World, until, until_object};
use serde_json::{Value, json};

use super::fleet::Fleet;
use super::stage::{Stage, stage_of};
use super::write::{Author, target};
use crate::approval::crds::create_crd;
use crate::approval::policy::{design, policy};
use crate::objects::make;
use crate::permitted::until_asked;
use crate::world;

const USER: &str = "permitted";
const RBAC: &str = "rbac.authorization.k8s.io";
const DEFINITION: &str = "coracles.coracle.example.test";
const MISSING: &str = "the permission to list coracles of the API group coracle.example.test in \
                       all namespaces is missing";

/// From the first installation to the last deleted CRD, the controller uses each verb that a role
/// grants, and needs no other verb. It deletes CRDs only if a role permits it to read their custom
/// resources.
#[tokio::test]
async fn delivered_roles_grant_exactly_the_required_permissions() -> Result<(), Failure> {
    let Some(world) = world("permitted").await? else {
        return Ok(());
    };
    let roles = admit(&world).await?;
    let bindings = "upgradepolicybindings.operators.operatorframework.io";
    create_crd(world.client(), bindings).await?;
    let fleet = Fleet::led_by(&world, roles.kubeconfig.clone()).await?;
    let offered = catalog("coracle: 1.0.0 -> 1.1.0").installable();
    let stage = stage_of(world, fleet, &offered).await?;

    installs_and_upgrades(&stage).await?;
    changes_by_hand(&stage).await?;
    makes_a_namespace(&stage).await?;
    removes(&stage, &roles).await?;

    until_asked(&roles.allowed, || asked(&stage)).await
}

/// The permissions of a user, and the functions that grant them.
struct Roles {
    client: Client,
    kubeconfig: PathBuf,
    /// The permissions, each as `verb resource`.
    allowed: BTreeSet<String>,
}

/// Creates a user with the roles of the manifests, except the role that permits to read custom
/// resources.
async fn admit(world: &World) -> Result<Roles, Failure> {
    let client = world.client().clone();
    let kubeconfig = world.cluster().admit(USER, None)?;
    let namespace = json!({
        "apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "portolan"},
    });
    make(&client, &namespace).await?;
    let mut allowed = BTreeSet::new();
    for file in ["cluster-role", "role"] {
        let role = delivered(file)?;
        allowed.extend(verbs(&role));
        bind(&client, &role).await?;
    }
    // The roles of the manifests do not contain these custom resources.
    allowed.insert("list coracles".to_owned());
    Ok(Roles {
        client,
        kubeconfig,
        allowed,
    })
}

/// Installs a version, then upgrades to the next version.
async fn installs_and_upgrades(stage: &Stage) -> Result<(), Failure> {
    let everything = json!({
        "customResourceDefinitions": "Delete",
        "installPlans": "Delete",
        "operatorGroups": "Delete",
    });
    let first = design("coracle", &["coracle.v1.0.0"]).with("removalBehavior", everything);
    stage.write(&stage.at_home(first)).await?;
    stage
        .until_status("coracle", &["installed: coracle.v1.0.0"])
        .await?;
    let more = json!({
        "allowedCSVs": ["coracle.v1.0.0", "coracle.v1.1.0"],
        "subscription": {"config": {"env": [{"name": "A", "value": "b"}]}},
    });
    stage.rewrite("coracle", more).await?;
    let done = ["compliant: Compliant", "installed: coracle.v1.1.0"];
    stage.until_status("coracle", &done).await?;
    Ok(())
}

/// Causes rare writes: an update of an OperatorGroup, an update of the status of a Subscription,
/// and the deletion of an InstallPlan.
async fn changes_by_hand(stage: &Stage) -> Result<(), Failure> {
    let client = stage.world.cluster().client_of(USER)?;
    let author = Author::fenced(&client, portolan_runtime::lease::Fence::open());
    does(stage, &author, (Kind::OperatorGroup, "own"), |object| {
        Action::Replace {
            object: target("operators.coreos.com/v1", "OperatorGroup", object),
            field: "/spec/upgradeStrategy".to_owned(),
            value: Some(json!("Default")),
        }
    })
    .await?;
    does(stage, &author, (Kind::Subscription, "coracle"), |object| {
        Action::AdoptCsv {
            subscription: target("operators.coreos.com/v1alpha1", "Subscription", object),
            csv: "coracle.v1.1.0".to_owned(),
        }
    })
    .await?;
    let spare = json!({"spec": {
        "approval": "Manual", "approved": false, "clusterServiceVersionNames": ["spare.v1.0.0"],
    }});
    let kind = Kind::InstallPlan;
    stage.editor.create(kind, "spare", spare).await?;
    does(stage, &author, (kind, "spare"), |object| Action::Delete {
        object: target("operators.coreos.com/v1alpha1", "InstallPlan", object),
        is_orphaning: true,
    })
    .await
}

/// Changes an object, starting from its current state.
async fn does(
    stage: &Stage,
    author: &Author,
    (kind, name): (Kind, &str),
    action: impl Fn(&DynamicObject) -> Action,
) -> Result<(), Failure> {
    until(format!("{name} to be changed"), PATIENCE, async || {
        let object = stage.editor.objects(kind).get(name).await?;
        Ok(match author.does(action(&object)).await.outcome {
            StepOutcome::Done { .. } => Seen::Yes(()),
            StepOutcome::Overtaken(why) => Seen::NotYet(why),
            outcome @ (StepOutcome::Refused(_) | StepOutcome::Lost(_)) => panic!("{outcome:?}"),
        })
    })
    .await
}

/// A policy that is enforced creates its missing namespace.
async fn makes_a_namespace(stage: &Stage) -> Result<(), Failure> {
    let made = format!("{}-made", stage.world.namespace());
    let group = json!({"name": "own", "targetNamespaces": [made]});
    let other = policy("currach").asks("namespace", made.as_str().into());
    let other = stage.about(other).with("operatorGroup", group);
    stage.write(&other).await?;
    let there = ["OperatorGroupCompliant True OperatorGroupMatches"];
    stage.until_status("currach", &there).await?;
    mentions(stage).await?;
    stage.editor.delete(Kind::OperatorPolicy, "currach").await?;
    stage.is_gone(Kind::OperatorPolicy, "currach").await?;
    let namespaces = Kind::Namespace.everywhere(stage.world.client());
    namespaces.delete(&made, &DeleteParams::default()).await?;
    Ok(())
}

/// Writes a message about another controller into the status of a policy.
async fn mentions(stage: &Stage) -> Result<(), Failure> {
    let client = stage.world.cluster().client_of(USER)?;
    let author = Author::fenced(&client, portolan_runtime::lease::Fence::open());
    until("the policy to report it".to_owned(), PATIENCE, async || {
        let policy = stage.object(Kind::OperatorPolicy, "currach").await?;
        let policy = serde_json::to_value(policy).map_err(Failure::read("a policy"))?;
        let policy = serde_json::from_value(policy).map_err(Failure::read("a policy"))?;
        let nothing = OperatorPolicyStatus::default();
        let reported = author
            .writer
            .note_read_only(&policy, "it is tried", &nothing);
        Ok(match reported.await {
            Ok(()) => Seen::Yes(()),
            Err(failure) => Seen::NotYet(failure.to_string()),
        })
    })
    .await
}

/// Deletes everything. The controller deletes CRDs only if it may read their custom resources.
async fn removes(stage: &Stage, roles: &Roles) -> Result<(), Failure> {
    stage.editor.delete(Kind::OperatorPolicy, "coracle").await?;
    let policies = stage.editor.objects(Kind::OperatorPolicy);
    let is_reported = |policy: &DynamicObject| {
        let conditions = policy.data["status"]["conditions"].as_array();
        let mut messages = conditions
            .into_iter()
            .flatten()
            .filter_map(|it| it["message"].as_str());
        messages.any(|message| message.contains(MISSING))
    };
    until_object(&policies, "coracle", MISSING, is_reported).await?;
    let kept = stage
        .object(Kind::CustomResourceDefinition, DEFINITION)
        .await?;
    let is_kept = kept.is_some_and(|kept| kept.metadata.deletion_timestamp.is_none());
    assert!(is_kept, "a CRD is deleted only if its objects can be read");
    assert_eq!(
        refused(stage)?,
        BTreeSet::from(["list coracles".to_owned()])
    );

    let operands = delivered("cluster-role-operands")?;
    bind(&roles.client, &operands).await?;
    stage.is_gone(Kind::OperatorPolicy, "coracle").await?;
    let left = stage
        .object(Kind::CustomResourceDefinition, DEFINITION)
        .await?;
    assert!(left.is_none(), "the CRD must be gone before its policy");
    Ok(())
}

/// Returns the requests of the user that were permitted.
fn asked(stage: &Stage) -> Result<Audit, Failure> {
    let audit = stage.world.cluster().audit()?.by(USER);
    Ok(audit.only(|record| record.code != 403 && !record.resource.is_empty()))
}

/// Returns the requests of the user that were denied. Omits requests for the namespaces of other
/// tests.
fn refused(stage: &Stage) -> Result<BTreeSet<String>, Failure> {
    let audit = stage.world.cluster().audit()?.by(USER);
    let refused = audit.only(|record| {
        let is_own = record.namespace.starts_with(stage.world.namespace());
        record.code == 403 && (record.namespace.is_empty() || is_own)
    });
    let refused = refused.records().iter();
    Ok(refused
        .map(|record| format!("{} {}", record.verb, record.resource))
        .collect())
}

/// Returns a role from the manifests.
fn delivered(name: &str) -> Result<Value, Failure> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = path.join(format!("../../deploy/base/controller/{name}.yaml"));
    let text = fs::read_to_string(&path);
    let text = text.map_err(Failure::touch(format!("read {}", path.display())))?;
    serde_saphyr::from_str(&text).map_err(Failure::read(name.to_owned()))
}

/// Returns the permissions of a role, each as `verb resource`.
fn verbs(role: &Value) -> BTreeSet<String> {
    let all = |rule: &Value, field: &str| -> Vec<String> {
        let words = rule[field].as_array().cloned().unwrap_or_default();
        words
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect()
    };
    let rules = role["rules"].as_array().cloned().unwrap_or_default();
    let mut verbs = BTreeSet::new();
    for rule in &rules {
        for resource in all(rule, "resources") {
            assert_ne!(resource, "*", "no role allows everything");
            verbs.extend(
                all(rule, "verbs")
                    .iter()
                    .map(|verb| format!("{verb} {resource}")),
            );
        }
    }
    verbs
}

/// Creates a role and binds it to the user.
async fn bind(client: &Client, role: &Value) -> Result<(), Failure> {
    let kind = role["kind"].as_str().unwrap_or_default().to_owned();
    let metadata = role["metadata"].clone();
    make(client, role).await?;
    let bound = json!({
        "apiVersion": role["apiVersion"],
        "kind": format!("{kind}Binding"),
        "metadata": metadata,
        "roleRef": {"apiGroup": RBAC, "kind": kind, "name": metadata["name"]},
        "subjects": [{"apiGroup": RBAC, "kind": "User", "name": USER}],
    });
    make(client, &bound).await
}
