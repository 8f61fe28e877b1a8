//! The list of policies, and the calendar of the next week.

use jiff::Timestamp;
use kube::ResourceExt as _;
use portolan_api::policy::{Binding, Intent, Policy as Timed, PolicyBinding};
use portolan_api::{Compliance, OperatorPolicy};
use portolan_core_console::view::{ObjectKind, Policies, Policy, Seen, ShownObject, State, Unseen};
use portolan_world::{Kind, View, World as _};
use serde_json::Value;

use super::Services;
use super::calendar::calendar;
use super::hidden::unless_hidden;
use super::windows::UpgradePolicies;

/// The fields of an OperatorPolicy that define the permitted versions and approvals.
const SAID: [&str; 5] = [
    "remediationAction",
    "complianceType",
    "upgradeApproval",
    "versions",
    "allowedCSVs",
];

impl Services {
    /// Returns all policies, and the calendar of upgrades for the next week.
    pub(super) async fn policies(&self) -> Policies {
        let (of_operators, of_time, bindings, known, hidden) = tokio::join!(
            self.all::<OperatorPolicy>(),
            self.all::<Timed>(),
            self.all::<PolicyBinding>(),
            self.upgrade_policies(),
            self.hidden_policies()
        );
        // If the visitor may not list one kind, the other kinds are still shown.
        let of_operators = of_operators.unwrap_or_default();
        let (of_time, bindings) = (of_time.unwrap_or_default(), bindings.unwrap_or_default());
        let of_operators = of_operators.objects.values().map(|it| of_operator(it));
        let of_time = of_time.objects.values().map(|it| timed(it));
        let bindings = bindings.objects.values();
        let bindings = bindings.map(|it| of_binding(it, &known));
        let all = of_operators.chain(of_time).chain(bindings).collect();
        Policies {
            all: unless_hidden(all, hidden),
            calendar: calendar(&known, known.operators().iter(), Timestamp::now()),
        }
    }

    /// Returns all objects of a kind. Returns no objects if the API server does not serve the kind.
    pub(super) async fn all<K: Kind>(&self) -> Seen<View<K>> {
        let mut objects = self.world.objects::<K>();
        let view = objects.known().await.unwrap_or_default();
        match view.state.trouble() {
            Some((trouble, _)) if view.objects.is_empty() => Err(Unseen(trouble.to_string())),
            Some(_) | None => Ok(view),
        }
    }
}

/// Converts an OperatorPolicy to a row.
pub(super) fn of_operator(it: &OperatorPolicy) -> Policy {
    let status = it.status.clone().unwrap_or_default();
    let spec = it.spec.as_json();
    let about = spec["subscription"]["name"].as_str();
    let told = status.conditions.iter();
    let told = told.map(|it| format!("{}: {}", it.type_, it.message));
    Policy {
        id: ShownObject::of(
            ObjectKind::OperatorPolicy,
            &it.namespace().unwrap_or_default(),
            &it.name_any(),
        ),
        about: about
            .map(|name| format!("package {name}"))
            .unwrap_or_default(),
        says: written(spec).chain(told).collect(),
        state: compliance(status.compliant),
        trouble: String::new(),
    }
}

/// Converts the compliance of an OperatorPolicy to a state.
pub(super) fn compliance(compliant: Option<Compliance>) -> State {
    match compliant {
        Some(Compliance::Compliant) => State::Well,
        Some(Compliance::NonCompliant) => State::Stuck,
        Some(Compliance::Pending | Compliance::Terminating) => State::Working,
        None => State::Unknown,
    }
}

/// Returns the fields of an OperatorPolicy that define the permitted versions and approvals, as
/// texts.
fn written(spec: &Value) -> impl Iterator<Item = String> {
    let of = |field: &'static str| {
        let value = &spec[field];
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Array(all) => {
                let all: Vec<_> = all.iter().filter_map(Value::as_str).collect();
                all.join(", ")
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
        };
        (!text.is_empty()).then(|| format!("{field}: {text}"))
    };
    SAID.into_iter()
        .filter_map(of)
        .collect::<Vec<_>>()
        .into_iter()
}

/// Converts a Policy to a row.
pub(super) fn timed(it: &Timed) -> Policy {
    let intent = Intent::parse(it);
    let trouble = intent.as_ref().err().map(ToString::to_string);
    let intent = intent.ok();
    let has_rule = intent.as_ref().is_some_and(|it| it.rule.is_some());
    let has_windows = intent.is_some_and(|it| it.schedules.is_some());
    let status = it.status.clone().unwrap_or_default();
    let says = [
        (has_windows, "Upgrades are allowed only in its windows."),
        (has_rule, "A rule must also allow the upgrade."),
    ];
    let says = says.into_iter().filter(|(holds, _)| *holds);
    Policy {
        id: ShownObject::of(ObjectKind::Policy, "", &it.name_any()),
        about: status.bindings.join(", "),
        says: says.map(|(_, sentence)| sentence.to_owned()).collect(),
        state: match trouble {
            Some(_) => State::Broken,
            None => State::Well,
        },
        trouble: trouble.unwrap_or_default(),
    }
}

/// Converts a PolicyBinding to a row. A binding that names a missing object has no effect.
pub(super) fn of_binding(it: &PolicyBinding, known: &UpgradePolicies) -> Policy {
    let read = Binding::parse(it);
    let (state, trouble) = match &read {
        Ok(_) if known.is_broken(&it.name_any()) => {
            let trouble = "It names objects that do not exist, so it has no effect.";
            (State::Stuck, trouble.to_owned())
        }
        Ok(_) => (State::Well, String::new()),
        Err(why) => (State::Broken, why.to_string()),
    };
    let subjects = read.iter().flat_map(|it| &it.subjects);
    let subjects: Vec<_> = subjects.map(ToString::to_string).collect();
    let policies = read.iter().flat_map(|it| &it.policies);
    let says = policies.map(|name| format!("Policy {name} must allow upgrades."));
    Policy {
        id: ShownObject::of(ObjectKind::PolicyBinding, "", &it.name_any()),
        about: subjects.join(", "),
        says: says.collect(),
        state,
        trouble,
    }
}
