//! Decides which Operators are updated automatically.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_names::text::listed;

use crate::updater::configuration::{Configuration, Entry, Mode, Name, Rule};
use crate::updater::operator::{Phase, SeenOperator};
use crate::updater::report::{OperatorReport, Reason};
use crate::{RequestedOperator, Target};

/// The facts on which a decision is based.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// The configuration. None if the ConfigMap does not exist. In this case, nothing is updated.
    /// An error contains all problems of the configuration.
    pub configuration: Result<Option<Configuration>, Vec<String>>,
    pub operators: Vec<SeenOperator>,
    pub catalogs: Catalogs,
    /// The known answers of the resolver.
    pub answers: BTreeMap<Question, Answer>,
}

/// The state of the catalogs, which decides if updates are possible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Catalogs {
    /// Every catalog can be read.
    Whole,
    /// Some catalogs cannot be read. Contains one sentence for each of them.
    Broken(Vec<String>),
    /// The state of the catalogs is unknown. Contains the reason.
    Unknown(String),
}

/// A question to the resolver: the requests that it must satisfy together, in the syntax of
/// `portolan generate`.
pub type Question = Vec<String>;

/// The resolver's answer to a [`Question`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The changes that satisfy the requests, with warnings. There may be no changes.
    Changes {
        changes: Vec<Change>,
        warnings: Vec<String>,
    },
    /// The requests cannot be satisfied. Contains one sentence for each reason.
    Refused(Vec<String>),
    /// The resolver gave no answer. Contains the reason.
    Unknown(String),
}

/// A version change of one Operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub name: String,
    pub version: String,
    /// The previous version. Empty if the Operator is new.
    pub previous: String,
    /// The versions between the previous version and the new version.
    pub between: Vec<String>,
}

/// The next step of the updater.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// The resolver must first answer these questions.
    Asks(BTreeSet<Question>),
    Done(Outcome),
}

/// The result of a decision: the versions to write, and the reports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The versions to write. The updater writes them in this order.
    pub moves: Vec<Move>,
    /// The report about each Operator that the configuration selects.
    pub said: BTreeMap<String, OperatorReport>,
    /// The names in the configuration that match no Operator.
    pub absent: Vec<String>,
}

/// A version that the updater writes to an Operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    pub name: String,
    pub version: String,
    /// The other field managers that own `spec.version` and lose it to the updater. Empty if no
    /// other field manager owns the field.
    pub takes_from: BTreeSet<String>,
}

/// An Operator that the configuration selects, with its rule.
struct Selected<'o> {
    operator: &'o SeenOperator,
    target: &'o Target,
    takes_over: bool,
}

/// The result for one selected Operator.
enum UpdateOutcome {
    Held(OperatorReport),
    /// The updater may write another version.
    Moves(Change),
}

/// Decides the updates of all Operators.
pub fn decide(observed: &Observation) -> Decision {
    match &observed.configuration {
        Ok(None) => Decision::Done(Outcome::default()),
        Ok(Some(configuration)) => by(configuration, observed),
        Err(refused) => Decision::Done(unread(refused, observed)),
    }
}

/// Reports an invalid configuration. The configuration does not show which Operators it selects, so
/// all Operators with an earlier report get the new report.
fn unread(refused: &[String], observed: &Observation) -> Outcome {
    let operators = observed.operators.iter();
    let told = operators.filter(|operator| operator.condition.is_some());
    let message = format!("nothing is updated: {}", refused.join("; "));
    let said = told.map(|operator| {
        let said = held(Reason::ConfigurationInvalid, &message);
        (operator.name.clone(), said)
    });
    Outcome {
        said: said.collect(),
        ..Outcome::default()
    }
}

fn by(configuration: &Configuration, observed: &Observation) -> Decision {
    let selected = selected(configuration, &observed.operators);
    let standings = match standings(configuration.mode, &selected, observed) {
        Ok(standings) => standings,
        Err(asks) => return Decision::Asks(asks),
    };
    let mut outcome = Outcome {
        absent: absent(configuration, &observed.operators),
        ..Outcome::default()
    };
    let is_serial = configuration.mode == Mode::Serial;
    // In mode Serial, all Operators wait while one Operator is being updated, even Operators that
    // come earlier in the list. An Operator that has failed does not wait, because the Operator
    // that is being updated may depend on it.
    let mut all = selected.iter().zip(&standings);
    let on_the_way = all.find(
        |(_, standing)| matches!(standing, UpdateOutcome::Held(said) if said.reason == Reason::Updating),
    );
    let on_the_way = on_the_way.map(|(one, _)| one.operator.name.as_str());
    let on_the_way = on_the_way.filter(|_| is_serial);
    // The first Operator in the list that must become ready before a later Operator is updated.
    let mut before: Option<&str> = None;
    for (one, standing) in selected.iter().zip(standings) {
        let name = &one.operator.name;
        let has_failed = matches!(one.operator.phase, Phase::Failed(_));
        let said = match standing {
            UpdateOutcome::Moves(change) => match before.or(on_the_way.filter(|_| !has_failed)) {
                _ if configuration.is_dry_run => planned(Reason::DryRun, &change, "in a dry run"),
                Some(first) => {
                    let after = format!("once {first} is ready");
                    planned(Reason::WaitsForTurn, &change, &after)
                }
                None => {
                    before = is_serial.then_some(name);
                    outcome.moves.push(one.to(&change.version));
                    planned(Reason::Updating, &change, &one.how())
                }
            },
            UpdateOutcome::Held(said) => {
                let is_in_the_way = matches!(
                    said.reason,
                    Reason::Updating | Reason::NotReady | Reason::UpdateFailed
                );
                if is_serial && is_in_the_way {
                    before = before.or(Some(name));
                }
                said
            }
        };
        outcome.said.insert(name.clone(), said);
    }
    Decision::Done(outcome)
}

/// Returns the selected Operators, in the order of the configuration. Operators that only the entry
/// `*` selects are sorted by name.
fn selected<'o>(
    configuration: &'o Configuration,
    operators: &'o [SeenOperator],
) -> Vec<Selected<'o>> {
    let mut by_name: Vec<_> = operators.iter().collect();
    by_name.sort_by(|one, other| one.name.cmp(&other.name));
    let place = |operator: &SeenOperator| {
        let entries = &configuration.entries;
        let is_named =
            |entry: &Entry| matches!(&entry.name, Name::One(name) if operator.is_called(name));
        let named = entries.iter().position(is_named);
        named.or_else(|| {
            entries
                .iter()
                .position(|entry| entry.name == Name::Everyone)
        })
    };
    let mut all = Vec::new();
    for operator in by_name {
        let Some(at) = place(operator) else { continue };
        let entry = &configuration.entries[at];
        match &entry.rule {
            Rule::To(target) if operator.phase != Phase::Leaving => {
                let takes_over = entry.takes_over;
                let one = Selected {
                    operator,
                    target,
                    takes_over,
                };
                all.push((at, one));
            }
            Rule::To(_) | Rule::Never => {}
        }
    }
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, one)| one).collect()
}

fn absent(configuration: &Configuration, operators: &[SeenOperator]) -> Vec<String> {
    let entries = configuration.entries.iter();
    let names = entries.filter_map(|entry| match &entry.name {
        Name::One(name) => Some(name),
        Name::Everyone => None,
    });
    let is_absent = |name: &&String| !operators.iter().any(|it| it.is_called(name));
    names.filter(is_absent).cloned().collect()
}

/// Returns the result for each selected Operator.
///
/// # Errors
///
/// Returns the questions that must be answered first.
fn standings(
    mode: Mode,
    selected: &[Selected<'_>],
    observed: &Observation,
) -> Result<Vec<UpdateOutcome>, BTreeSet<Question>> {
    let held: Vec<_> = selected
        .iter()
        .map(|one| obstacle(one, &observed.catalogs))
        .collect();
    let open = selected.iter().zip(&held);
    let open = open.filter(|(_, held)| held.is_none());
    let wishes: Vec<_> = open.map(|(one, _)| one.wish()).collect();
    let mut asks = BTreeSet::new();
    let all = selected.iter().zip(held).map(|(one, held)| {
        if let Some(said) = held {
            return UpdateOutcome::Held(said);
        }
        let question = match mode {
            Mode::Parallel => wishes.clone(),
            Mode::Serial => vec![one.wish()],
        };
        match observed.answers.get(&question) {
            Some(answer) => one.standing(answer, &question, selected),
            None => {
                asks.insert(question);
                // The caller ignores this report, because there are open questions.
                UpdateOutcome::Held(held_by_nobody())
            }
        }
    });
    let all: Vec<_> = all.collect();
    if asks.is_empty() { Ok(all) } else { Err(asks) }
}

fn held_by_nobody() -> OperatorReport {
    held(
        Reason::ResolverUnavailable,
        "the catalogs have not answered yet",
    )
}

/// Returns the report if an update is impossible for a reason that needs no answer of the resolver.
/// Returns None otherwise.
fn obstacle(selected: &Selected<'_>, catalogs: &Catalogs) -> Option<OperatorReport> {
    let operator = selected.operator;
    if let Some(message) = operator.owners.obstacle(selected.takes_over) {
        return Some(held(Reason::VersionManagedElsewhere, &message));
    }
    match &operator.phase {
        Phase::Ready | Phase::Failed(_) | Phase::Leaving => {}
        Phase::Waits(why) => return Some(waiting_report(operator, why)),
    }
    match catalogs {
        Catalogs::Whole => None,
        Catalogs::Broken(why) => Some(held(
            Reason::CatalogBroken,
            &format!("nothing is updated: {}", why.join("; ")),
        )),
        Catalogs::Unknown(why) => Some(held(Reason::ResolverUnavailable, why)),
    }
}

fn waiting_report(operator: &SeenOperator, why: &str) -> OperatorReport {
    let installed = operator.installed.as_deref();
    match installed {
        Some(installed) if !operator.version.is_empty() && operator.version != installed => {
            let message = format!(
                "the Operator is being upgraded from {installed} to {}: {why}",
                operator.version
            );
            held(Reason::Updating, &message)
        }
        Some(_) | None => held(Reason::NotReady, why),
    }
}

// === impl Selected ===

impl Selected<'_> {
    fn to(&self, version: &str) -> Move {
        Move {
            name: self.operator.name.clone(),
            version: version.to_owned(),
            takes_from: self.operator.owners.managers.clone(),
        }
    }

    /// Returns the end of a sentence that names the rule, and the field managers that lose the
    /// field.
    fn how(&self) -> String {
        let managers = &self.operator.owners.managers;
        let rule = format!("by {}", self.target);
        if managers.is_empty() {
            return rule;
        }
        format!(
            "{rule}; the updater takes over the field spec.version from {}",
            listed(managers)
        )
    }

    fn wish(&self) -> String {
        let wish = RequestedOperator {
            name: self.operator.name.clone(),
            target: self.target.clone(),
        };
        wish.to_string()
    }

    fn standing(&self, answer: &Answer, asked: &Question, selected: &[Self]) -> UpdateOutcome {
        let (changes, warnings) = match answer {
            Answer::Changes { changes, warnings } => (changes, warnings),
            Answer::Refused(why) => return UpdateOutcome::Held(self.refused(why, asked)),
            Answer::Unknown(why) => {
                return UpdateOutcome::Held(held(Reason::ResolverUnavailable, why));
            }
        };
        // If the version is already installed, the change is not an update.
        let is_own = |change: &&Change| {
            change.name == self.operator.name
                && self.operator.installed.as_ref() != Some(&change.version)
        };
        let Some(own) = changes.iter().find(is_own) else {
            return UpdateOutcome::Held(self.stays(warnings));
        };
        let others = self.others(changes, asked, selected);
        if others.is_empty() {
            return UpdateOutcome::Moves(own.clone());
        }
        let message = format!(
            "{} is available, but needs {}: the updater creates no Operators, and upgrades only \
             the requested Operators",
            own.version,
            listed(&others)
        );
        UpdateOutcome::Held(held(Reason::NeedsOthers, &message))
    }

    /// Returns the Operators that the update also requires to change, although the question does
    /// not contain them.
    fn others(&self, changes: &[Change], asked: &Question, selected: &[Self]) -> BTreeSet<String> {
        let is_asked = |name: &str| {
            let mut open = selected.iter();
            open.any(|one| one.operator.name == name && asked.contains(&one.wish()))
        };
        let others = changes.iter().filter(|change| !is_asked(&change.name));
        others
            .map(|change| format!("{} {}", change.name, change.version))
            .collect()
    }

    fn refused(&self, why: &[String], asked: &Question) -> OperatorReport {
        let mut message = why.join("; ");
        if asked.len() > 1 {
            message += "; in mode Parallel, all of these operators are upgraded or none; in mode \
                        Serial, each operator is upgraded by itself";
        }
        held(Reason::Refused, &message)
    }

    /// Returns the report about an Operator for which no newer version is available. The warnings
    /// may explain why.
    fn stays(&self, warnings: &[String]) -> OperatorReport {
        let Selected {
            operator, target, ..
        } = self;
        if let Phase::Failed(why) = &operator.phase {
            let message = format!("no newer version is available with {target}: {why}");
            return held(Reason::UpdateFailed, &message);
        }
        let installed = operator.installed.as_deref().unwrap_or_default();
        let mut message = format!("{installed} is the newest version that {target} allows");
        for warning in warnings {
            message = format!("{message}; {warning}");
        }
        held(Reason::UpToDate, &message)
    }
}

fn held(reason: Reason, message: &str) -> OperatorReport {
    OperatorReport {
        reason,
        message: message.to_owned(),
    }
}

/// Returns the report about a change of an Operator. It names the old version, the new version and
/// the versions between them.
fn planned(reason: Reason, change: &Change, how: &str) -> OperatorReport {
    let Change {
        version,
        previous,
        between,
        ..
    } = change;
    let over = match between.as_slice() {
        [] => String::new(),
        between => format!(" over {}", listed(between)),
    };
    let goes = if reason == Reason::Updating {
        "goes"
    } else {
        "would go"
    };
    held(
        reason,
        &format!("it {goes} from {previous} to {version}{over}, {how}"),
    )
}
