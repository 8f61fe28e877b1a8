//! The queries about the objects that bundles install.

use std::collections::BTreeSet;

use portolan_core_bundle::{
    Bundle, BundleFault, Certificate, Certificates, Config, Difference, Folder, Limits, Manifest,
    Options, Release, RenderRefusal, Targets, certificates, cluster_service_version, difference,
    render, validate,
};
use portolan_core_names::text::cite;
use portolan_core_names::{BundleName, CatalogName, PackageName};
use portolan_images::Reference;

use super::{Answering, DescribedBundle, GetBundle, RequestError};
use crate::Snapshot;
use crate::bundles::{self, Bundles, FindBundle, FoundBundle, Wanted};
use crate::source::ReadOrigin;

/// The options for installing a bundle.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Installing {
    /// The namespace in which the bundle is installed. Empty for the namespace that the bundle
    /// suggests.
    pub(crate) namespace: String,
    /// The namespaces that the operator watches. Empty for all namespaces.
    pub(crate) watched: BTreeSet<String>,
    pub(crate) certificates: Certificates,
    pub(crate) is_like_olm_v1: bool,
    /// The changes to apply to every Deployment.
    pub(crate) config: Config,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RenderBundle {
    pub(crate) bundle: Asked,
    /// The options for installing the bundle. None for the defaults of the bundle.
    pub(crate) installing: Option<Installing>,
}

/// The bundle to render.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Asked {
    /// A bundle of a catalog.
    Listed(GetBundle),
    /// An image that does not have to be in a catalog.
    Image(Reference),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DiffBundles {
    /// The catalog. None for the best catalog that contains the package.
    pub(crate) catalog: Option<CatalogName>,
    pub(crate) package: PackageName,
    pub(crate) from: BundleName,
    pub(crate) to: BundleName,
    /// The options for installing both bundles. None for defaults that both bundles support.
    pub(crate) installing: Option<Installing>,
}

/// A bundle, or the reasons why it cannot be read.
type Read = Result<Bundle, Vec<RenderRefusal>>;

/// A bundle with its manifests, or the reasons why it cannot be rendered.
pub(crate) type Outcome = Result<Installed, Vec<RenderRefusal>>;

/// A rendered bundle, with the location where its files were found.
#[derive(Debug)]
pub(crate) struct Rendered {
    pub(crate) from: bundles::From,
    pub(crate) outcome: Outcome,
}

/// A bundle that can be installed.
#[derive(Debug)]
pub(crate) struct Installed {
    pub(crate) bundle: Bundle,
    pub(crate) manifests: Vec<Manifest>,
    /// The ClusterServiceVersion as OLM would create it in the cluster.
    pub(crate) csv: serde_json::Value,
    /// The certificates that must be created for the bundle.
    pub(crate) certificates: Vec<Certificate>,
    /// The warnings about the bundle.
    pub(crate) warnings: Vec<BundleFault>,
}

/// The reason why a bundle cannot be rendered.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotRendered {
    #[error(transparent)]
    Refused(#[from] RequestError),
    #[error(transparent)]
    Origin(#[from] ReadOrigin),
    #[error(transparent)]
    Files(FindBundle),
}

// === impl GetBundle ===

impl GetBundle {
    /// Finds the version and the files of the bundle, without checking the files.
    pub(crate) async fn files(
        &self,
        snapshot: &Snapshot,
        bundles: &Bundles,
    ) -> Result<(String, Folder), NotRendered> {
        let asked = self.ask(snapshot)?;
        let version = asked.bundle.version.to_string();
        match find(&asked, bundles).await?.1 {
            Ok(FoundBundle { folder, .. }) => Ok((version, folder)),
            Err((from, faults)) => {
                let faults = FindBundle::Faults(Box::new(from), faults);
                Err(NotRendered::Files(faults))
            }
        }
    }
}

// === impl RenderBundle ===

impl RenderBundle {
    /// Finds the files, and the catalog of the bundle if the bundle is in a catalog.
    /// [`RenderBundle::rendered`] then renders the files.
    pub(crate) async fn find<'a>(
        &self,
        snapshot: &'a Snapshot,
        bundles: &Bundles,
    ) -> Result<(Option<Answering<'a>>, Files), NotRendered> {
        match &self.bundle {
            Asked::Listed(bundle) => {
                let (catalog, files) = find(&bundle.ask(snapshot)?, bundles).await?;
                Ok((Some(catalog), files))
            }
            Asked::Image(reference) => {
                let found = bundles.find_image(reference, &Limits::default()).await;
                Ok((None, files(found)?))
            }
        }
    }

    /// Parses and renders the files. This takes milliseconds, or up to a second for a large bundle.
    pub(crate) fn rendered(&self, files: Files) -> Rendered {
        let name = match &self.bundle {
            Asked::Listed(bundle) => Some((&bundle.package, &bundle.bundle)),
            Asked::Image(_) => None,
        };
        rendered(files, name, self.installing.as_ref())
    }
}

// === impl DiffBundles ===

impl DiffBundles {
    /// Finds the catalog that contains the bundles, and the files of the old and of the new bundle.
    pub(crate) async fn find<'a>(
        &self,
        snapshot: &'a Snapshot,
        bundles: &Bundles,
    ) -> Result<(Answering<'a>, [Files; 2]), NotRendered> {
        let one = |bundle: &BundleName| GetBundle {
            catalog: self.catalog.clone(),
            package: self.package.clone(),
            bundle: bundle.clone(),
            wants_objects: true,
        };
        let (from, to) = (one(&self.from), one(&self.to));
        let (from, to) = (from.ask(snapshot)?, to.ask(snapshot)?);
        let (catalog, from) = find(&from, bundles).await?;
        let (_, to) = find(&to, bundles).await?;
        Ok((catalog, [from, to]))
    }

    /// Parses and renders the old and the new bundle.
    pub(crate) fn rendered(&self, [from, to]: [Files; 2]) -> [Rendered; 2] {
        let (from, old) = read(from, Some((&self.package, &self.from)));
        let (to, new) = read(to, Some((&self.package, &self.to)));
        let [old, new] = both_installed(old, new, self.installing.as_ref());
        [(from, old), (to, new)].map(|(from, outcome)| Rendered { from, outcome })
    }
}

/// The files of a bundle, or the reason why they are unavailable.
pub(crate) type Files = Result<FoundBundle, (bundles::From, Vec<BundleFault>)>;

async fn find<'a>(
    asked: &DescribedBundle<'a>,
    bundles: &Bundles,
) -> Result<(Answering<'a>, Files), NotRendered> {
    let catalog = asked.found.catalog;
    let limits = Limits::default();
    let wanted = Wanted {
        catalog: catalog.name,
        package: &asked.found.chart.package().name,
        bundle: asked.bundle,
    };
    let found = match bundles.find_in_folder(&wanted, &limits).await {
        Ok(None) => {
            let rest = asked.rest().await?;
            let is_given = !rest.not_given.contains(&"objects");
            let mut objects = if is_given { rest.objects } else { Vec::new() };
            objects.retain(|object| is_manifest(object));
            bundles.find(&wanted, &objects, &limits).await
        }
        Ok(Some(found)) => Ok(found),
        Err(why) => Err(why),
    };
    Ok((catalog, files(found)?))
}

/// Returns true if the text is a whole object. Returns false for the excerpt of a
/// ClusterServiceVersion that catalogs contain as `olm.csv.metadata`.
fn is_manifest(object: &str) -> bool {
    let read = serde_json::from_str::<serde_json::Value>(object);
    // Text that is not JSON may be YAML. The code that parses the bundle reports invalid text.
    read.map_or(true, |object| object["kind"].is_string())
}

fn files(found: Result<FoundBundle, FindBundle>) -> Result<Files, NotRendered> {
    match found {
        Ok(found) => Ok(Ok(found)),
        Err(FindBundle::Faults(from, faults)) => Ok(Err((*from, faults))),
        Err(why) => Err(NotRendered::Files(why)),
    }
}

/// Parses and renders files. If `name` is known, also checks that the files belong to this bundle.
fn rendered(
    files: Files,
    name: Option<(&PackageName, &BundleName)>,
    installing: Option<&Installing>,
) -> Rendered {
    let (from, read) = read(files, name);
    let outcome = read.and_then(|bundle| match installing {
        Some(installing) => installed(bundle, installing),
        None => {
            let fitting = Options::fitting(&bundle);
            installed_by(bundle, &fitting)
        }
    });
    Rendered { from, outcome }
}

/// Returns the location of the files, and the bundle that they contain.
fn read(files: Files, name: Option<(&PackageName, &BundleName)>) -> (bundles::From, Read) {
    let invalid =
        |faults: Vec<BundleFault>| faults.into_iter().map(RenderRefusal::Invalid).collect();
    let (from, folder) = match files {
        Ok(FoundBundle { folder, from }) => (from, folder),
        Err((from, faults)) => return (from, Err(invalid(faults))),
    };
    let read = Bundle::read(folder, &Limits::default()).map_err(invalid);
    let read = read.and_then(|bundle| {
        let other = name.and_then(|(package, name)| other(&bundle, package, name));
        other.map_or(Ok(bundle), |other| Err(vec![other]))
    });
    (from, read)
}

/// Renders a bundle.
pub(crate) fn installed(bundle: Bundle, installing: &Installing) -> Outcome {
    let options = installing.options(&bundle);
    installed_by(bundle, &options)
}

fn installed_by(bundle: Bundle, options: &Options) -> Outcome {
    let manifests = render(&bundle, options)?;
    let certificates = match options.certificates {
        Certificates::Own => certificates(&bundle, options),
        Certificates::None | Certificates::CertManager | Certificates::ServiceCa => Vec::new(),
    };
    let mut warnings = bundle.warnings().to_vec();
    warnings.extend(validate(&bundle));
    Ok(Installed {
        csv: cluster_service_version(&bundle, options),
        bundle,
        manifests,
        certificates,
        warnings,
    })
}

/// Renders two bundles, the second bundle as an upgrade of the first bundle. Without options, uses
/// options that both bundles support.
pub(crate) fn both_installed(
    old: Read,
    new: Read,
    installing: Option<&Installing>,
) -> [Outcome; 2] {
    let of = |read: Read, fitting: Option<Options>| {
        read.and_then(|bundle| {
            let given = installing.map(|installing| installing.options(&bundle));
            let options = given.or(fitting);
            let options = options.unwrap_or_else(|| Options::fitting(&bundle));
            installed_by(bundle, &options)
        })
    };
    let [old_fitting, new_fitting] = match (&old, &new) {
        (Ok(old), Ok(new)) => Options::fitting_both(old, new).map(Some),
        _ => [None, None],
    };
    [of(old, old_fitting), of(new, new_fitting)]
}

/// Returns an error if the files belong to another bundle than the catalog describes.
fn other(bundle: &Bundle, package: &PackageName, name: &BundleName) -> Option<RenderRefusal> {
    let is_it = bundle.name() == name.as_str() && bundle.package() == package.as_str();
    (!is_it).then(|| {
        RenderRefusal::Unsupported(format!(
            "the files contain bundle {} of package {}, not {name} of package {package} as in the \
             catalog",
            cite(bundle.name()),
            cite(bundle.package())
        ))
    })
}

/// Returns the changes between two bundles. Returns None if one of the bundles cannot be installed.
pub(crate) fn changes(from: &Outcome, to: &Outcome) -> Option<Difference> {
    let (Ok(from), Ok(to)) = (from, to) else {
        return None;
    };
    Some(difference(from.release(), to.release()))
}

// === impl Installed ===

impl Installed {
    fn release(&self) -> Release<'_> {
        Release {
            bundle: &self.bundle,
            manifests: &self.manifests,
        }
    }
}

// === impl Installing ===

impl Installing {
    fn options(&self, bundle: &Bundle) -> Options {
        let Self {
            namespace,
            watched,
            certificates,
            is_like_olm_v1,
            config,
        } = self;
        let namespace = match namespace.as_str() {
            "" => portolan_core_bundle::namespace(bundle, bundle.package()),
            namespace => namespace.to_owned(),
        };
        let options = if *is_like_olm_v1 {
            Options::of_olm_v1(namespace)
        } else {
            Options::new(namespace)
        };
        Options {
            targets: if watched.is_empty() {
                Targets::Default
            } else {
                Targets::Of(watched.clone())
            },
            certificates: *certificates,
            config: config.clone(),
            ..options
        }
    }
}
