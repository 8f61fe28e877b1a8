//! Tests of policies that the API server accepts, and of policies that it rejects with our
//! messages.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use kube::Api;
use kube::api::{DynamicObject, Patch, PatchParams, PostParams};
use portolan_api::{Intent, OperatorPolicy};
use portolan_kit::assert_same;
use portolan_rig::{Failure, Kind, World};
use serde_json::{Value, json};

use super::crds;
use crate::world;

/// The author of policies in a namespace.
struct Admission {
    _world: World,
    policies: Api<DynamicObject>,
}

/// One cause of an error that the API server returns.
#[derive(Debug)]
struct Refused {
    field: String,
    sentence: String,
}

#[tokio::test]
async fn every_manifest_is_accepted_and_keeps_its_meaning() -> Result<(), Failure> {
    let Some(admission) = admission("accepts").await? else {
        return Ok(());
    };
    let files = files()?;
    assert!(files.len() >= 20, "{files:?}");
    for (at, file) in files.iter().enumerate() {
        let text = fs::read_to_string(file).map_err(Failure::touch("read a manifest"))?;
        let written: OperatorPolicy =
            serde_saphyr::from_str(&text).map_err(Failure::read("a manifest"))?;
        let manifest: Value = serde_saphyr::from_str(&text).map_err(Failure::read("a manifest"))?;
        let name = format!("policy-{at}");
        let kept = admission.accepts(&name, manifest).await?;
        let (kept, written) = (Intent::parse(&kept), Intent::parse(&written));
        assert!(written.is_ok(), "{}: {written:?}", file.display());
        assert_same!(kept, written);
    }
    Ok(())
}

#[tokio::test]
async fn incomplete_or_mixed_form_is_rejected_with_our_message() -> Result<(), Failure> {
    let Some(admission) = admission("rejects").await? else {
        return Ok(());
    };
    let mut reported = BTreeSet::new();
    for offender in offenders() {
        let policy = policy(&offender);
        let ours = Intent::parse(&policy).expect_err("it must be refused");
        let refused = admission.rejects(offender.clone()).await?;
        let sentences: Vec<_> = refused.iter().map(|it| it.sentence.clone()).collect();
        assert_same!(sentences, ours.sentences());
        reported.extend(sentences);
    }
    let rules: BTreeSet<_> = rules()?.into_iter().collect();
    assert_same!(reported, rules);
    Ok(())
}

#[tokio::test]
async fn invalid_value_is_rejected_with_its_field() -> Result<(), Failure> {
    let Some(admission) = admission("schema").await? else {
        return Ok(());
    };
    for (spec, field) in misfits() {
        let policy = policy(&spec);
        assert!(
            Intent::parse(&policy).is_err(),
            "{spec} must be refused by us"
        );
        let refused = admission.rejects(spec).await?;
        let fields: Vec<_> = refused.iter().map(|it| it.field.as_str()).collect();
        assert_same!(fields, [field]);
    }
    Ok(())
}

/// If a policy is created with an unknown field, the API server removes the field. A server-side
/// apply with an unknown field fails. In the other form of policies, the CRD keeps an unknown field
/// at the top level of the spec, and our parser rejects the policy.
#[tokio::test]
async fn unknown_field_is_pruned_or_rejected() -> Result<(), Failure> {
    let Some(admission) = admission("unknown").await? else {
        return Ok(());
    };
    let typo = json!({"spec": with(established(), "remedationAction", "enforce")});
    let kept = admission.accepts("typo", typo.clone()).await?;
    assert_same!(Intent::parse(&kept), Intent::parse(&policy(&established())));
    let output = admission.does_not_apply(typo).await?;
    let wanted = ".spec.remedationAction: field not declared in schema";
    assert!(output.contains(wanted), "{output}");

    let mut spec = established();
    spec["subscription"]["catalog"] = "fleet".into();
    spec["operatorGroup"] = json!({"targetNamespace": ["a"]});
    let ours = Intent::parse(&policy(&spec)).map_err(|refusals| refusals.sentences());
    let kept = admission.accepts("etcd", json!({"spec": spec})).await?;
    assert_same!(
        Intent::parse(&kept).map_err(|refusals| refusals.sentences()),
        ours
    );
    assert!(ours.is_err());
    Ok(())
}

fn design() -> Value {
    json!({"subscription": {"name": "etcd"}, "allowedCSVs": ["etcd.v1.0.0"]})
}

fn established() -> Value {
    json!({
        "subscription": {"name": "etcd"},
        "complianceType": "musthave",
        "upgradeApproval": "None",
    })
}

/// Returns invalid specs. Each spec violates one rule.
fn offenders() -> Vec<Value> {
    let removal = |kind: &str, word: &str| {
        let removal = json!({kind: word});
        with(established(), "removalBehavior", removal)
    };
    vec![
        without(established(), "complianceType"),
        without(established(), "upgradeApproval"),
        with(design(), "complianceType", "musthave"),
        with(design(), "versions", json!(["etcd.v1.0.0"])),
        with(design(), "upgradeApproval", "Automatic"),
        with(
            design(),
            "complianceConfig",
            json!({"upgradesAvailable": "NonCompliant"}),
        ),
        with(
            established(),
            "statusConfig",
            json!({"upgradesAvailable": "NonCompliant"}),
        ),
        removal("installPlans", "Keep"),
        removal("apiServiceDefinitions", "Delete"),
        removal("operatorGroups", "Delete"),
    ]
}

/// Returns specs that match no form of policies, each with the invalid field.
fn misfits() -> Vec<(Value, &'static str)> {
    let long = "x".repeat(16_385);
    vec![
        (with(design(), "allowedCSVs", json!([])), "spec.allowedCSVs"),
        (with(design(), "allowedCSVs", "*"), "spec.allowedCSVs"),
        (
            with(design(), "allowedCSVs", json!([7])),
            "spec.allowedCSVs[0]",
        ),
        (
            with(design(), "allowedCSVs", json!([long])),
            "spec.allowedCSVs[0]",
        ),
        (
            with(
                design(),
                "statusConfig",
                json!({"upgradesAvailable": "Compliant"}),
            ),
            "spec.statusConfig.upgradesAvailable",
        ),
        (
            with(
                established(),
                "complianceConfig",
                json!({"upgradesAvailable": "Condition"}),
            ),
            "spec.complianceConfig.upgradesAvailable",
        ),
        (
            with(established(), "complianceType", "MustHave"),
            "spec.complianceType",
        ),
        (
            with(established(), "upgradeApproval", "Manual"),
            "spec.upgradeApproval",
        ),
        (
            with(established(), "remediationAction", "Inform!"),
            "spec.remediationAction",
        ),
        (with(established(), "severity", "grave"), "spec.severity"),
        (without(established(), "subscription"), "spec.subscription"),
    ]
}

fn with(mut spec: Value, field: &str, value: impl Into<Value>) -> Value {
    spec[field] = value.into();
    spec
}

fn without(mut spec: Value, field: &str) -> Value {
    spec.as_object_mut().and_then(|spec| spec.remove(field));
    spec
}

fn policy(spec: &Value) -> OperatorPolicy {
    let policy = json!({"metadata": {"name": "etcd"}, "spec": spec});
    serde_json::from_value(policy).expect("any spec must be read")
}

/// Returns the paths of the example manifests for both forms, in order.
fn files() -> Result<Vec<PathBuf>, Failure> {
    let manifests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifests = manifests.join("../../core/base/api/tests/manifests");
    let mut files = Vec::new();
    for form in ["design", "established"] {
        let entries = fs::read_dir(manifests.join(form)).map_err(Failure::touch("list a form"))?;
        for entry in entries {
            files.push(entry.map_err(Failure::touch("list a form"))?.path());
        }
    }
    files.sort();
    Ok(files)
}

/// Returns the messages of the validation rules in the CRD.
fn rules() -> Result<Vec<String>, Failure> {
    let crd = crds::delivered()?;
    let schema = &crd.data["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    let rules = schema["properties"]["spec"]["x-kubernetes-validations"].as_array();
    let rules = rules.into_iter().flatten();
    let sentences = rules.map(|rule| rule["message"].as_str().unwrap_or_default().to_owned());
    Ok(sentences.collect())
}

/// Returns a separate namespace, or `None` if tests with a cluster are skipped.
async fn admission(test_name: &str) -> Result<Option<Admission>, Failure> {
    let Some(world) = world(test_name).await? else {
        return Ok(None);
    };
    crds::create_policy_crd(world.client()).await?;
    Ok(Some(Admission {
        policies: Kind::OperatorPolicy.within(world.client(), world.namespace()),
        _world: world,
    }))
}

impl Admission {
    /// Creates a manifest with this name, and reads the stored object.
    async fn accepts(&self, name: &str, manifest: Value) -> Result<OperatorPolicy, Failure> {
        let policy = Kind::OperatorPolicy.object(name, manifest)?;
        let params = PostParams::default();
        self.policies.create(&params, &policy).await?;
        let kept = self.policies.get(name).await?;
        let kept = serde_json::to_value(kept).map_err(Failure::read("a policy"))?;
        serde_json::from_value(kept).map_err(Failure::read("a policy"))
    }

    /// Writes a spec that the API server must reject. Returns the causes.
    async fn rejects(&self, spec: Value) -> Result<Vec<Refused>, Failure> {
        let policy = Kind::OperatorPolicy.object("etcd", json!({"spec": spec}))?;
        let created = self.policies.create(&PostParams::default(), &policy).await;
        let Err(output) = created else {
            panic!("{spec} must be refused");
        };
        let kube::Error::Api(status) = output else {
            return Err(output.into());
        };
        assert_eq!(status.code, 422, "{status:?}");
        let causes = status
            .details
            .map_or_else(Vec::new, |details| details.causes);
        // The API server adds a cause for each rule that it could not evaluate.
        let refused = causes.into_iter().filter(|cause| cause.field != "<nil>");
        let refused = refused.map(|cause| Refused {
            field: cause.field,
            // The message begins with the type of the error.
            sentence: match cause.message.split_once(": ") {
                Some((_, sentence)) => sentence.to_owned(),
                None => cause.message,
            },
        });
        Ok(refused.collect())
    }
    /// Applies a manifest with a server-side apply, which must fail. Returns the message.
    async fn does_not_apply(&self, manifest: Value) -> Result<String, Failure> {
        let policy = Kind::OperatorPolicy.object("etcd", manifest)?;
        let (author, applied) = (PatchParams::apply("author"), Patch::Apply(&policy));
        match self.policies.patch("etcd", &author, &applied).await {
            Err(kube::Error::Api(status)) => Ok(status.message),
            Err(error) => Err(error.into()),
            Ok(_) => panic!("{policy:?} must be refused"),
        }
    }
}
