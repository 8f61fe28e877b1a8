//! Rows with operators that another user installed earlier, and with mustnothave policies.

use portolan_kit::{Catalog, catalog};
use portolan_rig::Kind;
use serde_json::{Value, json};

use super::row::{ABSENT, After, INVALID, NO_CATALOG, Row, WELL};
use super::wanted::group;
use crate::approval::policy::{Policy, policy};

const UNWANTED: &str = "`mustnothave`";
const OPEN_CATALOG: &str = "`mustnothave` that leaves its catalog open";

/// The lines of a mustnothave policy if the operator is installed. They contain the name of the
/// OperatorGroup.
const PRESENT: &[&str] = &[
    "compliant: NonCompliant",
    "ValidPolicySpec True PolicyValidated",
    "OperatorGroupCompliant False OperatorGroupPresent",
    "SubscriptionCompliant False SubscriptionPresent",
    "InstallPlanCompliant True InstallPlanNotApplicable",
    "ClusterServiceVersionCompliant False ClusterServiceVersionPresent",
    "CustomResourceDefinitionCompliant True CustomResourceDefinitionKept",
    "DeploymentCompliant True DeploymentNotApplicable",
    "CatalogSourcesUnhealthy False CatalogSourceNotApplicable",
    "MinorChannelUpgradeAvailable True Skipped",
    "related OperatorGroup: NonCompliant",
    "related Subscription: NonCompliant",
    "related InstallPlan: Compliant",
    "related ClusterServiceVersion: NonCompliant",
    "related CustomResourceDefinition: -",
    "related Deployment: Compliant",
    "related CatalogSource: Compliant",
];

/// Returns the catalog for these rows.
pub(super) fn offered() -> Catalog {
    let text = "cog[stable, fast]: 1.0.0; dory[stable, fast]: 1.0.0; esquif: 1.0.0; fluyt: 1.0.0; \
                galiot: 1.0.0; hulk: 1.0.0; ijssel: 1.0.0; koff: 1.0.0; lerret: 1.0.0; mahi: 1.0.0; nef: 1.0.0;";
    let others = [super::refused::PACKAGES, super::wanted::HELD_BACK].concat();
    catalog(&format!("{text} {others}")).installable()
}

pub(super) fn rows() -> Vec<Row> {
    [by_hand(), removed(), nothing_there()]
        .into_iter()
        .flatten()
        .collect()
}

fn unwanted(package: &str) -> Policy {
    policy(package).with("complianceType", "mustnothave".into())
}

/// Returns a policy with the defaults of the established CRD.
fn in_full(policy: Policy) -> Policy {
    let all = json!({
        "operatorGroups": "DeleteIfUnused",
        "subscriptions": "Delete",
        "clusterServiceVersions": "Delete",
        "customResourceDefinitions": "Keep",
    });
    policy.with("removalBehavior", all)
}

fn naming_its_group(policy: Policy) -> Policy {
    policy.with("operatorGroup", json!({"name": "group"}))
}

/// Returns the body of a Subscription.
fn subscribed(package: &str, channel: &str, approval: &str) -> Value {
    json!({"spec": {
        "name": package, "channel": channel, "source": "fleet", "sourceNamespace": "olm",
        "installPlanApproval": approval,
    }})
}

fn installed(row: Row) -> Row {
    let package = row.namespace;
    row.there(&[
        &format!("OperatorGroup group for {package}"),
        &format!("Subscription {package} stable Automatic"),
        &format!("ClusterServiceVersion {package}.v1.0.0 Succeeded"),
        &format!(
            "CustomResourceDefinition {package}s.{package}.example.test of {package}.{package}"
        ),
    ])
}

/// Returns policies for an operator that a user installed.
fn by_hand() -> Vec<Row> {
    let cog = |name: &str, rule, change: fn(Policy) -> Policy| {
        let policy = change(policy("cog").called(name).informs());
        installed(Row::of(policy, "cog", rule, WELL))
            .but(&["OperatorGroupCompliant True PreexistingOperatorGroupFound"])
            .after(After::Installed("cog.v1.0.0"))
    };
    let of_cog = |policy: Policy, rule| {
        let policy = naming_its_group(policy);
        installed(Row::of(policy, "cog", rule, PRESENT)).after(After::Installed("cog.v1.0.0"))
    };
    let keep = json!({
        "operatorGroups": "Keep", "subscriptions": "Keep", "clusterServiceVersions": "Keep",
        "customResourceDefinitions": "Keep",
    });
    let kept = unwanted("cog")
        .called("cog-kept")
        .with("removalBehavior", keep);
    vec![
        cog("cog", "who only informs does not mind who approves", |it| {
            it
        })
        .before(Kind::OperatorGroup, "group", group("cog"))
        .before(
            Kind::Subscription,
            "cog",
            subscribed("cog", "stable", "Automatic"),
        ),
        cog("cog-older", "an unlisted version is reported", |it| {
            it.allows(&["cog.v0.9.0"])
        })
        .but(&[
            "compliant: NonCompliant",
            "ClusterServiceVersionCompliant False UnapprovedVersion",
            "related ClusterServiceVersion: NonCompliant",
        ]),
        cog("cog-fast", "another channel is reported", |it| {
            it.asks("channel", "fast".into())
        })
        .but(&[
            "compliant: NonCompliant",
            "SubscriptionCompliant False SubscriptionMismatch",
            "related Subscription: NonCompliant",
        ]),
        cog("cog-own", "a group with another name is reported", |it| {
            it.with("operatorGroup", json!({"name": "own"}))
        })
        .but(&[
            "compliant: NonCompliant",
            "OperatorGroupCompliant False OperatorGroupMismatch",
            "related OperatorGroup: NonCompliant, NonCompliant",
        ]),
        of_cog(
            in_full(unwanted("cog").called("cog-unwanted")).informs(),
            "an inform policy reports what would be removed",
        ),
        of_cog(kept, "all is to be kept").but(&[
            "compliant: Compliant",
            "OperatorGroupCompliant True OperatorGroupKept",
            "SubscriptionCompliant True SubscriptionKept",
            "ClusterServiceVersionCompliant True ClusterServiceVersionKept",
            "related OperatorGroup: -",
            "related Subscription: -",
            "related ClusterServiceVersion: -",
        ]),
        taken_over(),
    ]
}

/// Returns a policy whose InstallPlan is not approved yet. Its channel is not the default channel.
fn taken_over() -> Row {
    let rule = "a Subscription of another user is adopted, with all fields of the package";
    let row = installed(Row::of(policy("dory"), "dory", rule, WELL));
    row.but(&["OperatorGroupCompliant True PreexistingOperatorGroupFound"])
        .before(Kind::OperatorGroup, "group", group("dory"))
        .before(
            Kind::Subscription,
            "dory",
            subscribed("dory", "fast", "Manual"),
        )
        .differs(
            "what a policy leaves open",
            &[(
                "there Subscription dory stable Automatic",
                "there Subscription dory fast Automatic",
            )],
        )
}

/// Returns a policy whose operator a user installed.
fn by_hand_before(policy: Policy, bundle: &'static str, rule: &'static str) -> Row {
    let (package, _) = bundle.split_once('.').expect("a bundle has a version");
    Row::of(policy, package, rule, ABSENT)
        .before(Kind::OperatorGroup, "group", group(package))
        .after(After::Installed(bundle))
}

/// Returns mustnothave policies for installed operators.
fn removed() -> Vec<Row> {
    let subscription = |package: &str| subscribed(package, "stable", "Automatic");
    vec![
        by_hand_before(
            unwanted("esquif"),
            "esquif.v1.0.0",
            "everything is removed except the CRDs, and a group that the policy does not name",
        )
        .before(Kind::Subscription, "esquif", subscription("esquif"))
        .there(&[
            "OperatorGroup group for esquif",
            "CustomResourceDefinition esquifs.esquif.example.test",
        ])
        .expects(
            UNWANTED,
            &[
                PRESENT,
                &[
                    "OperatorGroupCompliant True OperatorGroupKept",
                    "SubscriptionCompliant False Withheld",
                    "ClusterServiceVersionCompliant False Withheld",
                    "related OperatorGroup: -",
                ],
            ]
            .concat(),
        )
        .differs(
            UNWANTED,
            &[
                (
                    "there CustomResourceDefinition esquifs.esquif.example.test",
                    "there CustomResourceDefinition esquifs.esquif.example.test of esquif.esquif",
                ),
                ("", "there Subscription esquif stable Automatic"),
                ("", "there ClusterServiceVersion esquif.v1.0.0 Succeeded"),
            ],
        ),
        by_hand_before(
            naming_its_group(in_full(unwanted("fluyt"))),
            "fluyt.v1.0.0",
            "everything is removed except the CRDs, from which OLM takes its label",
        )
        .before(Kind::Subscription, "fluyt", subscription("fluyt"))
        .there(&["CustomResourceDefinition fluyts.fluyt.example.test"])
        .differs(OPEN_CATALOG, NO_CATALOG)
        .differs(
            UNWANTED,
            &[
                (
                    "InstallPlanCompliant True NoInstallPlansFound",
                    "InstallPlanCompliant True InstallPlanNotApplicable",
                ),
                ("", "there InstallPlan fluyt.v1.0.0"),
            ],
        )
        .or(&[
            (
                "there CustomResourceDefinition fluyts.fluyt.example.test",
                "there CustomResourceDefinition fluyts.fluyt.example.test of fluyt.fluyt",
            ),
            (
                "CustomResourceDefinitionCompliant True RelevantCRDNotFound",
                "CustomResourceDefinitionCompliant True CustomResourceDefinitionKept",
            ),
            (
                "related CustomResourceDefinition: Inapplicable",
                "related CustomResourceDefinition: -",
            ),
        ]),
        held(),
    ]
}

/// Returns a policy whose Subscription has a finalizer.
fn held() -> Row {
    let all = json!({
        "operatorGroups": "DeleteIfUnused",
        "subscriptions": "Delete",
        "clusterServiceVersions": "Delete",
        "customResourceDefinitions": "Delete",
    });
    let policy = naming_its_group(unwanted("galiot").with("removalBehavior", all));
    let mut subscription = subscribed("galiot", "stable", "Automatic");
    subscription["metadata"] = json!({"finalizers": ["example.test/held"]});
    let rule = "all goes at once, and what a finalizer holds is waited for";
    by_hand_before(policy, "galiot.v1.0.0", rule)
        .before(Kind::Subscription, "galiot", subscription)
        .but(&[
            "compliant: NonCompliant",
            "SubscriptionCompliant False SubscriptionDeleting",
            "InstallPlanCompliant True InstallPlanNotApplicable",
            "related Subscription: NonCompliant",
        ])
        .there(&["Subscription galiot stable Automatic"])
        .expects(
            UNWANTED,
            &[
                PRESENT,
                &[
                    "SubscriptionCompliant False SubscriptionDeleting",
                    "CustomResourceDefinitionCompliant False CustomResourceDefinitionPresent",
                    "related CustomResourceDefinition: NonCompliant",
                ],
            ]
            .concat(),
        )
        .differs(
            UNWANTED,
            &[
                ("", "there OperatorGroup group for galiot"),
                ("", "there ClusterServiceVersion galiot.v1.0.0 Succeeded"),
                (
                    "",
                    "there CustomResourceDefinition galiots.galiot.example.test of galiot.galiot",
                ),
            ],
        )
}

/// Returns mustnothave policies for operators that are not installed.
fn nothing_there() -> Vec<Row> {
    let absent = |policy: Policy, namespace, rule| {
        Row::of(policy, namespace, rule, ABSENT).differs(OPEN_CATALOG, NO_CATALOG)
    };
    let keeps = json!({"operatorGroups": "Keep"});
    vec![
        absent(unwanted("hulk"), "hulk", "there is nothing to remove"),
        absent(
            unwanted("ijssel"),
            "ijssel",
            "there is not even the namespace",
        )
        .nowhere(),
        package_in_no_catalog(),
        absent(
            unwanted("koff").with("removalBehavior", keeps),
            "koff",
            "two groups are too many even where they are to be kept",
        )
        .but(&[
            "compliant: NonCompliant",
            "OperatorGroupCompliant False TooManyOperatorGroups",
            "related OperatorGroup: NonCompliant, NonCompliant",
        ])
        .before(Kind::OperatorGroup, "one", group("koff"))
        .before(Kind::OperatorGroup, "two", group("koff"))
        .there(&["OperatorGroup one for koff", "OperatorGroup two for koff"]),
        absent(
            naming_its_group(in_full(unwanted("lerret"))),
            "lerret",
            "a group that another Subscription uses stays",
        )
        .but(&[
            "OperatorGroupCompliant True OperatorGroupKept",
            "related OperatorGroup: -",
        ])
        .before(Kind::OperatorGroup, "group", group("lerret"))
        .before(
            Kind::Subscription,
            "other",
            subscribed("no-such-package", "stable", "Manual"),
        )
        .there(&[
            "OperatorGroup group for lerret",
            "Subscription other stable Manual",
        ]),
        absent(
            in_full(unwanted("mahi")).with("operatorGroup", json!({"name": "own"})),
            "mahi",
            "a group of another name is not the policy's",
        )
        .before(Kind::OperatorGroup, "group", group("mahi"))
        .there(&["OperatorGroup group for mahi"]),
        absent(
            in_full(unwanted("nef")),
            "nef",
            "a group that the policy neither names nor had made is not its own",
        )
        .before(Kind::OperatorGroup, "group", group("nef"))
        .there(&["OperatorGroup group for nef"]),
    ]
}

/// Returns a policy whose package is in no catalog.
fn package_in_no_catalog() -> Row {
    let rule = "the channel and catalog of an operator to remove are unknown";
    Row::of(unwanted("junk"), "junk", rule, INVALID)
        .expects(OPEN_CATALOG, ABSENT)
        .differs(OPEN_CATALOG, NO_CATALOG)
}
