//! `portolan diagnose`: shows the cause of each problem, the object at fault, and the fix.

mod apply;
mod awaited;
mod layout;
mod markdown;
mod parts;
mod row;
mod table;

use clap::Parser;
use portolan_api::plan::GROUP;
use portolan_api::qualified;
use portolan_core_names::nearest;
use portolan_proto::diagnosis::v1::diagnose_request::Kind as DiagnosedKind;
use portolan_proto::diagnosis::v1::operator_diagnosis::State;
use portolan_proto::diagnosis::v1::{DiagnoseRequest, OperatorDiagnosis};
use serde::Serialize;

use self::row::DiagnosisRow;
use crate::exit::{self, Exit};
use crate::facts::{DiagnosisArgs, DiagnosisConnection};
use crate::failure::Failure;
use crate::named::{self, Kind, Named};
use crate::print::names;
use crate::print::words;
use crate::print::{self, Detail, Format, Page, Remark, Render};
use crate::scope::{NamespaceArgs, WatchArgs};

/// The formats of diagnoses.
const FORMATS: [(Format, &str); 6] = [
    (
        Format::Table,
        "One row for each problem, and details with the fix",
    ),
    (Format::Wide, "Like table, without truncation"),
    (Format::Json, "The diagnoses as JSON, for programs"),
    (Format::Yaml, "Like json, but in YAML format"),
    (Format::Name, "Only the names of unhealthy objects"),
    (Format::Markdown, "Markdown, for tickets and web pages"),
];

/// Diagnose operators: the cause, the object at fault, and the fix.
///
/// Covers operators of OLM, Operators, InstallPlans, Installs and policies of Portolan,
/// ClusterExtensions and ClusterCatalogs of OLM v1, and Portolan itself. If a namespace is
/// selected, cluster-scoped objects such as Operators are omitted. For each unhealthy operator the
/// command shows the root cause, the object at fault, the fix, and the affected operators. Healthy
/// operators are listed only with -o wide or NAME. The diagnosis of an Operator or Install includes
/// its plans.
///
/// Broken: the operator is installed, but fails. Stuck: OLM cannot install or upgrade the operator.
/// Waiting: a person must approve or release an object. Working: in progress, no action is
/// required.
///
/// -o json prints one object with the list `diagnoses`.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  no object is stuck or broken, and no person must act; with --watch: stopped by a \
         signal",
        "1  an object is stuck or broken, or a person must act";
        "portolan diagnose",
        "portolan diagnose harbor/ferry",
        "portolan diagnose plan/ferry-2 -n harbor",
        "portolan diagnose operator/ferry",
        "portolan diagnose operatorpolicy/ferry -n policies",
        "portolan diagnose harbor/ferry --apply",
        "portolan diagnose -o markdown > report.md",
        "portolan diagnose --world dump --catalog olm/ships=./ships"
    )
)]
pub(crate) struct DiagnoseArgs {
    /// Package, Subscription or ClusterServiceVersion to diagnose, with or without its namespace.
    /// With KIND/NAME, the kind is package, sub, csv, operator (of operators.operatorframework.io),
    /// plan (an InstallPlan of plans.portolan.dev), install, operatorpolicy, upgradepolicy,
    /// policybinding, extension (a ClusterExtension), clustercatalog, operatorv2alpha1 or component
    /// (of Portolan). Default: diagnose all objects of these kinds.
    #[arg(value_name = "[NAMESPACE/]NAME|KIND/NAME")]
    name: Option<Named>,

    #[command(flatten)]
    whose: NamespaceArgs,

    #[command(flatten)]
    watched: WatchArgs,

    /// Output format.
    #[arg(short, long, value_name = "FORM", default_value = "table", value_parser = Format::among(FORMATS))]
    output: Format,

    /// Run the fix of NAME with kubectl, step by step. Each step is printed, tested with a
    /// server-side dry run if kubectl supports this, and run after a confirmation. The command
    /// stops at the first step that fails. If a person must choose between several fixes, the
    /// command runs none of the fixes. Requires a cluster.
    #[arg(long, requires = "name", conflicts_with_all = ["watch", "output"])]
    apply: bool,

    /// Run all steps of --apply without confirmation.
    #[arg(short, long, requires = "apply")]
    yes: bool,

    #[command(flatten)]
    facts: DiagnosisArgs,
}

/// The diagnoses of a command.
#[derive(Debug, Serialize)]
struct Diagnoses {
    diagnoses: Vec<OperatorDiagnosis>,
    /// The Operators that the named Operator waits for. They are rows of the table.
    #[serde(skip)]
    awaited: Vec<OperatorDiagnosis>,
    /// True if the user named an object. This object is shown even if it is healthy.
    #[serde(skip)]
    is_named: bool,
    /// True if some objects could not be read, so their diagnoses may be missing.
    #[serde(skip)]
    is_in_doubt: bool,
    /// The namespace as the end of a sentence, such as " in namespace harbor". Empty for all
    /// namespaces.
    #[serde(skip)]
    place: String,
}

// === impl DiagnoseArgs ===

impl DiagnoseArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let name = self.name.map(supported).transpose()?;
        let applied_to = self.apply.then(|| self.facts.cluster()).transpose()?;
        let kind = name.as_ref().map_or(DiagnosedKind::Unspecified, asked_kind);
        let namespace = if is_cluster_scoped(kind) {
            String::new()
        } else {
            named::namespace(name.as_ref(), &self.whose.namespace)?
        };
        let place = words::within(&namespace);
        let diagnosis = self.facts.diagnosis(&namespace, kind).await?;
        let mut diagnosis = diagnosis.with_positional(&["name"]);
        let is_in_doubt = diagnosis.is_in_doubt();
        let is_about_all = name.is_none() && !self.watched.watch;
        let request = DiagnoseRequest {
            namespace,
            name: name.as_ref().map(|it| it.name.clone()).unwrap_or_default(),
            kind: kind.into(),
        };
        let hint = name
            .as_ref()
            .and_then(|it| it.unknown_kind(&Kind::DIAGNOSED));
        let hinted = |failure: Failure| failure.with_hint(hint.as_deref());
        let mut ask = async || {
            let answer = ask(&mut diagnosis, request.clone()).await;
            let (mut diagnoses, is_cut) = answer.map_err(hinted)?;
            if let Some(name) = &name {
                retain(&mut diagnoses, name, &place).map_err(hinted)?;
            }
            let awaited = awaited::ask(&mut diagnosis, &request, &diagnoses).await;
            Ok::<_, Failure>(Diagnoses {
                diagnoses,
                awaited,
                is_named: name.is_some(),
                is_in_doubt: is_in_doubt || is_cut,
                place: place.clone(),
            })
        };
        if let Some(access) = applied_to {
            return apply::apply(&ask().await?.diagnoses, access, self.yes).await;
        }
        if is_about_all && !request.namespace.is_empty() {
            let mut answer = ask().await?;
            if answer.diagnoses.is_empty()
                && let Some(near) = nearest_namespace(&self.facts, &request.namespace).await
            {
                answer.place = format!("{place} (did you mean {near}?)");
            }
            return self.output.show(&answer);
        }
        self.watched.show(self.output, ask).await
    }
}

/// Returns the namespace with operators whose name is most similar to `namespace`. Returns None if
/// the operators cannot be listed.
async fn nearest_namespace(facts: &DiagnosisArgs, namespace: &str) -> Option<String> {
    let diagnosis = facts.diagnosis("", DiagnosedKind::Unspecified).await;
    let mut diagnosis = diagnosis.ok()?;
    let (all, _) = ask(&mut diagnosis, DiagnoseRequest::default()).await.ok()?;
    let subjects = all.iter().filter_map(|it| it.subject.as_ref());
    nearest(namespace, subjects.map(|it| &it.namespace)).cloned()
}

/// Returns the name, or an error if the command cannot diagnose objects of its kind.
fn supported(name: Named) -> Result<Named, Failure> {
    match name.kind {
        Some(Kind::InstallPlan) => Err(not_of_olm(&name.name)),
        Some(_) | None => name.among(&Kind::DIAGNOSED),
    }
}

/// Returns the kind that the request to the diagnosis service specifies.
fn asked_kind(name: &Named) -> DiagnosedKind {
    match name.kind {
        // `supported` has already rejected other kinds.
        None | Some(Kind::Catalog | Kind::InstallPlan) => DiagnosedKind::Unspecified,
        Some(Kind::Subscription) => DiagnosedKind::Subscription,
        Some(Kind::Csv) => DiagnosedKind::ClusterServiceVersion,
        Some(Kind::Package) => DiagnosedKind::Package,
        Some(Kind::Operator) => DiagnosedKind::Operator,
        Some(Kind::Plan) => DiagnosedKind::InstallPlan,
        Some(Kind::Install) => DiagnosedKind::Install,
        Some(Kind::Policy) => DiagnosedKind::OperatorPolicy,
        Some(Kind::UpgradePolicy) => DiagnosedKind::Policy,
        Some(Kind::PolicyBinding) => DiagnosedKind::PolicyBinding,
        Some(Kind::Extension) => DiagnosedKind::ClusterExtension,
        Some(Kind::ClusterCatalog) => DiagnosedKind::ClusterCatalog,
        Some(Kind::ComponentOperator) => DiagnosedKind::ComponentOperator,
        Some(Kind::Component) => DiagnosedKind::Component,
    }
}

/// Returns true if the kind is cluster-scoped. Like kubectl, the command ignores `-n` for these
/// kinds.
fn is_cluster_scoped(kind: DiagnosedKind) -> bool {
    match kind {
        DiagnosedKind::Operator
        | DiagnosedKind::Install
        | DiagnosedKind::Policy
        | DiagnosedKind::PolicyBinding
        | DiagnosedKind::ComponentOperator
        | DiagnosedKind::ClusterExtension
        | DiagnosedKind::ClusterCatalog
        | DiagnosedKind::Component => true,
        DiagnosedKind::Unspecified
        | DiagnosedKind::Subscription
        | DiagnosedKind::ClusterServiceVersion
        | DiagnosedKind::Package
        | DiagnosedKind::InstallPlan
        | DiagnosedKind::OperatorPolicy => false,
    }
}

/// Returns the error for an InstallPlan of OLM. The diagnosis of its operator already covers the
/// InstallPlan.
fn not_of_olm(plan: &str) -> Failure {
    Failure::usage(format!(
        "installplan/{plan} is an InstallPlan of OLM; diagnose its operator with sub/NAME, csv/NAME or package/NAME, or use plan/{plan} for an InstallPlan of {GROUP}"
    ))
}

// === impl Diagnoses ===

impl Diagnoses {
    fn shows_well(&self, detail: Detail) -> bool {
        self.is_named || detail == Detail::Whole
    }

    fn rows(&self, shows_well: bool) -> Vec<DiagnosisRow<'_>> {
        let is_shown = |each: &&OperatorDiagnosis| shows_well || each.state() != State::Well;
        let shown: Vec<_> = self.diagnoses.iter().filter(is_shown).collect();
        row::in_order(&shown)
    }

    /// Returns the remark about healthy operators that the output omits at this level of detail.
    fn left_out(&self, detail: Detail) -> Option<Remark> {
        let is_well = |each: &&OperatorDiagnosis| each.state() == State::Well;
        let well = self.diagnoses.iter().filter(is_well).count();
        let left_out = if self.shows_well(detail) { 0 } else { well };
        remark_on(&self.diagnoses, left_out, &self.place, self.is_in_doubt)
    }
}

impl Render for Diagnoses {
    fn page(&self, detail: Detail) -> Page {
        let awaited = self.awaited.iter().map(DiagnosisRow::of);
        let awaited: Vec<_> = awaited.collect();
        table::render(&self.rows(self.shows_well(detail)), &awaited, detail)
    }

    fn names(&self) -> Option<Vec<String>> {
        let rows = self.rows(false).into_iter();
        let subjects = rows.filter_map(|row| row.diagnosis.subject.as_ref());
        let subjects = subjects.filter(|subject| !subject.name.is_empty());
        Some(subjects.map(names::object).collect())
    }

    fn text(&self, _: Format) -> Result<String, Failure> {
        Ok(markdown::render(&self.rows(self.is_named)))
    }

    fn remark(&self, format: Format) -> Option<Remark> {
        let detail = Some(Detail::Usual).filter(|_| format == Format::Table);
        self.left_out(detail?)
    }

    fn watched_page(&self, detail: Detail) -> Page {
        let mut page = self.page(detail);
        if let Some(remark) = self.left_out(detail) {
            page.part();
            page.text_line(remark.sentence());
        }
        page
    }

    fn exit(&self) -> Exit {
        let exit = Exit::no_if(self.diagnoses.iter().any(parts::is_wrong));
        let is_unseen = self.diagnoses.iter().any(parts::is_unseen);
        exit.unless_in_doubt(self.is_in_doubt || is_unseen)
    }
}

/// Keeps only the diagnoses of objects with this name. Returns an error if no diagnosis is left.
fn retain(
    diagnoses: &mut Vec<OperatorDiagnosis>,
    named: &Named,
    place: &str,
) -> Result<(), Failure> {
    diagnoses.retain(|each| is_meant(each, named));
    if !diagnoses.is_empty() {
        return Ok(());
    }
    let name = &named.name;
    Err(Failure::usage(format!(
        "no operator {name} found{place}; run `portolan diagnose -o wide` to list all operators"
    )))
}

/// Returns true if the diagnosis is about the named object. Servers of older versions ignore the
/// kind in the request, so the command filters the diagnoses again.
fn is_meant(diagnosis: &OperatorDiagnosis, Named { kind, name, .. }: &Named) -> bool {
    let subject = diagnosis.subject.as_ref();
    let is_of = |kind: &str| subject.is_some_and(|it| it.kind == kind && it.name == *name);
    match kind {
        None => true,
        Some(Kind::Subscription) => is_of("Subscription"),
        Some(Kind::Csv) => diagnosis.csv == *name,
        Some(Kind::Package) => diagnosis.package == *name,
        Some(Kind::Operator) => is_of(qualified::OPERATOR),
        Some(Kind::Plan) => is_of(qualified::INSTALL_PLAN),
        Some(Kind::Install) => is_of(qualified::INSTALL),
        Some(Kind::Policy) => is_of("OperatorPolicy"),
        Some(Kind::UpgradePolicy) => is_of(qualified::POLICY),
        Some(Kind::PolicyBinding) => is_of(qualified::POLICY_BINDING),
        Some(Kind::Extension) => is_of("ClusterExtension"),
        Some(Kind::ClusterCatalog) => is_of("ClusterCatalog"),
        Some(Kind::ComponentOperator) => is_of(parts::COMPONENT_OPERATOR),
        Some(Kind::Component) => parts::COMPONENTS.iter().any(|kind| is_of(kind)),
        Some(Kind::Catalog | Kind::InstallPlan) => false,
    }
}

/// Returns the diagnoses. Also returns true if diagnoses are missing because the server failed.
async fn ask(
    diagnosis: &mut DiagnosisConnection,
    request: DiagnoseRequest,
) -> Result<(Vec<OperatorDiagnosis>, bool), Failure> {
    let mut answers = diagnosis.query(request).await?;
    let mut all = Vec::new();
    loop {
        let answer = crate::progress::show_while("diagnosing", answers.message()).await;
        match answer {
            Ok(Some(answer)) => all.extend(answer.diagnosis),
            Ok(None) => return Ok((all, false)),
            // The diagnoses before the failure are still valid, unless none of their objects could
            // be read.
            Err(status) if !all.iter().all(parts::is_unseen) => {
                let failure = diagnosis.failure(&status);
                print::warn(&format!(
                    "some operators are not diagnosed: {}",
                    failure.message()
                ));
                return Ok((all, true));
            }
            Err(status) => return Err(diagnosis.failure(&status)),
        }
    }
}

/// Returns the remark about the objects that the output omits.
fn remark_on(
    all: &[OperatorDiagnosis],
    well: usize,
    place: &str,
    is_in_doubt: bool,
) -> Option<Remark> {
    let is_none_shown = well == all.len();
    let roots = all.iter().filter_map(|each| each.cause.as_ref());
    let blamed: Vec<_> = roots.flat_map(parts::blamed).collect();
    let is_blamed = |each: &OperatorDiagnosis| {
        let mut subject = each.subject.iter();
        subject.any(|subject| blamed.contains(&subject))
    };
    let well_ones = all
        .iter()
        .filter(|each| each.state() == State::Well && !is_blamed(each));
    let well = well.min(well_ones.clone().count());
    let operators = parts::counted(well_ones.clone(), "");
    let unread = is_in_doubt.then(|| "some documents cannot be read".to_owned());
    Some(match (all.len(), well, doubt(all).or(unread)) {
        (0, ..) => Remark::Note(format!("No operators found{place}.")),
        (_, 0, _) => return None,
        (_, _, Some(doubt)) if is_none_shown => {
            Remark::Warning(format!("no problems found in {operators}, but {doubt}"))
        }
        (.., None) if is_none_shown => Remark::Note(format!(
            "No problems found: {operators} {} healthy.",
            are(well)
        )),
        (.., Some(doubt)) => Remark::Note(format!(
            "No problems found in {}, but {doubt}",
            parts::counted(well_ones, "other ")
        )),
        (.., None) => Remark::Note(format!(
            "{operators} {} healthy (use -o wide to show all).",
            are(well)
        )),
    })
}

/// Returns a sentence with the first unknown fact about an operator that appears healthy. Returns
/// None if there are no unknown facts.
fn doubt(all: &[OperatorDiagnosis]) -> Option<String> {
    let mut well = all.iter().filter(|each| each.state() == State::Well);
    let first = well.find_map(|each| each.unknowns.first())?;
    let first = first.trim_end_matches('.');
    Some(format!(
        "some states are unknown: {first} (-o wide shows all)"
    ))
}

fn are(number: usize) -> &'static str {
    if number == 1 { "is" } else { "are" }
}
