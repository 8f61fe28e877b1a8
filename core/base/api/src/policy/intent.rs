//! Parses the spec of a Policy.

use portolan_core_rules::rego::Rule;
use portolan_core_rules::schedule::{Moments, Schedule, Zone};

use super::Policy;
use crate::place::ManifestPlace;
use crate::refusal::{Refusal, Refusals, quoted};

const SPEC_FIELDS: &[&str] = &["opaPolicy", "schedule"];
const SCHEDULE_FIELDS: &[&str] = &["end", "start", "timeZone"];

/// The maximum number of schedules of a Policy.
pub(super) const MOST_SCHEDULES: usize = 64;
/// The maximum length of a time zone name.
pub(super) const LONGEST_ZONE: usize = 64;

const NEITHER: &str = "write windows as schedule, or a rule as opaPolicy";

/// The parsed spec of a Policy. An upgrade is allowed only if the schedules and the rule allow it.
#[derive(Debug, Clone, PartialEq)]
pub struct Intent {
    /// The time windows. An upgrade is allowed while at least one window is open. None if upgrades
    /// are allowed at any time.
    pub schedules: Option<Vec<Schedule>>,
    /// The Rego rule that must allow the upgrade. None if there is no rule.
    pub rule: Option<Rule>,
}

impl Intent {
    /// Parses a Policy. No other code parses its spec.
    ///
    /// # Errors
    /// Returns all errors at once.
    pub fn parse(policy: &Policy) -> Result<Self, Refusals> {
        let mut refused = Vec::new();
        let spec = ManifestPlace::new("spec", policy.spec.as_json());
        let draft = draft(&spec, &mut refused);
        Refusals::unless(refused, draft)
    }
}

/// Parses the spec. Returns None only if a field is invalid.
fn draft(spec: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<Intent> {
    spec.require(NEITHER, refused);
    spec.only(SPEC_FIELDS, refused)?;
    let (schedule, rule) = (spec.field("schedule"), spec.field("opaPolicy"));
    if !schedule.is_given() && !rule.is_given() {
        spec.refuse_value(format!("is empty; {NEITHER}"), refused);
    }
    Some(Intent {
        schedules: schedules(&schedule, refused),
        rule: parsed_rule(&rule, refused),
    })
}

fn schedules(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<Vec<Schedule>> {
    let items = place.list(refused)?;
    if items.is_empty() {
        let sentence = "is empty, so it never allows a change; write a start and an end";
        place.refuse_value(sentence, refused);
    }
    place.exceeds(MOST_SCHEDULES, (items.len(), "entries"), refused);
    let schedules = items.iter().filter_map(|item| schedule(item, refused));
    Some(schedules.collect())
}

fn schedule(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<Schedule> {
    place.only(SCHEDULE_FIELDS, refused)?;
    let way_out = "write when each window opens, such as \"1 0 * * 6\"";
    let start = moments(&place.field("start"), way_out, refused);
    let way_out = "write when each window closes, such as \"59 23 * * 0\"";
    let end = moments(&place.field("end"), way_out, refused);
    let zone = zone(&place.field("timeZone"), refused);
    let made = Schedule::new(start?, end?, zone?);
    made.map_err(|same| place.field("end").refuse_value(same.to_string(), refused))
        .ok()
}

fn moments(
    place: &ManifestPlace<'_>,
    way_out: &'static str,
    refused: &mut Vec<Refusal>,
) -> Option<Moments> {
    place.require(way_out, refused);
    let text = place.text(refused)?;
    if place.exceeds(Moments::LONGEST, (text.len(), "letters"), refused) {
        return None;
    }
    let read = Moments::parse(text);
    read.map_err(|fault| place.refuse_value(fault.to_string(), refused))
        .ok()
}

/// Returns the time zone, which is UTC by default. Returns None only if the name is invalid.
fn zone(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<Zone> {
    if !place.is_given() {
        return Some(Zone::UTC);
    }
    let name = place.text(refused)?;
    let read = Zone::parse(name);
    read.map_err(|unknown| {
        place.refuse_value(format!("is {}, which {unknown}", quoted(name)), refused);
    })
    .ok()
}

fn parsed_rule(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<Rule> {
    let text = place.text(refused)?;
    let read = Rule::parse(text);
    read.map_err(|fault| place.refuse_value(format!("is refused: {fault}"), refused))
        .ok()
}
