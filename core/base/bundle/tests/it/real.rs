//! Tests with real bundles, which are not in the repository. `PORTOLAN_BUNDLES` is the path of
//! their folder. Without this variable, the tests print a note and check nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

use portolan_core_bundle::{
    Bundle, BundleFault, Code, Folder, Limits, Manifest, Options, Release, Severity, Targets,
    difference, render, validate,
};
use portolan_kit::{files, real_bundles};

use crate::kit::fault_lines;

/// Returns the real bundles with their names, such as `keda/2.0.0`. They are parsed once for all
/// tests.
fn bundles() -> impl Iterator<Item = (&'static String, &'static Bundle)> {
    static BUNDLES: LazyLock<Vec<(String, Bundle)>> =
        LazyLock::new(|| real_bundles().iter().map(|path| read(path)).collect());
    BUNDLES.iter().map(|(name, bundle)| (name, bundle))
}

fn read(path: &Path) -> (String, Bundle) {
    let version = path.file_name().unwrap_or_default().to_string_lossy();
    let package = path.parent().and_then(Path::file_name);
    let package = package.unwrap_or_default().to_string_lossy();
    let name = format!("{package}/{version}");
    let folder = Folder::of_files(files(path), &Limits::default());
    let bundle = folder.and_then(|folder| Bundle::read(folder, &Limits::default()));
    let bundle = bundle.unwrap_or_else(|faults| panic!("{name}: {}", fault_lines(&faults)));
    (name, bundle)
}

#[test]
fn real_bundles_are_valid() {
    for (name, bundle) in bundles() {
        let mut faults = validate(bundle);
        faults.retain(|fault| fault.severity == Severity::Error);
        assert_eq!(faults, Vec::<BundleFault>::new(), "{name}");
    }
}

/// The number of bundles with each kind of warning, counted with other tools.
const COUNTED: [(Code, usize); 7] = [
    (Code::KeyTwice, 3),
    (Code::SeveralDocuments, 3),
    (Code::NoApiVersion, 5),
    (Code::NotServed, 16),
    (Code::NoPort, 2),
    (Code::BorrowedKind, 5),
    (Code::AnnotationClash, 1),
];

#[test]
fn real_bundles_have_expected_number_of_faults() {
    let mut found: BTreeMap<Code, usize> = BTreeMap::new();
    let mut are_there = false;
    for (_, bundle) in bundles() {
        are_there = true;
        let faults = bundle.warnings().iter().cloned().chain(validate(bundle));
        for code in faults.map(|fault| fault.code).collect::<BTreeSet<_>>() {
            *found.entry(code).or_default() += 1;
        }
    }
    if are_there {
        let found = COUNTED.map(|(code, _)| (code, found.get(&code).copied().unwrap_or(0)));
        assert_eq!(found, COUNTED);
    }
}

/// Returns the rows of the page that describes the real bundles. A row has the version, the install
/// modes, and the numbers of CRDs and other objects, which were counted when the bundles were
/// selected.
fn rows(page: &str) -> BTreeMap<String, [String; 3]> {
    let mut rows = BTreeMap::new();
    let mut package = "";
    for line in page.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            package = heading;
        }
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        if let [_, version, modes, crds, others, _, _] = cells[..]
            && version.starts_with(|first: char| first.is_ascii_digit())
        {
            let row = [modes, crds, others].map(str::to_owned);
            rows.insert(format!("{package}/{version}"), row);
        }
    }
    rows
}

/// Returns the row of a bundle, in the format of the page.
fn row(bundle: &Bundle) -> [String; 3] {
    let modes = bundle.install_modes().into_iter();
    let modes: Vec<_> = modes
        .filter_map(|mode| {
            mode.strip_suffix("Namespace")
                .or(mode.strip_suffix("Namespaces"))
        })
        .collect();
    let options = Options {
        targets: targets(bundle).swap_remove(0),
        ..Options::of_olm_v1("ns")
    };
    let manifests = render(bundle, &options).expect("manifests");
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    // The origin of an object from the ClusterServiceVersion is the file of the
    // ClusterServiceVersion.
    let is_csv = |file: &str| {
        let bytes = bundle.folder().file(file).unwrap_or_default();
        String::from_utf8_lossy(bytes)
            .lines()
            .any(|line| line.trim() == "kind: ClusterServiceVersion")
    };
    for manifest in manifests
        .iter()
        .filter(|manifest| !is_csv(&manifest.origin))
    {
        *kinds
            .entry(manifest.object["kind"].as_str().unwrap_or_default())
            .or_default() += 1;
    }
    let crds = kinds.remove("CustomResourceDefinition").unwrap_or(0);
    let others = kinds.into_iter().map(|(kind, count)| match count {
        1 => kind.to_owned(),
        count => format!("{kind}×{count}"),
    });
    [
        modes.join(" "),
        crds.to_string(),
        others.collect::<Vec<_>>().join(", "),
    ]
}

#[test]
fn real_bundles_match_numbers_in_the_readme() {
    let page = real_bundles()
        .first()
        .and_then(|path| Some(path.parent()?.parent()?.join("README.md")));
    let Some(page) = page.filter(|page| page.is_file()) else {
        return;
    };
    let folder = page.parent().expect("a folder");
    let page = files(folder)
        .into_iter()
        .find(|(name, _)| name == "README.md")
        .expect("the page");
    let wanted = rows(&String::from_utf8_lossy(&page.1));
    let found: BTreeMap<_, _> = bundles()
        .map(|(name, bundle)| (name.clone(), row(bundle)))
        .collect();
    assert_eq!(found, wanted);
}

/// Some bundles contain a ServiceAccount that their permissions also name.
#[test]
fn nine_real_bundles_have_a_description_of_their_permissions() {
    let mut merged = 0;
    let mut are_there = false;
    for (_, bundle) in bundles() {
        are_there = true;
        let accounts = |options: Options| {
            let targets = targets(bundle).swap_remove(0);
            let manifests = render(bundle, &Options { targets, ..options }).expect("manifests");
            let accounts = manifests
                .iter()
                .filter(|manifest| manifest.object["kind"] == "ServiceAccount");
            accounts.count()
        };
        let (once, twice) = (
            accounts(Options::new("ns")),
            accounts(Options::of_olm_v1("ns")),
        );
        merged += usize::from(once < twice);
    }
    assert_eq!(merged, if are_there { 9 } else { 0 });
}

/// Returns targets for each install mode that a bundle supports.
fn targets(bundle: &Bundle) -> Vec<Targets> {
    let of = |names: &[&str]| Targets::Of(names.iter().map(|name| (*name).to_owned()).collect());
    let modes = bundle.install_modes();
    let all = [
        ("AllNamespaces", Targets::All),
        ("OwnNamespace", of(&["ns"])),
        ("SingleNamespace", of(&["other"])),
        ("MultiNamespace", of(&["other", "third"])),
    ];
    let supported = all.into_iter().filter(|(mode, _)| modes.contains(mode));
    supported.map(|(_, targets)| targets).collect()
}

#[test]
fn real_bundles_render_reproducibly_for_all_install_modes() {
    for (name, bundle) in bundles() {
        for targets in targets(bundle) {
            for options in [Options::new("ns"), Options::of_olm_v1("ns")] {
                let options = Options {
                    targets: targets.clone(),
                    ..options
                };
                let bytes = || {
                    let manifests = render(bundle, &options);
                    let manifests = manifests
                        .unwrap_or_else(|refusals| panic!("{name} {targets:?}: {refusals:?}"));
                    let objects = manifests.iter().map(|manifest| manifest.object.to_string());
                    objects.collect::<Vec<_>>()
                };
                assert_eq!(bytes(), bytes(), "{name} {targets:?}");
            }
        }
    }
}

/// Compares each version with the next version of the same package. No comparison may be
/// incomplete.
#[test]
fn upgrades_of_real_bundles_are_reported() {
    let mut upgrades = 0;
    let mut before: Option<(String, &Bundle, Vec<Manifest>)> = None;
    for (name, bundle) in bundles() {
        let options = Options {
            targets: targets(bundle).swap_remove(0),
            ..Options::new("ns")
        };
        let manifests = render(bundle, &options).expect("manifests");
        let package = name.split('/').next().unwrap_or_default().to_owned();
        if let Some((_, old, old_manifests)) = before.filter(|(other, ..)| *other == package) {
            let from = Release {
                bundle: old,
                manifests: &old_manifests,
            };
            let to = Release {
                bundle,
                manifests: &manifests,
            };
            assert_eq!(difference(from, to), difference(from, to), "{name}");
            assert_eq!(difference(to, to), Default::default(), "{name}");
            upgrades += 1;
        }
        before = Some((package, bundle, manifests));
    }
    // There are 118 real bundles of 52 packages.
    assert!(upgrades == 0 || upgrades >= 66, "{upgrades}");
}

#[test]
fn real_bundles_render_no_object_twice() {
    for (name, bundle) in bundles() {
        for targets in targets(bundle) {
            let options = Options {
                targets,
                ..Options::new("ns")
            };
            let manifests = render(bundle, &options).expect("manifests");
            let identities: BTreeSet<_> = manifests
                .iter()
                .map(|manifest| manifest.identity())
                .collect();
            assert_eq!(identities.len(), manifests.len(), "{name}");
        }
    }
}
