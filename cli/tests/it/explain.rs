//! `portolan explain`: what would become of policies, on the sample world.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use insta::assert_snapshot;
use portolan_kit::{TempFolder, assert_same};
use rstest::rstest;
use serde_json::Value;

use crate::program::{portolan, run, transcript};
use crate::up::demo;

const DEMO: &str = "deploy/demo";

fn explain(words: &str) -> String {
    transcript(&mut portolan(&format!("explain --world {DEMO} {words}")))
}

/// A policy in a file of its own.
fn policy(name: &str, spec: &str) -> (TempFolder, String) {
    let folder = TempFolder::empty();
    let file = folder.join("policy.yaml");
    let text = format!(
        "apiVersion: policy.open-cluster-management.io/v1beta1\nkind: OperatorPolicy\n\
         metadata: {{name: {name}, namespace: policies}}\nspec: {spec}\n"
    );
    fs::write(&file, text).expect("a file");
    let path = file.display().to_string();
    (folder, path)
}

const TUG: &str =
    "{name: tug, namespace: tugs, channel: stable, source: coastal, sourceNamespace: olm}";

#[test]
fn each_policy_has_a_row_and_what_would_be_done_is_a_diff() {
    assert_snapshot!(explain(""));
}

#[test]
fn a_pull_request_is_told_in_markdown() {
    assert_snapshot!(explain("-o markdown"));
}

#[test]
fn what_shows_tests_shows_policies() {
    assert_snapshot!(explain("-o junit"));
}

#[test]
fn a_program_reads_the_same() {
    let output = run(&mut portolan(&format!("explain --world {DEMO} -o json")));
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let policies = answer["policies"].as_array().expect("policies");
    let told = policies.iter().map(|policy| {
        let changes = policy["changes"].as_array().expect("changes");
        let changes = changes.iter().map(|change| {
            let object = &change["object"];
            format!("{} {} {}", change["change"], object["kind"], object["name"])
        });
        let changes: Vec<_> = changes.collect();
        format!("{} {} {changes:?}", policy["name"], policy["compliant"]).replace(['\\', '"'], "")
    });
    assert_snapshot!(told.collect::<Vec<_>>().join("\n"));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_policy_that_is_there_is_explained_as_it_would_be_once_applied() {
    let spec = format!(
        "{{remediationAction: enforce, subscription: {TUG}, allowedCSVs: [tug.v2.0.0, tug.v2.1.0]}}"
    );
    let (_folder, file) = policy("tug", &spec);
    assert_snapshot!(explain(&file));
}

/// A word of a policy that is misspelled, and what is told of it.
#[rstest]
#[case::a_channel(
    "channel: stable",
    "channel: stabel",
    "package ferry has no channel stabel in olm/coastal; did you mean stable?"
)]
#[case::a_package(
    "name: ferry, namespace",
    "name: fery, namespace",
    "catalog olm/coastal has no package fery; did you mean ferry?"
)]
#[case::a_catalog(
    "source: coastal",
    "source: costal",
    "CatalogSource olm/costal not found; did you mean olm/coastal?"
)]
fn what_a_catalog_does_not_have_is_told(
    #[case] right: &str,
    #[case] wrong: &str,
    #[case] told: &str,
) {
    let text = fs::read_to_string(demo_policy("ferry")).expect("a policy");
    let folder = TempFolder::empty();
    let file = folder.join("ferry.yaml");
    let text = text.replace("  versions: [\"ferry@>=1.0.0 <2.0.0\"]\n", "");
    let changed = text.replace(right, wrong);
    assert_ne!(changed, text);
    fs::write(&file, changed).expect("a file");
    let said = explain(&file.display().to_string());
    assert!(said.contains(told), "{said}");
    assert!(!said.contains("Path:"), "{said}");
    assert!(said.ends_with("[exit 2]"), "{said}");
}

/// A policy of the sample world.
/// One that is not installed yet.
#[test]
fn a_bundle_to_begin_with_that_the_channel_does_not_have_is_told() {
    let text = fs::read_to_string(demo_policy("buoy")).expect("a policy");
    let changed = text.replace(
        "channel: stable",
        "channel: stable, startingCSV: buoy.v0.5.1",
    );
    assert_ne!(changed, text);
    let folder = TempFolder::empty();
    let file = folder.join("buoy.yaml");
    fs::write(&file, changed).expect("a file");
    let said = explain(&file.display().to_string());
    let told = "channel stable of package buoy has no bundle buoy.v0.5.1 in olm/inland, which \
                spec.subscription.startingCSV names; did you mean buoy.v0.5.0?";
    assert!(said.contains(told), "{said}");
    assert!(said.ends_with("[exit 2]"), "{said}");
}

fn demo_policy(name: &str) -> String {
    format!(
        "{}/../deploy/demo/policies/{name}.yaml",
        env!("CARGO_MANIFEST_DIR")
    )
}

#[test]
fn a_policy_comes_from_a_pipe() {
    let spec =
        format!("{{remediationAction: enforce, subscription: {TUG}, allowedCSVs: [tug.v2.0.0]}}");
    let (_folder, file) = policy("tug", &spec);
    let mut command = portolan(&format!("explain --world {DEMO} -"));
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().expect("the program");
    let text = fs::read(file).expect("a file");
    let mut pipe = child.stdin.take().expect("a pipe");
    pipe.write_all(&text).expect("a reader");
    drop(pipe);
    let output = child.wait_with_output().expect("an end");
    let said = String::from_utf8_lossy(&output.stdout);
    let row = "policies    tug      Compliant   tug.v2.0.0   tug.v2.1.0   -        0\n";
    assert!(said.contains(row), "{said}");
    assert_eq!(output.status.code(), Some(0));
}

/// As behind `kubectl apply`.
#[test]
fn a_file_may_stand_behind_a_flag() {
    let spec =
        format!("{{remediationAction: enforce, subscription: {TUG}, allowedCSVs: [tug.v2.0.0]}}");
    let (_folder, file) = policy("tug", &spec);
    let told = explain(&format!("-f {file}"));
    assert!(told.contains("policies    tug      Compliant"), "{told}");
    assert_eq!(told, explain(&file));
}

#[test]
fn a_policy_that_is_not_valid_is_bad_input() {
    let (_folder, file) = policy("tug", "{remediationAction: enforce, allowedCSVs: []}");
    assert_snapshot!(explain(&file));
}

#[test]
fn to_delete_a_policy_is_told_object_by_object() {
    assert_snapshot!(explain("--delete policies/tug"));
    assert_snapshot!(explain("--delete ferry"));
}

#[rstest]
#[case::no_policy(
    "--delete tugg",
    "error: there is no OperatorPolicy tugg in any namespace; did you mean policies/tug?"
)]
#[case::a_namespace_without_policies(
    "-n nowhere",
    "error: there is no OperatorPolicy in namespace nowhere; -n is the namespace of policies, not of their operators"
)]
#[case::the_namespace_of_an_operator(
    "ferries/ferry",
    "error: there is no OperatorPolicy ferry in namespace ferries; did you mean policies/ferry?"
)]
#[case::a_file_of_another_namespace(
    "-n harbor deploy/demo/policies/tug.yaml",
    "error: policy policies/tug is not in the namespace harbor, which -n names"
)]
#[case::the_same_policy_twice(
    "deploy/demo/policies/tug.yaml deploy/demo/policies",
    "error: policy policies/tug is there twice; say which one is to be applied"
)]
#[case::a_removal_as_a_test(
    "--delete tug -o junit",
    "error: --delete is told as a table, JSON, YAML or Markdown"
)]
#[case::a_server(
    "--server http://127.0.0.1:1",
    "error: --server http://127.0.0.1:1: no server knows policies that are not applied yet"
)]
#[case::no_file(
    "nowhere.yaml",
    "error: read nowhere.yaml: there is no such file or folder"
)]
#[case::no_policies_in_a_file(
    "deploy/demo/cluster/olm.yaml",
    "error: deploy/demo/cluster/olm.yaml has neither an OperatorPolicy nor an Operator of operators.operatorframework.io"
)]
fn what_makes_no_sense_is_refused(#[case] words: &str, #[case] sentence: &str) {
    let said = explain(words);
    assert!(
        said.contains(sentence) && said.ends_with("[exit 2]"),
        "{said}"
    );
}

#[test]
fn a_file_that_is_half_written_is_refused() {
    let folder = TempFolder::empty();
    fs::write(folder.join("policy.yaml"), "kind: [").expect("a file");
    let path = folder.join("policy.yaml").display().to_string();
    let said = explain(&path).replace(&path, "policy.yaml");
    assert!(
        said.starts_with("[stderr]\nerror: policy.yaml:1: "),
        "{said}"
    );
    assert!(said.ends_with("[exit 2]"), "{said}");
}

/// Nobody writes a uid; without one, nobody would know the policy again.
#[rstest]
#[case::beside_the_world(false)]
#[case::in_the_world(true)]
fn a_policy_that_was_never_applied_is_explained_like_any_other(#[case] is_in_world: bool) {
    let world = demo();
    fs::remove_file(world.join("policies/tug.yaml")).expect("a file");
    let spec = format!(
        "{{remediationAction: enforce, subscription: {TUG}, allowedCSVs: [tug.v2.0.0, tug.v2.1.0]}}"
    );
    let (_folder, file) = policy("hauler", &spec);
    let subscription = world.join("cluster/tug.yaml");
    let text = fs::read_to_string(&subscription).expect("a file");
    fs::write(
        &subscription,
        text.replace("policies.tug", "policies.hauler"),
    )
    .expect("a file");
    let mut line = format!("explain --world {} -n policies", world.display());
    if is_in_world {
        fs::copy(&file, world.join("policies/hauler.yaml")).expect("a copy");
    } else {
        line = format!("{line} {file}")
    }
    let said = transcript(&mut portolan(&line));
    let approves = "Would approve InstallPlan tugs/install-m4x2c";
    assert!(said.contains(approves), "{said}");
}

/// What templates read comes from the world; what a Secret holds is not shown.
#[test]
fn templates_are_shown_with_what_they_become() {
    let world = demo();
    fs::remove_file(world.join("policies/tug.yaml")).expect("a file");
    let subscription = TUG.replace(
        '}',
        r#", config: {env: [{name: TOKEN, value: '{{ fromSecret "tugs" "key" "token" | base64dec }}'}]}}"#,
    );
    let allowed = r#"[tug.v2.0.0, '{{ fromConfigMap "tugs" "allowed" "tug" }}']"#;
    let spec = format!(
        "{{remediationAction: enforce, subscription: {subscription}, allowedCSVs: {allowed}}}"
    );
    let (_folder, file) = policy("tug", &spec);
    let explained = || {
        let line = format!("explain --world {} -n policies {file}", world.display());
        transcript(&mut portolan(&line))
    };
    let missing =
        "ConfigMap tugs/allowed is not in the files that are taken for the cluster; add it to them";
    let before = explained();
    assert!(
        before.contains(missing) && before.ends_with("[exit 2]"),
        "{before}"
    );

    let objects = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: allowed, namespace: tugs}\n\
                   data: {tug: tug.v2.1.0}\n---\n\
                   apiVersion: v1\nkind: Secret\nmetadata: {name: key, namespace: tugs}\n\
                   data: {token: bWFja2VyZWwtc2t5}\n";
    fs::write(world.join("read.yaml"), objects).expect("a file");
    let told = explained();
    for part in [
        r#"Template: spec.allowedCSVs[1]: {{ fromConfigMap "tugs" "allowed" "tug" }} -> tug.v2.1.0"#,
        "| base64dec }} -> <Secret tugs/key token>",
        "Would change Subscription tugs/tug",
        "value: <Secret tugs/key token>",
    ] {
        assert!(told.contains(part), "{part} is not in {told}");
    }
    let is_held = ["mackerel-sky", "bWFja2VyZWwtc2t5"]
        .iter()
        .any(|held| told.contains(held));
    assert!(!is_held, "{told}");
}

/// Another controller ties them all, whoever else writes a status that one policy.
#[rstest]
#[case::a_controller("config-policy-controller", 5)]
#[case::an_unknown_writer("fleet-agent", 1)]
#[case::a_person("kubectl-edit", 0)]
fn beside_another_writer_of_a_status_it_says_that_nothing_is_done(
    #[case] manager: &str,
    #[case] policies: usize,
) {
    let world = demo();
    let tug = world.join("policies/tug.yaml");
    let text = fs::read_to_string(&tug).expect("a file");
    let told = format!(
        "  managedFields:\n  - {{manager: {manager}, operation: Update, subresource: status, \
         apiVersion: policy.open-cluster-management.io/v1beta1, \
         time: \"2026-01-01T12:00:00Z\", fieldsType: FieldsV1, fieldsV1: {{}}}}\nspec:"
    );
    fs::write(&tug, text.replace("spec:", &told)).expect("a file");
    let said = transcript(&mut portolan(&format!(
        "explain --world {}",
        world.display()
    )));
    let why = format!("Nothing is done: {manager} wrote the status of ");
    assert_eq!(said.matches(&why).count(), policies, "{said}");
    assert!(said.ends_with("[exit 1]"), "{said}");
}

/// Who adds icons to a catalog adds no policy.
#[test]
fn a_schema_of_somebody_else_in_a_catalog_hides_nothing() {
    let world = demo();
    let icons = world.join("catalogsources/olm/coastal/icons.yaml");
    fs::write(icons, "schema: io.example.icons\npackage: ferry\n").expect("a file");
    let changed = transcript(&mut portolan(&format!(
        "explain --world {}",
        world.display()
    )));
    assert_same!(changed, explain(""));
}

/// It may be a policy.
#[test]
fn a_document_of_the_world_that_cannot_be_read_is_told() {
    let world = TempFolder::empty();
    let spec = format!("{{remediationAction: enforce, subscription: {TUG}, allowedCSVs: ['*']}}");
    let (_folder, file) = policy("tug", &spec);
    fs::copy(file, world.join("policy.yaml")).expect("a copy");
    fs::write(world.join("broken.yaml"), "kind: [").expect("a file");
    let said = transcript(&mut portolan(&format!(
        "explain --world {}",
        world.display()
    )));
    assert!(said.contains("broken.yaml:1: "), "{said}");
}

#[test]
fn what_a_folder_leaves_out_is_told() {
    assert_snapshot!(transcript(&mut portolan(
        "explain --world tests/fixtures/worlds/pier -n policies"
    )));
}

#[test]
fn without_what_a_catalog_holds_nothing_is_guessed() {
    let world = demo();
    fs::remove_dir_all(world.join("catalogsources")).expect("a folder");
    let line = format!("explain --world {}", world.display());
    assert_snapshot!(transcript(&mut portolan(&line)));
}

/// What would be done for an Operator, and the way that it would go.
#[test]
fn an_operator_is_explained_by_its_name() {
    assert_snapshot!(explain("operator/crane"));
    let whole = "operator.operators.operatorframework.io/crane";
    assert_same!(explain(whole), explain("operator/crane"));
}

/// The image of a bundle may not be asked for: its files are with the world, or it is not looked at.
#[test]
fn bundles_come_with_the_world_and_without_them_nothing_is_fine() {
    let world = demo();
    let catalog = world.join("catalogsources/olm/inland/crane.yaml");
    let text = fs::read_to_string(&catalog).expect("a catalog");
    let is_manifest = |line: &&str| line.contains("olm.bundle.object") || line.contains("{data: ");
    let without: Vec<_> = text.lines().filter(|line| !is_manifest(line)).collect();
    assert!(without.len() < text.lines().count());
    fs::write(&catalog, without.join("\n")).expect("a file");
    let line = format!("explain operator/crane --world {}", world.display());
    assert_same!(transcript(&mut portolan(&line)), explain("operator/crane"));

    fs::remove_dir_all(world.join("bundles")).expect("a folder");
    let said = transcript(&mut portolan(&line));
    let why = "BundleRefused - crane.v1.1.0: the files of crane.v1.1.0 are not at hand: ";
    assert!(said.contains(why), "{said}");
    assert!(!said.contains("Would"), "{said}");
}

/// Why nothing is done for one.
#[test]
fn an_operator_of_which_olm_has_the_package_is_left_alone() {
    let said = explain("operator/tug");
    let why = "Installing: False InstalledByOlm - ClusterServiceVersion tugs/tug.v2.0.0 is there";
    assert!(said.contains(why), "{said}");
    assert!(!said.contains("Would"), "{said}");
    assert!(said.ends_with("[exit 1]"), "{said}");
}

#[test]
fn an_operator_that_is_not_there_is_told_with_one_that_is() {
    let said = explain("operator/crana");
    assert!(
        said.contains("there is no Operator crana; did you mean crane?"),
        "{said}"
    );
    assert!(said.ends_with("[exit 2]"), "{said}");
}

/// A config that is wrong is bad input, whoever has applied it.
#[test]
fn an_operator_that_cannot_be_carried_out_is_told_with_its_field() {
    let world = demo();
    let file = world.join("cluster/operators.yaml");
    let text = fs::read_to_string(&file).expect("a file");
    let wrong = text.replacen(
        "  packageName: crane\n",
        "  packageName: crane\n  config: {environment: []}\n",
        1,
    );
    assert_ne!(wrong, text);
    fs::write(&file, wrong).expect("a file");
    let line = format!("explain --world {} operator/crane", world.display());
    let said = transcript(&mut portolan(&line));
    let why = "Installing: False SpecInvalid - spec.config: there is no field `environment`";
    assert!(said.contains(why), "{said}");
    assert!(said.ends_with("[exit 2]"), "{said}");
}

/// An Operator that is not applied yet, and one that is there and would be another one.
#[test]
fn operators_that_are_to_be_applied_are_explained() {
    let world = demo();
    let file = world.join("operators-to-be.yaml");
    let operator = |name: &str, version: &str| {
        format!(
            "apiVersion: operators.operatorframework.io/v1alpha1\nkind: Operator\nmetadata: {{name: {name}}}\n\
             spec: {{packageName: crane, version: \"{version}\"}}\n---\n"
        )
    };
    let place = file.display();
    fs::write(&file, operator("crane", "1.0.0")).expect("a file");
    let other = transcript(&mut portolan(&format!("explain --world {DEMO} -f {place}")));
    assert!(other.contains("Path: crane.v1.0.0\n"), "{other}");
    assert!(!other.contains("ferry"), "{other}");
    fs::write(&file, operator("second-crane", "1.0.0")).expect("a file");
    let second = transcript(&mut portolan(&format!("explain --world {DEMO} {place}")));
    let why = "Duplicate - the Operator crane has the package, and is older";
    assert!(second.contains(why), "{second}");
    fs::write(&file, operator("crane", "~1")).expect("a file");
    let wrong = transcript(&mut portolan(&format!("explain --world {DEMO} -f {place}")));
    assert!(wrong.contains("SpecInvalid"), "{wrong}");
    assert!(wrong.ends_with("[exit 2]"), "{wrong}");
    let both = operator("crane", "1.0.0").repeat(2);
    fs::write(&file, both).expect("a file");
    let twice = transcript(&mut portolan(&format!("explain --world {DEMO} -f {place}")));
    assert!(twice.contains("[exit 2]"), "{twice}");
}

/// Programs have the plan whole.
#[test]
fn what_would_be_made_for_an_operator_is_whole() {
    let output = run(&mut portolan(&format!(
        "explain --world {DEMO} operator/crane -o json"
    )));
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(answer["policies"], Value::Array(Vec::new()));
    let changes = &answer["operators"][0]["changes"];
    let plan = changes[1]["objects"].as_array().and_then(|all| all.last());
    let plan = plan.expect("a plan");
    assert_eq!(plan["kind"], "InstallPlan");
    assert_eq!(plan["spec"]["suspend"], true);
    assert_eq!(plan["spec"]["serviceAccountName"], "portolan-installer");
    assert_eq!(
        answer["operators"][0]["status"]["path"][0]["bundle"],
        "crane.v1.1.0"
    );
}

/// Who asks for policies is not told of Operators, which are in no namespace.
#[test]
fn names_of_policies_mean_no_operator() {
    let said = explain("policies/ferry");
    assert!(!said.contains("operator/"), "{said}");
    let said = explain("-n policies");
    assert!(!said.contains("operator/"), "{said}");
}
