//! `portolan resolve`: resolves package requirements, or explains the conflict.

mod olm;
mod table;

use std::path::Path;

use clap::Parser;
use portolan_core_names::Requirement;
use portolan_proto::resolver::v1::resolve_response::Answer;
use portolan_proto::resolver::v1::solution::Choice;
use portolan_proto::resolver::v1::solution::choice::Outcome;
use portolan_proto::resolver::v1::{
    CatalogRef, CheckCatalogsRequest, Conflict, Fault, InstalledOperator, ResolveRequest,
    ResolveResponse, Solution, Wish as WireRequirement, fault, mode,
};

use portolan_world::{AnyWorld, Manifests};

use self::olm::{AsOlmArgs, OlmForecast};
use crate::exit::{self, Exit};
use crate::facts::{CatalogArgs, HealthConnection, ResolverConnection};
use crate::failure::Failure;
use crate::operators::{self, InstalledSource, OlmObjects};
use crate::print::{self, Detail, OutputArgs, Page, Render};
use crate::requirement::{self, VersionArgs};
use crate::scope::NamespaceArgs;
use crate::subscribed::{self, Source};

/// The maximum number of printed catalog faults.
const TOLD: usize = 5;

/// Resolve package requirements to a set of bundles, or explain the conflict.
///
/// A requirement is a package with an optional @VERSION or @RANGE, channel= and catalog=, separated
/// by blanks. An earlier requirement takes precedence over all later requirements. Installed
/// operators stay unchanged unless a requirement names their package. With --as-olm the command
/// predicts what OLM v0 will do. Do not give requirements with --as-olm.
#[derive(Debug, Parser)]
#[command(
    override_usage = "portolan resolve [OPTIONS] <REQUIREMENT...|--as-olm>",
    after_help = exit::after_help!(
        "0  all requirements can be met; with --as-olm: OLM finishes without intervention",
        "1  the requirements conflict; with --each: a requirement cannot be met; with --as-olm: OLM is stuck or will get stuck";
        "portolan resolve --catalog demo=./demo ferry",
        "portolan resolve --world ./dump -n harbor ferry@2.0.0",
        "portolan resolve --catalog demo=./demo 'ferry@>=1.0.0 <2.0.0 channel=stable' rope",
        "kubectl get csv,sub -A -o yaml |",
        "    portolan resolve --catalog demo=./demo --installed - ferry@2.0.0",
        "kubectl get sub,csv,og -n harbor -o yaml |",
        "    portolan resolve --catalog olm/demo=./demo --installed - --as-olm"
    )
)]
pub(crate) struct ResolveArgs {
    /// A requirement, such as `quay`, `quay@3.9.2` or `quay@>=3.9.0 <3.10.0 channel=stable-3.9
    /// catalog=olm/shop`. Use quotes if the requirement contains blanks or comparison operators.
    #[arg(value_name = "REQUIREMENT", required_unless_present = "as_olm")]
    requirements: Vec<String>,

    #[command(flatten)]
    version: VersionArgs,

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

    /// Meet as many requirements as possible, in the given order, instead of all or none.
    #[arg(long, conflicts_with = "as_olm")]
    each: bool,

    /// Maximum number of steps of the solver. The result is the same on every machine. If the limit
    /// is too low, the command fails.
    #[arg(long, value_name = "STEPS", default_value_t = 20_000)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "as_olm")]
    steps: u32,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    olm: AsOlmArgs,

    #[command(flatten)]
    facts: CatalogArgs,
}

// === impl ResolveArgs ===

impl ResolveArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        if self.olm.as_olm {
            return self.predict().await;
        }
        let (mut resolver, request) = self.question().await?;
        let requirements = request.wishes.clone();
        let answer = resolver.query(request).await?;
        let exit = self.output.format.show(&answer)?;
        warn_of_faulty_bundles(&answer);
        let is_faulty = |catalog: &CatalogRef| !catalog.fault_digest.is_empty();
        if has_refusal(&answer) && answer.catalogs.iter().any(is_faulty) {
            warn_of_hidden_bundles(&mut resolver, &requirements, &conflicts(&answer)).await?;
        }
        Ok(exit)
    }

    async fn predict(self) -> Result<Exit, Failure> {
        if let Some(requirement) = self.requirements.first() {
            return Err(Failure::usage(format!(
                "--as-olm does not accept requirements, because OLM uses the existing Subscriptions; omit {requirement:?}"
            )));
        }
        let namespace = &self.whose.namespace;
        let (mut resolver, told) = match &self.installed {
            Some(file) => {
                let (file, bytes) = operators::read_bytes(file, "--installed")?;
                let manifests = Manifests::read(Path::new(file), &bytes);
                let told = OlmObjects::read(file, &manifests, olm::WAY_OUT)?;
                (self.facts.connect().await?, told)
            }
            None => {
                let (resolver, world) = self.world().await?;
                let Some(world) = world else {
                    return Err(Failure::usage(
                        "--as-olm requires the objects of a namespace; use --installed FILE with the output of `kubectl get sub,csv,og -o yaml`, or --world with a dump",
                    ));
                };
                (resolver, OlmObjects::of(&world, namespace).await?)
            }
        };
        let request = self.olm.question(&told, namespace)?;
        let namespace = request.namespace.clone();
        let answer = resolver.query(request).await?;
        self.output.format.show(&OlmForecast { namespace, answer })
    }

    /// Returns the resolver, and the world with the installed operators.
    async fn world(&self) -> Result<(ResolverConnection, Option<AnyWorld>), Failure> {
        if self.facts.are_only_catalogs() {
            return Ok((self.facts.connect().await?, None));
        }
        let (resolver, source) = self.facts.connect_with_installed(None).await?;
        let world = match source {
            Source::World(world, _) => Some(world),
            // A server does not return the objects of OLM, so no world is returned.
            Source::Server(_) => None,
        };
        Ok((resolver, world))
    }

    /// Returns the resolver and the request. Parses requirements and files before a server is
    /// contacted, so that invalid input fails immediately.
    async fn question(&self) -> Result<(ResolverConnection, ResolveRequest), Failure> {
        let mode = if self.each {
            mode::Kind::Each
        } else {
            mode::Kind::Together
        };
        let requirements = requirement::parse_all(&self.requirements);
        let mut requirements = requirements.map_err(Failure::refused)?;
        self.version
            .add_to(requirements.iter_mut().map(|it| &mut it.target))?;
        let file = self.installed.as_deref();
        let (resolver, known) =
            operators::read_installed(&self.facts, file, &self.whose.namespace).await?;
        let installed = match known {
            InstalledSource::Operators(installed) => installed,
            InstalledSource::ByServer(health) => {
                let relative = requirements.iter().find(|it| it.target.is_relative());
                read_from_server(health, &self.whose.namespace, relative).await?
            }
        };
        let wishes = requirements
            .iter()
            .map(|requirement| wire(requirement, &installed));
        let request = ResolveRequest {
            wishes: wishes.collect::<Result<_, _>>()?,
            installed,
            mode: mode.into(),
            steps: self.steps,
        };
        Ok((resolver, request))
    }
}

/// Returns the installed operators from a server. If the server has no health service, prints a
/// warning that the operators are unknown. In this case, returns an error if a requirement is
/// relative to an installed version.
async fn read_from_server(
    mut health: HealthConnection,
    namespace: &str,
    relative: Option<&Requirement>,
) -> Result<Vec<InstalledOperator>, Failure> {
    match (subscribed::served(&mut health, namespace).await?, relative) {
        (Some(all), _) => Ok(operators::of_server(all)),
        (None, Some(relative)) => Err(Failure::usage(format!(
            "{relative}: the installed version is unknown; use --installed FILE to list the installed operators, or replace {relative} by a version range"
        ))),
        (None, None) => {
            print::warn(
                "the server has no health service, so installed operators are ignored; use --installed FILE (an empty file if no operators are installed)",
            );
            Ok(Vec::new())
        }
    }
}

/// Converts a requirement to the form of the resolver API.
fn wire(
    requirement: &Requirement,
    installed: &[InstalledOperator],
) -> Result<WireRequirement, Failure> {
    let Requirement {
        package, target, ..
    } = requirement;
    let mut wire = requirement::to_wire(requirement);
    if target.is_relative()
        && let Some(range) = requirement::range_from(target, package.as_str(), installed)?
    {
        wire.range = range.to_string();
    }
    Ok(wire)
}

/// Returns true if the resolver could not satisfy a requirement.
fn has_refusal(answer: &ResolveResponse) -> bool {
    match &answer.answer {
        Some(Answer::Conflict(_)) => true,
        Some(Answer::Solution(solution)) => exit_code(solution) == Exit::No,
        Some(Answer::GaveUp(_)) | None => false,
    }
}

impl Render for ResolveResponse {
    fn page(&self, detail: Detail) -> Page {
        table::render(self, detail)
    }

    /// Returns the names of the bundles in the solution.
    fn names(&self) -> Option<Vec<String>> {
        Some(match &self.answer {
            Some(Answer::Solution(solution)) => {
                let operators = solution.operators.iter();
                operators.map(|operator| operator.name.clone()).collect()
            }
            Some(Answer::Conflict(_) | Answer::GaveUp(_)) | None => Vec::new(),
        })
    }

    fn catalogs(&self) -> &[CatalogRef] {
        &self.catalogs
    }

    fn exit(&self) -> Exit {
        match &self.answer {
            Some(Answer::Solution(solution)) => exit_code(solution),
            Some(Answer::Conflict(_)) => Exit::No,
            Some(Answer::GaveUp(_)) | None => Exit::Unknown,
        }
    }
}

/// Returns the conflicts of requirements.
fn conflicts(answer: &ResolveResponse) -> Vec<&Conflict> {
    match &answer.answer {
        Some(Answer::Conflict(conflict)) => vec![conflict],
        Some(Answer::Solution(solution)) => {
            let choices = solution.choices.iter();
            let refused = choices.filter_map(|choice| match &choice.outcome {
                Some(Outcome::Refused(conflict)) => Some(conflict),
                Some(Outcome::Granted(_) | Outcome::GaveUp(_)) | None => None,
            });
            refused.collect()
        }
        Some(Answer::GaveUp(_)) | None => Vec::new(),
    }
}

/// Prints a warning for catalog faults of bundles that the solution contains.
fn warn_of_faulty_bundles(answer: &ResolveResponse) {
    let Some(Answer::Solution(solution)) = &answer.answer else {
        return;
    };
    let is_granted = |choice: &&Choice| matches!(choice.outcome, Some(Outcome::Granted(_)));
    let granted = solution.choices.iter().filter(is_granted);
    for fault in granted.flat_map(|choice| &choice.faults).take(TOLD) {
        print::warn(&format!(
            "a selected bundle has an error in catalog {}: {}",
            fault.catalog, fault.message
        ));
    }
}

/// Prints warnings for catalog faults that may hide a required package, with their file paths.
/// Omits faults that a conflict already mentions.
async fn warn_of_hidden_bundles(
    resolver: &mut ResolverConnection,
    requirements: &[WireRequirement],
    conflicts: &[&Conflict],
) -> Result<(), Failure> {
    let checked = resolver.query_all(CheckCatalogsRequest::default()).await?;
    let is_required = |package: &str| requirements.iter().any(|it| it.package == package);
    let causes = || conflicts.iter().flat_map(|conflict| &conflict.causes);
    let is_told = |fault: &Fault| causes().any(|cause| cause.hidden_by.as_ref() == Some(fault));
    let hides = |fault: &&Fault| {
        let is_error = fault.severity() == fault::Severity::Error;
        is_error
            && !fault.file.is_empty()
            && !is_told(fault)
            && (fault.package.is_empty() || is_required(&fault.package))
    };
    for fault in checked.faults.iter().filter(hides).take(TOLD) {
        print::warn(&format!(
            "a bundle may be missing because of an error in catalog {}: {}",
            fault.catalog, fault.message
        ));
    }
    Ok(())
}

/// Returns `No` if a requirement cannot be satisfied, even if other requirements are unknown.
fn exit_code(solution: &Solution) -> Exit {
    let outcomes = solution
        .choices
        .iter()
        .map(|choice| choice.outcome.as_ref());
    let mut outcomes = outcomes.flatten();
    let is_refused = |outcome: &Outcome| matches!(outcome, Outcome::Refused(_));
    if outcomes.clone().any(is_refused) {
        Exit::No
    } else if outcomes.any(|outcome| matches!(outcome, Outcome::GaveUp(_))) {
        Exit::Unknown
    } else {
        Exit::Answered
    }
}
