//! The steps of a report: what must happen, who must act, and the command.

use portolan_api::inventory::{InstalledOperator, Manager};
use portolan_core_graph::Node;
use portolan_core_route::readiness::{Leg, Readiness, ReadinessVerdict, Reason, Stage};
use serde::{Deserialize, Serialize};

use super::actions::Action;
use super::change::Change;
use super::gather::{Gathered, NamedOperator};
use super::goal::Goal;
use crate::print::words;

/// The time of a step, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum When {
    Before,
    Blocks,
    Between,
    After,
    Note,
    NotChecked,
}

/// One step of a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Step {
    pub(super) when: When,
    /// The operator, as `NAMESPACE/NAME`.
    pub(super) operator: String,
    /// The required change, with its reason.
    pub(super) message: String,
    /// The person or program that must act.
    pub(super) who: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) command: String,
    /// True if only wide reports show the step, because a program does it without help.
    #[serde(skip)]
    pub(super) is_detail: bool,
    #[serde(skip)]
    pub(super) manager: Manager,
    /// The change that the command makes, if it changes one object.
    #[serde(skip)]
    pub(super) change: Option<Change>,
    #[serde(skip)]
    pub(super) goal: Goal,
}

// === impl When ===

impl When {
    pub(super) const ALL: [Self; 6] = [
        Self::Before,
        Self::Blocks,
        Self::Between,
        Self::After,
        Self::Note,
        Self::NotChecked,
    ];

    pub(super) fn heading(self) -> &'static str {
        match self {
            Self::Before => "Before the upgrade",
            Self::Blocks => "Blocks the upgrade",
            Self::Between => "In between",
            Self::After => "After the upgrade",
            Self::Note => "Notes",
            Self::NotChecked => "Not checked",
        }
    }
}

/// An operator with its answer.
pub(super) struct Answered<'a> {
    pub(super) gathered: &'a Gathered,
    pub(super) answers: &'a [Readiness],
    pub(super) at: usize,
}

// === impl Answered ===

impl Answered<'_> {
    pub(super) fn operator(&self) -> &NamedOperator {
        &self.gathered.operators[self.at]
    }

    pub(super) fn answer(&self) -> &Readiness {
        &self.answers[self.at]
    }

    pub(super) fn stages(&self) -> &[Stage] {
        &self.gathered.question.stages
    }

    pub(super) fn target(&self) -> Stage {
        self.stages()[self.stages().len() - 1]
    }

    /// Returns the steps of the operator.
    pub(super) fn steps(&self) -> Vec<Step> {
        let answer = self.answer();
        let mut steps = match answer.verdict {
            ReadinessVerdict::Ready => Vec::new(),
            ReadinessVerdict::UpdateFirst | ReadinessVerdict::UpdateBetween => self.updates(),
            ReadinessVerdict::SwitchChannelFirst => vec![self.switch(When::Before)],
            ReadinessVerdict::SwitchChannelAfter => {
                let mut steps = self.updates();
                steps.push(self.switch(When::After));
                steps
            }
            ReadinessVerdict::NotReinstallable => vec![self.update_afterwards()],
            ReadinessVerdict::PackageGone | ReadinessVerdict::Stranded => {
                let mut steps = self.updates();
                steps.push(self.dead_end());
                steps
            }
            ReadinessVerdict::Blocked => vec![self.block()],
            ReadinessVerdict::NotChecked => {
                let blocking = answer.blocks.map(|_| self.block());
                let action = Action::by(self.administrator());
                let unknown = self.step(When::NotChecked, self.reasons(), action);
                blocking.into_iter().chain([unknown]).collect()
            }
        };
        steps.extend(self.requests().map(|requests| self.replace(&requests)));
        if answer.verdict != ReadinessVerdict::NotReinstallable {
            steps.extend(self.after());
        }
        let notes = self.notes().into_iter();
        steps.extend(notes.map(|note| self.step(When::Note, note, Action::default())));
        steps
    }

    /// Returns the updates before the target, one step for each stage.
    fn updates(&self) -> Vec<Step> {
        let mut from = self.operator().inventory.bundle.clone();
        let legs = self.answer().legs.iter().map(|leg| {
            let step = self.update(&from, leg);
            from = last(&leg.hops);
            step
        });
        legs.collect()
    }

    fn update(&self, from: &str, leg: &Leg) -> Step {
        let (when, place) = match leg.stage {
            0 => (When::Before, String::new()),
            stage => (When::Between, format!("at {}, ", self.stages()[stage])),
        };
        let message = format!(
            "{place}{}. {}",
            hops("update", from, &leg.hops),
            self.reasons()
        );
        let goal = Goal {
            leaves: left(from, &leg.hops),
            ..Goal::default()
        };
        self.step(when, message, self.way_to_update(&leg.hops))
            .towards(goal)
    }

    fn switch(&self, when: When) -> Step {
        let answer = self.answer();
        let channel = answer
            .channel
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default();
        let operator = &self.operator().inventory;
        let mut message = format!("follow channel {channel}");
        if when == When::Before
            && let Some(leg) = answer.legs.first()
        {
            message += &format!(", then {}", hops("update", &operator.bundle, &leg.hops));
        }
        message += &format!(". {}", self.reasons());
        if when == When::After && !operator.namespace.is_empty() {
            message += &self.held_up("Until then, OLM does not update");
        }
        let mut goal = Goal {
            channel: channel.clone(),
            ..Goal::default()
        };
        if when == When::Before {
            let hops = answer.legs.iter().flat_map(|leg| leg.hops.clone());
            goal.leaves = left(&operator.bundle, &hops.collect::<Vec<_>>());
        }
        self.step(when, message, self.switch_to(&channel))
            .towards(goal)
    }

    /// Returns the step for an operator that gets no updates after the upgrade.
    fn dead_end(&self) -> Step {
        let mut message = self.reasons();
        let holds_up =
            |reason: &Reason| matches!(reason, Reason::PackageGone | Reason::ChannelGone);
        if self.answer().reasons.iter().any(holds_up) {
            message += &self.held_up("Its Subscription also stops OLM updates of");
        }
        message += match self.operator().inventory.manager {
            Manager::Olm => {
                " Delete the Subscription, which keeps the operator running, or follow another \
                 catalog."
            }
            _ => " Follow another catalog.",
        };
        let who = match self.answer().verdict {
            ReadinessVerdict::PackageGone => self.administrator(),
            _ => self.publisher(),
        };
        let catalog = self.operator().catalogs.first();
        let goal = Goal {
            catalog: catalog.map(ToString::to_string).unwrap_or_default(),
            ..Goal::default()
        };
        self.step(When::Before, message, Action::by(who).with(self.deletion()))
            .towards(goal)
    }

    /// Returns true if OLM blocks the upgrade of the cluster because of the operator.
    fn has_limit(&self) -> bool {
        let mut reasons = self.answer().reasons.iter();
        reasons.any(|it| matches!(it, Reason::AboveLimit(_) | Reason::InvalidLimit(_)))
    }

    fn block(&self) -> Step {
        let is_blocked = self.answer().verdict == ReadinessVerdict::Blocked;
        let mut message = self.reasons();
        if is_blocked {
            message += " No newer bundle on offer helps.";
        }
        message += match self.operator().inventory.manager {
            Manager::Olm | Manager::ClusterExtension if self.has_limit() => {
                " OLM sets Upgradeable=False."
            }
            Manager::Olm
            | Manager::ClusterExtension
            | Manager::Operator
            | Manager::Install
            | Manager::Plan => "",
        };
        let goal = Goal {
            leaves: vec![self.operator().inventory.bundle.clone()],
            ..Goal::default()
        };
        let action = Action::by(self.publisher());
        // Without a limit, the operator keeps running after the upgrade.
        if !is_blocked || !self.has_limit() {
            return self.step(When::Blocks, message, action).towards(goal);
        }
        message += match self.operator().inventory.manager {
            Manager::Olm => {
                " The command removes the operator, and keeps its CRDs and custom resources."
            }
            Manager::ClusterExtension => {
                " Deleting the ClusterExtension also deletes its CRDs and all their custom \
                 resources."
            }
            Manager::Operator | Manager::Install | Manager::Plan => "",
        };
        self.step(When::Blocks, message, action.with(self.deletion()))
            .towards(goal)
    }

    /// Returns the step for an operator that requests removed APIs.
    fn replace(&self, requests: &str) -> Step {
        let message = format!("{requests} Update to a version that uses other APIs.");
        let goal = Goal {
            leaves: vec![self.operator().inventory.bundle.clone()],
            ..Goal::default()
        };
        let action = Action::by(self.publisher());
        self.step(When::Before, message, action).towards(goal)
    }

    /// Returns the step for an operator whose bundle is missing in the target catalog. Without a path
    /// to a single head, no command is known.
    fn update_afterwards(&self) -> Step {
        let reasons = self.reasons();
        match self.after() {
            Some(step) => Step {
                message: format!("{} {reasons}", step.message),
                is_detail: false,
                ..step
            },
            None => {
                let message = format!("update it soon. {reasons}");
                let goal = Goal {
                    leaves: vec![self.operator().inventory.bundle.clone()],
                    ..Goal::default()
                };
                self.step(When::After, message, Action::by(self.administrator()))
                    .towards(goal)
            }
        }
    }

    /// Returns the updates after the upgrade.
    fn after(&self) -> Option<Step> {
        let answer = self.answer();
        let hops_after = answer.after.as_ref().filter(|hops| !hops.is_empty())?;
        let installed = &self.operator().inventory.bundle;
        let from = answer
            .last()
            .map_or_else(|| installed.clone(), |node| node.name.to_string());
        let message = format!("{}.", hops("update", &from, hops_after));
        let goal = Goal {
            leaves: left(&from, hops_after),
            ..Goal::default()
        };
        let step = self.step(When::After, message, self.way_to_update(hops_after));
        Some(Step {
            is_detail: true,
            ..step.towards(goal)
        })
    }

    /// Returns a sentence about the neighbors that the operator holds up. Empty without neighbors.
    fn held_up(&self, start: &str) -> String {
        let held =
            (0..self.answers.len()).filter(|at| self.answers[*at].held_up_by.contains(&self.at));
        let held: Vec<_> = held
            .map(|at| located(&self.gathered.operators[at].inventory))
            .collect();
        match held.as_slice() {
            [] => String::new(),
            held => format!(" {start} {}.", held.join(", ")),
        }
    }

    fn step(&self, when: When, message: String, action: Action) -> Step {
        let Action {
            who,
            command,
            change,
        } = action;
        Step {
            when,
            operator: located(&self.operator().inventory),
            message: message.trim_end().to_owned(),
            who,
            command,
            is_detail: false,
            manager: self.operator().inventory.manager,
            change,
            goal: Goal::default(),
        }
    }
}

// === impl Step ===

impl Step {
    /// Returns a remark about an object of the cluster.
    pub(super) fn note(object: String, message: String) -> Self {
        Self {
            when: When::Note,
            operator: object,
            message,
            who: String::new(),
            command: String::new(),
            is_detail: false,
            manager: Manager::Olm,
            change: None,
            goal: Goal::default(),
        }
    }

    fn towards(self, goal: Goal) -> Self {
        Self { goal, ..self }
    }
}

/// Returns the name of an operator with its namespace.
pub(super) fn located(operator: &InstalledOperator) -> String {
    match &operator.subscription {
        Some(key) => words::located(&key.namespace, &key.name),
        None => words::located(operator.object.namespace(), &operator.object.name),
    }
}

/// Returns a text such as `update from a.v1 to a.v3, in 2 hops (a.v2, a.v3)`.
fn hops(verb: &str, from: &str, hops: &[Node]) -> String {
    let to = last(hops);
    match hops.len() {
        1 => format!("{verb} from {from} to {to}"),
        several => {
            let names: Vec<_> = hops.iter().map(|hop| hop.name.as_str()).collect();
            format!(
                "{verb} from {from} to {to}, in {several} hops ({})",
                names.join(", ")
            )
        }
    }
}

fn last(hops: &[Node]) -> String {
    hops.last()
        .map(|hop| hop.name.to_string())
        .unwrap_or_default()
}

/// Returns the bundles that a path leaves.
fn left(from: &str, hops: &[Node]) -> Vec<String> {
    let before_last = hops.iter().rev().skip(1).rev();
    let names = before_last.map(|hop| hop.name.to_string());
    std::iter::once(from.to_owned())
        .filter(|_| !hops.is_empty())
        .chain(names)
        .collect()
}
