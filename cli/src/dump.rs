//! `portolan dump`: copies the objects of a cluster to a folder. Queries can then read the folder
//! instead of the cluster.

mod bundles;
mod folder;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Parser;
use futures::{StreamExt as _, stream};
use jiff::Timestamp;
use portolan_api::OperatorPolicy;
use portolan_api::operator::Operator;
use portolan_api::plan::GROUP;
use portolan_controller::READS;
use portolan_core_names::PackageName;
use portolan_core_olm::Subscription;
use portolan_health::probe;
use portolan_resolver::bundles::{Asker, BundleFlags, brought};
use portolan_resolver::source::{self, CatalogAt, Copied, Location, SourceFlags};
use portolan_resolver::{Mirrors, Resolver};
use portolan_world::{
    Access, AnyWorld, Cluster, Dump, Dumped, KindName, NotRead, NotSeen, World as _, write_list,
};

use self::folder::Unfinished;
use crate::exit::Exit;
use crate::facts;
use crate::failure::Failure;
use crate::print::{self, Detail, Page, Span, Table, words};
use crate::program_name::ProgramName;
use crate::progress;

/// Save cluster objects and catalog content to a folder, for offline use.
///
/// With --world DIR, other commands read the dump instead of the cluster. Their answers are the
/// same as for the cluster at the time of the dump. The dump contains no Secrets, and no manifests
/// of InstallPlans that are stored in Secrets. Values of environment variables, and of Secrets in
/// manifests, are replaced by numbers. Equal values have equal numbers. Command lines and messages
/// are not changed, so review the dump before you share it.
///
/// Bundles of subscribed packages are saved completely. Other bundles are saved only with the
/// fields that the catalog lists.
#[derive(Debug, Parser)]
#[command(after_help = "Exit codes:
  0  the dump is complete
  2  invalid input: the command line is invalid, or refers to a missing or invalid file or object
  3  the dump is incomplete (missing parts are listed), or nothing is written because the disk is
     full or the cluster is unreachable

Examples:
  portolan dump ./dump
  portolan dump ./dump --context staging --catalog olm/ships=./ships
  portolan dump ./dump --with-bundles
  portolan diagnose --world ./dump
  portolan explain --world ./dump")]
pub(crate) struct DumpArgs {
    /// Folder to write. The folder must be empty, or must not exist.
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    #[command(flatten)]
    access: Access,

    /// Content of the CatalogSource NAMESPACE/NAME. PLACE is a folder (or file) of catalog files,
    /// the address of a registry as grpc://ADDRESS, the URL of a catalogd, or an image as
    /// oci://IMAGE. Use this option for catalogs that are unreachable from this machine.
    #[arg(long = "catalog", value_name = "NAMESPACE/NAME=PLACE")]
    catalogs: Vec<CatalogAt>,

    /// Do not save the content of catalogs.
    #[arg(long, conflicts_with = "catalogs")]
    without_catalogs: bool,

    /// Also save installed bundles, and bundles to which operators can be upgraded, in the
    /// subfolder `bundles`. Commands with --world or --bundles read this subfolder.
    #[arg(long, conflicts_with = "without_catalogs")]
    with_bundles: bool,

    #[command(flatten)]
    reach: SourceFlags,
}

/// The maximum number of catalogs that are copied at the same time. Each catalog is kept in memory
/// while it is copied.
const AT_ONCE: usize = 3;

// === impl DumpArgs ===

impl DumpArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        source::check(&self.catalogs).map_err(Failure::refused)?;
        let unfinished = Unfinished::begin(&self.folder).map_err(Failure::refused)?;
        let cluster = self.cluster().await?;
        let root = unfinished.path();
        let by = concat!("portolan ", env!("CARGO_PKG_VERSION")).to_owned();
        let mut dump = Dump::begun(Timestamp::now(), by);
        let dumping = cluster.dump(root, &mut dump);
        let dumped = progress::show_while("reading the objects of the cluster", dumping).await;
        let dumped = dumped.map_err(Failure::failed)?;
        self.registries(&cluster, root).await?;
        let catalogs = self.content(&cluster, root, &mut dump).await;
        let bundles = self.bundles(&cluster, root, &catalogs).await?;
        dump.write(root).map_err(Failure::failed)?;
        unfinished.finish().map_err(Failure::failed)?;

        let mut missing = missing(&dump);
        missing.extend(bundles.missing);
        missing.iter().for_each(|what| print::warn(what));
        let counts = Counts {
            catalogs: catalogs.len(),
            bundles: self.with_bundles.then_some(bundles.count),
        };
        print::page(page(&self.folder, &dumped, &counts))?;
        Ok(if missing.is_empty() {
            Exit::Answered
        } else {
            Exit::Unknown
        })
    }

    async fn cluster(&self) -> Result<Cluster, Failure> {
        let absent = "no cluster found; select a cluster with --kubeconfig FILE or --context NAME";
        let cluster = facts::connect_cluster(&self.access, absent).await?;
        Ok(cluster.reading(READS))
    }

    /// Queries the registries of the catalogs, and writes the results into the dump.
    async fn registries(&self, cluster: &Cluster, root: &Path) -> Result<(), Failure> {
        let asking = probe::once(cluster, probe::Pace::default());
        let probes = progress::show_while("asking registries", asking).await;
        let records: Vec<_> = probes.iter().map(|probe| probe.to_value()).collect();
        write_list(root, "registryprobes.portolan.dev", &records).map_err(Failure::failed)
    }

    /// Saves the content of each catalog. If a catalog cannot be saved, records the reason in the
    /// dump. Returns the saved catalogs with their file paths.
    async fn content(&self, cluster: &Cluster, root: &Path, dump: &mut Dump) -> Vec<CatalogAt> {
        if self.without_catalogs {
            return Vec::new();
        }
        let located = source::located(cluster, &self.catalogs).await;
        let packages = subscribed_packages(cluster).await;
        let dialer = cluster.dialer();
        let reach = self.reach.of(Asker::Person);
        let reach = reach.with_pull_secrets(&AnyWorld::Cluster(cluster.clone()));
        let reach = reach.through(Some(Mirrors::of(cluster)));
        let copying = located.into_iter().map(async |(name, located)| {
            let to = CatalogAt::place_in(root, &name);
            let copied = located.copy((&reach, &dialer), &packages, &to).await;
            (name, copied)
        });
        let copying = stream::iter(copying).buffered(AT_ONCE).collect::<Vec<_>>();
        let copied = progress::show_while("copying catalogs", copying).await;
        let unread = copied.iter().filter_map(|(name, copied)| {
            let why = copied.as_ref().err()?;
            Some(NotRead {
                catalog: name.to_string(),
                code: why.code.to_owned(),
                why: why.message.clone(),
            })
        });
        dump.not_read = unread.collect();
        let listed = copied
            .iter()
            .filter(|(_, copied)| matches!(copied, Ok(Copied::Listed)));
        dump.listed = listed.map(|(name, _)| name.to_string()).collect();
        let there = copied.into_iter().filter_map(|(name, copied)| {
            let place = CatalogAt::place_in(root, &name);
            let location = match copied.ok()? {
                Copied::Whole => Location::Folder(place),
                Copied::Listed => Location::Listing(place),
            };
            Some(CatalogAt { name, location })
        });
        there.collect()
    }

    /// Saves the bundles of operators if the user requested bundles. Reads the bundles from the
    /// saved catalogs.
    async fn bundles(
        &self,
        cluster: &Cluster,
        root: &Path,
        catalogs: &[CatalogAt],
    ) -> Result<bundles::CopyOutcome, Failure> {
        if !self.with_bundles || catalogs.is_empty() {
            return Ok(bundles::CopyOutcome::default());
        }
        let snapshot = source::read(catalogs, &self.reach.of(Asker::Person)).await;
        let from = BundleFlags::default().open(&self.reach.images, Asker::Person);
        let resolver = Resolver::over(snapshot.map_err(Failure::failed)?);
        let from = from.map_err(Failure::refused)?;
        let resolver = resolver.with_bundles(from.through(Mirrors::of(cluster)));
        let world = AnyWorld::Cluster(cluster.clone());
        let to = brought(root);
        let copying = bundles::copy(&world, resolver, &to);
        progress::show_while("copying bundles", copying).await
    }
}

/// Returns the packages that have a Subscription, a policy or an Operator.
async fn subscribed_packages(cluster: &Cluster) -> BTreeSet<PackageName> {
    let mut subscriptions = cluster.objects::<Subscription>();
    let mut policies = cluster.objects::<OperatorPolicy>();
    let mut operators = cluster.objects::<Operator>();
    let subscriptions = subscriptions.known().await;
    let policies = policies.known().await;
    let operators = operators.known().await;
    let mut packages = BTreeSet::new();
    for subscription in subscriptions.iter().flat_map(|view| view.objects.values()) {
        packages.extend(PackageName::parse(&subscription.spec.package));
    }
    for policy in policies.iter().flat_map(|view| view.objects.values()) {
        let name = policy.spec.as_json()["subscription"]["name"].as_str();
        packages.extend(name.and_then(|name| PackageName::parse(name).ok()));
    }
    for operator in operators.iter().flat_map(|view| view.objects.values()) {
        let name = operator.spec.as_json()["packageName"].as_str();
        packages.extend(name.and_then(|name| PackageName::parse(name).ok()));
    }
    packages
}

/// Returns one sentence for each missing part of the dump.
fn missing(dump: &Dump) -> Vec<String> {
    let unseen = dump.not_seen.iter();
    let unseen = unseen.map(|unseen| {
        let NotSeen {
            kind,
            namespace,
            why,
        } = unseen;
        let kind = kind_name(kind);
        match namespace {
            Some(namespace) => {
                format!("objects of kind {kind} in namespace {namespace} were not saved: {why}")
            }
            None => format!("objects of kind {kind} were not saved: {why}"),
        }
    });
    let unread = dump.not_read.iter().map(|unread| {
        let NotRead { catalog, why, .. } = unread;
        format!(
            "the content of catalog {catalog} is missing: {why}; use --catalog {catalog}=PLACE to read the content from another place"
        )
    });
    unseen.chain(unread).collect()
}

/// Returns the name of a kind. Adds the API group of Portolan's kinds, because OLM also has a kind
/// InstallPlan.
fn kind_name(KindName { group, kind, .. }: &KindName) -> String {
    if group == GROUP {
        format!("{kind}.{group}")
    } else {
        kind.clone()
    }
}

/// The number of catalogs and bundles in the dump.
struct Counts {
    catalogs: usize,
    /// The number of bundles. None if the user did not request bundles.
    bundles: Option<usize>,
}

fn page(folder: &Path, dumped: &Dumped, counts: &Counts) -> Page {
    let mut page = Page::default();
    let kinds = dumped.kinds.iter().filter(|(_, objects)| *objects > 0);
    page.table(
        Table::of(&kinds.collect::<Vec<_>>(), Detail::Usual)
            .column("KIND", &|(kind, _)| Span::plain(kind))
            .column("OBJECTS", &|(_, objects)| objects.to_string().into()),
    );
    page.part();
    let bundles = counts.bundles.map(|count| words::count(count, "bundle"));
    let bundles = bundles.map_or_else(String::new, |count| format!(" and of {count}"));
    page.text_line(format!(
        "The dump contains the content of {}{bundles}. Omitted: {} of environment variables and Secrets.",
        words::count(counts.catalogs, "catalog"),
        words::count(dumped.left_out, "value"),
    ));
    let program = ProgramName::now().typed();
    page.text_line(format!("{program} diagnose --world {}", folder.display()));
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_install_plans_of_portolan_and_olm() {
        let mut dump = Dump::begun(Timestamp::UNIX_EPOCH, "portolan".to_owned());
        let unseen = |group: &str| NotSeen {
            kind: KindName {
                group: group.to_owned(),
                kind: "InstallPlan".to_owned(),
                metadata_only: false,
            },
            namespace: None,
            why: "forbidden".to_owned(),
        };
        dump.not_seen = ["operators.coreos.com", GROUP].map(unseen).into();
        let expected = [
            "objects of kind InstallPlan were not saved: forbidden",
            "objects of kind InstallPlan.plans.portolan.dev were not saved: forbidden",
        ];
        assert_eq!(missing(&dump), expected);
    }
}
