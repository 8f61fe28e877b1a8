//! Rows with musthave policies.

use portolan_kit::{Catalog, catalog};
use portolan_rig::Kind;
use serde_json::{Value, json};

use super::row::{After, MISSING, Row, STUCK, WELL};
use crate::approval::policy::{Policy, policy};

const BEGINNING: &str = "versions that restrict";
const GROUP_NAME: &str = "an OperatorGroup that the policy does not name";
const MODES: &str = "an OperatorGroup with which the operator cannot work";
const PACKAGE: &str = "deprecations, and later channels";
const UNAPPROVED: &str = "operators for all namespaces elsewhere, in a version that is not allowed";

/// The catalog text for policies that do not allow an upgrade.
pub(super) const HELD_BACK: &str = "gig: 1.0.0 -> 1.1.0; eyot: 1.0.0 -> 1.1.0;";

/// Returns the catalog for all other policies.
pub(super) fn offered() -> Catalog {
    let plain = "felucca: 1.0.0 -> 1.1.0; \
                 sampan: 1.0.0 -> 1.1.0; tender: 1.0.0 requires anchor >=1.0.0; anchor: 1.0.0; \
                 yawl: 9.0.0; raft: 1.0.0; moses: 1.0.0; nao: 1.0.0; pinnace: 1.0.0; punt: 1.0.0; \
                 sunk: 1.0.0; vlet: 1.0.0; wherry: 1.0.0;";
    let plain = format!(
        "{plain} whaler/stable-1.0: 1.0.0; channel stable-1.0 deprecated \"it is old\"; \
         whaler/stable-1.1: 1.1.0"
    );
    let held = |deployment: &mut Value| {
        deployment["template"]["metadata"]["annotations"]["rig.test/pod-state"] = json!("unready");
    };
    let parts = [
        catalog(&plain).installable().with_deployment("9.0.0", held),
        catalog("ahull: 1.0.0")
            .installable()
            .with_suggested_namespace("ahull"),
        catalog("kayak: 1.0.0")
            .installable()
            .with_install_modes(&["OwnNamespace"]),
    ];
    Catalog {
        packages: parts.into_iter().flat_map(|part| part.packages).collect(),
    }
}

pub(super) fn rows() -> Vec<Row> {
    let all = [
        installed(),
        weighed(),
        stuck(),
        misgrouped(),
        elsewhere(),
        informing(),
    ];
    all.into_iter().flatten().collect()
}

/// Returns a policy with an OperatorGroup for only its own namespace.
fn own(package: &'static str) -> Policy {
    let group = json!({"name": "own", "targetNamespaces": [package]});
    policy(package).with("operatorGroup", group)
}

fn well(policy: Policy, namespace: &'static str, rule: &'static str) -> Row {
    let crd = format!(
        "CustomResourceDefinition {namespace}s.{namespace}.example.test of {namespace}.{namespace}"
    );
    Row::of(policy, namespace, rule, WELL).there(&[&crd])
}

/// Returns policies that install an operator.
fn installed() -> Vec<Row> {
    vec![
        well(
            policy("ahull"),
            "ahull",
            "all is left to the package: its namespace is made, its channel and catalog are taken",
        )
        .nowhere()
        .suggested()
        .there(&[
            "Namespace ahull",
            "OperatorGroup ahull-*",
            "Subscription ahull stable Automatic",
            "ClusterServiceVersion ahull.v1.0.0 Succeeded",
        ])
        .differs(
            GROUP_NAME,
            &[("there OperatorGroup ahull-*", "there OperatorGroup ahull")],
        ),
        well(
            policy("felucca")
                .allows(&["felucca.v1.0.0"])
                .asks("startingCSV", "felucca.v1.0.0".into()),
            "felucca",
            "an existing group is correct; an unlisted version waits, and is reported",
        )
        .before(Kind::OperatorGroup, "group", group("felucca"))
        .but(&[
            "OperatorGroupCompliant True PreexistingOperatorGroupFound",
            "InstallPlanCompliant True InstallPlanRequiresApproval",
        ])
        .there(&[
            "OperatorGroup group for felucca",
            "Subscription felucca stable Manual",
            "ClusterServiceVersion felucca.v1.0.0 Succeeded",
            "InstallPlan felucca.v1.1.0 waits",
        ]),
        well(
            own("sampan").with("versions", json!(["sampan.v1.0.0 , sampan.v1.1.0", " "])),
            "sampan",
            "an entry is split at its commas; the group of that name is changed",
        )
        .before(Kind::OperatorGroup, "own", group("default"))
        .there(&[
            "OperatorGroup own for sampan",
            "Subscription sampan stable Manual",
            "ClusterServiceVersion sampan.v1.1.0 Succeeded",
        ]),
        well(
            policy("tender").with(
                "operatorGroup",
                json!({
                    "name": "own",
                    "targetNamespaces": ["tender"],
                    "selector": {"matchLabels": {"crew": "none"}},
                }),
            ),
            "tender",
            "what it needs comes along; a selector beside namespaces is written as well",
        )
        .there(&[
            "OperatorGroup own for tender by crew",
            "Subscription tender stable Automatic",
            "Subscription anchor-stable-fleet-olm stable Automatic",
            "ClusterServiceVersion tender.v1.0.0 Succeeded",
            "ClusterServiceVersion anchor.v1.0.0 Succeeded",
        ]),
        unsupported(),
    ]
}

/// Returns policies with the field `statusConfig`.
fn weighed() -> Vec<Row> {
    vec![
        aged(own("whaler")).but(&["MinorChannelUpgradeAvailable True UpgradeAvailable"]),
        aged(own("whaler").called("whaler-strict").informs().with(
            "complianceConfig",
            json!({
                "deprecationsPresent": "NonCompliant",
                "minorChannelUpgradeAvailable": "NonCompliant",
            }),
        ))
        .but(&[
            "compliant: NonCompliant",
            "MinorChannelUpgradeAvailable False UpgradeAvailable",
        ]),
        well(
            own("yawl").with(
                "complianceConfig",
                json!({"deploymentsUnavailable": "Compliant"}),
            ),
            "yawl",
            "Deployments do not count, but an operator that is not installed yet does",
        )
        .but(&[
            "compliant: NonCompliant",
            "ClusterServiceVersionCompliant False InstallWaiting",
            "DeploymentCompliant True DeploymentsUnavailable",
            "related ClusterServiceVersion: NonCompliant",
        ])
        .there(&[
            "OperatorGroup own for yawl",
            "Subscription yawl stable Automatic",
            "ClusterServiceVersion yawl.v9.0.0 Installing",
        ]),
    ]
}

/// Returns a policy with a deprecated channel, for which a later channel exists.
fn aged(policy: Policy) -> Row {
    let policy = policy.asks("channel", "stable-1.0".into());
    let rule = "its channel is deprecated, and there is one of a later minor version";
    well(policy, "whaler", rule)
        .but(&["NoDeprecations False ChannelDeprecated"])
        .there(&[
            "OperatorGroup own for whaler",
            "Subscription whaler stable-1.0 Automatic",
            "ClusterServiceVersion whaler.v1.0.0 Succeeded",
        ])
}

/// Returns policies that do not allow an upgrade. They run together with the mustnothave policies,
/// because OLM needs five seconds for each installation on a cluster.
pub(super) fn held_back() -> Vec<Row> {
    vec![
        well(
            own("gig")
                .with("upgradeApproval", "None".into())
                .with(
                    "complianceConfig",
                    json!({"upgradesAvailable": "NonCompliant"}),
                )
                .asks("startingCSV", "gig.v1.0.0".into()),
            "gig",
            "the first install is approved and no upgrade, and that one waits counts",
        )
        .but(&[
            "compliant: NonCompliant",
            "InstallPlanCompliant False InstallPlanRequiresApproval",
            "MinorChannelUpgradeAvailable True Skipped",
            "related InstallPlan: NonCompliant",
        ])
        .there(&[
            "OperatorGroup own for gig",
            "Subscription gig stable Manual",
            "ClusterServiceVersion gig.v1.0.0 Succeeded",
            "InstallPlan gig.v1.1.0 waits",
        ]),
        beginning(),
    ]
}

/// OLM installs the newest version unless `startingCSV` is set.
fn beginning() -> Row {
    let policy = own("eyot").allows(&["eyot.v1.0.0"]);
    let rule = "OLM goes for the head of the channel, which is not listed, so nothing is installed";
    Row::of(policy, "eyot", rule, STUCK)
        .but(&[
            "SubscriptionCompliant True SubscriptionMatches",
            "InstallPlanCompliant True InstallPlanRequiresApproval",
            "related Subscription: Compliant",
        ])
        .there(&[
            "OperatorGroup own for eyot",
            "Subscription eyot stable Manual",
            "InstallPlan eyot.v1.1.0 waits",
        ])
        .expects(
            BEGINNING,
            &[
                WELL,
                &["InstallPlanCompliant True InstallPlanRequiresApproval"],
            ]
            .concat(),
        )
        .differs(
            BEGINNING,
            &[
                ("", "there ClusterServiceVersion eyot.v1.0.0 Succeeded"),
                (
                    "",
                    "there CustomResourceDefinition eyots.eyot.example.test of eyot.eyot",
                ),
            ],
        )
}

/// Returns a policy whose OperatorGroup would be for all namespaces. The operator does not support
/// this, so no OperatorGroup is created.
fn unsupported() -> Row {
    let rule = "the operator does not support AllNamespaces, and no group is written";
    well(policy("kayak"), "kayak", rule)
        .but(&[
            "compliant: NonCompliant",
            "ClusterServiceVersionCompliant False UnsupportedOperatorGroup",
            "DeploymentCompliant True NoExistingDeployments",
            "related ClusterServiceVersion: NonCompliant",
            "related Deployment: NonCompliant",
        ])
        .there(&[
            "OperatorGroup kayak-*",
            "Subscription kayak stable Automatic",
            "ClusterServiceVersion kayak.v1.0.0 Failed",
        ])
        .expects(
            MODES,
            &[
                STUCK,
                MISSING,
                &[
                    "OperatorGroupCompliant False InstallModeUnsupported",
                    "related OperatorGroup: NonCompliant",
                ],
            ]
            .concat(),
        )
        .differs(
            MODES,
            &[
                ("there OperatorGroup kayak-*", ""),
                ("there Subscription kayak stable Automatic", ""),
                ("there ClusterServiceVersion kayak.v1.0.0 Failed", ""),
                (
                    "there CustomResourceDefinition kayaks.kayak.example.test of kayak.kayak",
                    "",
                ),
            ],
        )
}

/// Returns policies that request missing packages, channels or versions.
fn stuck() -> Vec<Row> {
    let missing = |policy: Policy| {
        policy
            .asks("channel", "stable".into())
            .asks("source", "nowhere".into())
            .asks("sourceNamespace", "olm".into())
    };
    let unhealthy = json!({"catalogSourceUnhealthy": "NonCompliant"});
    let unknown = [
        ("NoDeprecations True Recommended", ""),
        (
            "MinorChannelUpgradeAvailable True Recommended",
            "MinorChannelUpgradeAvailable True Skipped",
        ),
    ];
    vec![
        row_of_stuck(
            own("raft")
                .with("severity", "critical".into())
                .asks("channel", "stabel".into()),
            "raft",
            "a missing channel is written nevertheless; a missing namespace is created",
        )
        .nowhere()
        .there(&["Namespace raft", "Subscription raft stabel Automatic"]),
        row_of_stuck(
            missing(own("moses")),
            "moses",
            "a missing catalog is reported, and does not count",
        )
        .but(&["CatalogSourcesUnhealthy False CatalogSourcesNotFound"])
        .there(&["Subscription moses stable Automatic"])
        .differs(PACKAGE, &unknown),
        row_of_stuck(
            missing(own("nao")).with("complianceConfig", unhealthy),
            "nao",
            "a missing catalog counts, if configured",
        )
        .but(&[
            "CatalogSourcesUnhealthy True CatalogSourcesNotFound",
            "related CatalogSource: NonCompliant",
        ])
        .there(&["Subscription nao stable Automatic"])
        .differs(PACKAGE, &unknown),
        row_of_stuck(
            missing(own("oomiak")).asks("source", "fleet".into()),
            "oomiak",
            "a package that no catalog has: its deprecations are not known, and no channel is",
        )
        .without(&["NoDeprecations"])
        .but(&["MinorChannelUpgradeAvailable True Skipped"])
        .there(&["Subscription oomiak stable Automatic"]),
        row_of_stuck(
            own("sunk")
                .asks("channel", "stable".into())
                .asks("source", "sunk".into())
                .asks("sourceNamespace", "sunk".into()),
            "sunk",
            "an unreachable catalog is reported in OLM's own word",
        )
        .before(Kind::CatalogSource, "sunk", unreachable())
        .but(&[
            "SubscriptionCompliant False ErrorPreventedResolution",
            "CatalogSourcesUnhealthy False CatalogSourcesFoundUnhealthy",
        ])
        .there(&["Subscription sunk stable Automatic"])
        .differs(
            PACKAGE,
            &[
                (
                    "NoDeprecations True Recommended",
                    "NoDeprecations Unknown NotChecked",
                ),
                unknown[1],
            ],
        ),
    ]
}

/// Returns policies with an invalid OperatorGroup.
fn misgrouped() -> Vec<Row> {
    vec![
        Row::of(
            own("pinnace"),
            "pinnace",
            "a group of another name is there, and a second one would stop OLM",
            STUCK,
        )
        .but(MISSING)
        .but(&[
            "OperatorGroupCompliant False OperatorGroupMismatch",
            "related OperatorGroup: NonCompliant, NonCompliant",
        ])
        .before(Kind::OperatorGroup, "other", group("pinnace"))
        .there(&["OperatorGroup other for pinnace"]),
        Row::of(policy("punt"), "punt", "there are two groups", STUCK)
            .but(MISSING)
            .but(&[
                "OperatorGroupCompliant False TooManyOperatorGroups",
                "related OperatorGroup: NonCompliant, NonCompliant",
            ])
            .before(Kind::OperatorGroup, "one", group("punt"))
            .before(Kind::OperatorGroup, "two", group("punt"))
            .there(&["OperatorGroup one for punt", "OperatorGroup two for punt"]),
    ]
}

fn row_of_stuck(policy: Policy, namespace: &'static str, rule: &'static str) -> Row {
    let own = format!("OperatorGroup own for {namespace}");
    Row::of(policy, namespace, rule, STUCK).there(&[&own])
}

/// Returns policies whose operator runs in another namespace, and watches their namespace.
fn elsewhere() -> Vec<Row> {
    let existing = [
        "compliant: Compliant",
        "ValidPolicySpec True PolicyValidated",
        "OperatorGroupCompliant True ExistingInstallation",
        "SubscriptionCompliant True ExistingInstallation",
        "InstallPlanCompliant True ExistingInstallation",
        "ClusterServiceVersionCompliant True Copied",
        "CustomResourceDefinitionCompliant True ExistingInstallation",
        "DeploymentCompliant True ExistingInstallation",
        "CatalogSourcesUnhealthy False ExistingInstallation",
        "NoDeprecations True Recommended",
        "MinorChannelUpgradeAvailable True Recommended",
        "related ClusterServiceVersion: Compliant",
    ];
    let served = |name: &'static str, rule| {
        let policy = policy("ahull").called(name);
        Row::of(policy, name, rule, &existing)
            .after(After::Served("ahull.v1.0.0"))
            .there(&["CustomResourceDefinition ahulls.ahull.example.test of ahull.ahull"])
    };
    let mut outrun = served(
        "umiak",
        "the Subscription that the policy had made before goes",
    )
    .after(After::Outrun("ahull.v1.0.0"));
    outrun.policy = outrun.policy.informs();
    let unapproved = [
        "compliant: NonCompliant",
        "ClusterServiceVersionCompliant False UnapprovedVersion",
        "related ClusterServiceVersion: NonCompliant",
    ];
    let mut tartan = served("tartan", "the version that serves it is not allowed");
    tartan.policy = tartan.policy.allows(&["ahull.v9.0.0"]);
    let tartan = tartan
        .without(&[
            "OperatorGroupCompliant",
            "SubscriptionCompliant",
            "InstallPlanCompliant",
            "CustomResourceDefinitionCompliant",
            "DeploymentCompliant",
            "CatalogSourcesUnhealthy",
        ])
        .but(&unapproved)
        .expects(UNAPPROVED, &[&existing[..], &unapproved].concat());
    vec![
        served(
            "skiff",
            "nothing is installed where the operator works already",
        ),
        tartan,
        outrun,
    ]
}

/// Returns policies with the action inform.
fn informing() -> Vec<Row> {
    let documented = |package: &'static str, rule| {
        Row::of(policy(package).informs(), package, rule, STUCK)
            .but(&[
                "OperatorGroupCompliant False OperatorGroupMissing",
                "related OperatorGroup: NonCompliant",
            ])
            .but(MISSING)
    };
    vec![
        documented("vlet", "an inform policy reports what is missing"),
        documented("wherry", "and that the namespace is missing")
            .nowhere()
            .but(&["ValidPolicySpec False InvalidPolicySpec"]),
    ]
}

/// Returns the spec of an OperatorGroup for this namespace.
pub(super) fn group(namespace: &str) -> Value {
    json!({"spec": {"targetNamespaces": [namespace]}})
}

/// Returns the spec of a CatalogSource. No server listens on its address.
fn unreachable() -> Value {
    json!({"spec": {
        "sourceType": "grpc", "address": "127.0.0.1:1", "displayName": "sunk", "publisher": "nobody",
    }})
}
