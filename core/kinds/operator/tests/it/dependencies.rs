//! Tests of the dependencies of the target version and of the installed version of an Operator.

use portolan_api::operator::{ConditionType, DependencyStatus, FORCE_DELETION};
use portolan_core_names::Gvk;
use portolan_core_operator::{
    Blocked, CommonRoute, End, Installation, Installer, Present, Requirements, WantedBundle,
};
use serde_json::json;
use similar_asserts::assert_eq;

use crate::cluster::{Cluster, wish};

/// Returns routes in which `ferry` waits for a dependency, and `rope` keeps its version.
fn blocked_routes(requires: Requirements, sentence: &str) -> Vec<CommonRoute> {
    let blocked = Blocked {
        text: format!("ferry cannot be installed\n└── {sentence}"),
        sentences: vec!["ferry cannot be installed".to_owned(), sentence.to_owned()],
        waits: true,
        ..Blocked::default()
    };
    let end = End {
        package: "ferry".to_owned(),
        blocked: Some(blocked),
        wanted: Some(WantedBundle {
            bundle: "ferry.v1.2.0".to_owned(),
            version: "1.2.0".to_owned(),
            requires,
        }),
        ..End::default()
    };
    let stays = End {
        package: "rope".to_owned(),
        ..End::default()
    };
    vec![CommonRoute {
        steps: Vec::new(),
        ends: vec![end, stays],
    }]
}

fn on(package: &str, range: &str) -> Requirements {
    Requirements {
        packages: [(package.to_owned(), range.to_owned())].into(),
        ..Requirements::default()
    }
}

fn reported(cluster: &Cluster, name: &str, type_: ConditionType) -> Option<String> {
    let condition = cluster.status(name).condition(type_)?;
    let (status, reason) = (&condition.status, &condition.reason);
    Some(format!("{status} {reason}: {}", condition.message))
}

fn met(cluster: &Cluster) -> Option<String> {
    reported(cluster, "ferry", ConditionType::DependenciesMet)
}

#[test]
fn dependencies_of_the_wanted_version_are_listed_while_the_operator_waits() {
    let mut cluster = Cluster::with_ferry();
    cluster.packages.insert("rope".to_owned(), vec!["1.0.0"]);
    cluster.routes = Some(blocked_routes(on("rope", ">=2.0.0"), "rope is missing"));
    cluster.put("ferry", wish("ferry", "1.x"));
    cluster.settle();
    let missing = DependencyStatus {
        name: "rope".to_owned(),
        bundle: "ferry.v1.2.0".to_owned(),
        minimum_version: Some("2.0.0".to_owned()),
        range: Some(">=2.0.0".to_owned()),
        satisfied: Some(false),
        ..DependencyStatus::default()
    };
    assert_eq!(
        cluster.status("ferry").dependencies,
        std::slice::from_ref(&missing)
    );
    let expected = "False WaitingForDependencies: ferry cannot be installed; rope is missing";
    assert_eq!(cluster.reported("ferry"), expected);
    assert_eq!(
        met(&cluster).as_deref(),
        Some(
            "False DependenciesMissing: ferry.v1.2.0 requires rope >=2.0.0; rope is not installed"
        )
    );

    // The operator rope is installed, but its version is too old, so the reason stays the same.
    cluster.routes = None;
    cluster.put("ferry", json!({"packageName": "ferry", "version": "9.0.0"}));
    cluster.put("rope", wish("rope", "1.0.0"));
    cluster.settle();
    cluster.routes = Some(blocked_routes(on("rope", ">=2.0.0"), "rope has 1.0.0"));
    cluster.put("ferry", wish("ferry", "1.x"));
    cluster.settle();
    let old = DependencyStatus {
        installed: Some("1.0.0".to_owned()),
        ..missing
    };
    assert_eq!(cluster.status("ferry").dependencies, [old]);
    let expected = "False WaitingForDependencies: ferry cannot be installed; rope has 1.0.0";
    assert_eq!(cluster.reported("ferry"), expected);
    assert_eq!(
        met(&cluster).as_deref(),
        Some(
            "False DependenciesMissing: ferry.v1.2.0 requires rope >=2.0.0; rope 1.0.0 is installed"
        )
    );
}

/// The range of the dependency has no lower bound, so the status contains no minimum version.
#[test]
fn lost_dependency_of_installed_operator_is_reported() {
    let mut cluster = Cluster::with_ferry();
    cluster.packages.insert("rope".to_owned(), vec!["1.0.0"]);
    let needs = ("rope".to_owned(), "<2.0.0".to_owned());
    cluster.requires.insert("ferry.v1.0.0".to_owned(), needs);
    cluster.put("rope", wish("rope", "1.0.0"));
    cluster.put("ferry", wish("ferry", "1.0.0"));
    cluster.settle();
    let there = &cluster.status("ferry").dependencies[0];
    assert_eq!(
        (&there.minimum_version, there.satisfied),
        (&None, Some(true))
    );
    assert_eq!(
        met(&cluster).as_deref(),
        Some("True DependenciesSatisfied: all required packages and APIs are installed")
    );
    cluster.annotate("rope", FORCE_DELETION, "true");
    cluster.delete("rope");
    cluster.settle();
    assert_eq!(
        met(&cluster).as_deref(),
        Some("False DependenciesMissing: ferry.v1.0.0 requires rope <2.0.0; rope is not installed")
    );
}

#[test]
fn api_of_an_olm_operator_satisfies_a_dependency() {
    let mut cluster = Cluster::with_ferry();
    let api = Gvk {
        group: "rope.example".to_owned(),
        version: "v1".to_owned(),
        kind: "Rope".to_owned(),
    };
    let requires = Requirements {
        apis: [api.clone()].into(),
        constraints: vec![json!({"failureMessage": "needs a quay"}).to_string()],
        ..Requirements::default()
    };
    cluster.routes = Some(blocked_routes(requires, "nothing provides it"));
    cluster.put("ferry", wish("ferry", "1.x"));
    cluster.settle();
    let describe = |cluster: &Cluster| {
        let all = cluster.status("ferry").dependencies.iter();
        all.map(|it| (it.name.clone(), it.satisfied, it.installed.clone()))
            .collect::<Vec<_>>()
    };
    let (name, constraint) = ("Rope.v1.rope.example".to_owned(), "needs a quay".to_owned());
    assert_eq!(
        describe(&cluster),
        [
            (name.clone(), Some(false), None),
            (constraint.clone(), None, None)
        ]
    );
    cluster.present = vec![Present {
        object: "ClusterServiceVersion olm/rope.v3.0.0".to_owned(),
        by: Installer::Olm,
        installs: Installation {
            package: "rope".to_owned(),
            bundle: "rope.v3.0.0".to_owned(),
            version: "3.0.0".to_owned(),
            provides: [api].into(),
            ..Installation::default()
        },
        csv: None,
    }];
    cluster.settle();
    assert_eq!(
        describe(&cluster),
        [
            (name, Some(true), Some("3.0.0".to_owned())),
            (constraint, None, None)
        ]
    );
}

/// A bundle can have any number of dependencies, and a dependency can have any length.
#[test]
fn omits_and_counts_many_dependencies_and_long_constraints() {
    let mut cluster = Cluster::with_ferry();
    let constraint = json!({"failureMessage": "m".repeat(9000), "all": {"constraints": []}});
    let requires = Requirements {
        packages: (0..150)
            .map(|at| (format!("part-{at:03}"), ">=1.0.0".to_owned()))
            .collect(),
        constraints: vec![constraint.to_string()],
        ..Requirements::default()
    };
    cluster.routes = Some(blocked_routes(requires.clone(), "parts are missing"));
    cluster.put("ferry", wish("ferry", "1.x"));
    cluster.settle();
    let listed = &cluster.status("ferry").dependencies;
    assert_eq!(listed.len(), 100);
    assert_eq!(listed[98].name, "part-098");
    let rest = DependencyStatus {
        name: "52 more dependencies".to_owned(),
        bundle: "ferry.v1.2.0".to_owned(),
        constraint: Some(String::new()),
        ..DependencyStatus::default()
    };
    assert_eq!(listed[99], rest);
    let said = met(&cluster).expect("a condition");
    assert!(
        said.ends_with(
            "ferry.v1.2.0 requires part-009 >=1.0.0; part-009 is not installed; 140 more are missing"
        ),
        "{said}"
    );

    let only = Requirements {
        packages: [].into(),
        ..requires
    };
    cluster.routes = Some(blocked_routes(only, "a part is missing"));
    cluster.settle();
    let [long] = &cluster.status("ferry").dependencies[..] else {
        panic!("one constraint");
    };
    assert_eq!(long.name, format!("{}...", "m".repeat(256)));
    assert_eq!(long.constraint.as_deref(), Some(""));
}

/// If a request contained an invalid constraint, the resolver would reject the routes of all
/// Operators.
#[test]
fn unlisted_constraint_is_not_sent_to_the_resolver() {
    let mut cluster = Cluster::with_ferry_installed();
    let operator = cluster.operators.get_mut("ferry").expect("an Operator");
    let status = operator.status.as_mut().expect("a status");
    let constraint = |text: &str| DependencyStatus {
        bundle: "ferry.v1.0.0".to_owned(),
        constraint: Some(text.to_owned()),
        ..DependencyStatus::default()
    };
    status.dependencies = vec![constraint("{}"), constraint("")];
    let bundle = "ferry.v1.0.0";
    let reported = Requirements::reported(bundle, &status.dependencies);
    assert_eq!(reported.constraints, ["{}", ""], "not all is known");
    cluster.plans.clear();
    let fleet = cluster.fleet();
    let installs = &fleet.members["ferry"]
        .current()
        .expect("a hop")
        .facts
        .installs;
    assert_eq!(installs.requires.constraints, ["{}"]);
}

#[test]
fn reports_deprecations_in_a_condition_and_at_available_versions() {
    let mut cluster = Cluster::with_ferry_installed();
    let deprecated = |cluster: &Cluster| reported(cluster, "ferry", ConditionType::Deprecated);
    assert_eq!(deprecated(&cluster), None);
    let bundles = &mut cluster.deprecations.bundles;
    let why = |version: &str| (version.to_owned(), "Use another one.".to_owned());
    bundles.insert("ferry.v1.0.0".to_owned(), why("1.0.0"));
    bundles.insert("ferry.v1.1.0".to_owned(), why("1.1.0"));
    cluster.settle();
    assert_eq!(
        deprecated(&cluster).as_deref(),
        Some("True BundleDeprecated: bundle ferry.v1.0.0 is deprecated: Use another one")
    );
    let versions = &cluster.status("ferry").versions;
    assert_eq!(versions.available, ["1.2.0", "1.1.0"]);
    assert_eq!(versions.deprecated, ["1.1.0"]);
    assert_eq!(versions.resolver.as_deref(), Some("0.2.0"));

    let channels = [("old".to_owned(), "Use\nstable".to_owned())];
    cluster.deprecations.channels = channels.into();
    cluster.deprecations.package = Some(String::new());
    cluster.settle();
    let expected = "True PackageDeprecated: package ferry is deprecated; bundle ferry.v1.0.0 is \
                    deprecated: Use another one";
    assert_eq!(
        deprecated(&cluster).as_deref(),
        Some(expected),
        "no channel is named"
    );

    cluster.deprecations = portolan_core_operator::Deprecations::default();
    cluster.settle();
    assert_eq!(deprecated(&cluster), None);
}
