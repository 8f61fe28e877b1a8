//! Catalogs that contain the manifests of their bundles, so that OLM can install bundles without
//! images.

mod objects;

pub(crate) use self::objects::install_modes;

use serde_json::{Value, json};

use super::{Api, Bundle, Catalog, Package};

/// The progress deadline of a Deployment whose Pods must fail, in seconds.
const FAILING_DEADLINE_SECONDS: u32 = 20;

/// The annotation in which a ClusterServiceVersion suggests a namespace.
const SUGGESTED: &str = "operatorframework.io/suggested-namespace";

impl Catalog {
    /// Returns the catalog with inline manifests for every bundle: a ClusterServiceVersion with one
    /// Deployment, and a CustomResourceDefinition for each API that the bundle provides.
    ///
    /// Every bundle also provides the API of its package, in the group `<package>.example.test`.
    #[must_use]
    pub fn installable(&self) -> Self {
        let mut catalog = self.clone();
        for package in &mut catalog.packages {
            let shape = package.clone();
            for bundle in &mut package.bundles {
                bundle.image.clear();
                add_own_api(&shape.name, bundle);
                inline(&shape, bundle);
            }
        }
        catalog
    }

    /// Sets the state of the Pods of each installable bundle with this version, such as
    /// `crash-looping` or `unready`. The rig gives Pods this state. The progress deadline is 20
    /// seconds, so OLM soon reports that the Deployment has failed.
    ///
    /// # Panics
    /// Panics if no installable bundle has the version.
    #[must_use]
    #[track_caller]
    pub fn with_pod_state(self, version: &str, state: &str) -> Self {
        self.with_deployment(version, |deployment| {
            deployment["template"]["metadata"]["annotations"]["rig.test/pod-state"] = json!(state);
            deployment["progressDeadlineSeconds"] = json!(FAILING_DEADLINE_SECONDS);
        })
    }

    /// Changes the `spec` of the Deployment in each installable bundle with this version.
    ///
    /// # Panics
    /// Panics if no installable bundle has the version.
    #[must_use]
    #[track_caller]
    pub fn with_deployment(mut self, version: &str, change: impl Fn(&mut Value)) -> Self {
        let mut changed = 0;
        for bundle in self
            .bundles_mut()
            .filter(|bundle| bundle.version == version)
        {
            for csv in bundle.csv_mut() {
                change(&mut csv["spec"]["install"]["spec"]["deployments"][0]["spec"]);
                changed += 1;
            }
        }
        assert!(
            changed > 0,
            "no installable bundle has the version {version:?}"
        );
        self
    }

    /// Sets the suggested namespace of each installable bundle.
    #[must_use]
    pub fn with_suggested_namespace(mut self, namespace: &str) -> Self {
        for csv in self.bundles_mut().flat_map(Bundle::csv_mut) {
            csv["metadata"]["annotations"][SUGGESTED] = json!(namespace);
        }
        self
    }

    /// Sets the install modes that each installable bundle supports.
    #[must_use]
    pub fn with_install_modes(mut self, supported: &[&str]) -> Self {
        for csv in self.bundles_mut().flat_map(Bundle::csv_mut) {
            csv["spec"]["installModes"] = objects::install_modes(supported);
        }
        self
    }
}

impl Bundle {
    fn csv_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.objects
            .iter_mut()
            .filter(|object| object["kind"] == "ClusterServiceVersion")
    }
}

/// Adds the manifests of a bundle to the bundle. `package` is the package of the bundle.
pub(super) fn inline(package: &Package, bundle: &mut Bundle) {
    bundle.objects = objects::all(&package.name, bundle, replaced(package, &bundle.name));
}

fn add_own_api(package: &str, bundle: &mut Bundle) {
    let own = Api {
        group: format!("{package}.example.test"),
        kind: package.split(['-', '.']).map(capitalized).collect(),
        version: "v1".into(),
    };
    if !bundle.provides.contains(&own) {
        bundle.provides.insert(0, own);
    }
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters
        .next()
        .map(|first| first.to_ascii_uppercase())
        .into_iter()
        .chain(letters)
        .collect()
}

/// Returns the name of the bundle that this bundle replaces, in the first channel that contains
/// this bundle.
fn replaced<'p>(package: &'p Package, bundle: &str) -> Option<&'p str> {
    let mut entries = package.channels.iter().flat_map(|channel| &channel.entries);
    entries
        .find(|entry| entry.name == bundle)?
        .replaces
        .as_deref()
}
