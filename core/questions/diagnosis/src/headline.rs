//! Describes the impact of a problem in a few sentences.

mod effect;
mod since;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use portolan_core_health::{CsvPhase, Item};
use portolan_core_names::Version;
use portolan_core_olm::Subscription;

use crate::case::Case;
use crate::code::Matter;
use crate::evidence::condition_field;
use crate::{Cause, Code, Object, State, contested, words};

/// The facts from which a headline is formatted.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Impact {
    /// The name of the object or package, for the case that no version runs.
    pub(crate) title: String,
    /// True if the object is an operator. An operator should have a running version.
    pub(crate) is_operator: bool,
    /// True if no version is installed.
    pub(crate) is_absent: bool,
    /// The installed version that runs. None if no version runs.
    pub(crate) running: Option<String>,
    /// The newest installed version. It may fail.
    pub(crate) newest: Option<String>,
    /// The version that should be installed next. None if it is unknown.
    pub(crate) next: Option<String>,
    /// True if the running version works with fewer Pods than requested, and no upgrade is blocked.
    pub(crate) is_partial: bool,
    /// The workload that does not run. None if all workloads run, or if no workload of the version
    /// runs.
    pub(crate) stopped: Option<Object>,
    /// The time since which the problem exists. None if it is unknown.
    pub(crate) since: Option<Time>,
    /// The rate at which Pods are replaced, for example "about once a minute". Empty if Pods are
    /// not replaced.
    pub(crate) replaced: String,
    /// True if the problem may be older than `since`.
    pub(crate) is_at_least: bool,
    /// The time at which the object was deleted. None if it is not being deleted.
    pub(crate) deleted: Option<Time>,
    /// The time since which a next version is available. None if it is unknown.
    pub(crate) offered: Option<Time>,
    /// Other effects, as sentences. Empty if they are unknown.
    pub(crate) effect: String,
    /// An effect that is worse than a blocked version, as a sentence. Empty if no such effect
    /// exists.
    pub(crate) worst: String,
}

/// Returns the impact of the root cause on an operator of OLM v0.
pub(crate) fn of_case(case: Case<'_>, root: Option<&Cause>) -> Impact {
    let is_running = |phase: &CsvPhase| matches!(phase, CsvPhase::Succeeded | CsvPhase::Replacing);
    let mut csvs = case.csvs();
    let running = csvs.find(|csv| is_running(&csv.status.phase));
    let running = running.map(|csv| csv.observed.object.name.clone());
    let is_contested = root.is_some_and(|root| root.code == Code::DeploymentContested);
    let running = if is_contested {
        contested::running(case).or(running)
    } else {
        running
    };
    let standing = case
        .standing()
        .or(case.newest().filter(|csv| case.is_available(csv)));
    let standing =
        standing.filter(|_| root.is_some_and(|root| root.code.matter() == Matter::Workload));
    let standing = standing.map(|csv| csv.observed.object.name.clone());
    let running = running.or(standing.clone());
    let is_rejected = root.is_some_and(|root| root.code == Code::DeploymentRejected);
    Impact {
        title: case.title(),
        is_operator: true,
        is_absent: !case.is_installed() || (is_rejected && !case.has_worked()),
        newest: case.deployed().map(|csv| csv.observed.object.name.clone()),
        next: next(case, running.as_deref()),
        running,
        is_partial: standing.is_some() && case.standing().is_none(),
        since: root.and_then(|root| since::of(case, root)),
        is_at_least: is_contested,
        replaced: if is_contested {
            contested::pace(case)
        } else {
            String::new()
        },
        effect: root.map_or_else(String::new, |root| effect::of(case, root)),
        worst: root.map_or_else(String::new, |root| effect::worst(case, root)),
        ..Impact::default()
    }
}

/// Returns the version that should replace the running version. Returns None if no such version is
/// known.
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

/// Returns the head of the channel, if it is newer than the running version.
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

/// Returns the transition time of the condition that is evidence for a cause.
fn told_since(conditions: &[Condition], root: Option<&Cause>) -> Option<Time> {
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

    /// Sets the time since which the problem exists, from the condition that is evidence for the
    /// root cause. A condition keeps its old time if only its reason changes. Therefore the later
    /// time of another event takes precedence.
    pub(crate) fn dated(self, conditions: &[Condition], root: Option<&Cause>) -> Self {
        let told = told_since(conditions, root).or(self.since);
        let event = root.and_then(|root| {
            if root.code == Code::DeletionBlocked {
                self.deleted.clone()
            } else {
                self.offered.clone().filter(|_| root.state < State::Broken)
            }
        });
        Self {
            since: told.max(event),
            ..self
        }
    }

    /// Returns the headline. Its sentences describe the running version, then the blocked version
    /// with the time, then other effects.
    pub(crate) fn headline(&self, state: State, root: Option<&Cause>) -> String {
        let headline = match (self.worst.as_str(), &self.next) {
            ("", _) => self.first_sentences(state, root),
            (worst, Some(next)) => {
                let words = self.verb(Verb::of(State::Stuck, root));
                format!("{worst} The upgrade to {next} {words}.")
            }
            (worst, None) => worst.to_owned(),
        };
        match (state, self.effect.as_str()) {
            (State::Working, _) | (_, "") => headline,
            (_, effect) => format!("{headline} {effect}"),
        }
    }

    fn first_sentences(&self, state: State, root: Option<&Cause>) -> String {
        let is_unknown = root.is_some_and(|root| root.code == Code::NotObserved);
        let title = &self.title;
        let running = self.running.as_deref();
        let known = running.or(self.next.as_deref()).unwrap_or(title);
        match (state, running) {
            (State::Well, Some(running)) => format!("{running} runs."),
            (State::Well, None) => "No problem is known.".to_owned(),
            (State::Stuck, Some(running)) if self.is_partial => format!("{running} still works."),
            (State::Broken, _) if !self.is_operator && root.is_some_and(has_verb) => {
                format!("{title} {}.", self.verb(Verb::of(state, root)))
            }
            (State::Broken, _) => {
                let broken = self.newest.as_deref().or(running).unwrap_or(title);
                if let Some(stopped) = self.stopped.as_ref() {
                    let since = self.since();
                    return format!(
                        "{broken} works only in part: {stopped} has no ready Pod{since}."
                    );
                }
                match self.since() {
                    since if since.is_empty() => format!("{broken} does not work."),
                    since => format!("{broken} has not worked{since}."),
                }
            }
            (State::Working | State::Waiting | State::Stuck, _) if is_unknown => {
                format!("The state of {known} is unknown.")
            }
            (State::Working | State::Waiting | State::Stuck, Some(running)) => {
                let verb = Verb::of(state, root);
                let blocked = self.blocked(verb, ["The upgrade to", "Any upgrade"]);
                let runs = match self.replaced.as_str() {
                    "" => "keeps running".to_owned(),
                    pace => format!("runs, but its Pods are replaced {pace}"),
                };
                format!("{running} {runs}. {blocked}")
            }
            (State::Working | State::Waiting | State::Stuck, None) if self.is_operator => {
                let lacks = if self.is_absent { "installed" } else { "ready" };
                let verb = Verb::of(state, root);
                let blocked = self.blocked(verb, ["The installation of", "Its installation"]);
                format!("{title} is not {lacks}. {blocked}")
            }
            (State::Working | State::Waiting | State::Stuck, None) => {
                format!("{title} {}.", self.verb(Verb::of(state, root)))
            }
        }
    }

    /// Returns the sentence about the version that is not installed. `known` is the beginning if
    /// the version is known, and `any` is the beginning otherwise.
    fn blocked(&self, verb: Verb<'_>, [known, any]: [&str; 2]) -> String {
        let words = self.verb(verb);
        match (&self.next, verb) {
            (Some(next), _) => format!("{known} {next} {words}."),
            (None, Verb::Progresses) => format!("A change {words}."),
            (None, _) => format!("{any} {words}."),
        }
    }

    /// Returns the verb of the sentence about a version that is not installed.
    fn verb(&self, verb: Verb<'_>) -> String {
        let (now, before) = match verb {
            Verb::Progresses => return "is in progress".to_owned(),
            Verb::Waits => ("waits for a person", "has been waiting for a person"),
            Verb::IsBlocked => ("is blocked", "has been blocked"),
            Verb::Is(now, before) => (now, before),
            Verb::LacksOlm(controller) => {
                let since = self.since();
                let verb = if since.is_empty() {
                    "does not run"
                } else {
                    "has not run"
                };
                return format!("is blocked, because {controller} of OLM {verb}{since}");
            }
        };
        match self.since() {
            since if since.is_empty() => now.to_owned(),
            since => format!("{before}{since}"),
        }
    }

    /// Returns the time as the end of a sentence. Empty if the time is unknown.
    fn since(&self) -> String {
        let since = self.since.as_ref();
        let word = if self.is_at_least {
            "since at least"
        } else {
            "since"
        };
        since.map_or_else(String::new, |since| {
            format!(" {word} {}", words::time(since))
        })
    }
}

/// The reason why a version is not installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb<'a> {
    Progresses,
    /// A person must act before OLM installs the version.
    Waits,
    IsBlocked,
    /// Another state, as two texts. The first text has no time. The second text is followed by a
    /// time.
    Is(&'static str, &'static str),
    /// The controller of OLM that has this name does not run.
    LacksOlm(&'a str),
}

// === impl Verb ===

impl<'a> Verb<'a> {
    fn of_code(code: Code) -> Self {
        let known = VERBS.iter().find(|(of, _)| *of == code);
        known.map_or(Self::IsBlocked, |(_, verb)| *verb)
    }

    fn of(state: State, root: Option<&'a Cause>) -> Self {
        match state {
            State::Well | State::Working => Self::Progresses,
            State::Waiting => Self::Waits,
            State::Stuck | State::Broken => match root {
                Some(root) if root.code == Code::OlmNotRunning => {
                    Self::LacksOlm(&root.at_fault.name)
                }
                Some(root) => Self::of_code(root.code),
                None => Self::IsBlocked,
            },
        }
    }
}

/// The verbs for causes that do not simply block a version.
const VERBS: [(Code, Verb<'static>); 5] = [
    (
        Code::ComponentOutdated,
        Verb::Is("is outdated", "has been outdated"),
    ),
    (
        Code::ControllerNotRunning,
        Verb::Is(
            "is not reconciled, because no controller runs",
            "is not reconciled, because no controller has run",
        ),
    ),
    (
        Code::PolicyInvalid,
        Verb::Is("is invalid", "has been invalid"),
    ),
    (
        Code::PolicyNonCompliant,
        Verb::Is("is not compliant", "has not been compliant"),
    ),
    (
        Code::ReferenceMissing,
        Verb::Is("has no effect", "has had no effect"),
    ),
];

fn has_verb(cause: &Cause) -> bool {
    VERBS.iter().any(|(of, _)| *of == cause.code)
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
            ..Impact::default()
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
