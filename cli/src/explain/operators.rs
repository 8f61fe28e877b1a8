//! The explanation of Operators of `operators.operatorframework.io`.

use portolan_api::operator::{ConditionType, Reason, Status};
use portolan_controller::{OperatorAct, OperatorStep, RehearsedOperator};
use portolan_core_names::text::listed;
use serde::Serialize;
use serde_json::Value;

use crate::failure::Failure;
use crate::print::words::{self, located};
use crate::print::{Detail, Page, Span, Table};

/// An Operator, and the changes that it would cause.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExplainedOperator {
    pub(crate) name: String,
    pub(crate) package: String,
    /// The changes that the controller would make next.
    pub(crate) changes: Vec<Change>,
    /// The facts that are unknown for this Operator.
    pub(crate) unknown: Vec<String>,
    /// The status that the Operator would have before any change is made.
    pub(crate) status: Status,
}

/// A change that the controller would make to an object.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Change {
    /// The kind of the change and the object, as a short text.
    pub(crate) title: String,
    /// The objects that would be created. The last object is the InstallPlan.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) objects: Vec<Value>,
}

/// The type, status, reason and message of a condition.
pub(crate) struct ShownCondition<'a> {
    pub(crate) type_: &'static str,
    pub(crate) status: &'a str,
    pub(crate) reason: &'a str,
    pub(crate) message: &'a str,
}

// === impl ExplainedOperator ===

impl ExplainedOperator {
    pub(crate) fn of(rehearsed: RehearsedOperator) -> Self {
        let RehearsedOperator {
            operator,
            status,
            steps,
            unknown,
        } = rehearsed;
        let package = operator.spec.as_json()["packageName"].as_str();
        Self {
            package: package.unwrap_or_default().to_owned(),
            name: operator.metadata.name.clone().unwrap_or_default(),
            changes: steps.into_iter().map(Change::of).collect(),
            unknown: unknown.into_iter().collect(),
            status,
        }
    }

    /// Returns true if the Operator is ready and up to date, and nothing would change.
    pub(crate) fn is_fine(&self) -> bool {
        let installing = self.condition(ConditionType::Installing);
        let rests = [Reason::UpToDate, Reason::Frozen];
        let is_at_rest =
            installing.is_some_and(|it| rests.iter().any(|rest| rest.as_str() == it.reason));
        self.is_ready() && is_at_rest && self.changes.is_empty() && self.unknown.is_empty()
    }

    /// Returns true if the status reports an invalid spec.
    pub(crate) fn is_invalid(&self) -> bool {
        let installing = self.condition(ConditionType::Installing);
        installing.is_some_and(|it| it.reason == Reason::SpecInvalid.as_str())
    }

    /// Returns the name of the Operator, with its kind.
    pub(crate) fn place(&self) -> String {
        format!("operator/{}", self.name)
    }

    /// Returns the reason of the condition Installing, or `-`.
    pub(crate) fn word(&self) -> &str {
        let installing = self.condition(ConditionType::Installing);
        installing.map_or("-", |it| it.reason)
    }

    /// Returns the path from the installed version to the destination.
    pub(crate) fn path(&self) -> Vec<String> {
        let installed = self.status.bundle.iter().map(|bundle| bundle.name.clone());
        let hops = self
            .status
            .path
            .iter()
            .map(|hop| match hop.with.as_slice() {
                [] => hop.bundle.clone(),
                with => format!("{} (with {})", hop.bundle, listed(with)),
            });
        installed.chain(hops).collect()
    }

    /// Returns the conditions that explain the state of the Operator.
    pub(crate) fn conditions(&self) -> impl Iterator<Item = ShownCondition<'_>> {
        let told = ConditionType::ALL.iter().filter(|type_| match type_ {
            ConditionType::Ready | ConditionType::Installing => true,
            ConditionType::UpgradeAvailable
            | ConditionType::DependenciesMet
            | ConditionType::Deprecated => false,
        });
        told.filter_map(|type_| self.condition(*type_))
    }

    fn condition(&self, type_: ConditionType) -> Option<ShownCondition<'_>> {
        let condition = self.status.condition(type_)?;
        Some(ShownCondition {
            type_: type_.as_str(),
            status: &condition.status,
            reason: &condition.reason,
            message: &condition.message,
        })
    }

    fn is_ready(&self) -> bool {
        let ready = self.condition(ConditionType::Ready);
        ready.is_some_and(|it| it.status == "True")
    }

    fn colored(&self) -> Span {
        let is_broken = self.status.bundle.is_some() && !self.is_ready();
        match (self.is_fine(), is_broken || self.is_invalid()) {
            (true, _) => Span::good(self.word()),
            (false, true) => Span::error(self.word()),
            (false, false) => Span::warning(self.word()),
        }
    }
}

// === impl Change ===

impl Change {
    fn of(step: OperatorStep) -> Self {
        let plan =
            |namespace: &str, name: &str| format!("InstallPlan {}", located(namespace, name));
        let title = match &step {
            OperatorStep::AddFinalizer => {
                "add a finalizer to the Operator, so that deleting the Operator also deletes the installed objects"
                    .to_owned()
            }
            OperatorStep::RemoveFinalizer => "remove the finalizer of the Operator".to_owned(),
            OperatorStep::Create(objects) => creation_title(objects),
            OperatorStep::Release {
                namespace,
                plan: name,
                ..
            } => format!("resume {}, which was suspended until now", plan(namespace, name)),
            OperatorStep::Suspend {
                namespace,
                plan: name,
                ..
            } => format!("suspend {}, which was replaced", plan(namespace, name)),
            OperatorStep::Reset {
                namespace,
                plan: name,
                resume,
                lifecycle,
                ..
            } => {
                let fields = [
                    resume.then_some("suspend"),
                    lifecycle.as_ref().map(|_| "lifecycle"),
                ];
                let fields: Vec<_> = fields.into_iter().flatten().collect();
                let plan = plan(namespace, name);
                format!("restore {} of {plan}", fields.join(" and "))
            }
            OperatorStep::Delete {
                namespace,
                plan: name,
                ..
            } => format!("delete {}", plan(namespace, name)),
            OperatorStep::DeleteBeside(object) => {
                let namespace = object.namespace.as_deref().unwrap_or_default();
                format!(
                    "delete {} {}",
                    object.kind,
                    located(namespace, &object.name)
                )
            }
            OperatorStep::OwnFound {
                namespace,
                plan: name,
                ..
            } => format!("make {} the owner of the existing objects", plan(namespace, name)),
            OperatorStep::As(account, act) => {
                let who = located(&account.namespace, &account.name);
                format!("{}, as ServiceAccount {who}", act_title(act))
            }
        };
        let objects = match step {
            OperatorStep::Create(objects) => objects,
            _ => Vec::new(),
        };
        Self { title, objects }
    }
}

fn creation_title(objects: &[Value]) -> String {
    let text = |pointer| {
        let plan = objects.last().and_then(|plan| plan.pointer(pointer));
        plan.and_then(Value::as_str).unwrap_or_default()
    };
    let (namespace, name) = (text("/metadata/namespace"), text("/metadata/name"));
    let beside = match objects.len().saturating_sub(1) {
        0 => String::new(),
        beside => format!(" and {}", words::count(beside, "more object")),
    };
    format!(
        "create InstallPlan {}{beside}, suspended until the InstallPlan is validated",
        located(namespace, name)
    )
}

fn act_title(act: &OperatorAct) -> String {
    match act {
        OperatorAct::Patch { object, .. } => format!("change {object}"),
        OperatorAct::Delete { object, .. } => format!("delete {object}"),
        OperatorAct::Orphan { object, .. } => {
            format!("delete {object}, but not the objects that it owns")
        }
    }
}

/// Returns the Operators with these names.
pub(super) fn chosen(
    all: Vec<ExplainedOperator>,
    names: &[String],
) -> Result<Vec<ExplainedOperator>, Failure> {
    for name in names {
        if !all.iter().any(|it| it.name == *name) {
            let known = all.iter().map(|it| (String::new(), it.name.clone()));
            let known: Vec<_> = known.collect();
            let near = words::near_or_existing(name, "Operators", &known);
            return Err(Failure::usage(format!("Operator {name} not found{near}")));
        }
    }
    let is_meant = |it: &ExplainedOperator| names.contains(&it.name);
    Ok(all.into_iter().filter(is_meant).collect())
}

/// Renders one row for each Operator, followed by the reasons and the changes.
pub(crate) fn render(operators: &[&ExplainedOperator], detail: Detail) -> Page {
    let mut page = Page::default();
    if operators.is_empty() {
        return page;
    }
    let table = Table::of(operators, detail)
        .text("OPERATOR", &|it| &it.name)
        .text("PACKAGE", &|it| &it.package)
        .column("STATE", &|it| it.colored())
        .text("INSTALLED", &|it| {
            it.status.bundle.as_ref().map_or("", |bundle| &bundle.name)
        })
        .text("NEXT", &|it| {
            it.status.path.first().map_or("", |hop| &hop.bundle)
        })
        .text("TARGET", &|it| {
            it.status.path.last().map_or("", |hop| &hop.bundle)
        })
        .column("CHANGES", &|it| it.changes.len().to_string().into());
    page.table(table);
    for operator in operators {
        if detail == Detail::Whole || !operator.is_fine() {
            block(&mut page, operator);
        }
    }
    page
}

fn block(page: &mut Page, operator: &ExplainedOperator) {
    page.part();
    page.line([Span::heading(operator.place() + ":"), operator.colored()]);
    for condition in operator.conditions() {
        let [status, reason] = [condition.status, condition.reason].map(Span::from);
        let message = Span::plain(format!("- {}", condition.message));
        let type_ = Span::plain(format!("{}:", condition.type_));
        page.below([type_, status, reason, message]);
    }
    if !operator.status.path.is_empty() {
        page.below([Span::heading("Path:"), operator.path().join(" -> ").into()]);
    }
    for change in &operator.changes {
        page.below([Span::heading("Would"), change.title.as_str().into()]);
    }
    for unknown in &operator.unknown {
        page.below([Span::warning("Unknown:"), unknown.into()]);
    }
}
