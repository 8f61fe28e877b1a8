//! Tests of the predictions for OLM v1: its decisions about ClusterExtensions.

use std::fs;
use std::path::Path;

use portolan_kit::TempFolder;
use rstest::rstest;
use serde_json::Value;

use crate::program::{portolan, run, transcript};
use crate::up::copy;

/// Returns a world with a ClusterCatalog `harbor` and a ClusterExtension `ferry`, which has
/// installed ferry.v1.0.0. `spec` contains fields for the spec of the ClusterExtension.
fn world(version: &str, spec: &str) -> TempFolder {
    let world = TempFolder::empty();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures");
    let catalog = world.join("clustercatalogs/harbor");
    fs::create_dir_all(&catalog).expect("a folder");
    copy(&root.join("catalogs/ferry"), &catalog);
    let objects = format!(
        r#"
apiVersion: olm.operatorframework.io/v1
kind: ClusterCatalog
metadata: {{name: harbor}}
spec: {{source: {{type: Image, image: {{ref: "registry.example/harbor:v1"}}}}}}
status: {{conditions: [{{type: Serving, status: "True", reason: Available}}]}}
---
apiVersion: olm.operatorframework.io/v1
kind: ClusterExtension
metadata: {{name: ferry}}
spec:
  namespace: docks
  source: {{sourceType: Catalog, catalog: {{packageName: ferry, version: "{version}"}}}}
  {spec}
status: {{install: {{bundle: {{name: ferry.v1.0.0, version: 1.0.0}}}}}}
"#
    );
    fs::write(world.join("objects.yaml"), objects).expect("a file");
    world
}

/// Adds an object to a world.
fn add(world: &TempFolder, name: &str, object: &str) {
    fs::write(world.join(name), object).expect("a file");
}

fn output(line: &str, world: &TempFolder) -> String {
    transcript(portolan(line).arg("--world").arg(&**world))
}

const BUNDLES: &str = "--bundles tests/fixtures/bundles";

#[test]
fn explain_shows_next_bundle_path_and_excluded_bundles() {
    let printed = output("explain extension/ferry", &world("<2.0.0", ""));
    for line in [
        "EXTENSION   PACKAGE   STATE     INSTALLED      NEXT           TARGET",
        "ferry       ferry     Upgrade   ferry.v1.0.0   ferry.v1.2.0   ferry.v1.2.0",
        "extension/ferry: Upgrade",
        "  Next: OLM v1 upgrades ferry.v1.0.0 to ferry.v1.2.0 from ClusterCatalog harbor",
        "  Allows: versions \"<2.0.0\", all channels, only direct upgrades of the catalogs \
         (CatalogProvided)",
        "  Catalog: harbor, priority 0, used: ferry.v1.2.0",
        "  Path: ferry.v1.0.0 -> ferry.v1.2.0",
        "  Not reached: ferry.v2.0.0 - spec.source.catalog.version \"<2.0.0\" excludes it",
    ] {
        assert!(printed.lines().any(|it| it == line), "{line}\n{printed}");
    }
    let unknown = "  Unknown: the content of the next bundles was not checked: ";
    assert!(printed.contains(unknown), "{printed}");
    assert!(printed.ends_with("[exit 1]"), "{printed}");
}

#[test]
fn explain_prints_prediction_as_json() {
    let world = world("", "");
    let mut command = portolan("explain clusterextension/ferry -o json");
    let output = run(command.arg("--world").arg(&*world));
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let ferry = &answer["extensions"][0];
    assert_eq!(ferry["state"], "Upgrade");
    assert_eq!(ferry["catalogs"][0]["role"], "Used");
    let bundles = ferry["path"].as_array().expect("a path").iter();
    let bundles: Vec<_> = bundles.map(|step| step["bundle"].as_str()).collect();
    assert_eq!(bundles, [Some("ferry.v1.2.0"), Some("ferry.v2.0.0")]);
    assert_eq!(ferry["newer"], Value::Array(Vec::new()));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn explain_accepts_pinned_version() {
    let printed = output("explain extension/ferry", &world("1.0.0", ""));
    let sentence = "Next: OLM v1 changes nothing: no newer bundle than ferry.v1.0.0 is allowed";
    assert!(printed.contains(sentence), "{printed}");
    assert!(printed.ends_with("[exit 0]"), "{printed}");
}

#[test]
fn explain_finds_unsafe_crd_changes_before_olm_v1_does() {
    let line = format!("explain extension/ferry {BUNDLES}");
    let printed = output(&line, &world("1.1.0", ""));
    let sentence = "Next: OLM v1 does not upgrade ferry.v1.0.0: CrdUpgradeUnsafe - ferry.v1.1.0 \
                    changes CRDs incompatibly: ";
    assert!(printed.contains(sentence), "{printed}");
    let change = "CRD: ferry.v1.1.0: ships.ferry.example: v1: .spec.flag: existingFieldRemoval: \
                  the field is gone";
    assert!(printed.contains(change), "{printed}");
    assert!(printed.ends_with("[exit 1]"), "{printed}");
}

#[test]
fn explain_expects_unsafe_crd_changes_without_enforcement() {
    let spec = "install: {preflight: {crdUpgradeSafety: {enforcement: None}}}";
    let line = format!("explain extension/ferry {BUNDLES}");
    let printed = output(&line, &world("1.1.0", spec));
    assert!(printed.contains("extension/ferry: Upgrade"), "{printed}");
    let change = "CRD: ferry.v1.1.0: ships.ferry.example: v1: .spec.flag: existingFieldRemoval";
    assert!(printed.contains(change), "{printed}");
}

#[test]
fn explain_finds_object_of_another_extension() {
    let spec = "install: {preflight: {crdUpgradeSafety: {enforcement: None}}}";
    let world = world("1.1.0", spec);
    let account = "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: ferryman\n  \
                   namespace: docks\n  labels: {olm.operatorframework.io/owner-name: barge}\n";
    add(&world, "account.yaml", account);
    let printed = output(&format!("explain extension/ferry {BUNDLES}"), &world);
    let sentence = "ObjectNotOwned - ferry.v1.1.0 contains objects of another owner: ServiceAccount \
                    docks/ferryman (of ClusterExtension barge)";
    assert!(printed.contains(sentence), "{printed}");
}

#[test]
fn explain_blames_broken_catalog() {
    let world = world("", "");
    let broken = "apiVersion: olm.operatorframework.io/v1\nkind: ClusterCatalog\n\
                  metadata: {name: broken}\nspec: {priority: -1}\n";
    add(&world, "broken.yaml", broken);
    let printed = output("explain extension/ferry", &world);
    let sentence = "Next: OLM v1 does not upgrade ferry.v1.0.0: CatalogNotServed - OLM v1 resolves \
                    nothing while ClusterCatalog broken is not served";
    assert!(printed.contains(sentence), "{printed}");
    assert!(
        printed.contains("Catalog: broken, priority -1, not served"),
        "{printed}"
    );
    assert!(printed.ends_with("[exit 1]"), "{printed}");
}

#[test]
fn explain_does_not_guess_catalogs_missing_from_files() {
    let world = TempFolder::empty();
    let extension = "apiVersion: olm.operatorframework.io/v1\nkind: ClusterExtension\n\
                     metadata: {name: ferry}\nspec: {source: {catalog: {packageName: ferry}}}\n";
    add(&world, "extension.yaml", extension);
    let printed = output("explain extension/ferry", &world);
    assert!(
        printed.contains("the files contain no ClusterCatalog"),
        "{printed}"
    );
    assert!(printed.ends_with("[exit 3]"), "{printed}");
}

#[test]
fn explain_suggests_name_for_missing_extension() {
    let printed = output("explain extension/fery", &world("", ""));
    let sentence = "error: ClusterExtension fery not found; did you mean ferry?";
    assert!(printed.contains(sentence), "{printed}");
    assert!(printed.ends_with("[exit 2]"), "{printed}");
}

#[test]
fn explain_lists_existing_extensions_for_an_unknown_name() {
    let printed = output("explain extension/nope", &world("", ""));
    let sentence = "error: ClusterExtension nope not found; existing ClusterExtensions: ferry";
    assert!(printed.contains(sentence), "{printed}");
    assert!(printed.ends_with("[exit 2]"), "{printed}");
}

const NO_ENFORCEMENT: &str = "install: {preflight: {crdUpgradeSafety: {enforcement: None}}}";

/// Adds the CRD of the installed bundle, and two custom resources.
fn add_ships(world: &TempFolder) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/bundles/ferry/1.0.0");
    let crd = root.join("manifests/ships.ferry.example.yaml");
    fs::copy(crd, world.join("crd.yaml")).expect("a CRD");
    let ship = |name: &str, spec: &str| {
        let managed = "[{manager: kubectl, operation: Update, apiVersion: ferry.example/v1, \
                       fieldsType: FieldsV1, fieldsV1: {\"f:spec\": {\"f:flag\": {}}}}]";
        format!(
            "apiVersion: ferry.example/v1\nkind: Ship\nmetadata:\n  name: {name}\n  \
             namespace: docks\n  managedFields: {managed}\nspec: {spec}\n---\n"
        )
    };
    let ships = ship("anna", "{flag: red}") + &ship("berta", "{berths: 7}");
    add(world, "ships.yaml", &ships);
}

#[test]
fn explain_counts_custom_resources_that_lose_a_field() {
    let world = world("1.1.0", "");
    add_ships(&world);
    let line = format!("explain extension/ferry {BUNDLES}");
    let printed = output(&line, &world);
    for affected in [
        ".spec.flag: 1 of 2 custom resources that were read has this field: docks/anna; written by \
         kubectl",
        ".spec.berths: 1 of 2 custom resources that were read has this field: docks/berta; the \
         field managers are unknown",
    ] {
        let expected = format!("  Affected: ferry.v1.1.0: ships.ferry.example: v1: {affected}\n");
        assert!(printed.contains(&expected), "{printed}");
    }
}

#[test]
fn explain_does_not_guess_custom_resources_missing_from_files() {
    let line = format!("explain extension/ferry {BUNDLES}");
    let printed = output(&line, &world("1.1.0", ""));
    let expected = "  Affected: ferry.v1.1.0: ships.ferry.example: v1: .spec.flag: the affected \
                    custom resources are unknown: the files do not contain the CRD";
    assert!(printed.contains(expected), "{printed}");
}

#[test]
fn explain_lists_new_images() {
    let line = format!("explain extension/ferry {BUNDLES}");
    let printed = output(&line, &world("1.1.0", NO_ENFORCEMENT));
    let expected = "  New image: registry.example/ferry:1.1.0\n";
    assert!(printed.contains(expected), "{printed}");
    assert!(
        !printed.contains("registry.example/ferry:1.0.0"),
        "{printed}"
    );
}

/// Returns a world whose OLM v1 uses the ServiceAccount of ClusterExtensions, which may use these
/// verbs on all resources.
fn world_with_installer(verbs: &str) -> TempFolder {
    let spec = format!("{NO_ENFORCEMENT}\n  serviceAccount: {{name: installer}}");
    let world = world("1.1.0", &spec);
    let objects = format!(
        r#"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: clusterextensions.olm.operatorframework.io}}
spec:
  versions:
  - name: v1
    schema: {{openAPIV3Schema: {{properties: {{spec: {{required: [namespace, serviceAccount]}}}}}}}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {{name: installer}}
rules: [{{apiGroups: ["*"], resources: ["*"], verbs: {verbs}}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {{name: installer}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: installer}}
subjects: [{{kind: ServiceAccount, name: installer, namespace: docks}}]
"#
    );
    add(&world, "installer.yaml", &objects);
    world
}

#[test]
fn explain_finds_missing_permissions_of_service_account() {
    let line = format!("explain extension/ferry {BUNDLES}");
    let printed = output(&line, &world_with_installer("[get, list, watch]"));
    let sentence = "PermissionMissing - ServiceAccount docks/installer lacks permissions for \
                    ferry.v1.1.0: ";
    assert!(printed.contains(sentence), "{printed}");
    let missing = "  Permission missing: ferry.v1.1.0: to install: ";
    assert!(printed.contains(missing), "{printed}");
    assert!(printed.contains("Blocked"), "{printed}");
}

#[test]
fn explain_accepts_service_account_with_all_permissions() {
    let line = format!("explain extension/ferry {BUNDLES}");
    let printed = output(&line, &world_with_installer("[\"*\"]"));
    assert!(!printed.contains("Permission missing"), "{printed}");
    assert!(
        !printed.contains("permissions of ServiceAccount"),
        "{printed}"
    );
    assert!(printed.contains("extension/ferry: Upgrade"), "{printed}");
}

#[test]
fn explain_does_not_guess_permissions_missing_from_files() {
    let spec = format!("{NO_ENFORCEMENT}\n  serviceAccount: {{name: installer}}");
    let line = format!("explain extension/ferry {BUNDLES}");
    let printed = output(&line, &world("1.1.0", &spec));
    let unknown = "  Unknown: the permissions of ServiceAccount docks/installer were not compared: \
                   CRD clusterextensions.olm.operatorframework.io not found";
    assert!(printed.contains(unknown), "{printed}");
    assert!(printed.contains("extension/ferry: Upgrade"), "{printed}");
}

/// Adds a Policy that allows no upgrade, for all Operators.
fn add_closed_policy(world: &TempFolder) {
    let objects = "apiVersion: operators.operatorframework.io/v1alpha1
kind: Policy
metadata: {name: closed}
spec: {opaPolicy: 'allow := false'}
---
apiVersion: operators.operatorframework.io/v1alpha1
kind: PolicyBinding
metadata: {name: all}
spec:
  subjects: [{kind: operator, name: '*'}]
  policyRef: [{kind: policy, name: closed}]
";
    add(world, "policies.yaml", objects);
}

#[test]
fn explain_shows_policies_that_nothing_enforces_and_the_pin() {
    let world = world("", "");
    add_closed_policy(&world);
    let printed = output("explain extension/ferry", &world);
    let denied = "  Policies deny: Policy closed (by PolicyBinding all) has a rule that does not \
                  allow the change. OLM v1 does not evaluate Policies, so nothing enforces this\n";
    assert!(printed.contains(denied), "{printed}");
    let pin = "  Hold: ferry.v1.0.0 stays installed after: kubectl patch \
               clusterextensions.olm.operatorframework.io/ferry --type merge -p \
               '{\"spec\":{\"source\":{\"catalog\":{\"version\":\"1.0.0\"}}}}'\n";
    assert!(printed.contains(pin), "{printed}");
}

#[test]
fn explain_shows_no_policies_of_held_extension() {
    let world = world("1.0.0", "");
    add_closed_policy(&world);
    let printed = output("explain extension/ferry", &world);
    assert!(!printed.contains("Policies"), "{printed}");
    assert!(!printed.contains("Hold:"), "{printed}");
}

#[test]
fn upgrades_note_policies_that_nothing_enforces() {
    let world = world("", "");
    add_closed_policy(&world);
    let printed = output("upgrades", &world);
    assert!(
        printed.contains("OLM v1 does not enforce closed"),
        "{printed}"
    );
}

#[test]
fn explain_without_names_lists_extensions() {
    let printed = output("explain", &world("<2.0.0", ""));
    let row = "ferry       ferry     Upgrade   ferry.v1.0.0   ferry.v1.2.0   ferry.v1.2.0";
    assert!(printed.contains(row), "{printed}");
    assert!(printed.contains("extension/ferry: Upgrade"), "{printed}");
    assert!(printed.ends_with("[exit 1]"), "{printed}");
}

#[test]
fn explain_without_names_explains_only_extensions_that_change() {
    let printed = output("explain", &world("1.0.0", ""));
    assert!(printed.contains("ferry       ferry     Held"), "{printed}");
    assert!(!printed.contains("extension/ferry: Held"), "{printed}");
    assert!(printed.ends_with("[exit 0]"), "{printed}");
}

#[test]
fn explain_of_one_namespace_lists_no_extension() {
    let printed = output("explain -n docks", &world("1.0.0", ""));
    assert!(printed.contains("no OperatorPolicy found"), "{printed}");
}

#[test]
fn explain_rejects_server_for_extensions() {
    let line = "explain extension/ferry --server http://127.0.0.1:1";
    let printed = transcript(&mut portolan(line));
    let sentence = "error: --server http://127.0.0.1:1: a server does not know the CRDs, custom \
                    resources and permissions that a prediction of OLM v1 needs; use --context or \
                    --world instead";
    assert!(printed.contains(sentence), "{printed}");
    assert!(printed.ends_with("[exit 2]"), "{printed}");
}

#[rstest]
#[case::markdown("markdown", "## extension/ferry: Upgrade")]
#[case::junit("junit", "classname=\"ClusterExtension\"")]
#[case::name("name", "clusterextension.olm.operatorframework.io/ferry")]
#[case::yaml("yaml", "state: Upgrade")]
fn explain_supports_output_formats(#[case] form: &str, #[case] expected: &str) {
    let printed = output(
        &format!("explain extension/ferry -o {form}"),
        &world("", ""),
    );
    assert!(printed.contains(expected), "{printed}");
}

#[rstest]
#[case::any_version("", "ferry.v1.2.0")]
#[case::pin_to_next_version("1.1.0", "ferry.v1.1.0")]
#[case::pin_to_installed_version("1.0.0", "")]
#[case::pin_to_unreachable_version("2.0.0", "")]
#[case::tilde_range("~1.1", "ferry.v1.1.0")]
fn upgrades_follow_version_of_extension(#[case] version: &str, #[case] next: &str) {
    let world = world(version, "");
    let mut command = portolan("upgrades -o json");
    let output = run(command.arg("--world").arg(&*world));
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let ferry = &answer["operators"][0];
    let found = ["manager", "catalog", "next"].map(|field| ferry[field].as_str());
    let catalog = if version == "2.0.0" { "" } else { "harbor" };
    assert_eq!(found, [Some("ClusterExtension"), Some(catalog), Some(next)]);
}

#[test]
fn upgrades_of_one_extension_have_the_reason_of_olm_v1() {
    let printed = output("upgrades ferry", &world("2.0.0", ""));
    let reason = "NoUpgrade: ferry.v1.0.0 can be upgraded directly only to 1.2.0 and 1.1.0, which \
                  version \"2.0.0\" excludes";
    assert!(printed.contains(reason), "{printed}");
    assert!(!printed.contains("recommended"), "{printed}");
}

#[test]
fn upgrades_of_other_channel_ignore_spec_of_extension() {
    let printed = output("upgrades ferry --channel stable", &world("1.0.0", ""));
    assert!(printed.contains("recommended"), "{printed}");
}

#[rstest]
#[case::within_range("1.2.0", "OLM v1 installs ferry.v1.2.0 by itself.")]
#[case::outside_of_range(
    "2.0.0",
    "OLM v1 installs ferry.v1.2.0 by itself, and stops there: ferry.v2.0.0 - \
     spec.source.catalog.version \"<2.0.0\" excludes it."
)]
fn path_shows_bundles_that_olm_v1_installs_without_changes(
    #[case] to: &str,
    #[case] sentence: &str,
) {
    let printed = output(&format!("path ferry@{to}"), &world("<2.0.0", ""));
    assert!(printed.contains(sentence), "{printed}");
    assert!(printed.ends_with("[exit 0]"), "{printed}");
}

#[test]
fn path_shows_steps_that_olm_v1_skips() {
    let printed = output("path ferry@1.1.0", &world("", ""));
    let sentence = "OLM v1 does not follow this path: it installs ferry.v1.2.0, then ferry.v2.0.0 by \
                    itself.";
    assert!(printed.contains(sentence), "{printed}");
}
