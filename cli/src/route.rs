//! `portolan route`: shows the steps in which several operators can be upgraded.

mod from;
mod lifted;
mod question;
mod steps;

use std::collections::BTreeSet;

use clap::Parser;
use portolan_core_names::Requirement;
use portolan_proto::resolver::v1::{
    CatalogRef, GetGraphRequest, GetGraphResponse, InstalledOperator, PlanRouteRequest,
    PlanRouteResponse,
};
use serde::Serialize;

use self::from::FromBundle;
use self::lifted::OverrideArgs;
use self::question::Question;
use crate::exit::{self, Exit};
use crate::facts::{CatalogArgs, HealthConnection, ResolverConnection};
use crate::failure::Failure;
use crate::operators::{self, InstalledSource};
use crate::print::{Detail, OutputArgs, Page, Render};
use crate::requirement::{self, VersionArgs};
use crate::scope::NamespaceArgs;
use crate::subscribed;

/// Find the steps that upgrade several operators to their required versions, or explain what blocks
/// the upgrade.
///
/// A requirement is a package with an optional @VERSION or @RANGE, channel= and catalog=, separated
/// by blanks. No operator is upgraded beyond its required versions. Without a version, an operator
/// is upgraded to the head of the channel in channel=, or else to the head of the default channel.
/// Installed operators without a requirement are not changed. All dependencies are met after each
/// step. One step upgrades several operators only if no other order is valid. An earlier
/// requirement takes precedence over all later requirements.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  every operator can reach its required version, or already has this version",
        "1  an operator cannot reach its required version; the possible steps are printed";
        "portolan route --world ./dump ferry rope",
        "portolan route --world ./dump ferry@1.1.0 'rope@>=1.0.0 <2.0.0 channel=stable'",
        "portolan route --catalog demo=./demo ferry rope --from ferry=ferry.v1.0.0 --from rope=1.0.0",
        "kubectl get csv,sub -A -o yaml |",
        "    portolan route --catalog demo=./demo --installed - ferry rope"
    )
)]
pub(crate) struct RouteArgs {
    /// A requirement, such as `quay`, `quay@3.9.2` or `quay@>=3.9.0 <3.10.0 channel=stable-3.9
    /// catalog=olm/shop`. Use quotes if the requirement contains blanks or comparison operators.
    #[arg(value_name = "REQUIREMENT", required = true)]
    requirements: Vec<String>,

    #[command(flatten)]
    version: VersionArgs,

    /// Installed bundle of a package, or its version.
    ///
    /// This option overrides the cluster, --world and --installed for this package.
    #[arg(long, id = "from_bundles", value_name = "PACKAGE=BUNDLE")]
    from: Vec<FromBundle>,

    /// File with the installed operators, or - for standard input.
    ///
    /// The file contains the output of `kubectl get csv,sub -o yaml` or `kubectl get csv -o name`.
    /// An empty file means that no operator is installed. Default: the operators of the cluster,
    /// --world or --server, in the namespace of -n or in all namespaces; with only --catalog, no
    /// operators.
    #[arg(long, value_name = "FILE|-")]
    installed: Option<String>,

    #[command(flatten)]
    whose: NamespaceArgs,

    /// Maximum number of combinations of operator versions that the search tries. The result is the
    /// same on every machine. If the limit is too low, the command fails.
    #[arg(long, value_name = "STATES", default_value_t = 20_000)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    states: u32,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    lifted: OverrideArgs,

    #[command(flatten)]
    facts: CatalogArgs,
}

// === impl RouteArgs ===

impl RouteArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        // Parses all arguments before a server is contacted, so that invalid input fails
        // immediately.
        let requirements = requirement::parse_all(&self.requirements);
        let mut requirements = requirements.map_err(Failure::refused)?;
        self.version
            .add_to(requirements.iter_mut().map(|it| &mut it.target))?;
        let question = Question {
            requirements: requirements.iter().map(requirement::to_wire).collect(),
            lifted: self.lifted.clone(),
            states: self.states,
        };
        question.validate()?;
        from::validate(&self.from)?;
        let (mut resolver, request) = self.request(question, &requirements).await?;
        let staying = question::staying(&request);
        let answer = resolver.query(request).await?;
        self.output.format.show(&Routes { answer, staying })
    }

    async fn request(
        &self,
        mut question: Question,
        requirements: &[Requirement],
    ) -> Result<(ResolverConnection, PlanRouteRequest), Failure> {
        let (file, namespace) = (self.installed.as_deref(), &self.whose.namespace);
        let (mut resolver, known) = operators::read_installed(&self.facts, file, namespace).await?;
        let mut installed = match known {
            InstalledSource::Operators(installed) => installed,
            InstalledSource::ByServer(health) => {
                let is_told = !self.from.is_empty();
                read_from_server(health, namespace, is_told).await?
            }
        };
        let mut graphs = Vec::new();
        for required in &question.requirements {
            let has_nameless = installed.iter().any(|one| one.package.is_empty());
            if has_nameless || required.range.is_empty() {
                let graph = graph(&mut resolver, &required.package, &required.catalog).await?;
                question::name(&mut installed, &graph);
                graphs.push(Some(graph));
            } else {
                graphs.push(None);
            }
        }
        for from in &self.from {
            let catalog = question.catalog(&from.package);
            let graph = graph(&mut resolver, &from.package, catalog).await?;
            from.replace(&mut installed, &graph)?;
        }
        let both = question.requirements.iter_mut().zip(requirements);
        for ((required, Requirement { target, .. }), graph) in both.zip(&graphs) {
            let range = if target.is_relative() {
                requirement::range_from(target, &required.package, &installed)?
            } else {
                None
            };
            match (range, graph) {
                (Some(range), _) => required.range = range.to_string(),
                (None, Some(graph)) => question::aim(required, graph),
                (None, None) => {}
            }
        }
        let offered = if question.leaves(&installed) {
            unambiguous_packages(&mut resolver).await?
        } else {
            BTreeSet::new()
        };
        let request = question.request(installed, &offered)?;
        Ok((resolver, request))
    }
}

/// Returns the installed operators from a server. If the server cannot list operators, the
/// operators on the command line are used instead.
async fn read_from_server(
    mut health: HealthConnection,
    namespace: &str,
    is_told: bool,
) -> Result<Vec<InstalledOperator>, Failure> {
    match subscribed::served(&mut health, namespace).await? {
        Some(all) => Ok(operators::of_server(all)),
        None if is_told => Ok(Vec::new()),
        None => Err(Failure::usage(
            "the server has no health service, so installed operators are unknown; use --from PACKAGE=BUNDLE, or --installed FILE (an empty file if no operators are installed)",
        )),
    }
}

/// Returns the graph of a package. The graph does not need the files of bundles, which may no
/// longer exist.
async fn graph(
    resolver: &mut ResolverConnection,
    package: &str,
    catalog: &str,
) -> Result<GetGraphResponse, Failure> {
    let request = GetGraphRequest {
        catalog: catalog.to_owned(),
        package: package.to_owned(),
        channel: String::new(),
    };
    resolver.query(request).await
}

/// Returns the packages that exactly one catalog contains. Other packages are ambiguous, because
/// the catalog is not known.
async fn unambiguous_packages(
    resolver: &mut ResolverConnection,
) -> Result<BTreeSet<String>, Failure> {
    let listed = resolver.packages("").await?;
    let mut names: Vec<_> = listed.packages.into_iter().map(|one| one.name).collect();
    names.sort();
    let alike = names.chunk_by(|one, other| one == other);
    let single = alike.filter(|names| names.len() == 1);
    Ok(single.flatten().cloned().collect())
}

/// The routes, and the operators that stay unchanged.
#[derive(Debug, Serialize)]
struct Routes {
    #[serde(flatten)]
    answer: PlanRouteResponse,
    #[serde(skip)]
    staying: Vec<InstalledOperator>,
}

impl Render for Routes {
    fn page(&self, detail: Detail) -> Page {
        steps::render(&self.answer, &self.staying, detail)
    }

    /// Returns the names of the bundles that the steps install, in order.
    fn names(&self) -> Option<Vec<String>> {
        let routes = self.answer.routes.iter();
        let steps = routes.flat_map(|route| &route.steps);
        let moves = steps.flat_map(|step| &step.moves);
        Some(moves.map(|made| made.to.clone()).collect())
    }

    fn catalogs(&self) -> &[CatalogRef] {
        &self.answer.catalogs
    }

    /// Returns `No` if a route is blocked, even if other routes are unknown.
    fn exit(&self) -> Exit {
        let is_blocked = |of_spent: bool| {
            let mut routes = self.answer.routes.iter();
            routes.any(|route| {
                let mut ends = route.ends.iter();
                (route.states > 0) == of_spent && ends.any(|end| end.blocked.is_some())
            })
        };
        Exit::no_if(is_blocked(false)).unless_in_doubt(is_blocked(true))
    }
}
