//! The known differences between the objects of OLM and those of Portolan, and the reasons for
//! them.

use std::collections::BTreeSet;

use self::Whose::{Both, Olms, Ours};
use super::compared::Difference;

/// The set that contains the difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    Ours,
    Olms,
    /// Both sets contain the object, but a value differs.
    Both,
}

/// A known difference: the set, the kind, the name or the path of the value, and the reason. `*`
/// matches any text.
pub(super) type Row = (Whose, &'static str, &'static str, &'static str);

const ROWS: &[Row] = &[
    // The labels with which OLM marks its objects.
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
        "no OperatorGroup exists; the watched namespaces are in the annotations",
    ),
    (
        Both,
        "Deployment",
        "/spec/template/metadata/annotations/operatorframework.io/properties",
        "the properties of the bundle in the catalog of OLM",
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
        "the reconciler that injects our CA",
    ),
    (
        Both,
        "*",
        "*/clientConfig/caBundle",
        "OLM writes its CA at once, we write ours once it exists",
    ),
    (
        Olms,
        "Secret",
        "*-service-cert",
        "the reconciler named by `certificates` creates it",
    ),
    (
        Olms,
        "Role",
        "*-service-cert",
        "OLM lets the operator read its certificate, which is mounted",
    ),
    (Olms, "RoleBinding", "*-service-cert", "as above"),
    // APIServices, which Portolan does not install. OLM also creates them for webhooks.
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
    // OperatorConditions, which are not part of a bundle.
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
    // Fields that the API server and the controllers of Kubernetes write.
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

/// Differences that occur only in some of many bundles.
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

/// Returns the known differences for a few bundles.
pub(super) fn few() -> Vec<Row> {
    ROWS.to_vec()
}

/// Returns the known differences for many bundles.
pub(super) fn many() -> Vec<Row> {
    [ROWS, RARE].concat()
}

/// Returns the differences that are not in the table. If all bundles are available, also returns
/// the rows of the table that match no difference.
pub(super) fn beyond(
    differences: &BTreeSet<Difference>,
    known: &[Row],
    all_are_there: bool,
) -> Vec<String> {
    let unknown = differences.iter().filter(|difference| {
        let mut rows = known.iter();
        !rows.any(|row| describes(row, difference))
    });
    let mut lines: Vec<_> = unknown
        .map(|difference| format!("{difference:?}"))
        .collect();
    let unused = known.iter().filter(|row| {
        let mut differences = differences.iter();
        !differences.any(|difference| describes(row, difference))
    });
    if all_are_there {
        lines.extend(unused.map(|row| format!("known, but unused: {row:?}")));
    }
    lines
}

fn describes(&(whose, kind, what, _): &Row, difference: &Difference) -> bool {
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
