//! `portolan diagnose`: what is wrong with operators, who is to blame, and what to do.

mod markdown;
mod parts;
mod shown;
mod steps;
mod table;

use clap::{Parser, ValueEnum};
use portolan_proto::diagnosis::v1::operator_diagnosis::State;
use portolan_proto::diagnosis::v1::{DiagnoseRequest, OperatorDiagnosis};
use serde::Serialize;

use crate::exit::{self, Exit};
use crate::facts::{DiagnosisConnection, DiagnosisFacts};
use crate::failure::Failure;
use crate::named::{self, Kind, Named};
use crate::print::words::{self, count};
use crate::print::{self, Detail};
use crate::scope::Whose;

/// Say what is wrong with operators, who is to blame, and what to do about it.
///
/// Each operator that is not well has one root cause, with the guilty object, the change that heals
/// it, and what hangs below. Operators that are well are left out unless -o wide asks for them, or
/// NAME names one.
///
/// Broken is what is installed and does not work. Stuck is what OLM will not bring, whatever runs.
/// Waiting needs a person to let something go ahead. Working comes to an end by itself.
///
/// With -o json it is one object with the list `diagnoses`.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  no operator is seen to be stuck or broken; what is not known is told",
        "1  an operator is stuck or broken";
        "portolan diagnose",
        "portolan diagnose harbor/ferry",
        "portolan diagnose -o markdown > report.md",
        "portolan diagnose --world dump --catalog olm/ships=./ships"
    )
)]
pub(crate) struct Command {
    /// The package, Subscription or ClusterServiceVersion that is meant, with or without its
    /// namespace; or KIND/NAME with package, sub or csv. All if none is given.
    #[arg(value_name = "[NAMESPACE/]NAME|KIND/NAME")]
    name: Option<Named>,

    #[command(flatten)]
    whose: Whose,

    /// Form of the answer.
    #[arg(short, long, value_name = "FORM", default_value = "table")]
    output: Output,

    #[command(flatten)]
    facts: DiagnosisFacts,
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
    /// For a ticket, or a page.
    Markdown,
}

/// All that is said.
#[derive(Debug, Serialize)]
struct Answer {
    diagnoses: Vec<OperatorDiagnosis>,
}

// === impl Command ===

impl Command {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let (namespace, output) = (self.whose.namespace, self.output);
        let name = self.name.map(|named| named.among(&Kind::OF_OPERATORS));
        let name = name.transpose()?;
        let namespace = named::namespace(name.as_ref(), &namespace)?;
        let shows_well = name.is_some() || output == Output::Wide;
        let place = words::within(&namespace);
        let diagnosis = self.facts.diagnosis(&namespace).await?;
        let request = DiagnoseRequest {
            namespace,
            name: name.as_ref().map(|it| it.name.clone()).unwrap_or_default(),
        };
        let mut diagnoses = asked(diagnosis.with_positional(&["name"]), request).await?;
        if let Some(named) = &name {
            diagnoses.retain(|each| is_meant(each, named));
            if diagnoses.is_empty() {
                return Err(Failure::taught(format!(
                    "nothing of that kind is called {}{place}",
                    named.name
                )));
            }
        }
        let answer = Answer { diagnoses };
        let shown = |diagnosis: &&OperatorDiagnosis| shows_well || diagnosis.state() != State::Well;
        let shown: Vec<_> = answer.diagnoses.iter().filter(shown).collect();
        let left_out = answer.diagnoses.len() - shown.len();
        let shown = shown::in_order(shown);
        match output {
            Output::Json => print::json(&answer)?,
            Output::Markdown => print::text(&markdown::render(&shown))?,
            Output::Wide => print::table(table::render(&shown, Detail::Whole), &[])?,
            Output::Table => {
                print::table(table::render(&shown, Detail::Usual), &[])?;
                note(&answer.diagnoses, left_out, &place);
            }
        }
        let is_wrong = |each: &OperatorDiagnosis| parts::is_wrong(each.state());
        Ok(Exit::no_if(answer.diagnoses.iter().any(is_wrong)))
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
        Some(Kind::Catalog | Kind::InstallPlan) => false,
    }
}

async fn asked(
    mut diagnosis: DiagnosisConnection,
    request: DiagnoseRequest,
) -> Result<Vec<OperatorDiagnosis>, Failure> {
    let mut answers = diagnosis
        .ask(async |client| client.diagnose(request).await)
        .await?;
    let mut all = Vec::new();
    loop {
        let answer = crate::progress::shown("diagnosing", answers.message()).await;
        match answer.map_err(|status| diagnosis.failure(&status))? {
            Some(answer) => all.extend(answer.diagnosis),
            None => return Ok(all),
        }
    }
}

/// Tells beside the answer what it does not show.
fn note(all: &[OperatorDiagnosis], well: usize, place: &str) {
    let is_none_shown = well == all.len();
    match (all.len(), well, doubt(all)) {
        (0, ..) => print::note(&format!("No operators found{place}.")),
        (_, 0, _) => {}
        (_, _, Some(doubt)) if is_none_shown => print::warn(&format!(
            "no trouble is seen in {}, but {doubt}",
            count(well, "operator")
        )),
        (.., None) if is_none_shown => {
            print::note(&format!("Nothing is wrong: {} well.", are(well)));
        }
        (.., Some(doubt)) => print::note(&format!(
            "In {} no trouble is seen, but {doubt}",
            count(well, "other operator")
        )),
        (.., None) => print::note(&format!("{} well (-o wide shows all).", are(well))),
    }
}

/// What is not known of operators that seem well, if there is such: the first of it.
fn doubt(all: &[OperatorDiagnosis]) -> Option<String> {
    let mut well = all.iter().filter(|each| each.state() == State::Well);
    let first = well.find_map(|each| each.unknowns.first())?;
    let first = first.trim_end_matches('.');
    Some(format!("not all is known: {first} (-o wide shows all)"))
}

fn are(number: usize) -> String {
    let operators = count(number, "operator");
    match number {
        1 => format!("{operators} is"),
        _ => format!("{operators} are"),
    }
}
