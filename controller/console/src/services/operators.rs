//! Operators, of OLM and of Portolan.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use portolan_api::operator::{ConditionType, Operator as Ours};
use portolan_core_console::view::{
    Cause, Event, Operator, OperatorPage, Origin, Plan, RouteHop, Seen, State, Unseen,
};
use portolan_core_olm::Event as Warning;
use portolan_proto::diagnosis::v1::{DiagnoseRequest, OperatorDiagnosis};
use portolan_proto::health::v1::operator::Manager;
use portolan_proto::health::v1::{self as health, ListOperatorsRequest};
use portolan_world::{Area, World as _};

use super::health::{cause, diagnosed, fact, judged};
use super::hidden::unless_hidden;
use super::{Services, heard, unseen, way};

/// The kind of the subjects of ours in a diagnosis.
const OURS: &str = "Operator";

/// The text about an Operator without a status.
const UNSAID: &str = "It has no status yet; check that the controller of Operators runs.";

/// The diagnoses of all operators.
#[derive(Debug)]
pub(super) struct DiagnosedOperators {
    /// Each operator, with its root cause if it has a problem.
    operators: Vec<(Operator, Option<Cause>)>,
    /// The reason why the diagnoses are unknown, if they are. The states of the operators are known
    /// all the same.
    undiagnosed: Option<Unseen>,
}

/// The last answer about all operators.
#[derive(Debug)]
pub(super) struct KeptAnswer {
    asked: RequestTime,
    answer: Arc<DiagnosedOperators>,
}

/// The time of a request.
#[derive(Debug, Clone, Copy)]
struct RequestTime {
    at: Instant,
    /// The number of changes by then.
    changes: u64,
}

/// The time for which an answer is fresh if no change is reported. It is shorter than a page waits
/// after an event before it reloads.
const FRESH: Duration = Duration::from_millis(400);

/// The diagnoses of operators, by whether the subject is an Operator of ours, by namespace and by
/// name. A subject of OLM may be of either kind of its operators.
type Diagnoses = BTreeMap<(bool, String, String), OperatorDiagnosis>;

/// An operator, and what its health stands on.
struct OperatorFacts {
    operator: Operator,
    facts: Vec<health::Fact>,
    /// The namespace and the name of the plan of ours that installed it.
    plan: Option<(String, String)>,
    /// The path that the operator is taking, if it reports one itself.
    way: Option<Vec<RouteHop>>,
}

// === impl RequestTime ===

impl RequestTime {
    /// Returns true if an answer requested at this moment is fresh for a page requested at another
    /// one. Pages that wait for a slow answer count from their arrival, so that not each of them
    /// asks again.
    fn is_late_enough_for(self, page: Self) -> bool {
        page.changes <= self.changes && page.at < self.at + FRESH
    }
}

// === impl Services ===

impl Services {
    pub(super) async fn operators(&self) -> Seen<Vec<Operator>> {
        let (told, hidden) = tokio::join!(self.diagnosed_operators(), self.hidden_operators());
        let told = told?;
        let operators = told.operators.iter();
        let operators = operators.map(|(operator, _)| operator.clone());
        unless_hidden(operators.collect(), hidden)
    }

    /// Returns all operators with their root causes.
    pub(super) async fn diagnoses(&self) -> Seen<Vec<(Operator, Option<Cause>)>> {
        let (told, hidden) = tokio::join!(self.diagnosed_operators(), self.hidden_operators());
        let told = told?;
        match &told.undiagnosed {
            Some(why) => Err(why.clone()),
            None => unless_hidden(told.operators.clone(), hidden),
        }
    }

    /// Returns one shared answer to requests at about the same time, because many pages are
    /// notified of a change at once.
    async fn diagnosed_operators(&self) -> Seen<Arc<DiagnosedOperators>> {
        let came = self.asked();
        let mut kept = self.kept.lock().await;
        if let Some(kept) = &*kept
            && kept.asked.is_late_enough_for(came)
        {
            return Ok(Arc::clone(&kept.answer));
        }
        // The answer may miss changes during the request.
        let asked = self.asked();
        let (known, diagnoses) = tokio::join!(self.known(), self.diagnosed("", ""));
        let (diagnoses, undiagnosed) = match diagnoses {
            Ok(diagnoses) => (diagnoses, None),
            Err(why) => (Diagnoses::new(), Some(why)),
        };
        let operators = known?.into_iter().map(|it| {
            let operator = it.with(&diagnoses).operator;
            let root = diagnoses.get(&key(&operator));
            let root = root.and_then(|it| it.cause.as_ref()).map(cause);
            (operator, root)
        });
        let told = Arc::new(DiagnosedOperators {
            operators: operators.collect(),
            undiagnosed,
        });
        *kept = Some(KeptAnswer {
            asked,
            answer: Arc::clone(&told),
        });
        Ok(told)
    }

    fn asked(&self) -> RequestTime {
        RequestTime {
            at: Instant::now(),
            changes: *self.changes.borrow(),
        }
    }

    pub(super) async fn operator(&self, namespace: &str, name: &str) -> Seen<OperatorPage> {
        let known = self.known().await?;
        let found = known.into_iter().find(|it| {
            let Operator {
                namespace: its,
                name: called,
                ..
            } = &it.operator;
            its == namespace && called == name
        });
        let found = found.ok_or_else(|| Unseen(format!("There is no operator {name}.")))?;
        // A query by name would not find an own operator without status.
        let by_name = match found.operator.origin {
            Origin::Olm => (namespace, name),
            Origin::Portolan => ("", ""),
        };
        let (diagnoses, plans, events) = tokio::join!(
            self.diagnosed(by_name.0, by_name.1),
            self.plans(),
            self.events(namespace)
        );
        let root = diagnoses.as_ref().map_err(Clone::clone).map(|diagnoses| {
            let root = diagnoses.get(&key(&found.operator));
            root.and_then(|it| it.cause.as_ref()).map(cause)
        });
        let OperatorFacts {
            operator,
            facts,
            plan,
            way,
        } = found.with(&diagnoses.unwrap_or_default());
        let upgrades = self.upgrades(&operator).await;
        let way = match way {
            Some(way) => Ok(way),
            None => self.way_of_olm(&operator).await,
        };
        let graph = self.graph_with(&operator, &way).await;
        Ok(OperatorPage {
            facts: facts.iter().map(fact).collect(),
            cause: root,
            versions: upgrades.map(|it| way::versions(&it)),
            way,
            graph,
            plans: plans.map(|all| moving(&operator, plan.as_ref(), all)),
            events,
            operator,
        })
    }

    /// Returns the operators of OLM and of Portolan, sorted by name. Objects that are not visible
    /// are reported separately.
    async fn known(&self) -> Seen<Vec<OperatorFacts>> {
        let mut known = self.of_olm().await?;
        let mut ours = self.world.objects::<Ours>();
        if let Ok(view) = ours.known().await {
            known.extend(view.objects.values().map(|it| of_ours(it)));
        }
        known.sort_by(|one, other| {
            let key =
                |it: &OperatorFacts| (it.operator.name.clone(), it.operator.namespace.clone());
            key(one).cmp(&key(other))
        });
        Ok(known)
    }

    async fn of_olm(&self) -> Seen<Vec<OperatorFacts>> {
        let mut known = Vec::new();
        let mut page_token = String::new();
        loop {
            let request = ListOperatorsRequest {
                page_token,
                ..ListOperatorsRequest::default()
            };
            let page = heard(self.health().list_operators(request).await)?;
            let of_other = |it: &health::Operator| {
                !matches!(it.manager(), Manager::Unspecified | Manager::Olm)
            };
            let operators = page.operators.into_iter().filter(|it| !of_other(it));
            known.extend(operators.map(of_olm));
            page_token = page.next_page_token;
            if page_token.is_empty() {
                return Ok(known);
            }
        }
    }

    async fn diagnosed(&self, namespace: &str, name: &str) -> Seen<Diagnoses> {
        let request = DiagnoseRequest {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        };
        let mut told = heard(self.diagnosis().diagnose(request).await)?;
        let mut diagnoses = Diagnoses::new();
        while let Some(next) = told.message().await.map_err(|status| unseen(&status))? {
            let diagnosis = next.diagnosis.unwrap_or_default();
            let subject = diagnosis.subject.clone().unwrap_or_default();
            let key = (subject.kind == OURS, subject.namespace, subject.name);
            diagnoses.insert(key, diagnosis);
        }
        Ok(diagnoses)
    }

    /// Returns the warning events of a namespace, the newest first; empty for cluster-scoped
    /// operators.
    async fn events(&self, namespace: &str) -> Seen<Vec<Event>> {
        if namespace.is_empty() {
            return Ok(Vec::new());
        }
        let mut warnings = self.world.objects_in::<Warning>(Area::namespace(namespace));
        let view = warnings.known().await.unwrap_or_default();
        if let Some((trouble, _)) = view.state.trouble() {
            return Err(Unseen(trouble.to_string()));
        }
        let events = view.objects.values().map(|it| Event {
            at: it.last_seen().to_owned(),
            object: format!("{} {}", it.involved_object.kind, it.involved_object.name),
            reason: it.reason.clone(),
            message: it.message.clone(),
        });
        let mut events: Vec<_> = events.collect();
        events.sort_by(|one, other| other.at.cmp(&one.at));
        Ok(events)
    }
}

// === impl OperatorFacts ===

impl OperatorFacts {
    /// Sets the state from the diagnosis, which is more precise than the health.
    fn with(mut self, diagnoses: &Diagnoses) -> Self {
        if let Some(diagnosis) = diagnoses.get(&key(&self.operator)) {
            self.operator.state = diagnosed(diagnosis.state());
            if let Some(root) = &diagnosis.cause {
                self.operator.why.clone_from(&root.message);
            }
        }
        self
    }
}

fn key(operator: &Operator) -> (bool, String, String) {
    let is_ours = operator.origin == Origin::Portolan;
    (is_ours, operator.namespace.clone(), operator.name.clone())
}

fn of_olm(it: health::Operator) -> OperatorFacts {
    let subject = it.subject.unwrap_or_default();
    let verdict = it.verdict.unwrap_or_default();
    let why = verdict.reasons.first().map(|why| why.message.clone());
    let bundle = if it.installed.is_empty() {
        it.csv
    } else {
        it.installed
    };
    OperatorFacts {
        operator: Operator {
            origin: Origin::Olm,
            namespace: subject.namespace,
            name: subject.name,
            package: it.package,
            bundle,
            version: it.version,
            catalog: it.catalog,
            channel: it.channel,
            state: judged(verdict.state()),
            why: why.unwrap_or_default(),
        },
        facts: it.facts,
        plan: None,
        way: None,
    }
}

fn of_ours(it: &Ours) -> OperatorFacts {
    let status = it.status.clone().unwrap_or_default();
    let ready = status.condition(ConditionType::Ready).cloned();
    let state = match ready.as_ref().map(|it| it.status.as_str()) {
        Some("True") => State::Well,
        Some("False") => State::Working,
        Some(_) | None => State::Unknown,
    };
    let bundle = status.bundle.unwrap_or_default();
    let package = it.spec.as_json()["packageName"].as_str();
    OperatorFacts {
        operator: Operator {
            origin: Origin::Portolan,
            namespace: String::new(),
            name: it.metadata.name.clone().unwrap_or_default(),
            package: package.unwrap_or_default().to_owned(),
            bundle: bundle.name,
            version: status.versions.installed.unwrap_or_default(),
            catalog: bundle.catalog,
            channel: String::new(),
            state,
            why: ready.map_or_else(|| UNSAID.to_owned(), |it| it.message),
        },
        facts: Vec::new(),
        plan: status.plan.map(|it| (it.namespace, it.name)),
        way: Some(status.path.into_iter().map(way::hop).collect()),
    }
}

/// Returns the plans about an operator: those in its namespace that concern it, or the Portolan
/// plan that installed it.
fn moving(operator: &Operator, own: Option<&(String, String)>, all: Vec<Plan>) -> Vec<Plan> {
    let is_about = |plan: &Plan| {
        if let Some((namespace, name)) = own {
            return plan.namespace == *namespace && plan.name == *name;
        }
        let prefix = format!("{}.", operator.package);
        plan.namespace == operator.namespace
            && plan
                .bundles
                .iter()
                .any(|it| it.starts_with(&prefix) || *it == operator.bundle)
    };
    all.into_iter().filter(is_about).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// The question was asked in the tenth second, after four changes.
    #[rstest]
    #[case::a_moment_later(10_300, 4, true)]
    #[case::before_it(9_000, 4, true)]
    #[case::too_late(10_500, 4, false)]
    #[case::after_a_change(10_300, 5, false)]
    fn an_answer_is_as_new_as_its_question(
        #[case] came: u64,
        #[case] changes: u64,
        #[case] is_new: bool,
    ) {
        let begun = Instant::now();
        let at = |milliseconds| begun + Duration::from_millis(milliseconds);
        let asked = RequestTime {
            at: at(10_000),
            changes: 4,
        };
        let page = RequestTime {
            at: at(came),
            changes,
        };
        assert_eq!(asked.is_late_enough_for(page), is_new);
    }
}
