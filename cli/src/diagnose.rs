//! `portolan diagnose`: the cause, the object at fault, and the fix.

mod markdown;
mod parts;
mod row;
mod table;

use clap::{Parser, ValueEnum};
use portolan_api::operator::{OPERATOR, Operator};
use portolan_api::plan::{GROUP, InstallPlan};
use portolan_proto::diagnosis::v1::operator_diagnosis::State;
use portolan_proto::diagnosis::v1::{DiagnoseRequest, OperatorDiagnosis};
use portolan_world::{AnyWorld, Area};
use serde::Serialize;

use self::row::DiagnosisRow;
use crate::exit::{self, Exit};
use crate::facts::{DiagnosisArgs, DiagnosisConnection, seen};
use crate::failure::Failure;
use crate::named::{self, Kind, Named};
use crate::plan::facts::plans_beside;
use crate::print::names::{self, Names};
use crate::print::words::{self, count};
use crate::print::{self, Detail};
use crate::scope::{NamespaceArgs, WatchArgs};

/// Diagnose operators: the cause, the object at fault, and the fix.
///
/// Operators of OLM and, of a whole cluster, those of operators.operatorframework.io; and
/// InstallPlans of plans.portolan.dev that none of these has made. Each unhealthy operator has one
/// root cause, with the object at fault, the fix, and what depends on it. Healthy operators are
/// left out unless -o wide or NAME selects them.
///
/// Broken: installed, and does not work. Stuck: OLM will not install it, even if an older version
/// runs. Waiting: a person must approve or release something. Working: in progress, and completes
/// without help.
///
/// With -o json it is one object with the list `diagnoses`.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  no operator is seen to be stuck or broken; what is not known is told; with --watch, it was \
         told to stop",
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
    /// The package, Subscription or ClusterServiceVersion that is meant, with or without its
    /// namespace; or KIND/NAME with package, sub or csv, with plan for an InstallPlan of
    /// plans.portolan.dev, or with operator for an Operator of operators.operatorframework.io. All
    /// operators if none is given.
    #[arg(value_name = "[NAMESPACE/]NAME|KIND/NAME")]
    name: Option<Named>,

    #[command(flatten)]
    whose: NamespaceArgs,

    #[command(flatten)]
    watched: WatchArgs,

    /// Form of the answer.
    #[arg(short, long, value_name = "FORM", default_value = "table")]
    output: Output,

    #[command(flatten)]
    facts: DiagnosisArgs,
}

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Output {
    /// A row for each trouble, and a block that says what to do.
    Table,
    /// The same with nothing left out.
    Wide,
    /// The diagnoses as JSON, for programs.
    Json,
    /// The same as YAML.
    Yaml,
    /// The names of what is not well alone.
    Name,
    /// For a ticket, or a page.
    Markdown,
}

/// All that is said.
#[derive(Debug, Serialize)]
struct Diagnoses {
    diagnoses: Vec<OperatorDiagnosis>,
    /// True if the server failed before it had diagnosed all operators.
    #[serde(skip)]
    is_cut: bool,
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
        let plans = self.facts.plans()?.look(&self.whose.namespace).await?;
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
        Err(Failure::taught(format!(
            "--watch is about operators of OLM; leave it out to ask about {what}"
        )))
    }

    /// Prints what is said of one object.
    fn print(&self, diagnosis: OperatorDiagnosis) -> Result<Exit, Failure> {
        let answer = Diagnoses {
            diagnoses: vec![diagnosis],
            is_cut: false,
        };
        self.output.print(&answer, true)?;
        Ok(exit(&answer.diagnoses, false))
    }

    async fn of_operators(self) -> Result<Exit, Failure> {
        let (namespace, output) = (self.whose.namespace, self.output);
        let name = self.name.map(|named| named.among(&Kind::OF_OPERATORS));
        let name = name.transpose()?;
        let namespace = named::namespace(name.as_ref(), &namespace)?;
        let shows_well = name.is_some() || output == Output::Wide;
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
            let (mut diagnoses, is_cut) = asked(&mut diagnosis, request).await?;
            diagnoses.extend(ours.iter().cloned());
            Diagnoses::about(name.as_ref(), diagnoses, &place)
                .map(|answer| Diagnoses { is_cut, ..answer })
        };
        if self.watched.watch {
            let detail = output.watched()?;
            let render = |answer: &Diagnoses, detail| {
                let mut page = table::render(&answer.shown(shows_well), detail);
                let left_out = answer.left_out(shows_well);
                if let Some(besides) = besides(&answer.diagnoses, left_out, &place, is_in_doubt) {
                    page.part();
                    page.say(besides.sentence());
                }
                page
            };
            print::again_as(detail, ask, render).await?;
            return Ok(Exit::Answered);
        }
        let answer = ask().await?;
        output.print(&answer, shows_well)?;
        if output == Output::Table {
            let left_out = answer.left_out(shows_well);
            match besides(&answer.diagnoses, left_out, &place, is_in_doubt) {
                Some(Remark::Note(note)) => print::note(&note),
                Some(Remark::Warning(warning)) => print::warn(&warning),
                None => {}
            }
        }
        Ok(exit(&answer.diagnoses, is_in_doubt || answer.is_cut))
    }
}

/// The diagnoses of objects that no service covers, and whether some of these could not be looked
/// at.
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

/// The diagnoses of InstallPlans of plans.portolan.dev; None if they cannot be seen. Those that an
/// Operator has created are covered by the diagnosis of the Operator.
async fn of_our_plans(world: &AnyWorld, namespace: &str) -> Option<Vec<OperatorDiagnosis>> {
    let plans = told(seen::<InstallPlan>(world, &Area::namespace(namespace)).await)?;
    let plans = plans.objects.values();
    let plans = plans.filter(|plan| OPERATOR.of(&plan.metadata).is_none());
    Some(
        plans
            .map(|plan| portolan_diagnosis::of_plan(plan))
            .collect(),
    )
}

/// The objects that were seen; None for a failure, which is printed as a warning.
fn told<T>(seen: Result<T, Failure>) -> Option<T> {
    seen.inspect_err(|failure| print::warn(failure.message()))
        .ok()
}

/// One of OLM is no operator, and is told of with its own.
fn not_of_olm(plan: &str) -> Failure {
    Failure::taught(format!(
        "installplan/{plan} would be one of OLM, of which its operator tells: say sub/NAME or csv/NAME or \
         package/NAME; one of {GROUP} is plan/{plan}"
    ))
}

/// The diagnoses of the Operators of operators.operatorframework.io; None if they cannot be seen.
async fn of_our_operators(world: &AnyWorld) -> Option<Vec<OperatorDiagnosis>> {
    let operators = told(seen::<Operator>(world, &Area::everywhere()).await)?.objects;
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

fn exit(diagnoses: &[OperatorDiagnosis], is_in_doubt: bool) -> Exit {
    let is_wrong = |each: &OperatorDiagnosis| parts::is_wrong(each.state());
    let exit = Exit::no_if(diagnoses.iter().any(is_wrong));
    let is_unseen = diagnoses.iter().any(parts::is_unseen);
    exit.unless_in_doubt(is_in_doubt || is_unseen)
}

// === impl Output ===

impl Output {
    fn print(self, answer: &Diagnoses, shows_well: bool) -> Result<(), Failure> {
        let table = |detail| print::table(table::render(&answer.shown(shows_well), detail), &[]);
        match self {
            Self::Table => table(Detail::Usual),
            Self::Wide => table(Detail::Whole),
            Self::Json => print::json(answer),
            Self::Yaml => print::yaml(answer),
            Self::Name => print::names(answer),
            Self::Markdown => print::text(&markdown::render(&answer.shown(shows_well))),
        }
    }

    /// The detail that a watching user sees; None if the output is for a program.
    fn watched(self) -> Result<Option<Detail>, Failure> {
        match self {
            Self::Table => Ok(Some(Detail::Usual)),
            Self::Wide => Ok(Some(Detail::Whole)),
            Self::Json => Ok(None),
            Self::Yaml | Self::Name | Self::Markdown => Err(Failure::taught(
                "--watch prints one answer after the other: a table or, with -o json, a line for each",
            )),
        }
    }
}

// === impl Diagnoses ===

impl Diagnoses {
    /// About whatever is called so; refused if nothing is.
    fn about(
        name: Option<&Named>,
        mut diagnoses: Vec<OperatorDiagnosis>,
        place: &str,
    ) -> Result<Self, Failure> {
        if let Some(named) = name {
            diagnoses.retain(|each| is_meant(each, named));
            if diagnoses.is_empty() {
                return Err(Failure::taught(format!(
                    "no operator is called {}{place}; `portolan diagnose -o wide` lists all",
                    named.name
                )));
            }
        }
        Ok(Self {
            diagnoses,
            is_cut: false,
        })
    }

    fn shown(&self, shows_well: bool) -> Vec<DiagnosisRow<'_>> {
        let is_shown = |each: &&OperatorDiagnosis| shows_well || each.state() != State::Well;
        let shown: Vec<_> = self.diagnoses.iter().filter(is_shown).collect();
        row::in_order(&shown)
    }

    /// The number of diagnoses that are not shown, as their operators are well.
    fn left_out(&self, shows_well: bool) -> usize {
        let well = self
            .diagnoses
            .iter()
            .filter(|each| each.state() == State::Well);
        if shows_well { 0 } else { well.count() }
    }
}

impl Names for Diagnoses {
    fn names(&self) -> Option<Vec<String>> {
        let subjects = self
            .shown(false)
            .into_iter()
            .filter_map(|each| each.diagnosis.subject.as_ref());
        Some(subjects.map(names::object).collect())
    }
}

/// Whether it is called so as an object of the kind that is said; the service knows of no kinds.
fn is_meant(diagnosis: &OperatorDiagnosis, Named { kind, name, .. }: &Named) -> bool {
    let subject = diagnosis.subject.as_ref();
    match kind {
        None => true,
        Some(Kind::Subscription) => {
            subject.is_some_and(|it| it.kind == "Subscription" && it.name == *name)
        }
        Some(Kind::Csv) => diagnosis.csv == *name,
        Some(Kind::Package) => diagnosis.package == *name,
        Some(Kind::Catalog | Kind::InstallPlan | Kind::Policy | Kind::Plan | Kind::Operator) => {
            false
        }
    }
}

/// Returns the diagnoses, and true if some of them are missing because the server failed.
async fn asked(
    diagnosis: &mut DiagnosisConnection,
    request: DiagnoseRequest,
) -> Result<(Vec<OperatorDiagnosis>, bool), Failure> {
    let mut answers = diagnosis.query(request).await?;
    let mut all = Vec::new();
    loop {
        let answer = crate::progress::shown("diagnosing", answers.message()).await;
        match answer {
            Ok(Some(answer)) => all.extend(answer.diagnosis),
            Ok(None) => return Ok((all, false)),
            // What was diagnosed before the failure is an answer about those operators.
            Err(status) if !all.is_empty() => {
                let failure = diagnosis.failure(&status);
                print::warn(&format!(
                    "not all operators are diagnosed: {}",
                    failure.message()
                ));
                return Ok((all, true));
            }
            Err(status) => return Err(diagnosis.failure(&status)),
        }
    }
}

/// A remark that is printed beside an answer.
enum Remark {
    Note(String),
    Warning(String),
}

// === impl Remark ===

impl Remark {
    fn sentence(&self) -> &str {
        match self {
            Self::Note(sentence) | Self::Warning(sentence) => sentence,
        }
    }
}

/// The remark about what an answer does not show.
fn besides(
    all: &[OperatorDiagnosis],
    well: usize,
    place: &str,
    is_in_doubt: bool,
) -> Option<Remark> {
    let is_none_shown = well == all.len();
    let well_ones = all.iter().filter(|each| each.state() == State::Well);
    let operators = counted(well_ones.clone(), "");
    let unread = is_in_doubt.then(|| "not all documents can be read".to_owned());
    Some(match (all.len(), well, doubt(all).or(unread)) {
        (0, ..) => Remark::Note(format!("No operators found{place}.")),
        (_, 0, _) => return None,
        (_, _, Some(doubt)) if is_none_shown => {
            Remark::Warning(format!("no trouble is seen in {operators}, but {doubt}"))
        }
        (.., None) if is_none_shown => {
            Remark::Note(format!("Nothing is wrong: {operators} {} well.", are(well)))
        }
        (.., Some(doubt)) => Remark::Note(format!(
            "In {} no trouble is seen, but {doubt}",
            counted(well_ones, "other ")
        )),
        (.., None) => Remark::Note(format!(
            "{operators} {} well (-o wide shows all).",
            are(well)
        )),
    })
}

/// The first unknown of the operators that seem well, if there is one.
fn doubt(all: &[OperatorDiagnosis]) -> Option<String> {
    let mut well = all.iter().filter(|each| each.state() == State::Well);
    let first = well.find_map(|each| each.unknowns.first())?;
    let first = first.trim_end_matches('.');
    Some(format!("not all is known: {first} (-o wide shows all)"))
}

/// Operators, and plans where there are such.
fn counted<'d>(all: impl Iterator<Item = &'d OperatorDiagnosis>, which: &str) -> String {
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
