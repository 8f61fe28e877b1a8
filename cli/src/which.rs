//! Finds the installed bundle that a query about updates starts with. The bundle is that of an
//! operator, or the user specifies the bundle and its package.

use std::str::FromStr;

use clap::Args;
use portolan_core_names::requirement::{self, Target};
use portolan_proto::resolver::v1::GetPackageRequest;
use portolan_resolver::bundles::BundleFlags;

use crate::facts::{CatalogArgs, ResolverConnection};
use crate::failure::Failure;
use crate::named::{self, Kind, Named, NoName};
use crate::print::{self, Detail, words};
use crate::program_name::ProgramName;
use crate::scope::{ChannelArgs, NamespaceArgs};
use crate::subscribed::{self, InstalledEntry, Source, Start};

/// The arguments that select the installed operator or bundle.
#[derive(Debug, Args)]
pub(crate) struct StartArgs {
    /// Installed operator. With --from, or with only --catalog, NAME is a package.
    ///
    /// An operator of the cluster or of --world is selected by the name of its Subscription,
    /// package, ClusterServiceVersion, Operator or ClusterExtension, with or without its namespace.
    /// `sub/NAME`, `csv/NAME`, `package/NAME` and `operator/NAME` select the kind. If a name
    /// matches an operator and a package, the operator is used.
    #[arg(value_name = "[NAMESPACE/]NAME|KIND/NAME")]
    name: Option<NamedTarget>,

    /// Installed bundle of the package, as `kubectl get csv` shows it.
    ///
    /// The catalog need not contain this bundle.
    #[arg(long, value_name = "BUNDLE")]
    from: Option<String>,

    /// The old form of the package argument.
    #[arg(long, value_name = "PACKAGE", hide = true, conflicts_with = "name")]
    package: Option<String>,

    /// The old form of --from.
    #[arg(long, value_name = "BUNDLE", hide = true)]
    installed: Option<String>,
}

/// A name that a version can follow, as in `harbor/ferry@1.2.0`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct NamedTarget {
    named: Named,
    target: Option<Target>,
}

/// The objects that the arguments select.
#[derive(Debug, Clone, PartialEq, Eq)]
enum StartRequest {
    /// All installed operators.
    Everything,
    /// An installed operator.
    Operator(Named),
    /// A package. The user did not specify the installed bundle.
    Package(String),
    /// An installed bundle of a package.
    Bundle {
        package: String,
        bundle: String,
        /// The catalog in a deprecated argument.
        catalog: Option<String>,
    },
}

/// The resolver, and the object that the query is about.
pub(crate) struct Lookup {
    pub(crate) resolver: ResolverConnection,
    subject: Subject,
}

/// The object that a query is about, and the source of its installed bundle.
enum Subject {
    Everything(Source),
    /// The operator with this name. The flag is true if a note about other meanings of the name was
    /// already printed.
    Operator(Source, Named, bool),
    Bundle(Start),
}

/// The installed bundles that a query starts with.
pub(crate) enum StartingPoints {
    All(Vec<InstalledEntry>),
    One(Start),
}

/// The number of bundles that the error suggests if the user did not specify a bundle.
const SUGGESTED: usize = 4;

// === impl NamedTarget ===

impl FromStr for NamedTarget {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, target) = requirement::split(text).map_err(|refusal| refusal.to_string())?;
        let named = name
            .parse()
            .map_err(|refusal: NoName| refusal.to_string())?;
        Ok(Self { named, target })
    }
}

// === impl StartArgs ===

impl StartArgs {
    /// Removes the version from the name, and returns it. Returns None if the name has no version.
    pub(crate) fn take_target(&mut self) -> Option<Target> {
        self.name.as_mut()?.target.take()
    }

    /// Returns true if the user selected an operator or a bundle.
    pub(crate) fn is_given(&self) -> bool {
        self.name.is_some() || self.package.is_some() || self.from.is_some()
    }

    /// Connects to the services that list the installed bundles and their updates. With `bundles`,
    /// the resolver can also read the content of bundles.
    pub(crate) async fn connect(
        self,
        scope: &ChannelArgs,
        facts: &CatalogArgs,
        bundles: Option<&BundleFlags>,
    ) -> Result<Lookup, Failure> {
        self.warn_of_old_spellings(scope);
        let meant = self.into_request(facts.are_only_catalogs())?;
        let (resolver, subject) = match meant {
            StartRequest::Everything if facts.are_only_catalogs() => {
                return Err(Failure::usage(
                    "--catalog reads only catalogs, which do not contain installed operators; use PACKAGE --from BUNDLE, or --world DIR",
                ));
            }
            StartRequest::Everything => {
                let (resolver, source) = facts.connect_with_installed(bundles).await?;
                (resolver, Subject::Everything(source))
            }
            StartRequest::Operator(name) => {
                let name = name.among(&Kind::OF_INSTALLED)?;
                let (resolver, source) = facts.connect_with_installed(bundles).await?;
                (resolver, Subject::Operator(source, name, false))
            }
            StartRequest::Package(package) => {
                return Err(without_bundle(facts, scope, package).await);
            }
            StartRequest::Bundle {
                package,
                bundle,
                catalog,
            } => {
                let resolver = match bundles {
                    Some(flags) => facts.connect_with_bundles(flags).await?,
                    None => facts.connect().await?,
                };
                let start = Start {
                    package,
                    catalog: catalog.unwrap_or_default(),
                    bundle,
                    ..Start::default()
                };
                let resolver = resolver.with_positional(&["package"]);
                (resolver, Subject::Bundle(start))
            }
        };
        Ok(Lookup { resolver, subject })
    }

    fn warn_of_old_spellings(&self, scope: &ChannelArgs) {
        let Self {
            name,
            from,
            package,
            installed,
        } = self;
        if package.is_none() && installed.is_none() {
            return;
        }
        let name = name.as_ref().map(|it| it.named.name.as_str());
        let package = package.as_deref().or(name).unwrap_or("PACKAGE");
        let bundle = installed.as_deref().or(from.as_deref()).unwrap_or("BUNDLE");
        let catalog = match from.as_deref().filter(|_| installed.is_some()) {
            Some(catalog) if scope.within.catalog.is_empty() => format!(" --in {catalog}"),
            _ => String::new(),
        };
        print::warn(&format!(
            "--package and --installed are deprecated, and will be removed in the next version; use \
             {package} --from {bundle}{catalog}"
        ));
    }

    fn into_request(self, are_only_catalogs: bool) -> Result<StartRequest, Failure> {
        let Self {
            name,
            from,
            package,
            installed,
        } = self;
        if let Some(target) = name.as_ref().and_then(|it| it.target.as_ref()) {
            return Err(Failure::usage(format!(
                "this command does not accept a version; omit @{target}, or use `path` for the upgrade path to this version"
            )));
        }
        let name = name.map(|it| it.named);
        let (bundle, catalog) = match (installed, from) {
            // With the deprecated argument for the bundle, `--from` is the deprecated argument for
            // the catalog.
            (Some(bundle), catalog) => (Some(bundle), catalog),
            (None, from) => (from, None),
        };
        let package = match (package, name) {
            (Some(package), _) => Some(package),
            (None, Some(name)) if bundle.is_some() => Some(name.package()?),
            (None, Some(name)) if are_only_catalogs && name.may_be_package() => {
                Some(name.package()?)
            }
            (None, Some(name)) => return Ok(StartRequest::Operator(name)),
            (None, None) => None,
        };
        match (package, bundle) {
            (Some(package), Some(bundle)) => Ok(StartRequest::Bundle {
                package,
                bundle,
                catalog,
            }),
            (Some(package), None) => Ok(StartRequest::Package(package)),
            (None, Some(bundle)) => Err(Failure::usage(format!(
                "--from {bundle}: package missing; use PACKAGE --from {bundle}"
            ))),
            (None, None) => Ok(StartRequest::Everything),
        }
    }
}

// === impl Lookup ===

impl Lookup {
    /// Finds the installed bundles. They can change between two calls.
    pub(crate) async fn find(
        &mut self,
        whose: &NamespaceArgs,
        scope: &ChannelArgs,
    ) -> Result<StartingPoints, Failure> {
        match &mut self.subject {
            Subject::Bundle(start) => Ok(StartingPoints::One(start.clone().within(scope))),
            Subject::Everything(source) => {
                let mut all = source.all(&whose.namespace).await?;
                subscribed::find_packages(&mut self.resolver, &mut all).await;
                let all = all.into_iter().map(|each| each.within(scope));
                Ok(StartingPoints::All(all.collect()))
            }
            Subject::Operator(source, name, is_told) => {
                let namespace = named::namespace(Some(name), &whose.namespace)?;
                let mut all = source.all(&namespace).await?;
                subscribed::find_packages(&mut self.resolver, &mut all).await;
                let one = match subscribed::one(&all, &namespace, name) {
                    Ok(one) => one,
                    Err(failure) => {
                        let pending = source.pending(&namespace, name).await;
                        return Err(pending.unwrap_or(failure));
                    }
                };
                if !std::mem::replace(is_told, true) {
                    note_versions(&one);
                    note_package(&mut self.resolver, name, &one).await;
                }
                Ok(StartingPoints::One(one.within(scope).start))
            }
        }
    }
}

/// Prints a note if the managing object allows only some versions.
fn note_versions(one: &InstalledEntry) {
    if !one.start.range.is_empty() {
        let (title, range) = (one.title(), &one.start.range);
        print::note(&format!("{title} allows only the versions {range}"));
    }
}

/// Prints a note if another package has the name of the operator.
async fn note_package(resolver: &mut ResolverConnection, name: &Named, one: &InstalledEntry) {
    let word = &name.name;
    if name.kind.is_some() || one.start.package == *word {
        return;
    }
    let request = GetPackageRequest {
        package: word.clone(),
        ..GetPackageRequest::default()
    };
    if resolver.try_query(request).await.is_ok() {
        print::note(&format!(
            "{word} was interpreted as the name of operator {}, of package {}; for the package \
             {word}, use package/{word} --from BUNDLE",
            one.object.key(),
            one.start.package
        ));
    }
}

/// Returns the error for a package without a bundle. The error suggests some bundles.
async fn without_bundle(facts: &CatalogArgs, scope: &ChannelArgs, package: String) -> Failure {
    let request = GetPackageRequest {
        catalog: scope.within.catalog.clone(),
        package: package.clone(),
        icon: false,
    };
    let bundles = match facts.query(&["package"], request).await {
        Ok(answer) => answer.bundles,
        Err(failure) => return failure,
    };
    if bundles.is_empty() {
        return Failure::usage(format!(
            "package {package} has no valid bundle; run `{} catalog check` to see the errors",
            ProgramName::now().typed()
        ));
    }
    let names: Vec<_> = bundles.iter().map(|bundle| &bundle.name).collect();
    let shown = &names[..names.len().min(SUGGESTED)];
    let more = match names.len() - shown.len() {
        0 => String::new(),
        more => format!(
            " and {more} more (`{} packages {package}`)",
            ProgramName::now().typed()
        ),
    };
    Failure::usage(format!(
        "installed bundle of package {package} missing; use --from BUNDLE with one of {}{more}",
        words::names(shown, Detail::Whole)
    ))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// Parses arguments as a command line would contain them.
    fn request(line: &str, are_only_catalogs: bool) -> Result<StartRequest, Failure> {
        let mut which = StartArgs {
            name: None,
            from: None,
            package: None,
            installed: None,
        };
        let mut words = line.split_whitespace();
        while let Some(word) = words.next() {
            let mut next = || words.next().map(str::to_owned);
            match word {
                "--from" => which.from = next(),
                "--package" => which.package = next(),
                "--installed" => which.installed = next(),
                name => which.name = Some(name.parse().expect("a name")),
            }
        }
        which.into_request(are_only_catalogs)
    }

    fn bundle(catalog: Option<&str>) -> StartRequest {
        StartRequest::Bundle {
            package: "ferry".to_owned(),
            bundle: "ferry.v1".to_owned(),
            catalog: catalog.map(str::to_owned),
        }
    }

    fn operator(name: &str) -> StartRequest {
        StartRequest::Operator(name.parse().expect("a name"))
    }

    #[rstest]
    #[case::nothing("", false, StartRequest::Everything)]
    #[case::nothing_beside_catalogs("", true, StartRequest::Everything)]
    #[case::a_word("ferry", false, operator("ferry"))]
    #[case::a_word_beside_catalogs("ferry", true, StartRequest::Package("ferry".to_owned()))]
    #[case::a_subscription_beside_catalogs("sub/ferry", true, operator("sub/ferry"))]
    #[case::an_operator_of_a_package("package/ferry", false, operator("package/ferry"))]
    #[case::a_package("package/ferry", true, StartRequest::Package("ferry".to_owned()))]
    #[case::a_bundle("ferry --from ferry.v1", false, bundle(None))]
    #[case::a_bundle_of_a_package("package/ferry --from ferry.v1", true, bundle(None))]
    #[case::old("--package ferry --installed ferry.v1", false, bundle(None))]
    #[case::half_old("ferry --installed ferry.v1", false, bundle(None))]
    #[case::old_with_a_catalog(
        "--package ferry --installed ferry.v1 --from shop",
        false,
        bundle(Some("shop"))
    )]
    fn parses_each_combination_of_arguments_and_flags(
        #[case] line: &str,
        #[case] are_only_catalogs: bool,
        #[case] expected: StartRequest,
    ) {
        let meant = request(line, are_only_catalogs).expect("it has a meaning");
        assert_eq!(meant, expected);
    }

    #[test]
    fn version_follows_any_form_of_a_name() {
        let of = |name: &str, target: &str| {
            let named = name.parse().expect("a name");
            let target = Target::parse(target).ok();
            Ok(NamedTarget { named, target })
        };
        assert_eq!("ferry@1.2.0".parse::<NamedTarget>(), of("ferry", "1.2.0"));
        assert_eq!(
            "harbor/ferry=latest-patch".parse::<NamedTarget>(),
            of("harbor/ferry", "latest-patch")
        );
        assert_eq!(
            "csv/ferry.v1>=1.0.0".parse::<NamedTarget>(),
            of("csv/ferry.v1", ">=1.0.0")
        );
        assert_eq!("ferry".parse::<NamedTarget>(), of("ferry", ""));
        assert!("ferry@".parse::<NamedTarget>().is_err());
    }

    #[rstest]
    #[case::a_version_without_path("ferry@1.2.0")]
    #[case::a_bundle_alone("--from ferry.v1")]
    #[case::a_subscription_with_a_bundle("sub/ferry --from ferry.v1")]
    #[case::a_namespace_with_a_bundle("harbor/ferry --from ferry.v1")]
    fn rejects_contradictory_arguments(#[case] line: &str) {
        assert!(request(line, false).is_err());
    }
}
