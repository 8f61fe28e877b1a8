//! Tests of annotations of Helm, Argo CD and kapp on the manifests of a plan.

use portolan_api::plan::{Collisions, Disposition, InstallPlan, Intent};
use portolan_core_install::{Made, Predecessors, Recipe, make};
use portolan_core_olm::read_value;
use rstest::rstest;
use serde_json::{Value, json};

use crate::kit::{config_map, with};
use crate::make::{definition, flaws, made, members, object, recipe, stages};

fn annotated(manifest: Value, annotations: Value) -> Value {
    with(manifest, "/metadata/annotations", annotations)
}

fn hook(manifest: Value, words: &str) -> Value {
    annotated(manifest, json!({"helm.sh/hook": words}))
}

fn job(name: &str) -> Value {
    let pod = json!({"restartPolicy": "Never", "containers": [{"name": "a", "image": "a"}]});
    with(
        object("batch/v1", "Job", name),
        "/spec",
        json!({"ttlSecondsAfterFinished": 60, "template": {"spec": pod}}),
    )
}

/// Returns the names of the Jobs of each stage that contains Jobs.
fn jobs(made: &Made) -> Vec<String> {
    let stages = made.plan["spec"]["stages"].as_array().expect("stages");
    let stages = stages.iter().filter_map(|stage| {
        let jobs = stage["jobs"].as_array()?.iter();
        let jobs: Vec<_> = jobs.filter_map(|job| job["name"].as_str()).collect();
        Some(format!("{}: {}", stage["name"].as_str()?, jobs.join(", ")))
    });
    stages.collect()
}

fn sentences(manifests: &[Value], recipe: &Recipe) -> Vec<String> {
    let flaws = flaws(manifests, recipe).into_iter();
    flaws.map(|flaw| flaw.sentence).collect()
}

fn upgrade() -> Recipe {
    Recipe {
        predecessors: Predecessors::Named(vec!["ferry-1".to_owned()]),
        ..recipe()
    }
}

fn either() -> Recipe {
    Recipe {
        predecessors: Predecessors::OfSameName,
        ..recipe()
    }
}

#[test]
fn helm_hooks_become_jobs_and_stages_before_and_after_the_other_objects() {
    let weighed = |manifest, words: &str, weight: &str| {
        let said = json!({"helm.sh/hook": words, "helm.sh/hook-weight": weight});
        annotated(manifest, said)
    };
    let all = [
        object("apps/v1", "Deployment", "ferry"),
        weighed(job("announce"), "post-install,post-upgrade", "1"),
        weighed(job("migrate"), "pre-install,pre-upgrade", "5"),
        weighed(
            object("v1", "ServiceAccount", "migrator"),
            "pre-upgrade, pre-install",
            "-5",
        ),
        hook(job("check"), "pre-install,pre-upgrade"),
        hook(config_map("told"), "post-install,post-upgrade"),
        config_map("settings"),
        definition("ferry.example", "Ship"),
    ];
    for recipe in [recipe(), upgrade(), either()] {
        let made = make(&all, &recipe).expect("a plan");
        let expected = [
            "definitions: ships.ferry.example",
            "before-minus-5-settings: migrator",
            "settings until Applied: settings",
            "workloads: ferry",
            "after-settings: told",
        ];
        assert_eq!(stages(&made), expected);
        let expected = [
            "before-minus-5-settings: check, migrate",
            "after-settings: announce",
        ];
        assert_eq!(jobs(&made), expected);
        let spec = &made.plan["spec"]["stages"][1]["jobs"][0]["template"]["spec"];
        assert_eq!(spec["ttlSecondsAfterFinished"], Value::Null);
        // Helm keeps the objects that a hook needs.
        let kept = json!({"onRemoval": "Keep", "onPlanDeletion": "Keep"});
        assert_eq!(
            made.plan["spec"]["stages"][1]["resources"][0]["lifecycle"],
            kept
        );
        assert_eq!(members(&made).jobs().len(), 3);
    }
}

#[test]
fn first_hook_becomes_a_stage_with_only_jobs() {
    let hook = annotated(
        job("migrate"),
        json!({"argocd.argoproj.io/hook": "PreSync"}),
    );
    let made = made(&[config_map("a"), hook]);
    assert_eq!(
        stages(&made),
        ["before-jobs: ", "settings until Applied: a"]
    );
    assert_eq!(jobs(&made), ["before-jobs: migrate"]);
}

#[test]
fn sync_waves_become_stages_that_wait_for_each_other() {
    let wave =
        |manifest, wave: &str| annotated(manifest, json!({"argocd.argoproj.io/sync-wave": wave}));
    let all = [
        wave(object("apps/v1", "Deployment", "last"), "5"),
        object("apps/v1", "Deployment", "ferry"),
        config_map("settings"),
        wave(config_map("first"), "-1"),
        wave(config_map("late"), "5"),
        annotated(job("told"), json!({"argocd.argoproj.io/hook": "PostSync"})),
    ];
    let made = made(&all);
    let expected = [
        "wave-minus-1-settings: first",
        "settings until Applied: settings",
        "workloads: ferry",
        "wave-5-settings until Applied: late",
        "wave-5-workloads: last",
    ];
    assert_eq!(stages(&made), expected);
    assert_eq!(jobs(&made), ["wave-5-workloads: told"]);
}

#[test]
fn kapp_change_rules_determine_the_order_of_stages() {
    let all = [
        annotated(
            object("apps/v1", "Deployment", "ferry"),
            json!({"kapp.k14s.io/change-rule.1": "upsert after upserting migrations"}),
        ),
        annotated(
            job("migrate"),
            json!({
                "kapp.k14s.io/change-group": "migrations",
                "kapp.k14s.io/change-rule": "upsert after upserting db",
            }),
        ),
        annotated(
            object("apps/v1", "StatefulSet", "db"),
            json!({"kapp.k14s.io/change-group.a": "db"}),
        ),
        annotated(
            config_map("first"),
            json!({"kapp.k14s.io/change-rule": "upsert before upserting db"}),
        ),
        object("apps/v1", "Deployment", "other"),
    ];
    let expected = [
        "settings: first",
        "workloads: other",
        "step-1-workloads: db",
        "step-2-workloads: migrate",
        "step-3-workloads: ferry",
    ];
    assert_eq!(stages(&made(&all))[1..], expected[1..]);
}

#[rstest]
#[case::helm(json!({"helm.sh/resource-policy": "keep"}), ["Keep", "Keep"])]
#[case::kapp(json!({"kapp.k14s.io/delete-strategy": "orphan"}), ["Keep", "Keep"])]
#[case::argo(json!({"argocd.argoproj.io/sync-options": "Replace=true, Delete=false"}), ["", "Keep"])]
#[case::argo_prune(json!({"argocd.argoproj.io/sync-options": "Prune=confirm"}), ["Keep", ""])]
fn object_with_a_keep_annotation_is_kept(#[case] annotations: Value, #[case] said: [&str; 2]) {
    let made = made(&[annotated(config_map("a"), annotations)]);
    let (plan, _) = read_value::<InstallPlan>(made.plan).expect("a plan");
    let intent = Intent::parse(&plan).expect("a valid plan");
    let lifecycle = &intent.stages[0].resources[0].lifecycle;
    let kept = |word: &str| (word == "Keep").then_some(Disposition::Keep);
    assert_eq!(lifecycle.on_removal, kept(said[0]));
    assert_eq!(lifecycle.on_plan_deletion, kept(said[1]));
}

#[rstest]
#[case::test_hook(
    hook(object("v1", "Pod", "probe"), "test"),
    "Pod harbor/probe has the annotation helm.sh/hook: \"test\", which a plan cannot represent; \
     leave"
)]
#[case::hook_at_deletion(
    hook(job("bye"), "post-delete"),
    "Job.batch harbor/bye has the annotation helm.sh/hook: \"post-delete\", which a plan cannot \
     represent; leave"
)]
#[case::hook_before_and_after(
    hook(job("both"), "pre-install,post-install"),
    "Job.batch harbor/both has the annotation helm.sh/hook: \"pre-install,post-install\", which a plan cannot represent"
)]
#[case::argo_hook(
    annotated(job("fails"), json!({"argocd.argoproj.io/hook": "SyncFail"})),
    "Job.batch harbor/fails has the annotation argocd.argoproj.io/hook: \"SyncFail\", which a plan cannot represent"
)]
#[case::hook_of_helm_and_argo(
    annotated(job("a"), json!({"argocd.argoproj.io/hook": "Sync", "helm.sh/hook": "pre-install"})),
    "Job.batch harbor/a has the annotations helm.sh/hook and argocd.argoproj.io/hook; remove one \
     of the two annotations"
)]
#[case::pod(
    hook(object("v1", "Pod", "runs"), "pre-install"),
    "Pod harbor/runs is a hook of the kind Pod, but only Jobs can be hooks of a plan; convert the object to a Job"
)]
#[case::deleted_when_complete(
    annotated(
        object("v1", "ServiceAccount", "a"),
        json!({"helm.sh/hook": "pre-install", "helm.sh/hook-delete-policy": "hook-succeeded"}),
    ),
    "ServiceAccount harbor/a has the annotation helm.sh/hook-delete-policy: hook-succeeded, but a plan"
)]
#[case::upgrades_only(
    hook(job("a"), "pre-upgrade"),
    "Job.batch harbor/a has the annotation helm.sh/hook: pre-upgrade, and a plan that replaces no \
     other plan is an installation; leave the object out, or add pre-install to the annotation"
)]
#[case::another_account(
    with(hook(job("a"), "pre-install"), "/spec/template/spec/serviceAccountName", json!("other")),
    "Job.batch harbor/a is a hook that runs as the ServiceAccount other, but the Jobs of a plan run as the ServiceAccount of the plan"
)]
#[case::another_namespace(
    with(hook(job("a"), "pre-install"), "/metadata/namespace", json!("quay")),
    "Job.batch quay/a is a hook in the namespace quay, but the Jobs of a plan run in the namespace of the plan"
)]
#[case::weight_is_not_a_number(
    annotated(config_map("a"), json!({"argocd.argoproj.io/sync-wave": "first"})),
    "ConfigMap harbor/a has the annotation argocd.argoproj.io/sync-wave: \"first\"; write an integer"
)]
#[case::helm_4(
    annotated(config_map("a"), json!({"helm.sh/depends-on/resource-groups": "[]"})),
    "ConfigMap harbor/a has the annotation helm.sh/depends-on/resource-groups, which a plan cannot \
     represent"
)]
#[case::kapp(
    annotated(config_map("a"), json!({"kapp.k14s.io/change-rule": "upsert after deleting b"})),
    "ConfigMap harbor/a has the annotation kapp.k14s.io/change-rule: \"upsert after deleting b\", which"
)]
#[case::circular_rules(
    annotated(config_map("a"), json!({
        "kapp.k14s.io/change-group": "b", "kapp.k14s.io/change-rule": "upsert after upserting b",
    })),
    "ConfigMap harbor/a is in a cycle of kapp.k14s.io/change-rule annotations"
)]
#[case::invalid_name(
    object("v1", "ConfigMap", "Bad_Name"),
    "ConfigMap harbor/Bad_Name has an invalid name, \"Bad_Name\"; use only lower-case letters, digits, hyphens"
)]
#[case::invalid_number(
    with(config_map("a"), "/data", json!({"x": 1})),
    "ConfigMap harbor/a has data.x, which is not a string; put the value in quotes"
)]
fn manifest_with_unsupported_annotations_is_refused(#[case] manifest: Value, #[case] start: &str) {
    let told = sentences(&[manifest, config_map("other")], &recipe());
    assert!(told[0].starts_with(start), "{told:#?}");
    assert_eq!(told.len(), 1, "{told:#?}");
}

#[test]
fn install_hook_is_refused_in_an_upgrade() {
    let all = [config_map("a"), hook(job("init"), "post-install")];
    let first = make(&all, &recipe()).expect("a plan");
    let told = sentences(&all, &upgrade());
    let upgrade = "replaces another plan is an upgrade; leave the object out, or add post-upgrade";
    assert!(told[0].contains(upgrade), "{told:?}");
    let told = sentences(&all, &either());
    assert!(
        told[0].contains("made with --prune-safe can be an installation or an upgrade"),
        "{told:?}"
    );
    // If the manifests are unchanged, the result is the same plan.
    let (plan, _) = read_value::<InstallPlan>(first.plan.clone()).expect("a plan");
    let again = |all: &[Value]| {
        let predecessors = Predecessors::Read(Box::new(plan.clone()));
        make(
            all,
            &Recipe {
                predecessors,
                ..recipe()
            },
        )
    };
    assert_eq!(again(&all).as_ref(), Ok(&first));
    assert!(again(&[config_map("b"), all[1].clone()]).is_err());
}

#[test]
fn names_of_roles_may_have_colons() {
    let role = object(
        "rbac.authorization.k8s.io/v1",
        "ClusterRole",
        "system:Ferry",
    );
    assert_eq!(
        stages(&made(&[role])),
        ["settings until Applied: system:Ferry"]
    );
}

#[test]
fn annotations_are_ignored_unless_requested() {
    let all = [config_map("a"), hook(job("bye"), "post-delete")];
    let recipe = Recipe {
        heeds_annotations: false,
        ..recipe()
    };
    let made = make(&all, &recipe).expect("a plan");
    assert_eq!(
        stages(&made),
        ["settings until Applied: a", "workloads: bye"]
    );
}

#[rstest]
#[case(Collisions::Refuse, "Refuse")]
#[case(Collisions::IfUnowned, "IfUnowned")]
#[case(Collisions::Adopt, "Adopt")]
fn plan_name_does_not_depend_on_collisions(#[case] collisions: Collisions, #[case] word: &str) {
    let usual = made(&[config_map("a")]);
    let recipe = Recipe {
        collisions: Some(collisions),
        ..recipe()
    };
    let made = make(&[config_map("a")], &recipe).expect("a plan");
    assert_eq!(made.plan["spec"]["collisions"], word);
    assert_eq!(
        made.plan["metadata"]["name"],
        usual.plan["metadata"]["name"]
    );
}
