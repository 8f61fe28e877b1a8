//! Tests for InstallPlans with which OLM skips allowed versions.

use super::*;
use crate::{Bundle, Offer, ReachableBundles};

fn bundle(version: &str) -> Bundle {
    Bundle {
        name: format!("etcd.v{version}"),
        version: version.to_owned(),
        channels: vec!["stable".to_owned()],
        deprecation: None,
    }
}

/// Returns a route on which OLM installs 2.0.0 and 3.0.0 after 1.0.0. The catalog also has an edge
/// to 1.5.0.
fn route() -> ReachableBundles {
    ReachableBundles {
        installed: "etcd.v1.0.0".to_owned(),
        channel: "stable".to_owned(),
        reachable: ["3.0.0", "2.0.0", "1.5.0"].map(bundle).to_vec(),
        walk: ["2.0.0", "3.0.0"].map(bundle).to_vec(),
        ..ReachableBundles::default()
    }
}

fn allows(allowed: &str, route: ReachableBundles) -> Stage {
    let policy = design(json!({"allowedCSVs": ["etcd.v1.0.0", allowed]}));
    planned(policy, json!({})).with(|stage| stage.answers.route = Answer::Found(route))
}

fn upgrade_contribution(reason: Reason, message: &str) -> Contribution {
    let head = "An upgrade to etcd.v2.0.0 is available on the stable channel";
    contribution(
        condition(Status::True, reason, &format!("{head}. {message}")),
        NEXT,
        ("Compliant", "The InstallPlan is not approved"),
    )
}

fn unlisted() -> Contribution {
    unlisted_before("")
}

fn unlisted_before(more: &str) -> Contribution {
    let message = "The InstallPlan is not approved because spec.allowedCSVs does not allow \
                   etcd.v2.0.0. Add etcd.v2.0.0 to spec.allowedCSVs";
    upgrade_contribution(
        Reason::InstallPlanRequiresApproval,
        &format!("{message}{more}"),
    )
}

const PAST: &str = "OLM upgrades from etcd.v1.0.0 directly to etcd.v2.0.0, skipping etcd.v1.5.0, \
                    which spec.allowedCSVs allows. Add etcd.v2.0.0 to spec.allowedCSVs. Or set \
                    spec.subscription.channel to a channel other than stable that leads to \
                    etcd.v1.5.0 and delete InstallPlan install-b, because OLM chooses no other \
                    version while this InstallPlan waits. Or install the operator again with \
                    etcd.v1.5.0 as spec.subscription.startingCSV";

#[rstest]
#[case::is_named_with_the_remedies(
    allows("etcd.v1.5.0", route()),
    upgrade_contribution(Reason::AllowedVersionSkippedByOLM, PAST)
)]
#[case::is_found_with_a_range(
    allows("etcd@>=1.1.0 <2.0.0", route()),
    upgrade_contribution(Reason::AllowedVersionSkippedByOLM, PAST,)
)]
#[case::is_not_one_that_olm_installs_later(
    allows("etcd.v3.0.0", route()),
    unlisted_before("; the allowed version etcd.v3.0.0 comes after etcd.v2.0.0")
)]
#[case::is_not_one_in_a_range_that_olm_installs_later(
    allows("etcd@>=3.0.0 <4.0.0", route()),
    unlisted_before("; the allowed version etcd.v3.0.0 comes after etcd.v2.0.0")
)]
#[case::is_not_one_without_an_edge(allows("etcd.v1.4.0", route()), unlisted())]
#[case::is_missing_if_the_resolver_reports_another_bundle(
    allows("etcd.v1.5.0", ReachableBundles { installed: "etcd.v0.9.0".into(), ..route() }),
    unlisted()
)]
#[case::is_missing_if_the_resolver_reports_another_channel(
    allows("etcd.v1.5.0", ReachableBundles { channel: "beta".into(), ..route() }),
    unlisted()
)]
#[case::is_missing_if_the_route_of_olm_is_unknown(
    allows("etcd.v1.5.0", ReachableBundles { walk: Vec::new(), ..route() }),
    unlisted()
)]
#[case::is_missing_if_the_version_is_older_than_the_installed_one(
    allows("etcd.v0.5.0", ReachableBundles { reachable: vec![bundle("0.5.0")], ..route() }),
    unlisted()
)]
fn reports_allowed_version_that_olm_skips(#[case] stage: Stage, #[case] part: Contribution) {
    assert_eq!(stage.case(judge), part);
}

/// Returns a stage in which the bundle that OLM chose belongs to these channels.
fn chosen_in(channels: &[&str], allowed: &str) -> Stage {
    let offer = Offer {
        bundles: vec![Bundle {
            channels: channels.iter().map(|name| (*name).to_owned()).collect(),
            ..bundle("2.0.0")
        }],
        ..Offer::default()
    };
    let policy = design(json!({"allowedCSVs": ["etcd.v1.0.0", allowed]}));
    planned(policy, json!({})).with(|stage| stage.answers.offer = Answer::Found(offer))
}

/// The channel changed while an InstallPlan waited, so OLM cannot choose another bundle.
#[rstest]
#[case::must_be_deleted(
    chosen_in(&["beta"], "etcd.v1.5.0"),
    contribution(
        condition(
            Status::True,
            Reason::InstallPlanRequiresApproval,
            "An upgrade to etcd.v2.0.0 is available. The InstallPlan is not approved because \
             spec.allowedCSVs does not allow its bundle, which is not in channel stable. OLM \
             chooses no other bundle while the InstallPlan install-b waits. Delete the InstallPlan \
             install-b"
        ),
        NEXT,
        ("Compliant", "The InstallPlan is not approved"),
    )
)]
#[case::is_handled_as_usual_if_the_new_channel_contains_the_bundle(
    chosen_in(&["beta", "stable"], "etcd.v1.5.0"),
    unlisted()
)]
fn reports_plan_for_a_bundle_of_the_previous_channel(
    #[case] stage: Stage,
    #[case] part: Contribution,
) {
    assert_eq!(stage.case(judge), part);
}
