//! The steps for an operator: the required changes, the responsible parties, and the commands.

use portolan_core_graph::Node;
use portolan_core_names::FieldChange;

use super::action::Action;
use super::{Advised, Goal, Installer, ReadinessVerdict, Reason};
use crate::readiness::Leg;

/// The time of a step. The values are in the order in which steps are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum When {
    Before,
    Blocks,
    Between,
    After,
    /// The step requires no action.
    Note,
    NotChecked,
}

/// One step for an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub when: When,
    /// The required change, with its reason.
    pub message: String,
    /// The person or program that must act.
    pub who: String,
    /// The command. Empty if no command helps.
    pub command: String,
    /// True if the step is only an update after the upgrade, which the upgrade does not require.
    pub is_detail: bool,
    /// The change of a field that the command makes. None if the command does not change exactly
    /// one field.
    pub change: Option<FieldChange>,
    pub goal: Goal,
}

// === impl When ===

impl When {
    pub const ALL: [Self; 6] = [
        Self::Before,
        Self::Blocks,
        Self::Between,
        Self::After,
        Self::Note,
        Self::NotChecked,
    ];

    /// Returns the heading of the steps at this time.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Before => "Before the upgrade",
            Self::Blocks => "Blocks the upgrade",
            Self::Between => "In between",
            Self::After => "After the upgrade",
            Self::Note => "Notes",
            Self::NotChecked => "Not checked",
        }
    }

    /// Returns the name of the time for programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::Blocks => "blocks",
            Self::Between => "between",
            Self::After => "after",
            Self::Note => "note",
            Self::NotChecked => "not-checked",
        }
    }
}

// === impl Advised ===

impl Advised<'_> {
    /// Returns the steps of the operator in order.
    pub(super) fn steps(self) -> Vec<Step> {
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

    /// Returns the updates before the target, as one step for each stage.
    fn updates(self) -> Vec<Step> {
        let mut from = self.operator().bundle.clone();
        let legs = self.answer().legs.iter().map(|leg| {
            let step = self.update(&from, leg);
            from = last(&leg.hops);
            step
        });
        legs.collect()
    }

    fn update(self, from: &str, leg: &Leg) -> Step {
        let (when, place) = match leg.stage {
            0 => (When::Before, String::new()),
            stage => (When::Between, format!("at {}, ", self.stages()[stage])),
        };
        let message = format!(
            "{place}{}. {}",
            hops("update", from, &leg.hops),
            self.reasons()
        );
        self.step(when, message, self.way_to_update(&leg.hops))
            .towards(Goal::leaving(left(from, &leg.hops)))
    }

    fn switch(self, when: When) -> Step {
        let answer = self.answer();
        let channel = answer
            .channel
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default();
        let installed = &self.operator().bundle;
        let mut message = format!("follow channel {channel}");
        if when == When::Before
            && let Some(leg) = answer.legs.first()
        {
            message += &format!(", then {}", hops("update", installed, &leg.hops));
        }
        message += &format!(". {}", self.reasons());
        if when == When::After && !self.subject().namespace.is_empty() {
            message += &self.held_up("Until then, OLM does not update");
        }
        let mut goal = Goal {
            channel: channel.clone(),
            ..Goal::default()
        };
        if when == When::Before {
            let hops = answer.legs.iter().flat_map(|leg| leg.hops.clone());
            goal.leaves = left(installed, &hops.collect::<Vec<_>>());
        }
        self.step(when, message, self.switch_to(&channel))
            .towards(goal)
    }

    /// Returns the step for an operator that OLM cannot update after the upgrade.
    fn dead_end(self) -> Step {
        let mut message = self.reasons();
        let holds_up =
            |reason: &Reason| matches!(reason, Reason::PackageGone | Reason::ChannelGone);
        if self.answer().reasons.iter().any(holds_up) {
            message += &self.held_up("Its Subscription also stops OLM updates of");
        }
        message += match self.installer() {
            Installer::OlmV0 => {
                " Delete the Subscription, which keeps the operator running, or follow another \
                 catalog."
            }
            Installer::OlmV1 | Installer::Other => " Follow another catalog.",
        };
        let who = if self.answer().verdict == ReadinessVerdict::PackageGone {
            self.administrator()
        } else {
            self.publisher()
        };
        let catalog = self.operator().catalogs.first();
        let goal = Goal {
            catalog: catalog.map(ToString::to_string).unwrap_or_default(),
            ..Goal::default()
        };
        self.step(When::Before, message, Action::by(who).with(self.deletion()))
            .towards(goal)
    }

    /// Returns true if the limit of the operator's bundle blocks the upgrade of the cluster.
    fn has_limit(self) -> bool {
        let mut reasons = self.answer().reasons.iter();
        reasons.any(|it| matches!(it, Reason::AboveLimit(_) | Reason::InvalidLimit(_)))
    }

    fn block(self) -> Step {
        let is_blocked = self.answer().verdict == ReadinessVerdict::Blocked;
        let mut message = self.reasons();
        if is_blocked {
            message += " No newer bundle on offer helps.";
        }
        message += match self.installer() {
            Installer::OlmV0 | Installer::OlmV1 if self.has_limit() => {
                " OLM sets Upgradeable=False."
            }
            Installer::OlmV0 | Installer::OlmV1 | Installer::Other => "",
        };
        let goal = self.another_bundle();
        let action = Action::by(self.publisher());
        // Without a limit, OLM does not block the upgrade and the operator keeps running after it.
        // Therefore no deletion is advised.
        if !is_blocked || !self.has_limit() {
            return self.step(When::Blocks, message, action).towards(goal);
        }
        message += match self.installer() {
            Installer::OlmV0 => {
                " The command removes the operator, and keeps its CRDs and custom resources."
            }
            Installer::OlmV1 => {
                " Deleting the ClusterExtension also deletes its CRDs and all their custom \
                 resources."
            }
            Installer::Other => "",
        };
        self.step(When::Blocks, message, action.with(self.deletion()))
            .towards(goal)
    }

    /// Returns the step for an operator that requests removed APIs.
    fn replace(self, requests: &str) -> Step {
        let message = format!("{requests} Update to a version that uses other APIs.");
        let action = Action::by(self.publisher());
        self.step(When::Before, message, action)
            .towards(self.another_bundle())
    }

    /// Returns the step for an operator whose bundle is missing in the target catalog. If no path
    /// leads to a single head, the step has no command.
    fn update_afterwards(self) -> Step {
        let reasons = self.reasons();
        match self.after() {
            Some(step) => Step {
                message: format!("{} {reasons}", step.message),
                is_detail: false,
                ..step
            },
            None => {
                let message = format!("update it soon. {reasons}");
                self.step(When::After, message, Action::by(self.administrator()))
                    .towards(self.another_bundle())
            }
        }
    }

    /// Returns the step with the updates after the upgrade. Returns None if there are no such
    /// updates.
    fn after(self) -> Option<Step> {
        let answer = self.answer();
        let hops_after = answer.after.as_ref().filter(|hops| !hops.is_empty())?;
        let installed = &self.operator().bundle;
        let from = answer
            .last()
            .map_or_else(|| installed.clone(), |node| node.name.to_string());
        let message = format!("{}.", hops("update", &from, hops_after));
        let goal = Goal::leaving(left(&from, hops_after));
        let step = self.step(When::After, message, self.way_to_update(hops_after));
        Some(Step {
            is_detail: true,
            ..step.towards(goal)
        })
    }

    /// Returns a sentence about the operators of the namespace that OLM cannot update because of
    /// this operator. Empty if there are no such operators.
    fn held_up(self, start: &str) -> String {
        let answers = self.all.answers;
        let held = (0..answers.len()).filter(|at| answers[*at].held_up_by.contains(&self.at));
        let held: Vec<_> = held.map(|at| self.name_of(at)).collect();
        match held.as_slice() {
            [] => String::new(),
            held => format!(" {start} {}.", held.join(", ")),
        }
    }

    /// Returns the goal that the installed bundle is replaced or removed.
    fn another_bundle(self) -> Goal {
        Goal::leaving(vec![self.operator().bundle.clone()])
    }

    fn step(self, when: When, message: String, action: Action) -> Step {
        let Action {
            who,
            command,
            change,
        } = action;
        Step {
            when,
            message: message.trim_end().to_owned(),
            who,
            command,
            is_detail: false,
            change,
            goal: Goal::default(),
        }
    }
}

// === impl Step ===

impl Step {
    fn towards(self, goal: Goal) -> Self {
        Self { goal, ..self }
    }
}

/// Returns a text about updates, such as `update from a.v1 to a.v3, in 2 hops (a.v2, a.v3)`.
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

/// Returns the bundles that are no longer installed after these updates.
fn left(from: &str, hops: &[Node]) -> Vec<String> {
    let before_last = hops.iter().rev().skip(1).rev();
    let names = before_last.map(|hop| hop.name.to_string());
    std::iter::once(from.to_owned())
        .filter(|_| !hops.is_empty())
        .chain(names)
        .collect()
}
