//! The action of a step: the responsible party, the command, and the change of a field.

use portolan_core_graph::Node;
use portolan_core_names::text::shell_word;
use portolan_core_names::{AddressedObject, FieldChange, FieldValue, PackageName};

use super::{Advised, Installer, ReadinessVerdict, Reason};
use crate::readiness::{Restraint, RestraintRule};

/// The action of a step.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Action {
    /// The person or program that must act.
    pub(super) who: String,
    /// The command. Empty if no command helps.
    pub(super) command: String,
    /// The change of a field that the command makes. None if the command does not change exactly
    /// one field.
    pub(super) change: Option<FieldChange>,
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

    fn changing(self, change: FieldChange) -> Self {
        Self {
            command: change.command(),
            change: Some(change),
            ..self
        }
    }
}

// === impl Advised ===

impl Advised<'_> {
    /// Returns the action that starts an update, or that shows why the update does not start.
    pub(super) fn way_to_update(self, hops: &[Node]) -> Action {
        let version = |hop: Option<&Node>| {
            let version = hop.and_then(|hop| hop.version.as_ref());
            version.map(ToString::to_string).unwrap_or_default()
        };
        let object = &self.operator().object;
        match self.installer() {
            Installer::OlmV0 => self.way_of_olm(hops),
            Installer::OlmV1 => {
                let version = text(&version(hops.first()));
                let change = change(object, "spec.source.catalog.version", version);
                Action::by(self.administrator()).changing(change)
            }
            Installer::Other => {
                let version = version(hops.last());
                let argument = shell_word(&format!("{}@{version}", object.key.name));
                Action {
                    change: Some(change(object, "spec.version", text(&version))),
                    ..Action::by(self.administrator()).with(format!("portolan update {argument}"))
                }
            }
        }
    }

    fn way_of_olm(self, hops: &[Node]) -> Action {
        let key = self.operator().key();
        let place = format!(
            "sub/{} -n {}",
            shell_word(&key.name),
            shell_word(&key.namespace)
        );
        match (self.operator().policies.first(), self.operator().is_manual) {
            (Some(policy), _) => {
                let policy = &policy.key;
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

    /// Returns the change of the OperatorPolicy that forbids an update, with which the update is
    /// allowed. Returns None if no OperatorPolicy forbids the update, or if no change of one field
    /// allows it.
    fn change_of_policy(self, hops: &[Node]) -> Option<FieldChange> {
        let mut reasons = self.answer().reasons.iter();
        reasons.find_map(|reason| {
            let Reason::Restrained { restraint, .. } = reason else {
                return None;
            };
            let package = PackageName::parse(&self.operator().package).ok()?;
            let mut policies = self.operator().policies.iter();
            let policy = policies.find(|it| it.key == restraint.object.key())?;
            allowing(policy, restraint, &package, hops)
        })
    }

    /// Returns the action that makes the operator follow another channel. If an OperatorPolicy
    /// manages the operator, the owner of the policy must change the policy, because its controller
    /// reverts a change of the Subscription.
    pub(super) fn switch_to(self, channel: &str) -> Action {
        let operator = self.operator();
        let object = &operator.object;
        let channels = FieldValue::List(vec![channel.to_owned()]);
        match self.installer() {
            Installer::OlmV1 => {
                let change = change(object, "spec.source.catalog.channels", channels);
                Action::by(self.administrator()).changing(change)
            }
            Installer::Other => {
                let name = shell_word(&object.key.name);
                let channel_word = shell_word(channel);
                Action {
                    change: Some(change(object, "spec.channels", channels)),
                    ..Action::by(self.administrator())
                        .with(format!("portolan update {name} --channel {channel_word}"))
                }
            }
            Installer::OlmV0 => match (operator.policies.first(), &operator.subscription) {
                (Some(policy), _) => {
                    let change = change(policy, "spec.subscription.channel", text(channel));
                    Action::by(format!("the owner of OperatorPolicy {}", policy.key))
                        .changing(change)
                }
                (None, Some(subscription)) => {
                    let change = change(subscription, "spec.channel", text(channel));
                    Action::by(self.administrator()).changing(change)
                }
                (None, None) => Action::by(self.administrator()),
            },
        }
    }

    /// Returns the command that stops an operator of OLM v0 from following its catalog. The command
    /// deletes the ClusterServiceVersion only if the operator blocks the upgrade or has no
    /// Subscription. Empty for other installers, because deleting their objects may delete CRDs and
    /// all custom resources of these CRDs.
    pub(super) fn deletion(self) -> String {
        let operator = self.operator();
        if self.installer() != Installer::OlmV0 {
            return String::new();
        }
        let mut objects = Vec::new();
        if let Some(subscription) = &operator.subscription {
            let name = &subscription.key.name;
            objects.push(shell_word(&format!(
                "subscriptions.operators.coreos.com/{name}"
            )));
        }
        if self.answer().verdict == ReadinessVerdict::Blocked || objects.is_empty() {
            let object = format!(
                "clusterserviceversions.operators.coreos.com/{}",
                operator.bundle
            );
            objects.push(shell_word(&object));
        }
        format!(
            "kubectl delete {} -n {}",
            objects.join(" "),
            shell_word(&operator.key().namespace)
        )
    }

    /// Returns the users who may change the objects of the operator.
    pub(super) fn administrator(self) -> String {
        match &*self.operator().key().namespace {
            "" => "the administrator of the cluster".to_owned(),
            namespace => format!("the administrator of namespace {namespace}"),
        }
    }

    pub(super) fn publisher(self) -> String {
        format!("the publisher of the operator, or {}", self.administrator())
    }
}

/// Returns the change of an OperatorPolicy that allows these updates. Returns None if the rule
/// cannot be changed in one field.
fn allowing(
    policy: &AddressedObject,
    restraint: &Restraint,
    package: &PackageName,
    hops: &[Node],
) -> Option<FieldChange> {
    match &restraint.rule {
        RestraintRule::NoUpdates => Some(change(policy, "spec.upgradeApproval", text("Automatic"))),
        RestraintRule::Bundles { field, consents } => {
            let mut versions: Vec<_> = consents.iter().map(ToString::to_string).collect();
            let is_covered = |hop: &Node| {
                let mut consents = consents.iter();
                consents.any(|it| it.covers(&hop.name, package, hop.version.as_ref()))
            };
            let new = hops.iter().filter(|hop| !is_covered(hop));
            versions.extend(new.map(|hop| hop.name.to_string()));
            field.strip_prefix("spec.")?;
            Some(change(policy, field, FieldValue::List(versions)))
        }
        RestraintRule::Approval | RestraintRule::Denied { .. } => None,
    }
}

fn change(object: &AddressedObject, field: &str, value: FieldValue) -> FieldChange {
    FieldChange {
        object: object.clone(),
        field: field.to_owned(),
        value,
    }
}

fn text(text: &str) -> FieldValue {
    FieldValue::Text(text.to_owned())
}
