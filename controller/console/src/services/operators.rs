//! The operators that OLM v0, OLM v1 and Portolan install, with their diagnoses.

mod facts;

use std::collections::BTreeMap;
use std::sync::Arc;

use portolan_api::operator::Operator as Ours;
use portolan_api::qualified;
use portolan_core_console::view::{
    Cause, DiagnosedObject, Diagnoses as DiagnosesView, Event, Operator, OperatorPage, Origin,
    Seen, Unseen,
};
use portolan_core_olm::{ClusterExtension, Event as Warning};
use portolan_proto::diagnosis::v1::diagnose_request::Kind as DiagnosedKind;
use portolan_proto::diagnosis::v1::{DiagnoseRequest, OperatorDiagnosis};
use portolan_proto::health::v1::ListOperatorsRequest;
use portolan_world::{Area, World as _};

pub(super) use self::facts::OperatorFacts;
use self::facts::{moving, of_olm, of_ours};
use super::health::{diagnosed_state, fact, root};
use super::hidden::unless_hidden;
use super::{Services, heard, objects, unseen, way};
use crate::freshness::RequestTime;

/// The text that replaces the upgrade path of a ClusterExtension.
const NO_WAY: &str = "OLM v1 does not plan a path. It installs the highest version to which the \
                      installed version can be upgraded, and then looks again.";

/// The diagnoses of all operators.
#[derive(Debug)]
pub(super) struct DiagnosedOperators {
    /// The operators. An operator with a problem also has a root cause.
    operators: Vec<(Operator, Option<Cause>)>,
    /// Other diagnosed objects of Portolan, and kinds whose objects are hidden.
    others: Vec<DiagnosedObject>,
    /// The reason why the diagnoses are unavailable. None if they are available. The states of the
    /// operators are known even without diagnoses.
    undiagnosed: Option<Unseen>,
}

/// The cached response about all operators.
#[derive(Debug)]
pub(super) struct KeptAnswer {
    asked: RequestTime,
    answer: Arc<DiagnosedOperators>,
}

/// The diagnoses by subject.
type Diagnoses = BTreeMap<SubjectKey, OperatorDiagnosis>;

/// The object that a diagnosis is about: its kind, namespace and name.
type SubjectKey = (SubjectKind, String, String);

/// The kind of the object that a diagnosis is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum SubjectKind {
    /// A Subscription or a ClusterServiceVersion. The diagnosis of an OLM v0 operator is about one
    /// of these objects, so both kinds have the same key.
    Olm,
    /// Another kind, with its API group.
    Own(String),
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

    /// Returns all operators with their root causes, and the other diagnosed objects.
    pub(super) async fn diagnoses(&self) -> Seen<DiagnosesView> {
        let (told, hidden) = tokio::join!(self.diagnosed_operators(), self.hidden_operators());
        let told = told?;
        if let Some(why) = &told.undiagnosed {
            return Err(why.clone());
        }
        let others = told.others.clone();
        let operators = match unless_hidden(told.operators.clone(), hidden) {
            Err(why) if others.is_empty() => return Err(why),
            operators => operators.unwrap_or_default(),
        };
        Ok(DiagnosesView { operators, others })
    }

    /// Returns the diagnoses of all operators. Simultaneous requests share one response, because a
    /// change makes many pages reload at the same time.
    async fn diagnosed_operators(&self) -> Seen<Arc<DiagnosedOperators>> {
        let came = self.asked();
        let mut kept = self.kept.lock().await;
        if let Some(kept) = &*kept
            && kept.asked.is_late_enough_for(came)
        {
            return Ok(Arc::clone(&kept.answer));
        }
        // The response may not contain changes that happen during the request, so the time before
        // the request counts.
        let asked = self.asked();
        let (known, diagnoses) =
            tokio::join!(self.known(), self.diagnosed(DiagnoseRequest::default()));
        let (mut diagnoses, undiagnosed) = match diagnoses {
            Ok(diagnoses) => (diagnoses, None),
            Err(why) => (Diagnoses::new(), Some(why)),
        };
        let operators = known?.into_iter().map(|it| {
            let operator = it.with(&diagnoses).operator;
            let root = diagnoses.remove(&key(&operator));
            (operator, root.as_ref().and_then(self::root))
        });
        let operators = operators.collect();
        let others = diagnoses.into_iter().filter_map(other);
        let told = Arc::new(DiagnosedOperators {
            operators,
            others: others.collect(),
            undiagnosed,
        });
        *kept = Some(KeptAnswer {
            asked,
            answer: Arc::clone(&told),
        });
        Ok(told)
    }

    fn asked(&self) -> RequestTime {
        RequestTime::now(*self.changes.borrow())
    }

    pub(super) async fn operator(
        &self,
        origin: Origin,
        namespace: &str,
        name: &str,
    ) -> Seen<OperatorPage> {
        let known = self.known().await?;
        let found = known.into_iter().find(|OperatorFacts { operator, .. }| {
            let is_same = operator.namespace == namespace && operator.name == name;
            operator.origin == origin && is_same
        });
        let found = found.ok_or_else(|| Unseen(format!("There is no operator {name}.")))?;
        let kind = match found.operator.origin {
            Origin::Olm => DiagnosedKind::Unspecified,
            Origin::OlmV1 => DiagnosedKind::ClusterExtension,
            Origin::Portolan => DiagnosedKind::Operator,
        };
        let by_name = DiagnoseRequest {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            kind: kind.into(),
        };
        let (diagnoses, plans, events) = tokio::join!(
            self.diagnosed(by_name),
            self.plans(),
            self.events(namespace)
        );
        let root = diagnoses.as_ref().map_err(Clone::clone).map(|diagnoses| {
            let root = diagnoses.get(&key(&found.operator));
            root.and_then(self::root)
        });
        let subject = found.subject();
        let OperatorFacts {
            operator,
            facts,
            plan,
            way,
            policy: _,
        } = found.with(&diagnoses.unwrap_or_default());
        let upgrades = self.upgrades(&operator).await;
        let way = match way {
            Some(way) => Ok(way),
            None if origin == Origin::OlmV1 => Err(Unseen(NO_WAY.to_owned())),
            None => self.way_of_olm(&operator).await,
        };
        let graph = self.graph_with(&operator, &way).await;
        let plans = plans.map(|all| moving(&operator, plan.as_ref(), all));
        let tables = self.tables_of(subject, (origin, name), &plans).await;
        Ok(OperatorPage {
            facts: facts.iter().map(fact).collect(),
            cause: root,
            versions: upgrades.map(|it| way::versions(&it)),
            way,
            graph,
            plans,
            tables,
            events,
            operator,
        })
    }

    /// Returns the operators of OLM v0, OLM v1 and Portolan, sorted by name. Hidden operators are
    /// omitted, and reported separately.
    pub(super) async fn known(&self) -> Seen<Vec<OperatorFacts>> {
        let mut known = self.of_olm().await?;
        let mut ours = self.world.objects::<Ours>();
        if let Ok(view) = ours.known().await {
            known.extend(view.objects.values().map(|it| of_ours(it)));
        }
        self.add_policies(&mut known).await;
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
            known.extend(page.operators.into_iter().filter_map(of_olm));
            page_token = page.next_page_token;
            if page_token.is_empty() {
                return Ok(known);
            }
        }
    }

    async fn diagnosed(&self, request: DiagnoseRequest) -> Seen<Diagnoses> {
        let mut told = heard(self.diagnosis().diagnose(request).await)?;
        let mut diagnoses = Diagnoses::new();
        while let Some(next) = told.message().await.map_err(|status| unseen(&status))? {
            let diagnosis = next.diagnosis.unwrap_or_default();
            let subject = diagnosis.subject.clone().unwrap_or_default();
            let kind = SubjectKind::of(subject.kind);
            diagnoses.insert((kind, subject.namespace, subject.name), diagnosis);
        }
        Ok(diagnoses)
    }

    /// Returns the warning events in a namespace, the newest first. Empty for cluster-scoped
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

// === impl SubjectKind ===

impl SubjectKind {
    fn of(kind: String) -> Self {
        match kind.as_str() {
            "Subscription" | "ClusterServiceVersion" => Self::Olm,
            _ => Self::Own(kind),
        }
    }
}

fn key(operator: &Operator) -> SubjectKey {
    let kind = match operator.origin {
        Origin::Olm => SubjectKind::Olm,
        Origin::OlmV1 => SubjectKind::Own(ClusterExtension::KIND.to_owned()),
        Origin::Portolan => SubjectKind::Own(qualified::OPERATOR.to_owned()),
    };
    (kind, operator.namespace.clone(), operator.name.clone())
}

/// Converts the diagnosis of an object that is not an operator. Returns None for an operator that
/// was created or deleted during the request.
fn other((key, diagnosis): (SubjectKey, OperatorDiagnosis)) -> Option<DiagnosedObject> {
    let (kind, namespace, name) = key;
    let SubjectKind::Own(kind) = kind else {
        return None;
    };
    let of_operators = [qualified::OPERATOR, ClusterExtension::KIND];
    let is_operator = of_operators.contains(&&*kind) && !name.is_empty();
    (!is_operator).then(|| DiagnosedObject {
        page: objects::diagnosed(&kind, &namespace, &name),
        kind,
        namespace,
        name,
        state: diagnosed_state(&diagnosis),
        cause: root(&diagnosis),
    })
}
