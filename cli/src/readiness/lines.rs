//! The steps of a report: what must happen, who must act, and the command.

use portolan_api::inventory::Manager;
use portolan_core_graph::Node;
use portolan_core_route::readiness::{Leg, Readiness, ReadinessVerdict, Reason, Stage};
use serde::Serialize;

use super::gather::{Gathered, NamedOperator};
use crate::print::words;

/// The time of a step, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum When {
    Before,
    Blocks,
    Between,
    After,
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
}

// === impl When ===

impl When {
    pub(super) const ALL: [Self; 5] = [
        Self::Before,
        Self::Blocks,
        Self::Between,
        Self::After,
        Self::NotChecked,
    ];

    pub(super) fn heading(self) -> &'static str {
        match self {
            Self::Before => "Before the upgrade",
            Self::Blocks => "Blocks the upgrade",
            Self::Between => "In between",
            Self::After => "After the upgrade",
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

    fn stages(&self) -> &[Stage] {
        &self.gathered.question.stages
    }

    fn target(&self) -> Stage {
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
            ReadinessVerdict::PackageGone | ReadinessVerdict::Stranded => {
                let mut steps = self.updates();
                steps.push(self.dead_end());
                steps
            }
            ReadinessVerdict::Blocked => vec![self.block()],
            ReadinessVerdict::NotChecked => {
                let blocking = answer.blocks.map(|_| self.block());
                let who = self.administrator();
                let unknown = self.step(When::NotChecked, self.reasons(), &who, String::new());
                blocking.into_iter().chain([unknown]).collect()
            }
        };
        steps.extend(self.after());
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
        let (who, command) = self.way_to_update(&leg.hops);
        self.step(when, message, &who, command)
    }

    /// Returns who updates the operator, and the command that starts or checks the update.
    fn way_to_update(&self, hops: &[Node]) -> (String, String) {
        let operator = &self.operator().inventory;
        let version = |hop: Option<&Node>| {
            let version = hop.and_then(|hop| hop.version.as_ref());
            version.map(ToString::to_string).unwrap_or_default()
        };
        let name = &operator.object.name;
        match operator.manager {
            Manager::Olm => {
                let key = self.subscription();
                let policy = operator.policies.first();
                match (policy, self.operator().is_manual) {
                    (Some(policy), _) => (
                        format!("the owner of OperatorPolicy {policy}"),
                        format!(
                            "portolan explain operatorpolicy/{} -n {}",
                            policy.name, policy.namespace
                        ),
                    ),
                    (None, true) => (
                        self.administrator(),
                        format!("portolan approve sub/{} -n {}", key.1, key.0),
                    ),
                    (None, false) => (
                        "OLM".to_owned(),
                        format!("portolan diagnose sub/{} -n {}", key.1, key.0),
                    ),
                }
            }
            Manager::ClusterExtension => {
                let patch = format!(
                    r#"{{"spec":{{"source":{{"catalog":{{"version":"{}"}}}}}}}}"#,
                    version(hops.first())
                );
                let object = format!("clusterextensions.olm.operatorframework.io/{name}");
                (
                    self.administrator(),
                    format!("kubectl patch {object} --type merge -p '{patch}'"),
                )
            }
            Manager::Operator | Manager::Install | Manager::Plan => (
                self.administrator(),
                format!("portolan update {name}@{}", version(hops.last())),
            ),
        }
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
        let name = &operator.object.name;
        let command = match operator.manager {
            Manager::ClusterExtension => format!(
                r#"kubectl patch clusterextensions.olm.operatorframework.io/{name} --type merge -p '{{"spec":{{"source":{{"catalog":{{"channels":["{channel}"]}}}}}}}}'"#
            ),
            Manager::Operator | Manager::Install | Manager::Plan => {
                format!("portolan update {name} --channel {channel}")
            }
            Manager::Olm => {
                let (namespace, name) = self.subscription();
                format!(
                    r#"kubectl patch subscriptions.operators.coreos.com/{name} -n {namespace} --type merge -p '{{"spec":{{"channel":"{channel}"}}}}'"#
                )
            }
        };
        let who = match operator.policies.first() {
            Some(policy) => format!("the owner of OperatorPolicy {policy}"),
            None => self.administrator(),
        };
        self.step(when, message, &who, command)
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
        self.step(When::Before, message, &who, self.deletion())
    }

    fn block(&self) -> Step {
        let is_blocked = self.answer().verdict == ReadinessVerdict::Blocked;
        let mut message = self.reasons();
        if is_blocked {
            message += " No newer bundle on offer helps.";
        }
        message += match self.operator().inventory.manager {
            Manager::Olm | Manager::ClusterExtension => " OLM sets Upgradeable=False.",
            Manager::Operator | Manager::Install | Manager::Plan => "",
        };
        if !is_blocked {
            return self.step(When::Blocks, message, &self.publisher(), String::new());
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
        self.step(When::Blocks, message, &self.publisher(), self.deletion())
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
        let (who, command) = self.way_to_update(hops_after);
        let mut step = self.step(When::After, message, &who, command);
        step.is_detail = true;
        Some(step)
    }

    /// Returns a sentence about the neighbors that the operator holds up. Empty without neighbors.
    fn held_up(&self, start: &str) -> String {
        let held =
            (0..self.answers.len()).filter(|at| self.answers[*at].held_up_by.contains(&self.at));
        let held: Vec<_> = held
            .map(|at| located(&self.gathered.operators[at]))
            .collect();
        match held.as_slice() {
            [] => String::new(),
            held => format!(" {start} {}.", held.join(", ")),
        }
    }

    fn subscription(&self) -> (&str, &str) {
        let operator = &self.operator().inventory;
        match &operator.subscription {
            Some(key) => (&*key.namespace, &*key.name),
            None => (operator.object.namespace(), &*operator.object.name),
        }
    }

    /// Returns the command that stops an operator of OLM from following its catalog. The
    /// ClusterServiceVersion is deleted only if it blocks the upgrade. Empty for other operators,
    /// because deleting them may delete CRDs, and with these all custom resources.
    fn deletion(&self) -> String {
        let operator = &self.operator().inventory;
        if operator.manager != Manager::Olm {
            return String::new();
        }
        let mut objects = Vec::new();
        if let Some(key) = &operator.subscription {
            objects.push(format!("subscriptions.operators.coreos.com/{}", key.name));
        }
        if self.answer().verdict == ReadinessVerdict::Blocked || objects.is_empty() {
            objects.push(format!(
                "clusterserviceversions.operators.coreos.com/{}",
                operator.bundle
            ));
        }
        let (namespace, _) = self.subscription();
        format!("kubectl delete {} -n {namespace}", objects.join(" "))
    }

    /// Returns who may change the objects of the operator.
    fn administrator(&self) -> String {
        match self.subscription().0 {
            "" => "the administrator of the cluster".to_owned(),
            namespace => format!("the administrator of namespace {namespace}"),
        }
    }

    fn publisher(&self) -> String {
        format!("the publisher of the operator, or {}", self.administrator())
    }

    fn step(&self, when: When, message: String, who: &str, command: String) -> Step {
        Step {
            when,
            operator: located(self.operator()),
            message: message.trim_end().to_owned(),
            who: who.to_owned(),
            command,
            is_detail: false,
        }
    }

    /// Returns the reasons, each as a sentence.
    fn reasons(&self) -> String {
        let reasons = self.answer().reasons.iter();
        let sentences: Vec<_> = reasons.map(|reason| self.sentence(reason)).collect();
        sentences.join(" ")
    }

    /// Returns a reason as a sentence.
    pub(super) fn sentence(&self, reason: &Reason) -> String {
        let operator = &self.operator().inventory;
        let (package, bundle) = (&operator.package, &operator.bundle);
        let target = self.target();
        let channels: Vec<_> = operator.channels.iter().cloned().collect();
        let channels = channels.join(", ");
        match reason {
            Reason::AboveLimit(last) => format!("{bundle} supports OpenShift {last} at most."),
            Reason::InvalidLimit(invalid) => format!("{bundle} is invalid: {invalid}."),
            Reason::UnknownLimit => {
                format!("No catalog contains {bundle}, so its last OpenShift release is unknown.")
            }
            Reason::PackageGone => format!("The catalog of {target} has no package {package}."),
            Reason::ChannelGone => {
                format!("Package {package} has no channel {channels} in the catalog of {target}.")
            }
            Reason::Stranded => {
                format!("The catalog of {target} has no update from {bundle} in its channel.")
            }
            Reason::NotAllowed(range) => {
                format!(
                    "The allowed versions {} exclude this path; change them first.",
                    range.as_str()
                )
            }
            Reason::NeedsNewerKubernetes { bundle, minimum } => {
                format!("{bundle} would help, but needs Kubernetes {minimum}.")
            }
            Reason::GoneBetween { stage } => {
                format!(
                    "The catalog of {} does not continue it.",
                    self.stages()[*stage]
                )
            }
            Reason::Unread { why, .. } => format!("{why}."),
            Reason::ObjectsNotRead(release) => {
                format!(
                    "Kubernetes {release} removes APIs, and the objects of {bundle} are not checked."
                )
            }
            Reason::NothingInstalled => "No bundle is installed yet.".to_owned(),
            Reason::NotFollowed => "It follows no catalog.".to_owned(),
        }
    }
}

/// Returns the name of an operator with its namespace.
pub(super) fn located(operator: &NamedOperator) -> String {
    let operator = &operator.inventory;
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
