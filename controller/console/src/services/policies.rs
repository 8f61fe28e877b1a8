//! Policies: the changes that users allow, and the times at which they allow them.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use portolan_api::policy::{Intent, Policy as Timed};
use portolan_api::{Compliance, OperatorPolicy};
use portolan_core_console::view::{Policy, Seen, State, Unseen, Window};
use portolan_core_rules::schedule::windows;
use portolan_world::{Kind, View, World as _};
use serde_json::Value;

use super::Services;
use super::hidden::unless_hidden;
use super::windows::WEEK;

/// The maximum number of windows of a week that are shown.
const MOST: usize = 100;

/// The fields of an OperatorPolicy that define which versions and approvals are permitted.
const SAID: [&str; 5] = [
    "remediationAction",
    "complianceType",
    "upgradeApproval",
    "versions",
    "allowedCSVs",
];

impl Services {
    pub(super) async fn policies(&self) -> Seen<Vec<Policy>> {
        let (of_operators, of_time, hidden) = tokio::join!(
            self.all::<OperatorPolicy>(),
            self.all::<Timed>(),
            self.hidden_policies()
        );
        // If the list of one kind is denied, the other kind is still shown.
        let (of_operators, of_time) = (
            of_operators.unwrap_or_default(),
            of_time.unwrap_or_default(),
        );
        let now = Timestamp::now();
        let of_operators = of_operators.objects.values().map(|it| of_operator(it));
        let of_time = of_time.objects.values().map(|it| timed(it, now));
        unless_hidden(of_operators.chain(of_time).collect(), hidden)
    }

    /// Returns all objects of a kind. Empty if the kind is not served.
    pub(super) async fn all<K: Kind>(&self) -> Seen<View<K>> {
        let mut objects = self.world.objects::<K>();
        let view = objects.known().await.unwrap_or_default();
        match view.state.trouble() {
            Some((trouble, _)) if view.objects.is_empty() => Err(Unseen(trouble.to_string())),
            Some(_) | None => Ok(view),
        }
    }
}

fn of_operator(it: &OperatorPolicy) -> Policy {
    let status = it.status.clone().unwrap_or_default();
    let spec = it.spec.as_json();
    let about = spec["subscription"]["name"].as_str();
    let told = status.conditions.iter();
    let told = told.map(|it| format!("{}: {}", it.type_, it.message));
    Policy {
        kind: "OperatorPolicy".to_owned(),
        namespace: it.metadata.namespace.clone().unwrap_or_default(),
        name: it.metadata.name.clone().unwrap_or_default(),
        about: about
            .map(|name| format!("package {name}"))
            .unwrap_or_default(),
        says: written(spec).chain(told).collect(),
        state: compliance(status.compliant),
        trouble: String::new(),
        windows: None,
    }
}

/// Returns the state of the operator of an OperatorPolicy.
pub(super) fn compliance(compliant: Option<Compliance>) -> State {
    match compliant {
        Some(Compliance::Compliant) => State::Well,
        Some(Compliance::NonCompliant) => State::Stuck,
        Some(Compliance::Pending | Compliance::Terminating) => State::Working,
        None => State::Unknown,
    }
}

/// Returns the fields of an OperatorPolicy that restrict the allowed versions.
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

fn timed(it: &Timed, now: Timestamp) -> Policy {
    let intent = Intent::parse(it);
    let trouble = intent.as_ref().err().map(ToString::to_string);
    let intent = intent.ok();
    let has_rule = intent.as_ref().is_some_and(|it| it.rule.is_some());
    let schedules = intent.and_then(|it| it.schedules);
    let status = it.status.clone().unwrap_or_default();
    Policy {
        kind: "Policy".to_owned(),
        namespace: String::new(),
        name: it.metadata.name.clone().unwrap_or_default(),
        about: status.bindings.join(", "),
        says: has_rule
            .then(|| "A rule must also allow the upgrade.".to_owned())
            .into_iter()
            .collect(),
        state: match trouble {
            Some(_) => State::Broken,
            None => State::Well,
        },
        trouble: trouble.unwrap_or_default(),
        windows: schedules.map(|schedules| {
            let week = windows(&schedules, now).take(MOST);
            let week = week.take_while(|window| window.opens < now + WEEK);
            week.map(|it| window(&it)).collect()
        }),
    }
}

fn window(window: &portolan_core_rules::schedule::Window) -> Window {
    let shown = |at: Timestamp, form: &str| at.to_zoned(TimeZone::UTC).strftime(form).to_string();
    Window {
        day: shown(window.opens, "%A, %F"),
        opens: shown(window.opens, "%H:%M"),
        closes: match window.closes {
            // The weekday alone would be ambiguous.
            Some(closes) if closes >= window.opens + WEEK => shown(closes, "%F %H:%M"),
            Some(closes) => shown(closes, "%A %H:%M"),
            None => "never".to_owned(),
        },
    }
}
