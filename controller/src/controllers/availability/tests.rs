use std::fs;
use std::path::Path;

use clap::{Args as _, Command};
use serde_json::json;

use super::*;
use crate::flags::Flags;

/// Returns a cluster that serves every CRD and has every admission policy.
fn complete() -> ClusterFacts {
    let all = controllers().flat_map(|it| it.crds.iter());
    let policies = controllers().flat_map(|it| it.requires.admission_policies.iter());
    ClusterFacts {
        crds: all.map(|name| (*name).to_owned()).collect(),
        admission_policies: Some(policies.map(|name| (*name).to_owned()).collect()),
    }
}

fn lines(facts: &ClusterFacts, only_namespace: Option<&str>) -> Vec<String> {
    let all = availability(facts, only_namespace);
    all.iter().map(ToString::to_string).collect()
}

const COMPONENTS: &str = "Operators v2alpha1: off; API servers call `portolan webhook` for these objects, and it \
                          must run in the cluster. Deploy deploy/overlays/v2alpha1";

#[test]
fn all_controllers_without_webhook_run_on_a_complete_cluster() {
    let expected = [
        "OperatorPolicies: on",
        "Operators: on",
        "Policies, PolicyBindings: on",
        "InstallPlans: on",
        "Installs: on",
        COMPONENTS,
        "Certificates of webhooks: on",
    ];
    assert_eq!(lines(&complete(), None), expected);
}

#[test]
fn missing_crds_switch_their_controllers_off() {
    let run = "Run `portolan install crds`, then restart";
    let expected = [
        format!(
            "OperatorPolicies: off; the CRD operatorpolicies.policy.open-cluster-management.io is not installed. {run}"
        ),
        format!(
            "Operators: off; the CRD operators.operators.operatorframework.io is not installed. {run}"
        ),
        format!(
            "Policies, PolicyBindings: off; the CRDs upgradepolicies.operators.operatorframework.io and upgradepolicybindings.operators.operatorframework.io are not installed. {run}"
        ),
        format!(
            "InstallPlans: off; the CRDs installplans.plans.portolan.dev and resourcemanifests.plans.portolan.dev are not installed. {run}"
        ),
        format!("Installs: off; the CRD installs.operators.coreos.com is not installed. {run}"),
        COMPONENTS.to_owned(),
        "Certificates of webhooks: on".to_owned(),
    ];
    assert_eq!(lines(&ClusterFacts::default(), None), expected);
}

#[test]
fn controller_is_off_if_a_required_controller_is_off() {
    let mut facts = complete();
    facts.crds.remove("resourcemanifests.plans.portolan.dev");
    let lines = lines(&facts, None);
    for expected in [
        "Operators: off; it requires the controller of InstallPlans, which is off",
        "Installs: off; it requires the controller of InstallPlans, which is off",
    ] {
        assert!(lines.iter().any(|line| line == expected), "{lines:?}");
    }
}

#[test]
fn cluster_wide_controllers_are_off_for_one_namespace() {
    let all = availability(&complete(), Some("harbor"));
    for it in all {
        let about = it.about;
        let is_off = it.off == Some(Off::WholeCluster) || about.requires.webhook.is_some();
        assert_eq!(is_off, about.requires.whole_cluster, "{}", about.name);
    }
}

/// The command line rejects --only-namespace together with the flags of these controllers.
#[test]
fn only_namespace_conflicts_with_cluster_wide_controllers() {
    for it in controllers() {
        for flag in it.flags {
            let command = Flags::augment_args(Command::new("controller"));
            let words = ["controller", "--only-namespace=harbor", flag];
            let words = match *flag {
                "--installs" => [&words[..], &["--plans", "--enable-v2alpha1"]].concat(),
                _ => words.to_vec(),
            };
            let is_rejected = command.try_get_matches_from(words).is_err();
            assert_eq!(is_rejected, it.requires.whole_cluster, "{flag}");
        }
    }
}

#[test]
fn missing_admission_policies_are_reported() {
    let mut facts = complete();
    facts.admission_policies = Some(BTreeSet::new());
    let expected = "InstallPlans: on, but ValidatingAdmissionPolicy portolan-plans-service-account is not \
                    installed: users are not restricted as deploy/overlays/plans restricts them";
    let lines = lines(&facts, None);
    assert!(lines.iter().any(|line| line == expected), "{lines:?}");
    facts.admission_policies = None;
    assert_eq!(availability(&facts, None)[3].unguarded, [""; 0]);
}

#[test]
fn discovery_has_served_crds() {
    let list = json!({"items": [{
        "metadata": {"name": "plans.portolan.dev"},
        "versions": [{"version": "v1alpha1", "resources": [
            {"resource": "installplans", "scope": "Namespaced", "verbs": ["get"],
             "responseKind": {"group": "", "version": "", "kind": "InstallPlan"}},
        ]}],
    }]});
    let list = serde_json::from_value(list).expect("a discovery");
    let expected = ["installplans.plans.portolan.dev".to_owned()].into();
    assert_eq!(served(&list), expected);
}

/// The folder of each controller contains exactly the admission policies that the controller needs.
#[test]
fn deploy_has_admission_policies_of_controllers() {
    let deploy = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy"));
    for it in controllers() {
        let entries = fs::read_dir(deploy.join(it.permissions)).expect("a folder");
        let files = entries.map(|entry| entry.expect("an entry").path());
        let texts = files.map(|path| fs::read_to_string(path).unwrap_or_default());
        let policies = texts.filter(|text| text.contains("kind: ValidatingAdmissionPolicy\n"));
        let named = policies.map(|text| {
            let mut lines = text.lines();
            let name = lines.find_map(|line| line.strip_prefix("  name: "));
            name.expect("a name").to_owned()
        });
        let found: BTreeSet<_> = named.collect();
        // The controllers of Operators and of UpgradePolicies have the same folder.
        if it.name != "upgrade_policies" {
            let expected = it
                .requires
                .admission_policies
                .iter()
                .map(|it| (*it).to_owned());
            assert_eq!(found, expected.collect(), "{}", it.name);
        }
    }
}
