use portolan_core_olm::{FromJson, read_value};
use rstest::rstest;
use serde_json::{Value, json};

use super::*;
use crate::own::{Listed, OwnKind, OwnObjects, OwnQuestion, diagnose_own};

fn read<K: FromJson>(object: Value) -> K {
    let (object, faults) = read_value::<K>(object).expect("an object");
    assert_eq!(faults, []);
    object
}

fn condition(type_: &str, status: &str, reason: &str, message: &str) -> Value {
    json!({
        "type": type_, "status": status, "reason": reason, "message": message, "observedGeneration": 1,
        "lastTransitionTime": "2026-01-01T06:00:00Z",
    })
}

/// Returns the ClusterExtension `harbour` with this installed bundle. With an empty name, no bundle
/// is installed.
fn extension(bundle: &str, conditions: &[Value]) -> ClusterExtension {
    let install = (!bundle.is_empty()).then(|| json!({"bundle": {"name": bundle}}));
    read(json!({
        "metadata": {"name": "harbour", "generation": 1},
        "spec": {"namespace": "docks", "serviceAccount": {"name": "installer"}, "source": {"catalog": {"packageName": "harbour", "selector": {"matchLabels": {"tier": "one"}}}}},
        "status": {"conditions": conditions, "install": install},
    }))
}

fn retrying(bundle: &str, message: &str) -> ClusterExtension {
    let installed = if bundle.is_empty() { "False" } else { "True" };
    extension(
        bundle,
        &[
            condition("Installed", installed, "Succeeded", "Installed bundle"),
            condition("Progressing", "True", "Retrying", message),
        ],
    )
}

fn catalog(name: &str, tier: &str, serving: &str, progress: &str) -> ClusterCatalog {
    read(json!({
        "metadata": {"name": name, "generation": 1, "labels": {"tier": tier}},
        "status": {"conditions": [
            condition("Serving", serving, "Available", "no word"),
            condition("Progressing", "True", progress, "manifest unknown"),
        ]},
    }))
}

fn root(diagnosis: &Diagnosis) -> &Cause {
    diagnosis.cause.as_ref().expect("a cause")
}

fn chosen(problem: &str) -> String {
    format!("error for resolved bundle \"harbour.v2.0.0\" with version \"2.0.0\": {problem}")
}

const CRD: &str = "validating upgrade for CRD \"boats.harbour.test\": existingFieldRemoval: removed field : \
                   v1.^.spec.colour";
const PACKAGE: &str = "no bundles found for package \"harbour\"";
const DEPENDENCY: &str = "validating bundle \"needs.v1.0.0\": bundle \"needs.v1.0.0\" has a dependency declared via \
                          property \"olm.package.required\" which is currently not supported";
const MODE: &str = "unsupported bundle: bundle does not support AllNamespaces install mode";
const MODE_1_2: &str =
    "supported install modes [OwnNamespace] do not support targeting all namespaces";
const OWNED: &str = "CustomResourceDefinition 'boats.harbour.test' already exists in namespace '' and cannot be \
                     managed by operator-controller";
const IMAGE: &str = "error copying image: initializing source: manifest unknown";
const REMOVED: &str = "no matches for kind \"PodDisruptionBudget\" in version \"policy/v1beta1\"\nensure CRDs are \
                       installed first";
const AMBIGUOUS: &str =
    "found bundles for package \"harbour\" in multiple catalogs with the same priority [a b]";
const ACCOUNT: &str = "installation cannot proceed due to missing ServiceAccount";
const FORBIDDEN: &str = "could not get information about the resource Role: roles is forbidden: User \
                         \"system:serviceaccount:docks:installer\" cannot get resource \"roles\"";
const NAMESPACE: &str = "create: failed to create: namespaces \"docks\" not found";

/// The messages are copied from OLM v1.2 and v1.11.
#[rstest]
#[case::crd(&chosen(CRD), "CrdUpgradeUnsafe Bundle harbour.v2.0.0", NEVER)]
#[case::package(
    PACKAGE,
    "PackageMissing ClusterExtension harbour",
    "once a catalog has such a bundle."
)]
#[case::dependency(DEPENDENCY, "DependencyMissing Bundle needs.v1.0.0", NEVER)]
#[case::install_mode(&chosen(MODE), "InstallModeUnsupported Bundle harbour.v2.0.0", NEVER)]
#[case::install_mode_of_1_2(&chosen(MODE_1_2), "InstallModeUnsupported Bundle harbour.v2.0.0", NEVER)]
#[case::webhooks(
    &chosen("webhookDefinitions are not supported"),
    "BundleNotInstallable Bundle harbour.v2.0.0",
    NEVER
)]
#[case::second_owner(
    &chosen(OWNED),
    "ObjectNotOwned CustomResourceDefinition boats.harbour.test",
    "once the object is gone."
)]
#[case::image(
    &chosen(IMAGE),
    "ImagePullFailing Bundle harbour.v2.0.0",
    "once the image can be pulled."
)]
#[case::removed_api(
    &chosen(REMOVED),
    "BundleNotInstallable Bundle harbour.v2.0.0",
    "once the cluster serves the kind."
)]
#[case::ambiguous(
    AMBIGUOUS,
    "AmbiguousCatalog ClusterExtension harbour",
    "once one of the catalogs has a higher priority."
)]
#[case::account(
    ACCOUNT,
    "ReferenceMissing ServiceAccount docks/installer",
    "once it exists."
)]
#[case::forbidden(
    &chosen(FORBIDDEN),
    "PermissionMissing ServiceAccount docks/installer",
    "once it has the permissions."
)]
#[case::namespace(&chosen(NAMESPACE), "ReferenceMissing Namespace docks", "once it exists.")]
#[case::unknown(
    "something else",
    "ExtensionFailing ClusterExtension harbour",
    "once the problem is solved."
)]
fn failing_extension_says_what_it_means(
    #[case] message: &str,
    #[case] blamed: &str,
    #[case] retry: &str,
) {
    let diagnosis = diagnose_extension(&retrying("harbour.v1.1.0", message), &[], &[]);
    let cause = root(&diagnosis);
    assert_eq!(diagnosis.state, State::Stuck);
    assert_eq!(format!("{} {}", cause.code, cause.at_fault), blamed);
    let beginning = "OLM v1 does not upgrade harbour.v1.1.0";
    assert!(cause.message.starts_with(beginning), "{}", cause.message);
    assert!(cause.message.contains(retry), "{}", cause.message);
    // `kubectl describe` would only show the message that the diagnosis already quotes.
    let repeated = "kubectl describe clusterextensions";
    let mut looks = cause.remedy.look.iter().map(|it| it.action.text());
    assert!(looks.all(|it| !it.starts_with(repeated)));
}

const NEVER: &str = "OLM v1 retries, but no retry can succeed with this bundle.";

#[test]
fn headline_names_the_next_bundle_and_the_time() {
    let headline = |message: &str| {
        let extension = retrying("harbour.v1.1.0", message);
        diagnose_extension(&extension, &[], &[]).headline
    };
    let since = "has been blocked since 2026-01-01 06:00 UTC.";
    let runs = "harbour.v1.1.0 keeps running.";
    assert_eq!(headline(PACKAGE), format!("{runs} Any upgrade {since}"));
    let next = format!("{runs} The upgrade to harbour.v2.0.0 {since}");
    assert_eq!(headline(&chosen(CRD)), next);
}

#[test]
fn deprecations_are_in_the_headline_of_a_healthy_extension() {
    let conditions = [
        condition("Installed", "True", "Succeeded", ""),
        condition("Progressing", "True", "Succeeded", ""),
        condition("PackageDeprecated", "False", "Deprecated", ""),
        condition("BundleDeprecated", "True", "Deprecated", "\nuse 2.0.0"),
    ];
    let diagnosis = diagnose_extension(&extension("harbour.v1.1.0", &conditions), &[], &[]);
    assert_eq!(diagnosis.state, State::Well);
    let headline = "harbour.v1.1.0 runs. Note: the bundle is deprecated: use 2.0.0.";
    assert_eq!(diagnosis.headline, headline);
}

#[test]
fn missing_bundle_names_the_catalogs_and_the_limits() {
    let catalogs = [
        catalog("a", "one", "True", "Succeeded"),
        catalog("b", "one", "True", "Succeeded"),
        catalog("other", "two", "True", "Succeeded"),
    ];
    let means = |bundle: &str, version: &str, catalogs: &[ClusterCatalog]| {
        let mut extension = retrying(bundle, PACKAGE);
        extension.spec.source.catalog.version = version.to_owned();
        let catalogs: Vec<_> = catalogs.iter().collect();
        let diagnosis = diagnose_extension(&extension, &catalogs, &[]);
        let cause = root(&diagnosis);
        let message = cause.message.clone();
        let changes = cause.remedy.decide.iter().map(|it| it.title.clone());
        (message, changes.collect::<Vec<_>>())
    };
    let until = |change: &str| format!("OLM v1 retries, and continues by itself once {change}.");
    let found = until("a catalog has such a bundle");
    let without = "Remove spec.source.catalog.version of ClusterExtension harbour.".to_owned();
    let cases = [
        (
            means("", "7.x", &catalogs),
            "OLM v1 installs nothing. ClusterCatalogs a and b have no bundle of package harbour with \
             version \"7.x\".",
            &found,
            vec![without.clone()],
        ),
        (
            means("", "", &catalogs[..1]),
            "OLM v1 installs nothing. ClusterCatalog a has no package harbour.",
            &found,
            vec![],
        ),
        (
            means("", "", &catalogs[2..]),
            "OLM v1 installs nothing. No available ClusterCatalog matches spec.source.catalog.selector.",
            &found,
            vec![],
        ),
        (
            means("harbour.v1.1.0", "7.x", &catalogs[..1]),
            "OLM v1 does not upgrade harbour.v1.1.0. OLM v1 makes one upgrade at a time, to a version that \
             the catalog permits after the installed one. ClusterCatalog a has no direct upgrade from harbour.v1.1.0 with version \"7.x\".",
            &until("spec.source.catalog.version includes the next version of the upgrade path"),
            vec![without],
        ),
    ];
    for ((message, changes), expected, retry, decided) in cases {
        assert_eq!(message, format!("{expected} {retry}"));
        assert_eq!(changes, decided);
    }
}

#[test]
fn installation_of_the_same_package_is_named() {
    let second = retrying("", &chosen(OWNED));
    let mut first = extension("harbour.v1.1.0", &[]);
    first.metadata.name = Some("first".to_owned());
    let diagnosis = diagnose_extension(&second, &[], &[&second, &first]);
    let cause = root(&diagnosis);
    let means = "ClusterExtension first installs the same package, and owns the object.";
    assert!(cause.message.contains(means), "{}", cause.message);
    let delete = "kubectl delete clusterextensions.olm.operatorframework.io/harbour";
    assert_eq!(cause.remedy.decide[0].steps[1].action.text(), delete);
}

#[test]
fn extension_without_a_bundle_is_not_installed() {
    let diagnosis = diagnose_extension(&retrying("", "something else"), &[], &[]);
    let message = &root(&diagnosis).message;
    assert!(
        message.starts_with("OLM v1 installs nothing: "),
        "{message}"
    );
}

#[rstest]
#[case::succeeded(&[condition("Installed", "True", "Succeeded", ""), condition("Progressing", "True", "Succeeded", "")], "Well")]
#[case::rolling_out(&[condition("Progressing", "True", "RollingOut", "")], "Working InProgress")]
#[case::blocked(&[condition("Progressing", "False", "Blocked", "no")], "Stuck ExtensionFailing")]
#[case::new(&[], "Working NotObserved")]
fn state_follows_progress(#[case] conditions: &[Value], #[case] expected: &str) {
    let diagnosis = diagnose_extension(&extension("", conditions), &[], &[]);
    let code = diagnosis
        .cause
        .as_ref()
        .map(|it| format!(" {}", it.code.as_str()));
    assert_eq!(
        format!("{}{}", diagnosis.state.as_str(), code.unwrap_or_default()),
        expected
    );
}

#[test]
fn catalog_that_is_not_served_is_at_fault() {
    let stuck = retrying(
        "harbour.v1.1.0",
        "error walking catalogs: error getting package \"harbour\" from catalog \"broken\": catalog \
         \"broken\" is not being served",
    );
    let served = catalog("served", "one", "True", "Succeeded");
    let broken = catalog("broken", "one", "False", "Retrying");
    let unused = catalog("unused", "two", "False", "Retrying");
    let own = OwnObjects {
        extensions: Listed {
            objects: vec![stuck.into()],
            troubles: Vec::new(),
        },
        catalogs: Listed {
            objects: vec![unused.into(), served.into(), broken.into()],
            troubles: Vec::new(),
        },
        ..OwnObjects::default()
    };
    let all = diagnose_own(&own, OwnQuestion::default());
    let lines = all.iter().map(|it| {
        let victims = it.victims.iter().map(|it| format!(" harms {it}"));
        let cause = root(it);
        format!(
            "{}: {} {}{}",
            it.subject.object,
            cause.code.as_str(),
            cause.at_fault,
            victims.collect::<String>()
        )
    });
    assert_eq!(
        lines.collect::<Vec<_>>(),
        [
            "ClusterExtension harbour: CatalogNotServed ClusterCatalog broken",
            "ClusterCatalog unused: CatalogNotServed ClusterCatalog unused",
            "ClusterCatalog broken: CatalogNotServed ClusterCatalog broken harms ClusterExtension harbour",
        ]
    );
    let ignore = "kubectl patch clustercatalogs.olm.operatorframework.io/broken --type merge -p \
                  '{\"spec\":{\"availabilityMode\":\"Unavailable\"}}'";
    for one in [&all[0], &all[2]] {
        let decide = &root(one).remedy.decide;
        assert_eq!(decide[0].steps[0].action.text(), ignore);
    }
    let named = OwnQuestion {
        kind: Some(OwnKind::ClusterCatalog),
        ..OwnQuestion::default()
    };
    assert_eq!(diagnose_own(&own, named).len(), 3);
}

#[test]
fn outdated_catalog_is_stuck_and_disabled_catalog_is_healthy() {
    let outdated = diagnose_catalog(&catalog("a", "one", "True", "Retrying"), &[]);
    let beginning = "The served content of the ClusterCatalog is outdated, because OLM v1 cannot \
                     read its image again: manifest unknown.";
    assert!(
        root(&outdated).message.starts_with(beginning),
        "{:?}",
        outdated.cause
    );
    let mut disabled = catalog("a", "one", "False", "Retrying");
    disabled.spec.availability = Availability::Unavailable;
    assert_eq!(diagnose_catalog(&disabled, &[]).state, State::Well);
}

/// Returns a diagnosis for each problem of OLM v1.
pub(crate) fn stories() -> Vec<Diagnosis> {
    let chosen = [CRD, MODE, OWNED, IMAGE, REMOVED, FORBIDDEN, NAMESPACE].map(chosen);
    let others = [PACKAGE, DEPENDENCY, AMBIGUOUS, ACCOUNT, "something else"].map(str::to_owned);
    let used = catalog("b", "one", "True", "Succeeded");
    let extensions = chosen.iter().chain(&others).map(|message| {
        let mut extension = retrying("", message);
        extension.spec.source.catalog.version = "7.x".to_owned();
        extension.spec.source.catalog.channels = vec!["stable".to_owned()];
        diagnose_extension(&extension, &[&used], &[])
    });
    let broken = catalog("a", "one", "False", "Retrying");
    extensions.chain([diagnose_catalog(&broken, &[])]).collect()
}
