//! The impact of a problem, in one sentence.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use portolan_core_health::{CsvPhase, Item};
use portolan_core_names::Version;
use portolan_core_olm::Subscription;

use crate::case::Case;
use crate::code::Matter;
use crate::evidence::condition_field;
use crate::{Cause, Code, Object, State};

/// The facts behind a headline.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Impact {
    /// The object or package, if no version runs.
    pub(crate) title: String,
    /// True if a version should run.
    pub(crate) is_operator: bool,
    /// True if no version is installed, not even one that does not run.
    pub(crate) is_absent: bool,
    /// The installed version that runs.
    pub(crate) running: Option<String>,
    /// The newest installed version, which may fail.
    pub(crate) newest: Option<String>,
    /// The version that should follow.
    pub(crate) next: Option<String>,
    /// The time since which the problem exists, if known.
    pub(crate) since: Option<Time>,
}

/// Returns the impact on an operator of OLM.
pub(crate) fn of_case(case: Case<'_>, root: Option<&Cause>) -> Impact {
    let is_running = |phase: &CsvPhase| matches!(phase, CsvPhase::Succeeded | CsvPhase::Replacing);
    let mut csvs = case.csvs();
    let running = csvs.find(|csv| is_running(&csv.status.phase));
    let running = running.map(|csv| csv.observed.object.name.clone());
    Impact {
        title: case.title(),
        is_operator: true,
        is_absent: !case.is_installed(),
        newest: case.newest().map(|csv| csv.observed.object.name.clone()),
        next: next(case, running.as_deref()),
        running,
        since: root.and_then(|root| since(case, root)),
    }
}

/// Returns the version that should follow the running one.
fn next(case: Case<'_>, running: Option<&str>) -> Option<String> {
    let newest = case.newest().map(|csv| csv.observed.object.name.clone());
    let subscription = case.subscription;
    let current = subscription.map(|it| it.status.current_csv.clone());
    let planned = subscription.and_then(|it| {
        let name = &it.observed.object.name;
        case.findings.outlook.next.get(name).cloned()
    });
    let head = subscription.and_then(|it| newer_head(case, it, running));
    let all = [newest, current, planned, head].into_iter().flatten();
    let mut others = all.filter(|name| !name.is_empty() && Some(name.as_str()) != running);
    others.next()
}

/// Returns the head of the channel, unless the running version is as new.
fn newer_head(
    case: Case<'_>,
    subscription: &Item<Subscription>,
    running: Option<&str>,
) -> Option<String> {
    let (_, head) = case.situation().head(subscription)?;
    let graph = case.situation().graph(subscription)?;
    let offered = graph.package().bundles.get(&head)?;
    let running = running.and_then(|name| case.situation().csv(name));
    let running = running.and_then(|csv| Version::parse(&csv.spec.version).ok());
    let is_newer = running.is_none_or(|running| offered.version > running);
    is_newer.then(|| head.to_string())
}

/// Returns the time since which the problem exists, from the object that shows it.
fn since(case: Case<'_>, root: &Cause) -> Option<Time> {
    if root.code.matter() == Matter::Workload
        && let Some(deployment) = case.situation().deployment(&root.at_fault.name)
    {
        let mut said = deployment.status.conditions.iter();
        let unavailable = said.find(|said| said.r#type == "Available" && said.is_false());
        if let Some(since) = unavailable.and_then(|said| said.last_transition_time.clone()) {
            return Some(since);
        }
    }
    let unfinished = case.newest().filter(|csv| {
        csv.status.phase == CsvPhase::Failed || csv.status.phase == CsvPhase::Pending
    });
    if let Some(csv) = unfinished {
        return csv.status.last_transition_time.clone();
    }
    let types = [
        Subscription::RESOLUTION_FAILED,
        Subscription::UNPACK_FAILED,
        Subscription::PLAN_FAILED,
        Subscription::PLAN_PENDING,
    ];
    let subscription = case.subscription?;
    let mut said = types
        .into_iter()
        .filter_map(|kind| subscription.true_condition(kind));
    said.next()?.last_transition_time.clone()
}

/// Returns the time of the condition that is the evidence of a cause.
pub(crate) fn told_since(conditions: &[Condition], root: Option<&Cause>) -> Option<Time> {
    let root = root?;
    let is_evidence = |said: &&Condition| {
        let field = condition_field(&said.type_);
        root.evidence.iter().any(|read| read.field == field)
    };
    let said = conditions.iter().find(is_evidence)?;
    Some(said.last_transition_time.clone())
}

// === impl Impact ===

impl Impact {
    /// Returns the impact on an object without versions.
    pub(crate) fn of(object: &Object) -> Self {
        let kind = object.kind.split_once('.');
        let kind = kind.map_or(&*object.kind, |(kind, _)| kind);
        let title = match object.name.as_str() {
            "" => format!("all objects of kind {kind}"),
            name => Object::new(kind.to_owned(), &object.namespace, name).to_string(),
        };
        Self {
            title,
            ..Self::default()
        }
    }

    /// Returns the sentences: first what keeps running, then what is blocked, and since when.
    pub(crate) fn headline(&self, state: State, root: Option<&Cause>) -> String {
        let is_unknown = root.is_some_and(|root| root.code == Code::NotObserved);
        let title = &self.title;
        let running = self.running.as_deref();
        let known = running.or(self.next.as_deref()).unwrap_or(title);
        match (state, running) {
            (State::Well, Some(running)) => format!("{running} runs."),
            (State::Well, None) => "No problem is known.".to_owned(),
            (State::Broken, _) => {
                let broken = self.newest.as_deref().or(running).unwrap_or(title);
                match self.since() {
                    since if since.is_empty() => format!("{broken} does not work."),
                    since => format!("{broken} has not worked{since}."),
                }
            }
            (State::Working | State::Waiting | State::Stuck, _) if is_unknown => {
                format!("The state of {known} is unknown.")
            }
            (State::Working | State::Waiting | State::Stuck, Some(running)) => {
                format!(
                    "{running} keeps running. {}",
                    self.blocked(state, ["The upgrade to", "Any upgrade"])
                )
            }
            (State::Working | State::Waiting | State::Stuck, None) if self.is_operator => {
                let lacks = if self.is_absent { "installed" } else { "ready" };
                format!(
                    "{title} is not {lacks}. {}",
                    self.blocked(state, ["The installation of", "Its installation"])
                )
            }
            (State::Working | State::Waiting | State::Stuck, None) => {
                format!("{title} {}.", self.verb(state))
            }
        }
    }

    /// Returns the sentence about what does not arrive, with words for a known version and for any.
    fn blocked(&self, state: State, [known, any]: [&str; 2]) -> String {
        let verb = self.verb(state);
        match (&self.next, state) {
            (Some(next), _) => format!("{known} {next} {verb}."),
            (None, State::Working) => format!("A change {verb}."),
            (None, _) => format!("{any} {verb}."),
        }
    }

    /// Returns the verb of a sentence about the version that does not arrive.
    fn verb(&self, state: State) -> String {
        let (now, before) = match state {
            State::Well | State::Working => return "is in progress".to_owned(),
            State::Waiting => ("waits for a person", "has been waiting for a person"),
            State::Stuck | State::Broken => ("is blocked", "has been blocked"),
        };
        match self.since() {
            since if since.is_empty() => now.to_owned(),
            since => format!("{before}{since}"),
        }
    }

    /// Returns the time as the end of a sentence; empty if unknown.
    fn since(&self) -> String {
        let since = self.since.as_ref();
        since.map_or_else(String::new, |since| {
            format!(" since {}", since.0.strftime("%Y-%m-%d %H:%M UTC"))
        })
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn impact(running: Option<&str>, next: Option<&str>, since: Option<i64>) -> Impact {
        let at = |second| k8s_openapi::jiff::Timestamp::from_second(second).expect("a time");
        Impact {
            title: "ferry".to_owned(),
            is_operator: true,
            is_absent: true,
            newest: None,
            running: running.map(str::to_owned),
            next: next.map(str::to_owned),
            since: since.map(|second| Time(at(second))),
        }
    }

    #[rstest]
    #[case::blocked_upgrade(
        State::Stuck,
        Some("ferry.v1"),
        Some("ferry.v2"),
        Some(600),
        "ferry.v1 keeps running. The upgrade to ferry.v2 has been blocked since 1970-01-01 00:10 UTC."
    )]
    #[case::blocked_at_an_unknown_time(
        State::Stuck,
        Some("ferry.v1"),
        Some("ferry.v2"),
        None,
        "ferry.v1 keeps running. The upgrade to ferry.v2 is blocked."
    )]
    #[case::waiting_upgrade(
        State::Waiting,
        Some("ferry.v1"),
        Some("ferry.v2"),
        None,
        "ferry.v1 keeps running. The upgrade to ferry.v2 waits for a person."
    )]
    #[case::blocked_installation(
        State::Stuck,
        None,
        Some("ferry.v2"),
        None,
        "ferry is not installed. The installation of ferry.v2 is blocked."
    )]
    #[case::broken_version(
        State::Broken,
        Some("ferry.v1"),
        Some("ferry.v2"),
        Some(60),
        "ferry.v1 has not worked since 1970-01-01 00:01 UTC."
    )]
    #[case::well(State::Well, Some("ferry.v1"), None, None, "ferry.v1 runs.")]
    #[case::unknown_version(
        State::Stuck,
        None,
        None,
        None,
        "ferry is not installed. Its installation is blocked."
    )]
    fn headlines_begin_with_the_impact(
        #[case] state: State,
        #[case] running: Option<&str>,
        #[case] next: Option<&str>,
        #[case] since: Option<i64>,
        #[case] expected: &str,
    ) {
        let impact = impact(running, next, since);
        assert_eq!(impact.headline(state, None), expected);
    }
}
