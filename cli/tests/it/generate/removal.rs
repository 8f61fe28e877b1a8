//! Tests of the deletion of operators.

use insta::assert_snapshot;

use super::{CLUSTER, REPOSITORY, printed, printed_of, transcript_of};

/// Deletes an operator, and the dependencies that no other operator requires.
#[test]
fn delete_removes_unneeded_dependencies() {
    assert_snapshot!(transcript_of(&format!("--delete prometheus {REPOSITORY} --diff")), @"
    [stdout]
    Name         Version   Previous   Available
    -------------------------------------------
    alerts       -         1.0.0      -
    prometheus   -         1.2.4      -
    [stderr]
    alerts is removed, because nothing needs it
    [exit 0]
    ");
    assert_snapshot!(
        "generate_delete",
        transcript_of(&format!("--delete prometheus {REPOSITORY}"))
    );
}

#[test]
fn delete_keeps_requested_operators() {
    let both = printed("prometheus=1.2.4 alerts=1.0.0");
    let rest = printed_of("--delete prometheus -f -", &both);
    assert!(String::from_utf8_lossy(&rest).contains("name: alerts\n"));
}

#[test]
fn deletes_one_operator_and_updates_another() {
    assert_snapshot!(transcript_of(&format!("--delete redis prometheus=1.2.3 {CLUSTER} --diff")), @"
    [stdout]
    Name         Version   Previous   Available
    ------------------------------------------------------------
    prometheus   1.2.3     1.1.1      1.1.2, 1.1.3, 1.1.4, 1.1.5
    redis        -         1.5.2      -
    [exit 0]
    ");
}

#[test]
fn rejects_deletion_of_required_operator() {
    assert_snapshot!(transcript_of(&format!("--delete alerts {REPOSITORY}")), @"
    [stderr]
    error: alerts cannot be deleted: prometheus requires it; delete that as well, or keep alerts
    [exit 2]
    ");
    // The result is the same if only the version in the request requires the dependency.
    let both = printed("prometheus=1.2.3 alerts=1.0.0");
    let output = super::piped("--delete alerts prometheus=1.2.4 -f -", &both);
    assert_eq!(output.status.code(), Some(2));
    assert_snapshot!(String::from_utf8_lossy(&output.stderr), @r#"error: alerts cannot be deleted: prometheus.v1.2.4 requires package alerts ">=1.0.0"; delete prometheus.v1.2.4 as well, or keep alerts"#);
}

/// Deleting a missing operator is only a warning, so that a script can run again.
#[test]
fn warns_if_deleted_operator_is_missing() {
    assert_snapshot!(transcript_of(&format!("--delete nothing {REPOSITORY} --diff")), @"
    [stdout]
    Name   Version   Previous   Available
    -------------------------------------
    [stderr]
    warning: --delete nothing: the input has no such Operator, so there is nothing to delete
    [exit 1]
    ");
}

#[test]
fn autoremove_reports_or_removes_unneeded_dependencies() {
    let all = format!("{REPOSITORY} -R --autoremove --diff");
    assert_snapshot!(transcript_of(&all), @"
    [stdout]
    Name   Version   Previous   Available
    -------------------------------------
    [stderr]
    warning: nothing requires ropes: --autoremove --yes removes it, and the annotation operators.portolan.dev/explicit=true keeps it
    [exit 1]
    ");
    assert_snapshot!(transcript_of(&format!("{all} --yes")), @"
    [stdout]
    Name    Version   Previous   Available
    --------------------------------------
    ropes   -         1.0.0      -
    [stderr]
    ropes is removed, because nothing needs it
    [exit 0]
    ");
}

/// The installed version of ferry is 1.0.0, and 2.0.0 is requested. The intermediate version 1.1.0
/// requires ropes.
#[test]
fn autoremove_keeps_dependencies_of_intermediate_versions() {
    let before = printed("ferry=1.0.0");
    let after = printed_of("ferry=2.0.0 -f -", &before);
    let after = String::from_utf8(after).expect("text");
    let installed = after.replace(
        "  packageName: ferry\n  version: \"2.0.0\"\n",
        "  packageName: ferry\n  version: \"2.0.0\"\nstatus:\n  versions:\n    installed: 1.0.0\n",
    );
    assert_ne!(after, installed);
    let output = super::piped("--autoremove --yes -f - --diff", installed.as_bytes());
    assert_eq!(output.status.code(), Some(1));
    assert_snapshot!(String::from_utf8_lossy(&output.stderr), @"warning: nothing is removed: versions on the upgrade path of ferry require ropes; try again after the upgrade");
}

/// The catalog no longer contains the bundle of ferry. The status of the Operator lists its
/// dependencies.
#[test]
fn unknown_bundle_keeps_the_dependencies_in_its_status() {
    let operator = |name: &str, version: &str, more: &str| {
        format!(
            "apiVersion: operators.operatorframework.io/v1alpha1\nkind: Operator\nmetadata: {{name: {name}{more}\n\
             spec: {{packageName: {name}, version: \"{version}\"}}\n"
        )
    };
    let explicit = ", annotations: {operators.portolan.dev/explicit: \"true\"}}";
    let ferry = operator("ferry", "9.9.9", explicit);
    let status = |versions: &str| {
        format!(
            "status: {{versions: {{installed: 9.9.9{versions}}}, bundle: {{name: ferry.v9.9.9, catalog: demo}}, \
             dependencies: [{{name: ropes, range: \">=1.0.0\"}}]}}\n"
        )
    };
    let complete = status(concat!(", resolver: ", env!("CARGO_PKG_VERSION")));
    let earlier = status("");
    let others = [
        operator("ropes", "1.0.0", "}"),
        operator("alerts", "1.0.0", "}"),
    ];
    let others = others.join("---\n");
    let swept = |input: String| {
        let output = super::piped("--autoremove --yes -f - --diff", input.as_bytes());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert_snapshot!(swept(format!("{ferry}{complete}---\n{others}")), @"alerts is removed, \
     because nothing needs it");
    // An older controller does not write compound constraints into the status.
    assert_snapshot!(swept(format!("{ferry}{earlier}---\n{others}")), @"warning: no operator is removed, because the requirements of ferry are unknown; no other operator requires alerts and ropes");
    assert_snapshot!(swept(format!("{ferry}---\n{others}")), @"warning: no operator is removed, because the requirements of ferry are unknown; no other operator requires alerts and ropes");
}

/// The status of the Operator lists the unsafe changes.
#[test]
fn reports_unsafe_changes_of_input_status() {
    let input = "apiVersion: operators.operatorframework.io/v1alpha1\nkind: Operator\nmetadata: {name: redis}\n\
                 spec: {packageName: redis, version: 1.5.3}\nstatus: {versions: {installed: 1.5.2}, unsafeChanges: \
                 [{crd: a.b, version: v1, path: .spec.a, check: type, oldType: string, newType: integer, message: \
                 string becomes integer}]}\n";
    let output = super::piped("-f - redis=1.5.3 --diff", input.as_bytes());
    assert_snapshot!(String::from_utf8_lossy(&output.stderr), @"redis waits until these CRD \
     changes are accepted: a.b: v1: .spec.a: type: string becomes integer (type string -> \
     integer)");
}

#[test]
fn gitops_page_documents_that_apply_deletes_nothing() {
    let page = include_str!("../../../../docs/gitops.md");
    assert!(page.contains("**`kubectl apply` takes nothing away.**"));
    assert!(page.contains("kubectl -n portolan apply --applyset=operators --prune"));
}
