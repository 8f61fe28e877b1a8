//! `portolan diagnose`: the cause, the object at fault, and the fix.

mod markdown;
mod parts;
mod row;
mod table;

use clap::Parser;
use portolan_api::operator::{OPERATOR, Operator};
use portolan_api::plan::{GROUP, InstallPlan};
use portolan_core_names::nearest;
use portolan_proto::diagnosis::v1::operator_diagnosis::State;
use portolan_proto::diagnosis::v1::{DiagnoseRequest, OperatorDiagnosis};
use portolan_world::{AnyWorld, Area};
use serde::Serialize;

use self::row::DiagnosisRow;
use crate::exit::{self, Exit};
use crate::facts::{DiagnosisArgs, DiagnosisConnection, read_view};
use crate::failure::Failure;
use crate::named::{self, Kind, Named};
use crate::plan::facts::plans_beside;
use crate::print::names;
use crate::print::words::{self, count};
use crate::print::{self, Detail, Format, Page, Remark, Render};
use crate::scope::{NamespaceArgs, WatchArgs};

/// The formats of diagnoses.
const FORMATS: [(Format, &str); 6] = [
    (
        Format::Table,
        "One row for each problem, and details with the fix",
    ),
    (Format::Wide, "The same, without truncation"),
    (Format::Json, "The diagnoses as JSON, for programs"),
    (Format::Yaml, "The same as YAML"),
    (Format::Name, "Only the names of unhealthy objects"),
    (Format::Markdown, "Markdown, for tickets and web pages"),
];

/// Diagnose operators: the cause, the object at fault, and the fix.
///
/// Covers operators of OLM, and InstallPlans of plans.portolan.dev that were not created for an
/// Operator. Without a namespace it also covers Operators of operators.operatorframework.io. Each
/// unhealthy operator has one root cause, with the object at fault, the fix, and what depends on
/// it. Healthy operators are listed only with -o wide or NAME.
///
/// Broken: installed, but failing. Stuck: OLM cannot install it, even if an older version runs.
/// Waiting: a person must approve or release something. Working: in progress, and completes without
/// help.
///
/// -o json prints one object with the list `diagnoses`.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  no operator is known to be stuck or broken; unknown states are reported; with --watch: stopped by a signal",
        "1  an operator is stuck or broken";
        "portolan diagnose",
        "portolan diagnose harbor/ferry",
        "portolan diagnose plan/ferry-2 -n harbor",
        "portolan diagnose operator/ferry",
        "portolan diagnose -o markdown > report.md",
        "portolan diagnose --world dump --catalog olm/ships=./ships"
    )
)]
pub(crate) struct DiagnoseArgs {
    /// Package, Subscription or ClusterServiceVersion to diagnose, with or without its namespace.
    /// With KIND/NAME, the kind is package, sub, csv, plan (an InstallPlan of plans.portolan.dev)
    /// or operator (an Operator of operators.operatorframework.io). Default: all operators.
    #[arg(value_name = "[NAMESPACE/]NAME|KIND/NAME")]
    name: Option<Named>,

    #[command(flatten)]
    whose: NamespaceArgs,

    #[command(flatten)]
    watched: WatchArgs,

    /// Output format.
    #[arg(short, long, value_name = "FORM", default_value = "table", value_parser = Format::among(FORMATS))]
    output: Format,

    #[command(flatten)]
    facts: DiagnosisArgs,
}

/// The diagnoses of a command.
#[derive(Debug, Serialize)]
struct Diagnoses {
    diagnoses: Vec<OperatorDiagnosis>,
    /// True if the command names what it is about: then it is shown even if it is well.
    #[serde(skip)]
    is_named: bool,
    /// True if something may be missing.
    #[serde(skip)]
    is_in_doubt: bool,
    /// The namespace, as a sentence ends with it. None if no remark is printed.
    #[serde(skip)]
    place: Option<String>,
}

// === impl DiagnoseArgs ===

impl DiagnoseArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        match &self.name {
            Some(named) if named.kind == Some(Kind::Plan) => self.of_plan(&named.name).await,
            Some(named) if named.kind == Some(Kind::Operator) => {
                self.of_operator(&named.name).await
            }
            Some(named) if named.kind == Some(Kind::InstallPlan) => Err(not_of_olm(&named.name)),
            Some(_) | None => self.of_operators().await,
        }
    }

    async fn of_plan(&self, name: &str) -> Result<Exit, Failure> {
        self.is_not_watched("a plan")?;
        let plans = self.facts.plans()?.read(&self.whose.namespace).await?;
        self.print(portolan_diagnosis::of_plan(plans.named(name)?))
    }

    async fn of_operator(&self, name: &str) -> Result<Exit, Failure> {
        self.is_not_watched("an Operator")?;
        let (operator, plans) = self.facts.plans()?.operator(name).await?;
        let plans: Vec<_> = plans.iter().map(|plan| &**plan).collect();
        self.print(portolan_diagnosis::of_operator(&operator, &plans))
    }

    fn is_not_watched(&self, what: &str) -> Result<(), Failure> {
        if !self.watched.watch {
            return Ok(());
        }
        Err(Failure::usage(format!(
            "--watch supports only operators of OLM; omit it for {what}"
        )))
    }

    /// Prints the diagnosis of one object.
    fn print(&self, diagnosis: OperatorDiagnosis) -> Result<Exit, Failure> {
        self.output.show(&Diagnoses {
            diagnoses: vec![diagnosis],
            is_named: true,
            is_in_doubt: false,
            place: None,
        })
    }

    async fn of_operators(self) -> Result<Exit, Failure> {
        let namespace = self.whose.namespace;
        let name = self.name.map(|named| named.among(&Kind::OF_OPERATORS));
        let name = name.transpose()?;
        let namespace = named::namespace(name.as_ref(), &namespace)?;
        let place = words::within(&namespace);
        let (diagnosis, world) = self.facts.diagnosis(&namespace).await?;
        let mut diagnosis = diagnosis.with_positional(&["name"]);
        let is_about_all = name.is_none() && !self.watched.watch;
        let (ours, is_unseen) = match world.filter(|_| is_about_all) {
            Some(world) => of_ours(&world, &namespace).await,
            None => (Vec::new(), false),
        };
        let is_in_doubt = diagnosis.is_in_doubt() || is_unseen;
        let mut ask = async || {
            let request = DiagnoseRequest {
                namespace: namespace.clone(),
                name: name.as_ref().map(|it| it.name.clone()).unwrap_or_default(),
            };
            let (mut diagnoses, is_cut) = ask(&mut diagnosis, request).await?;
            diagnoses.extend(ours.iter().cloned());
            if let Some(name) = &name {
                retain(&mut diagnoses, name, &place)?;
            }
            Ok::<_, Failure>(Diagnoses {
                diagnoses,
                is_named: name.is_some(),
                is_in_doubt: is_in_doubt || is_cut,
                place: Some(place.clone()),
            })
        };
        if is_about_all && !namespace.is_empty() {
            let mut answer = ask().await?;
            if answer.diagnoses.is_empty()
                && let Some(near) = nearest_namespace(&self.facts, &namespace).await
            {
                answer.place = Some(format!("{place} (did you mean {near}?)"));
            }
            return self.output.show(&answer);
        }
        self.watched.show(self.output, ask).await
    }
}

/// Returns the namespace with operators whose name is nearest. Returns None if the namespaces cannot
/// be read.
async fn nearest_namespace(facts: &DiagnosisArgs, namespace: &str) -> Option<String> {
    let (mut diagnosis, _) = facts.diagnosis("").await.ok()?;
    let (all, _) = ask(&mut diagnosis, DiagnoseRequest::default()).await.ok()?;
    let subjects = all.iter().filter_map(|it| it.subject.as_ref());
    nearest(namespace, subjects.map(|it| &it.namespace)).cloned()
}

/// Returns the diagnoses of objects that no service covers, and true if some could not be read.
async fn of_ours(world: &AnyWorld, namespace: &str) -> (Vec<OperatorDiagnosis>, bool) {
    let operators = match namespace {
        "" => of_our_operators(world).await,
        // They lie in no namespace.
        _ => Some(Vec::new()),
    };
    let ours = [operators, of_our_plans(world, namespace).await];
    let is_unseen = ours.iter().any(Option::is_none);
    (ours.into_iter().flatten().flatten().collect(), is_unseen)
}

/// Returns the diagnoses of InstallPlans of plans.portolan.dev; None if they cannot be seen. Those
/// that an Operator has created are covered by the diagnosis of the Operator.
async fn of_our_plans(world: &AnyWorld, namespace: &str) -> Option<Vec<OperatorDiagnosis>> {
    let plans = ok_or_warn(read_view::<InstallPlan>(world, &Area::namespace(namespace)).await)?;
    let plans = plans.objects.values();
    let plans = plans.filter(|plan| OPERATOR.of(&plan.metadata).is_none());
    Some(
        plans
            .map(|plan| portolan_diagnosis::of_plan(plan))
            .collect(),
    )
}

/// Returns the objects that were seen; None for a failure, which is printed as a warning.
fn ok_or_warn<T>(seen: Result<T, Failure>) -> Option<T> {
    seen.inspect_err(|failure| print::warn(failure.message()))
        .ok()
}

/// Returns the error for an InstallPlan of OLM: it is part of the diagnosis of its operator.
fn not_of_olm(plan: &str) -> Failure {
    Failure::usage(format!(
        "installplan/{plan} is an InstallPlan of OLM; use sub/NAME, csv/NAME or package/NAME of its operator; one of {GROUP} is plan/{plan}"
    ))
}

/// Returns the diagnoses of the Operators of operators.operatorframework.io; None if they cannot be
/// seen.
async fn of_our_operators(world: &AnyWorld) -> Option<Vec<OperatorDiagnosis>> {
    let operators = ok_or_warn(read_view::<Operator>(world, &Area::everywhere()).await)?.objects;
    if operators.is_empty() {
        return Some(Vec::new());
    }
    let plans = plans_beside(world).await;
    let plans: Vec<_> = plans.iter().map(|plan| &**plan).collect();
    let operators = operators.values();
    Some(
        operators
            .map(|operator| portolan_diagnosis::of_operator(operator, &plans))
            .collect(),
    )
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

    /// Returns the remark about what is not shown with this detail.
    fn left_out(&self, detail: Detail) -> Option<Remark> {
        let is_well = |each: &&OperatorDiagnosis| each.state() == State::Well;
        let well = self.diagnoses.iter().filter(is_well).count();
        let left_out = if self.shows_well(detail) { 0 } else { well };
        let place = self.place.as_ref()?;
        remark_on(&self.diagnoses, left_out, place, self.is_in_doubt)
    }
}

impl Render for Diagnoses {
    fn page(&self, detail: Detail) -> Page {
        table::render(&self.rows(self.shows_well(detail)), detail)
    }

    fn names(&self) -> Option<Vec<String>> {
        let rows = self.rows(false).into_iter();
        let subjects = rows.filter_map(|row| row.diagnosis.subject.as_ref());
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
        let is_wrong = |each: &OperatorDiagnosis| parts::is_wrong(each.state());
        let exit = Exit::no_if(self.diagnoses.iter().any(is_wrong));
        let is_unseen = self.diagnoses.iter().any(parts::is_unseen);
        exit.unless_in_doubt(self.is_in_doubt || is_unseen)
    }
}

/// Retains the diagnoses of what has this name. Fails if nothing has it.
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
        "no operator is called {name}{place}; `portolan diagnose -o wide` lists all"
    )))
}

/// Returns true if the diagnosis is about an object of this kind and name. The service does not
/// know kinds.
fn is_meant(diagnosis: &OperatorDiagnosis, Named { kind, name, .. }: &Named) -> bool {
    let subject = diagnosis.subject.as_ref();
    match kind {
        None => true,
        Some(Kind::Subscription) => {
            subject.is_some_and(|it| it.kind == "Subscription" && it.name == *name)
        }
        Some(Kind::Csv) => diagnosis.csv == *name,
        Some(Kind::Package) => diagnosis.package == *name,
        Some(
            Kind::Catalog
            | Kind::InstallPlan
            | Kind::Policy
            | Kind::Plan
            | Kind::Operator
            | Kind::Install
            | Kind::Extension,
        ) => false,
    }
}

/// Returns the diagnoses, and true if some of them are missing because the server failed.
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
            // Diagnoses before the failure are still valid.
            Err(status) if !all.is_empty() => {
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

/// Returns the remark about what an answer does not show.
fn remark_on(
    all: &[OperatorDiagnosis],
    well: usize,
    place: &str,
    is_in_doubt: bool,
) -> Option<Remark> {
    let is_none_shown = well == all.len();
    let well_ones = all.iter().filter(|each| each.state() == State::Well);
    let operators = count_operators(well_ones.clone(), "");
    let unread = is_in_doubt.then(|| "some documents cannot be read".to_owned());
    Some(match (all.len(), well, doubt(all).or(unread)) {
        (0, ..) => Remark::Note(format!("No operators found{place}.")),
        (_, 0, _) => return None,
        (_, _, Some(doubt)) if is_none_shown => {
            Remark::Warning(format!("no problems found in {operators}, but {doubt}"))
        }
        (.., None) if is_none_shown => Remark::Note(format!(
            "No problems found: {operators} {} well.",
            are(well)
        )),
        (.., Some(doubt)) => Remark::Note(format!(
            "In {} no problems found, but {doubt}",
            count_operators(well_ones, "other ")
        )),
        (.., None) => Remark::Note(format!(
            "{operators} {} well (-o wide shows all).",
            are(well)
        )),
    })
}

/// Returns the first unknown of the operators that seem well, if there is one.
fn doubt(all: &[OperatorDiagnosis]) -> Option<String> {
    let mut well = all.iter().filter(|each| each.state() == State::Well);
    let first = well.find_map(|each| each.unknowns.first())?;
    let first = first.trim_end_matches('.');
    Some(format!(
        "some states are unknown: {first} (-o wide shows all)"
    ))
}

/// Operators, and plans where there are such.
fn count_operators<'d>(all: impl Iterator<Item = &'d OperatorDiagnosis>, which: &str) -> String {
    let (plans, operators): (Vec<_>, Vec<_>) = all.partition(|each| parts::is_plan(each));
    let operators = (
        operators.len(),
        count(operators.len(), &format!("{which}operator")),
    );
    let plans = (plans.len(), count(plans.len(), &format!("{which}plan")));
    match (operators, plans) {
        ((_, operators), (0, _)) => operators,
        ((0, _), (_, plans)) => plans,
        ((_, operators), (_, plans)) => format!("{operators} and {plans}"),
    }
}

fn are(number: usize) -> &'static str {
    if number == 1 { "is" } else { "are" }
}
