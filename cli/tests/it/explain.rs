//! Tests of `portolan explain`: the changes that policies would cause in the sample world.

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

/// Writes a policy into a file, and returns the folder and the path.
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
fn prints_policy_table_and_diffs() {
    assert_snapshot!(explain(""));
}

#[test]
fn prints_markdown() {
    assert_snapshot!(explain("-o markdown"));
}

#[test]
fn prints_junit() {
    assert_snapshot!(explain("-o junit"));
}

#[test]
fn prints_changes_as_json() {
    let output = run(&mut portolan(&format!("explain --world {DEMO} -o json")));
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let policies = answer["policies"].as_array().expect("policies");
    let lines = policies.iter().map(|policy| {
        let changes = policy["changes"].as_array().expect("changes");
        let changes = changes.iter().map(|change| {
            let object = &change["object"];
            format!("{} {} {}", change["change"], object["kind"], object["name"])
        });
        let changes: Vec<_> = changes.collect();
        format!("{} {} {changes:?}", policy["name"], policy["compliant"]).replace(['\\', '"'], "")
    });
    assert_snapshot!(lines.collect::<Vec<_>>().join("\n"));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn explains_changed_version_of_existing_policy() {
    let spec = format!(
        "{{remediationAction: enforce, subscription: {TUG}, allowedCSVs: [tug.v2.0.0, tug.v2.1.0]}}"
    );
    let (_folder, file) = policy("tug", &spec);
    assert_snapshot!(explain(&file));
}

/// A policy with a misspelled value, and the expected message.
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
fn suggests_names_for_misspelled_catalog_content(
    #[case] right: &str,
    #[case] wrong: &str,
    #[case] expected: &str,
) {
    let text = fs::read_to_string(demo_policy("ferry")).expect("a policy");
    let folder = TempFolder::empty();
    let file = folder.join("ferry.yaml");
    let text = text.replace("  versions: [\"ferry@>=1.0.0 <2.0.0\"]\n", "");
    let changed = text.replace(right, wrong);
    assert_ne!(changed, text);
    fs::write(&file, changed).expect("a file");
    let output = explain(&file.display().to_string());
    assert!(output.contains(expected), "{output}");
    assert!(!output.contains("Path:"), "{output}");
    assert!(output.ends_with("[exit 2]"), "{output}");
}

/// The operator of this policy is not installed yet.
#[test]
fn rejects_starting_csv_missing_from_channel() {
    let text = fs::read_to_string(demo_policy("buoy")).expect("a policy");
    let changed = text.replace(
        "channel: stable",
        "channel: stable, startingCSV: buoy.v0.5.1",
    );
    assert_ne!(changed, text);
    let folder = TempFolder::empty();
    let file = folder.join("buoy.yaml");
    fs::write(&file, changed).expect("a file");
    let output = explain(&file.display().to_string());
    let expected = "channel stable of package buoy has no bundle buoy.v0.5.1 in olm/inland, which \
                spec.subscription.startingCSV names; did you mean buoy.v0.5.0?";
    assert!(output.contains(expected), "{output}");
    assert!(output.ends_with("[exit 2]"), "{output}");
}

/// Returns the path of a policy in the sample world.
fn demo_policy(name: &str) -> String {
    format!(
        "{}/../deploy/demo/policies/{name}.yaml",
        env!("CARGO_MANIFEST_DIR")
    )
}

#[test]
fn reads_policy_from_pipe() {
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
    let printed = String::from_utf8_lossy(&output.stdout);
    let row = "policies    tug      Compliant   tug.v2.0.0   tug.v2.1.0   -        0\n";
    assert!(printed.contains(row), "{printed}");
    assert_eq!(output.status.code(), Some(0));
}

/// The flag has the same name as the flag of `kubectl apply`.
#[test]
fn reads_policy_from_file_flag() {
    let spec =
        format!("{{remediationAction: enforce, subscription: {TUG}, allowedCSVs: [tug.v2.0.0]}}");
    let (_folder, file) = policy("tug", &spec);
    let output = explain(&format!("-f {file}"));
    assert!(
        output.contains("policies    tug      Compliant"),
        "{output}"
    );
    assert_eq!(output, explain(&file));
}

#[test]
fn rejects_invalid_policy() {
    let (_folder, file) = policy("tug", "{remediationAction: enforce, allowedCSVs: []}");
    assert_snapshot!(explain(&file));
}

#[test]
fn lists_objects_deleted_with_policy() {
    assert_snapshot!(explain("--delete policies/tug"));
    assert_snapshot!(explain("--delete ferry"));
}

#[rstest]
#[case::no_policy(
    "--delete tugg",
    "error: OperatorPolicy tugg not found in any namespace; did you mean policies/tug?"
)]
#[case::a_namespace_without_policies(
    "-n nowhere",
    "error: no OperatorPolicy found in namespace nowhere; -n must be the namespace of the policies, not of the operators"
)]
#[case::the_namespace_of_an_operator(
    "ferries/ferry",
    "error: OperatorPolicy ferry not found in namespace ferries; did you mean policies/ferry?"
)]
#[case::a_file_of_another_namespace(
    "-n harbor deploy/demo/policies/tug.yaml",
    "error: policy policies/tug is not in namespace harbor of -n; change -n or the namespace of the policy"
)]
#[case::the_same_policy_twice(
    "deploy/demo/policies/tug.yaml deploy/demo/policies",
    "error: policy policies/tug is given twice; remove one of the two"
)]
#[case::a_removal_as_a_test(
    "--delete tug -o junit",
    "error: --delete does not support -o junit and -o name; use another output format"
)]
#[case::a_server(
    "--server http://127.0.0.1:1",
    "error: --server http://127.0.0.1:1: a server cannot evaluate policies that are not applied yet"
)]
#[case::no_file(
    "nowhere.yaml",
    "error: cannot read nowhere.yaml: no such file or folder"
)]
#[case::no_policies_in_a_file(
    "deploy/demo/cluster/olm.yaml",
    "error: deploy/demo/cluster/olm.yaml does not contain an OperatorPolicy or an Operator of operators.operatorframework.io"
)]
fn rejects_invalid_arguments(#[case] words: &str, #[case] sentence: &str) {
    let output = explain(words);
    assert!(
        output.contains(sentence) && output.ends_with("[exit 2]"),
        "{output}"
    );
}

#[test]
fn rejects_truncated_file() {
    let folder = TempFolder::empty();
    fs::write(folder.join("policy.yaml"), "kind: [").expect("a file");
    let path = folder.join("policy.yaml").display().to_string();
    let output = explain(&path).replace(&path, "policy.yaml");
    assert!(
        output.starts_with("[stderr]\nerror: policy.yaml:1: "),
        "{output}"
    );
    assert!(output.ends_with("[exit 2]"), "{output}");
}

/// A policy in a file has no uid. In a cluster, the uid identifies the policy.
#[rstest]
#[case::beside_the_world(false)]
#[case::in_the_world(true)]
fn explains_policy_without_uid(#[case] is_in_world: bool) {
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
    let output = transcript(&mut portolan(&line));
    let approves = "Would approve InstallPlan tugs/install-m4x2c";
    assert!(output.contains(approves), "{output}");
}

/// Templates can refer to objects of the world. Values from Secrets are hidden in the output.
#[test]
fn shows_resolved_templates_and_hides_secrets() {
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
    let missing = "ConfigMap tugs/allowed is missing from the files that represent the cluster; add the object to these files";
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
    let output = explained();
    for part in [
        r#"Template: spec.allowedCSVs[1]: {{ fromConfigMap "tugs" "allowed" "tug" }} -> tug.v2.1.0"#,
        "| base64dec }} -> <Secret tugs/key token>",
        "Would change Subscription tugs/tug",
        "value: <Secret tugs/key token>",
    ] {
        assert!(output.contains(part), "{part} is not in {output}");
    }
    let is_held = ["mackerel-sky", "bWFja2VyZWwtc2t5"]
        .iter()
        .any(|held| output.contains(held));
    assert!(!is_held, "{output}");
}

/// The established controller writes the status of each policy, which affects all policies. Another
/// writer of a status affects only one policy.
#[rstest]
#[case::a_controller("config-policy-controller", 5)]
#[case::an_unknown_writer("fleet-agent", 1)]
#[case::a_person("kubectl-edit", 0)]
fn reports_no_changes_if_another_controller_writes_the_status(
    #[case] manager: &str,
    #[case] policies: usize,
) {
    let world = demo();
    let tug = world.join("policies/tug.yaml");
    let text = fs::read_to_string(&tug).expect("a file");
    let fields = format!(
        "  managedFields:\n  - {{manager: {manager}, operation: Update, subresource: status, \
         apiVersion: policy.open-cluster-management.io/v1beta1, \
         time: \"2026-01-01T12:00:00Z\", fieldsType: FieldsV1, fieldsV1: {{}}}}\nspec:"
    );
    fs::write(&tug, text.replace("spec:", &fields)).expect("a file");
    let output = transcript(&mut portolan(&format!(
        "explain --world {}",
        world.display()
    )));
    let why = format!("No action: {manager} wrote the status of ");
    assert_eq!(output.matches(&why).count(), policies, "{output}");
    assert!(output.ends_with("[exit 1]"), "{output}");
}

/// A document of another format, such as the icon in a catalog, is not a policy.
#[test]
fn ignores_foreign_schema_in_catalog() {
    let world = demo();
    let icons = world.join("catalogsources/olm/coastal/icons.yaml");
    fs::write(icons, "schema: io.example.icons\npackage: ferry\n").expect("a file");
    let changed = transcript(&mut portolan(&format!(
        "explain --world {}",
        world.display()
    )));
    assert_same!(changed, explain(""));
}

/// An unreadable document may contain a policy.
#[test]
fn reports_unreadable_document_of_world() {
    let world = TempFolder::empty();
    let spec = format!("{{remediationAction: enforce, subscription: {TUG}, allowedCSVs: ['*']}}");
    let (_folder, file) = policy("tug", &spec);
    fs::copy(file, world.join("policy.yaml")).expect("a copy");
    fs::write(world.join("broken.yaml"), "kind: [").expect("a file");
    let output = transcript(&mut portolan(&format!(
        "explain --world {}",
        world.display()
    )));
    assert!(output.contains("broken.yaml:1: "), "{output}");
}

#[test]
fn warns_about_kinds_missing_from_folder() {
    assert_snapshot!(transcript(&mut portolan(
        "explain --world tests/fixtures/worlds/pier -n policies"
    )));
}

#[test]
fn reports_missing_catalog_content_as_unknown() {
    let world = demo();
    fs::remove_dir_all(world.join("catalogsources")).expect("a folder");
    let line = format!("explain --world {}", world.display());
    assert_snapshot!(transcript(&mut portolan(&line)));
}

/// Prints the changes of an Operator, and its upgrade path.
#[test]
fn explains_operator_by_name() {
    assert_snapshot!(explain("operator/crane"));
    let whole = "operator.operators.operatorframework.io/crane";
    assert_same!(explain(whole), explain("operator/crane"));
}

/// In this test, the command pulls no images, so it can read only bundles whose files are in the
/// world.
#[test]
fn reads_bundles_from_the_world_and_blocks_without_them() {
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
    let output = transcript(&mut portolan(&line));
    let why = "BundleNotInstallable - crane.v1.1.0: the files of crane.v1.1.0 are not available: ";
    assert!(output.contains(why), "{output}");
    assert!(!output.contains("Would"), "{output}");
}

/// Prints the reason why the controller does not change an Operator.
#[test]
fn leaves_package_installed_by_olm_unchanged() {
    let output = explain("operator/tug");
    let why =
        "Installing: False InstalledByOlm - OLM installed ClusterServiceVersion tugs/tug.v2.0.0; ";
    assert!(output.contains(why), "{output}");
    assert!(!output.contains("Would"), "{output}");
    assert!(output.ends_with("[exit 1]"), "{output}");
}

#[test]
fn suggests_name_for_missing_operator() {
    let output = explain("operator/crana");
    assert!(
        output.contains("Operator crana not found; did you mean crane?"),
        "{output}"
    );
    assert!(output.ends_with("[exit 2]"), "{output}");
}

/// An invalid config is reported as invalid input, even if the Operator already exists in the
/// cluster.
#[test]
fn names_invalid_field_of_operator() {
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
    let output = transcript(&mut portolan(&line));
    let why = "Installing: False SpecInvalid - spec.config: there is no field `environment`";
    assert!(output.contains(why), "{output}");
    assert!(output.ends_with("[exit 2]"), "{output}");
}

/// The files contain a new Operator, and an existing Operator with changes.
#[test]
fn explains_operators_of_files() {
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
    let why = "Duplicate - the older Operator crane is for the same package";
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

/// The JSON output contains the whole InstallPlan.
#[test]
fn prints_whole_plan_of_operator_as_json() {
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

/// A name with a namespace cannot select an Operator, because Operators are cluster-scoped.
#[test]
fn policy_names_exclude_operators() {
    let output = explain("policies/ferry");
    assert!(!output.contains("operator/"), "{output}");
    let output = explain("-n policies");
    assert!(!output.contains("operator/"), "{output}");
}
