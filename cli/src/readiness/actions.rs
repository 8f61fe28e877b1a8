//! The action of a step: the responsible party, the command, and the change of one object if there is one.

use portolan_api::OperatorPolicy;
use portolan_api::inventory::Manager;
use portolan_api::operator::Operator;
use portolan_core_graph::Node;
use portolan_core_names::text::shell_word;
use portolan_core_names::{Key, PackageName};
use portolan_core_olm::{ClusterExtension, Subscription};
use portolan_core_route::readiness::{ReadinessVerdict, Reason, Restraint, RestraintRule};
use portolan_world::Kind;
use serde_json::{Value, json};

use super::change::Change;
use super::lines::Answered;

/// The action of a step.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Action {
    /// The person or program that must act.
    pub(super) who: String,
    /// Empty if no command helps.
    pub(super) command: String,
    /// The change that the command makes, if it changes one object.
    pub(super) change: Option<Change>,
}

// === impl Action ===

impl Action {
    pub(super) fn by(who: String) -> Self {
        Self {
            who,
            ..Self::default()
        }
    }

    pub(super) fn with(self, command: String) -> Self {
        Self { command, ..self }
    }

    fn changing(self, change: Change) -> Self {
        Self {
            command: change.command(),
            change: Some(change),
            ..self
        }
    }
}

// === impl Answered ===

impl Answered<'_> {
    /// Returns the action that starts or checks an update.
    pub(super) fn way_to_update(&self, hops: &[Node]) -> Action {
        let operator = &self.operator().inventory;
        let version = |hop: Option<&Node>| {
            let version = hop.and_then(|hop| hop.version.as_ref());
            version.map(ToString::to_string).unwrap_or_default()
        };
        let name = &operator.object.name;
        match operator.manager {
            Manager::Olm => self.way_of_olm(hops),
            Manager::ClusterExtension => {
                let version = version(hops.first());
                let fields = json!({"spec": {"source": {"catalog": {"version": version}}}});
                let action = Action::by(self.administrator());
                action.changing(self.own::<ClusterExtension>(fields))
            }
            Manager::Operator | Manager::Install | Manager::Plan => {
                let version = version(hops.last());
                let command = format!(
                    "portolan update {}",
                    shell_word(&format!("{name}@{version}"))
                );
                Action {
                    change: Some(self.own::<Operator>(json!({"spec": {"version": version}}))),
                    ..Action::by(self.administrator()).with(command)
                }
            }
        }
    }

    fn way_of_olm(&self, hops: &[Node]) -> Action {
        let operator = &self.operator().inventory;
        let (namespace, name) = self.subscription();
        let place = format!("sub/{} -n {}", shell_word(name), shell_word(namespace));
        match (operator.policies.first(), self.operator().is_manual) {
            (Some(policy), _) => {
                let action = Action::by(format!("the owner of OperatorPolicy {policy}"));
                match self.change_of_policy(hops) {
                    Some(change) => action.changing(change),
                    None => action.with(format!(
                        "portolan explain operatorpolicy/{} -n {}",
                        shell_word(&policy.name),
                        shell_word(&policy.namespace)
                    )),
                }
            }
            (None, true) => {
                Action::by(self.administrator()).with(format!("portolan approve {place}"))
            }
            (None, false) => {
                Action::by("OLM".to_owned()).with(format!("portolan diagnose {place}"))
            }
        }
    }

    /// Returns the change of the OperatorPolicy that forbids an update. None if no OperatorPolicy
    /// does.
    fn change_of_policy(&self, hops: &[Node]) -> Option<Change> {
        let mut reasons = self.answer().reasons.iter();
        reasons.find_map(|reason| {
            let Reason::Restrained { restraint, .. } = reason else {
                return None;
            };
            let package = PackageName::parse(&self.operator().inventory.package).ok()?;
            allowing(restraint, &package, hops)
        })
    }

    /// Returns the action that follows another channel. The owner of an OperatorPolicy changes the
    /// policy, because its controller reverts a change of the Subscription.
    pub(super) fn switch_to(&self, channel: &str) -> Action {
        let operator = &self.operator().inventory;
        match operator.manager {
            Manager::ClusterExtension => {
                let fields = json!({"spec": {"source": {"catalog": {"channels": [channel]}}}});
                Action::by(self.administrator()).changing(self.own::<ClusterExtension>(fields))
            }
            Manager::Operator | Manager::Install | Manager::Plan => {
                let name = shell_word(&operator.object.name);
                let channel_word = shell_word(channel);
                let fields = json!({"spec": {"channels": [channel]}});
                Action {
                    change: Some(self.own::<Operator>(fields)),
                    ..Action::by(self.administrator())
                        .with(format!("portolan update {name} --channel {channel_word}"))
                }
            }
            Manager::Olm => match operator.policies.first() {
                Some(policy) => {
                    let fields = json!({"spec": {"subscription": {"channel": channel}}});
                    Action::by(format!("the owner of OperatorPolicy {policy}"))
                        .changing(Change::of::<OperatorPolicy>(policy, fields))
                }
                None => {
                    let (namespace, name) = self.subscription();
                    let key = Key::new(namespace, name);
                    let fields = json!({"spec": {"channel": channel}});
                    Action::by(self.administrator())
                        .changing(Change::of::<Subscription>(&key, fields))
                }
            },
        }
    }

    fn own<K: Kind>(&self, fields: Value) -> Change {
        Change::of::<K>(&self.operator().inventory.object.key(), fields)
    }

    /// Returns the command that stops an operator of OLM from following its catalog. The
    /// ClusterServiceVersion is deleted only if it blocks the upgrade. Empty for other operators,
    /// because deleting them may delete CRDs, and with these all custom resources.
    pub(super) fn deletion(&self) -> String {
        let operator = &self.operator().inventory;
        if operator.manager != Manager::Olm {
            return String::new();
        }
        let mut objects = Vec::new();
        if let Some(key) = &operator.subscription {
            let object = format!("subscriptions.operators.coreos.com/{}", key.name);
            objects.push(shell_word(&object));
        }
        if self.answer().verdict == ReadinessVerdict::Blocked || objects.is_empty() {
            let object = format!(
                "clusterserviceversions.operators.coreos.com/{}",
                operator.bundle
            );
            objects.push(shell_word(&object));
        }
        let (namespace, _) = self.subscription();
        format!(
            "kubectl delete {} -n {}",
            objects.join(" "),
            shell_word(namespace)
        )
    }

    pub(super) fn subscription(&self) -> (&str, &str) {
        let operator = &self.operator().inventory;
        match &operator.subscription {
            Some(key) => (&*key.namespace, &*key.name),
            None => (operator.object.namespace(), &*operator.object.name),
        }
    }

    /// Returns who may change the objects of the operator.
    pub(super) fn administrator(&self) -> String {
        match self.subscription().0 {
            "" => "the administrator of the cluster".to_owned(),
            namespace => format!("the administrator of namespace {namespace}"),
        }
    }

    pub(super) fn publisher(&self) -> String {
        format!("the publisher of the operator, or {}", self.administrator())
    }
}

/// Returns the change of an OperatorPolicy that allows these updates.
fn allowing(restraint: &Restraint, package: &PackageName, hops: &[Node]) -> Option<Change> {
    let fields = match &restraint.rule {
        RestraintRule::NoUpdates => json!({"spec": {"upgradeApproval": "Automatic"}}),
        RestraintRule::Bundles { field, consents } => {
            let mut versions: Vec<_> = consents.iter().map(ToString::to_string).collect();
            let is_covered = |hop: &Node| {
                let mut consents = consents.iter();
                consents.any(|it| it.covers(&hop.name, package, hop.version.as_ref()))
            };
            let new = hops.iter().filter(|hop| !is_covered(hop));
            versions.extend(new.map(|hop| hop.name.to_string()));
            json!({"spec": {field.strip_prefix("spec.")?: versions}})
        }
        RestraintRule::Approval | RestraintRule::Denied { .. } => return None,
    };
    Some(Change::of::<OperatorPolicy>(
        &restraint.object.key(),
        fields,
    ))
}
