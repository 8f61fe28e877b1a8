//! Converts the objects of a scenario to the input of the approval crate.

use portolan_core_approval::{
    Allows, Bundle, BundleIdentity, Installed, Namespace, Plan, PolicyId, Says, Source, Standing,
    Step, Subscription,
};
use portolan_core_health::{InstallPlanPhase, Item};
use portolan_core_names::{Consent, PackageName, Version};
use portolan_core_olm::InstallPlan;

use super::{HOME, Story, parts};

pub(crate) fn namespace(story: &Story) -> Namespace {
    let all = &story.namespace;
    let subscriptions = all.subscriptions.objects.iter();
    let csvs = all.csvs.objects.iter();
    let plans = all.plans.objects.iter().enumerate();
    Namespace {
        name: HOME.to_owned(),
        plans: plans.map(|(at, one)| plan(at, one)).collect(),
        subscriptions: subscriptions
            .map(|subscription| Subscription {
                name: subscription.observed.object.name.clone(),
                package: subscription.spec.package.parse().ok(),
                is_manual: story.manual.contains(&subscription.observed.object.name),
                current: subscription.status.current_csv.clone(),
                installed: subscription.status.installed_csv.clone(),
            })
            .collect(),
        installed: csvs
            .map(|csv| Installed {
                name: csv.observed.object.name.clone(),
                identity: Some(identity(&csv.observed.object.name)),
            })
            .collect(),
        policies: story.policies.clone(),
        unseen: story.unseen_policies.clone(),
        restraints: Vec::new(),
    }
}

/// Converts an InstallPlan. `at` is its position in the list: a later plan is newer.
fn plan(at: usize, plan: &Item<InstallPlan>) -> Plan {
    let phase = match &plan.status.phase {
        InstallPlanPhase::RequiresApproval => "RequiresApproval",
        InstallPlanPhase::Complete => "Complete",
        InstallPlanPhase::Failed => "Failed",
        InstallPlanPhase::Installing => "Installing",
        InstallPlanPhase::Planning | InstallPlanPhase::Other(_) => "",
    };
    Plan {
        name: plan.observed.object.name.clone(),
        generation: u64::try_from(at).ok().map(|at| at + 1),
        phase: phase.to_owned(),
        is_approved: plan.spec.approved,
        is_manual: true,
        csvs: plan.spec.csvs.clone(),
        bundles: plan.spec.csvs.iter().map(|name| bundle(name)).collect(),
        steps: plan.spec.csvs.iter().map(|name| step(name)).collect(),
        ..Plan::default()
    }
}

fn step(name: &str) -> Step {
    Step {
        bundle: name.to_owned(),
        kind: "ClusterServiceVersion".to_owned(),
        name: name.to_owned(),
        package: None,
    }
}

fn bundle(name: &str) -> Bundle {
    Bundle {
        name: name.to_owned(),
        source: Source::Lookup,
        replaces: String::new(),
        catalog: "olm/shop".to_owned(),
        identity: Some(Ok(identity(name))),
        is_pending: false,
    }
}

fn identity(name: &str) -> BundleIdentity {
    let (package, version) = parts(name);
    BundleIdentity {
        package: PackageName::parse(package).expect("the package must parse"),
        version: Version::parse(version).ok(),
        provides: Default::default(),
        needs: Vec::new(),
    }
}

/// Returns the policy `policies/<package>`, which allows the bundles in `consents`.
pub(crate) fn policy(package: &str, consents: &[&str]) -> Standing {
    let consents = consents
        .iter()
        .map(|text| Consent::parse(text).expect("a Consent must parse"));
    Standing {
        id: PolicyId {
            namespace: "policies".to_owned(),
            name: package.to_owned(),
            uid: None,
            generation: 1,
        },
        package: PackageName::parse(package).expect("the package must parse"),
        namespace: Some(HOME.to_owned()),
        cluster: Default::default(),
        says: Says::Allows(Allows {
            consents: consents.collect(),
            field: "spec.versions",
            catalog: None,
            updates: true,
            dependencies: true,
        }),
    }
}
