//! How what OLM makes is known to differ, and why that is so.

use std::collections::BTreeSet;

use self::Whose::{Both, Olms, Ours};
use super::compared::Difference;

/// Which side has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    Ours,
    Olms,
    /// Both have the object, and not the same value in it.
    Both,
}

/// Whose, kind, name or path of the value, and why; `*` stands for anything.
pub(super) type Row = (Whose, &'static str, &'static str, &'static str);

const ROWS: &[Row] = &[
    // What OLM knows its objects by.
    (Both, "*", "/metadata/labels/olm.*", "OLM's marks"),
    (
        Both,
        "*",
        "/metadata/labels/operators.coreos.com/*",
        "the component of an Operator of OLM",
    ),
    (
        Both,
        "CustomResourceDefinition",
        "/metadata/annotations/operatorframework.io/installed-alongside-*",
        "OLM's mark on what several operators may bring",
    ),
    (
        Both,
        "Deployment",
        "/spec/template/metadata/annotations/olm.operatorGroup",
        "there is no OperatorGroup; whom it watches is in the annotations beside it",
    ),
    (
        Both,
        "Deployment",
        "/spec/template/metadata/annotations/operatorframework.io/properties",
        "what the catalog of OLM says of the bundle",
    ),
    // Certificates.
    (
        Both,
        "Deployment",
        "/spec/template/metadata/annotations/olmcahash",
        "the CA of OLM",
    ),
    (
        Both,
        "*",
        "/metadata/annotations/portolan.dev/inject-ca-from",
        "who fills in our CA",
    ),
    (
        Both,
        "*",
        "*/clientConfig/caBundle",
        "OLM writes its CA at once, we once there is one",
    ),
    (
        Olms,
        "Secret",
        "*-service-cert",
        "it is made by the reconciler that `certificates` tells",
    ),
    (
        Olms,
        "Role",
        "*-service-cert",
        "OLM lets the operator read its certificate, which is mounted",
    ),
    (Olms, "RoleBinding", "*-service-cert", "as above"),
    // For APIServices, which we do not install; OLM makes them for webhooks as well.
    (
        Olms,
        "ClusterRoleBinding",
        "*-service-system:auth-delegator",
        "for APIServices",
    ),
    (
        Olms,
        "RoleBinding",
        "kube-system/*-service-auth-reader",
        "for APIServices",
    ),
    // OperatorConditions, which are not a part of the bundle.
    (
        Olms,
        "Role",
        "*.v*.*.*",
        "the operator may write its OperatorCondition",
    ),
    (
        Olms,
        "RoleBinding",
        "*.v*.*.*",
        "the operator may write its OperatorCondition",
    ),
    (
        Both,
        "Deployment",
        "/spec/template/spec/containers/*/env/OPERATOR_CONDITION_NAME/*",
        "the name of the OperatorCondition",
    ),
    // OperatorGroups.
    (
        Olms,
        "ClusterRole",
        "olm.og.group.*",
        "the roles of an OperatorGroup",
    ),
    (
        Olms,
        "Role",
        "all-*/{*} may [*",
        "OLM makes the roles of one namespace before those of the cluster, and leaves them",
    ),
    (Olms, "RoleBinding", "all-*/{*} may [*", "as above"),
    // What the controllers and the server of Kubernetes write.
    (
        Both,
        "Deployment",
        "/metadata/annotations/deployment.kubernetes.io/revision",
        "counted by a controller",
    ),
    (
        Both,
        "Service",
        "/spec/clusterIP*",
        "allotted by the server, in a dry run too",
    ),
];

/// What only some of many bundles show.
const RARE: &[Row] = &[
    (
        Ours,
        "Namespace",
        "all-*",
        "the one that the bundle suggests: of OLM, the console makes it",
    ),
    (
        Both,
        "Deployment",
        "/spec/template/spec/volumes/cert/*",
        "a volume of the bundle where the certificates are mounted: OLM v0 keeps it, OLM v1 and we do not",
    ),
    (
        Both,
        "Deployment",
        "/spec/template/spec/containers/manager/volumeMounts",
        "as above",
    ),
    (
        Both,
        "ServiceAccount",
        "/metadata/labels/app.kubernetes.io/*",
        "the bundle ships an account that is made anyway: of OLM, labels of it are lost",
    ),
];

/// What is known of a few bundles.
pub(super) fn few() -> Vec<Row> {
    ROWS.to_vec()
}

/// What is known of many.
pub(super) fn many() -> Vec<Row> {
    [ROWS, RARE].concat()
}

/// What is not in the table. If all bundles are there, also what is in the table for nothing.
pub(super) fn beyond(
    differences: &BTreeSet<Difference>,
    known: &[Row],
    all_are_there: bool,
) -> Vec<String> {
    let unknown = differences.iter().filter(|difference| {
        let mut rows = known.iter();
        !rows.any(|row| tells(row, difference))
    });
    let mut lines: Vec<_> = unknown
        .map(|difference| format!("{difference:?}"))
        .collect();
    let unused = known.iter().filter(|row| {
        let mut differences = differences.iter();
        !differences.any(|difference| tells(row, difference))
    });
    if all_are_there {
        lines.extend(unused.map(|row| format!("known, but not so: {row:?}")));
    }
    lines
}

fn tells(&(whose, kind, what, _): &Row, difference: &Difference) -> bool {
    let (side, of, name) = match difference {
        Difference::Ours(kind, name) => (Whose::Ours, kind, name),
        Difference::Olms(kind, name) => (Whose::Olms, kind, name),
        Difference::Value(kind, _, at) => (Whose::Both, kind, at),
    };
    side == whose && matches(kind, of) && matches(what, name)
}

fn matches(pattern: &str, text: &str) -> bool {
    let Some((before, behind)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let rest = text.strip_prefix(before);
    rest.is_some_and(|rest| {
        let mut ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
        ends.any(|at| matches(behind, &rest[at..]))
    })
}
