//! `portolan adopt`: creates Operators that adopt the operators of OLM v0.

mod associate;

use std::collections::BTreeSet;

use clap::{Parser, ValueEnum};
use portolan_api::operator::{Operator, name_for};
use portolan_core_generate::RequestedOperator;
use portolan_core_names::requirement::Target;
use portolan_core_names::text::listed;
use portolan_core_names::{ObjectRef, VersionRange};
use portolan_core_olm::{ClusterServiceVersion, OperatorGroup, Subscription, Targets};
use portolan_operators::{
    Csv, Fleet, OperatorClient, Present, adopting, disowned, present, subscribed,
};
use portolan_world::{AnyWorld, Area, View};
use serde_json::Value;

use crate::exit::{self, Exit};
use crate::explain::answer::diff;
use crate::facts::{WorldArgs, read_view};
use crate::failure::Failure;
use crate::operator_write::{print_done, report_error};
use crate::print;
use crate::progress;
use crate::requirement::{VersionArgs, spec_version};

/// Adopt operators that OLM v0 has installed, without restarting their Pods.
///
/// For each package the command creates an Operator with the settings of its Subscription. Running
/// Pods stay unchanged. The Subscription and the ClusterServiceVersion are deleted. Use --dry-run
/// to see which objects are adopted, and which operators cannot be adopted. Until the
/// ClusterServiceVersion is deleted, --undo reverts the adoption.
///
/// With --to operators.coreos.com, OLM continues to manage the operators. For each Subscription the
/// command creates an Operator v2alpha1, unless this Operator exists, and makes the Operator the
/// owner of the Subscription. --delete-subscription deletes the Subscriptions. After that, the
/// installed operators are no longer upgraded.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  the Operators are created; with --dry-run: they can be created",
        "1  an operator cannot be adopted in its current state; nothing is created";
        "portolan adopt ferry --dry-run",
        "portolan adopt ferry --dry-run -o diff",
        "portolan adopt 'ferry@>=1.0.0 <2.0.0'",
        "portolan adopt --all -n harbor",
        "portolan adopt ferry --undo",
        "portolan adopt ferry --to operators.coreos.com"
    )
)]
pub(crate) struct AdoptArgs {
    /// Packages of the operators. A range becomes spec.version of the Operator, and must contain
    /// the installed version. Default: the installed version and all newer versions.
    #[arg(
        value_name = "PACKAGE[@RANGE]",
        required_unless_present = "all",
        conflicts_with = "all"
    )]
    packages: Vec<RequestedOperator>,

    #[command(flatten)]
    version: VersionArgs,

    /// Adopt all operators that OLM has installed.
    #[arg(long)]
    all: bool,

    /// Only operators that OLM has installed in this namespace.
    #[arg(short, long, value_name = "NAMESPACE")]
    namespace: Option<String>,

    /// Show what would change, without changing anything.
    #[arg(long)]
    dry_run: bool,

    /// Revert the adoption. The arguments are the names of the Operators. Possible only while the
    /// ClusterServiceVersion exists.
    #[arg(long, conflicts_with_all = ["all", "namespace", "output", "to"])]
    undo: bool,

    /// API group of the Operators.
    #[arg(
        long,
        value_name = "GROUP",
        default_value = "operators.operatorframework.io"
    )]
    to: Group,

    /// Delete the Subscriptions once the Operators own the installed objects. Requires --to
    /// operators.coreos.com.
    #[arg(long, requires = "to")]
    delete_subscription: bool,

    /// Output format of --dry-run: the Operators to create, or the changes of objects of OLM.
    #[arg(short, long, value_name = "FORM", requires = "dry_run")]
    output: Option<Output>,

    #[command(flatten)]
    facts: WorldArgs,
}

/// The group of Operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Group {
    /// Operators of Portolan, which adopt the installed objects.
    #[value(name = "operators.operatorframework.io")]
    OperatorFramework,
    /// Operators v2alpha1 of OLM, which report the installed objects.
    #[value(name = "operators.coreos.com")]
    Olm,
}

/// The output formats of a dry run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Output {
    /// The Operators, as YAML documents.
    Yaml,
    /// The Operators as one object of kind List.
    Json,
    /// The changes of each object that OLM created.
    Diff,
}

/// The plan for the adoption of one operator that OLM has installed.
struct Adoption {
    present: Present,
    csv: Csv,
    subscription: Option<String>,
    operator: Value,
    refusals: Vec<String>,
}

// === impl AdoptArgs ===

impl AdoptArgs {
    pub(crate) async fn run(mut self) -> Result<Exit, Failure> {
        let targets = self.packages.iter_mut().map(|it| &mut it.target);
        self.version.add_to(targets)?;
        self.refuse_versions()?;
        let (world, doing) = self.facts.open().await?;
        let client = match &world {
            AnyWorld::Cluster(cluster) => Some(OperatorClient::of(cluster.client(), self.dry_run)),
            AnyWorld::Files(_) if self.dry_run => None,
            AnyWorld::Files(_) => {
                return Err(Failure::usage(
                    "--world reads files, which adopt cannot change; use --dry-run to show the changes",
                ));
            }
        };
        match self.to {
            Group::Olm if self.output == Some(Output::Diff) => {
                return Err(Failure::usage(
                    "-o diff shows changes of adopted objects, but --to operators.coreos.com adopts no objects; use -o yaml",
                ));
            }
            Group::Olm => return progress::show_while(&doing, self.associate(&world)).await,
            Group::OperatorFramework if self.delete_subscription => {
                return Err(Failure::usage(
                    "--delete-subscription requires --to operators.coreos.com; omit --delete-subscription, because an adoption always deletes the Subscription",
                ));
            }
            Group::OperatorFramework => {}
        }
        if self.undo {
            return self.give_back(client.as_ref()).await;
        }
        let adoptions = progress::show_while(&doing, self.adoptions(&world)).await?;
        if adoptions.is_empty() {
            print::note("No operators found that OLM has installed.");
        }
        let is_refused = adoptions.iter().any(|it| !it.refusals.is_empty());
        match self.output {
            Some(Output::Yaml) => {
                for adoption in &adoptions {
                    print::yaml(&adoption.operator)?;
                }
            }
            Some(Output::Json) => {
                let all: Vec<_> = adoptions.iter().map(|it| &it.operator).collect();
                print::json(&all)?;
            }
            Some(Output::Diff) => {
                for adoption in &adoptions {
                    adoption.print_differences(client.as_ref()).await?;
                }
            }
            None if self.dry_run => {
                for adoption in &adoptions {
                    adoption.print_plan(client.as_ref()).await?;
                }
            }
            None => {}
        }
        if is_refused {
            for adoption in adoptions.iter().filter(|it| !it.refusals.is_empty()) {
                let package = &adoption.present.installs.package;
                print::error(&format!("{package}: {}", adoption.refusals.join("; ")));
            }
            return Ok(Exit::No);
        }
        let Some(client) = client.filter(|_| !self.dry_run) else {
            return Ok(Exit::Answered);
        };
        for adoption in &adoptions {
            let operator: Operator =
                serde_json::from_value(adoption.operator.clone()).map_err(Failure::refused)?;
            if let Err(error) = client.create(&operator).await {
                return report_error(error);
            }
            let name = operator.metadata.name.unwrap_or_default();
            print_done(&name, "created to adopt the objects of OLM", false)?;
        }
        Ok(Exit::Answered)
    }

    /// Rejects a version on the command line if `--undo` or the API group of OLM ignores versions.
    fn refuse_versions(&self) -> Result<(), Failure> {
        let with_version = self.packages.iter().find(|it| it.target != Target::Latest);
        let option = match self.to {
            _ if self.undo => "--undo",
            Group::Olm => "--to operators.coreos.com",
            Group::OperatorFramework => return Ok(()),
        };
        match with_version {
            Some(requested) => Err(Failure::usage(format!(
                "{requested}: {option} does not accept a version; use {}",
                requested.name
            ))),
            None => Ok(()),
        }
    }

    async fn give_back(&self, client: Option<&OperatorClient>) -> Result<Exit, Failure> {
        let Some(client) = client else {
            return Err(Failure::usage("--undo needs a cluster"));
        };
        for package in &self.packages {
            let name = name_for(&package.name);
            if let Err(error) = client.undo_adoption(&name).await {
                return report_error(error);
            }
            print_done(&name, "reverts the adoption", self.dry_run)?;
        }
        Ok(Exit::Answered)
    }

    async fn adoptions(&self, world: &AnyWorld) -> Result<Vec<Adoption>, Failure> {
        let everywhere = Area::everywhere();
        let csvs = read_view::<ClusterServiceVersion>(world, &everywhere).await?;
        let subscriptions = read_view::<Subscription>(world, &everywhere).await?;
        let groups = read_view::<OperatorGroup>(world, &everywhere).await?;
        let fleet = Fleet {
            present: csvs
                .objects
                .iter()
                .map(|(key, csv)| present(key, csv))
                .collect(),
            subscriptions: subscriptions
                .objects
                .iter()
                .map(|(key, it)| subscribed(key, it))
                .collect(),
            ..Fleet::default()
        };
        let all = fleet.present.iter();
        let held = all.filter_map(|there| Some((there, there.csv.as_ref()?)));
        let meant: Vec<_> = held
            .filter(|(there, csv)| self.is_meant(there, csv))
            .collect();
        let together = meant
            .iter()
            .map(|(there, _)| there.object.as_str())
            .collect();
        let adoptions = meant.iter().map(|&(there, csv)| {
            let refusals = fleet.refusals((there, csv), &together);
            Adoption::of((there, csv), &subscriptions, &groups, refusals)
        });
        let mut adoptions: Vec<_> = adoptions.collect();
        for adoption in &mut adoptions {
            adoption.set_version(&self.packages)?;
        }
        let meant = adoptions.iter().map(|it| &*it.present.installs.package);
        let there = fleet.present.iter().map(|it| &*it.installs.package);
        if let Some((package, there)) = self.absent(&meant.collect(), &there.collect()) {
            let there = there.unwrap_or_else(|| "nothing".to_owned());
            return Err(Failure::usage(format!(
                "OLM has not installed package {package} in the selected namespaces; packages that OLM has installed: {there}"
            )));
        }
        Ok(adoptions)
    }

    /// Returns the first package of the command line that is missing in `meant`. Also returns a
    /// list of the packages in `there`.
    fn absent(
        &self,
        meant: &BTreeSet<&str>,
        there: &BTreeSet<&str>,
    ) -> Option<(&str, Option<String>)> {
        let mut packages = self.packages.iter();
        let absent = packages.find(|it| !meant.contains(it.name.as_str()))?;
        Some((&absent.name, (!there.is_empty()).then(|| listed(there))))
    }

    fn is_meant(&self, present: &Present, csv: &Csv) -> bool {
        let is_inside = self
            .namespace
            .as_ref()
            .is_none_or(|it| *it == csv.namespace);
        let mut packages = self.packages.iter();
        is_inside
            && !present.installs.package.is_empty()
            && (self.all || packages.any(|it| it.name == present.installs.package))
    }
}

// === impl Adoption ===

impl Adoption {
    /// Sets the version range that the user requests. The range must contain the installed version,
    /// because an adoption changes no version.
    fn set_version(&mut self, requested: &[RequestedOperator]) -> Result<(), Failure> {
        let installs = &self.present.installs;
        let (package, version) = (&installs.package, &installs.version);
        let Some(requested) = requested.iter().find(|it| it.name == *package) else {
            return Ok(());
        };
        let Some(range) = spec_version(requested)? else {
            return Ok(());
        };
        if !VersionRange::may_match(range.as_str(), version) {
            return Err(Failure::usage(format!(
                "{requested}: {version} is installed; adopt {package} first, and then use `update {requested}`"
            )));
        }
        self.operator["spec"]["version"] = range.as_str().into();
        Ok(())
    }

    fn of(
        (present, csv): (&Present, &Csv),
        subscriptions: &View<Subscription>,
        groups: &View<OperatorGroup>,
        refusals: Vec<String>,
    ) -> Self {
        let package = &present.installs.package;
        let own = subscriptions
            .objects
            .iter()
            .find(|(key, it)| *key.namespace == *csv.namespace && it.spec.package == *package);
        let group = groups
            .objects
            .iter()
            .find(|(key, _)| *key.namespace == *csv.namespace);
        let targets = group.map_or(Targets::All, |(_, group)| group.targets());
        Self {
            operator: adopting(present, csv, own.map(|(_, it)| &**it), &targets),
            subscription: own.map(|(key, _)| format!("Subscription {key}")),
            refusals,
            present: present.clone(),
            csv: csv.clone(),
        }
    }

    /// Prints the objects that the adoption deletes and those that it keeps.
    async fn print_plan(&self, client: Option<&OperatorClient>) -> Result<(), Failure> {
        let installs = &self.present.installs;
        let mut text = format!("{} {}\n", installs.package, installs.version);
        if let Some(subscription) = &self.subscription {
            text.push_str(&format!("  delete  {subscription}\n"));
        }
        text.push_str(&format!("  delete  {}\n", self.present.object));
        match client {
            None => text.push_str("  keep    all objects of the ClusterServiceVersion (a cluster is required to list them)\n"),
            Some(client) => match client.held_by_olm(&self.csv.id(), &installs.package).await {
                Ok(held) => {
                    let stays = held.iter().map(ObjectRef::versioned);
                    text.extend(stays.map(|it| format!("  keep    {it}\n")));
                }
                Err(error) => {
                    text.push_str(&format!("  keep    all objects of the ClusterServiceVersion (cannot be listed: {error})\n"));
                }
            },
        }
        print::text(&text)
    }

    /// Prints the objects that the adoption deletes, and the changes of the objects that it keeps.
    async fn print_differences(&self, client: Option<&OperatorClient>) -> Result<(), Failure> {
        let Some(client) = client else {
            return Err(Failure::usage(
                "-o diff requires a cluster, because files do not contain all objects of OLM; omit --world",
            ));
        };
        let package = &self.present.installs.package;
        let held = client.held_by_olm(&self.csv.id(), package).await;
        let held = held.map_err(|error| Failure::usage(error.to_string()))?;
        let mut text = String::new();
        for goes in self.subscription.iter().chain([&self.present.object]) {
            text.push_str(&format!("--- {goes}\n+++ (deleted)\n"));
        }
        for object in &held {
            let id = ObjectRef::versioned(object);
            let changed = diff(Some(object), disowned(object));
            if !changed.is_empty() {
                text.push_str(&format!(
                    "--- {id}, of OLM\n+++ {id}, of the Operator\n{changed}"
                ));
            }
        }
        print::text(&text)
    }
}
