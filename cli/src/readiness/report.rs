//! The report for people and programs.

use portolan_core_route::readiness::{Readiness, ReadinessVerdict, Reason, RestraintRule, Stage};
use serde::Serialize;

use super::gather::Gathered;
use super::lines::{Answered, Step, When, located};
use super::sentences::title;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::print::markdown::{code, prose};
use crate::print::{Detail, Format, Page, Render, Span, words};

/// The facts that the command never reads.
const NEVER_CHECKED: &str = "dependencies between operators";

/// Facts about the cluster, beside its operators.
#[derive(Debug, Default)]
pub(super) struct ClusterFacts {
    /// Objects of the cluster, each with a sentence.
    pub(super) notes: Vec<(String, String)>,
    /// The facts that could not be checked.
    pub(super) not_checked: Vec<String>,
}

/// The report about all operators.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Report {
    /// The current release.
    from: String,
    /// The target release.
    to: String,
    kubernetes: String,
    operators: Vec<OperatorReadiness>,
    /// The steps, in the order of time.
    steps: Vec<Step>,
    /// The objects that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<String>,
    not_checked: Vec<String>,
}

/// The answer for one operator.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct OperatorReadiness {
    namespace: String,
    name: String,
    manager: &'static str,
    package: String,
    catalog: String,
    installed: String,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<ReasonOutput>,
    /// The bundles before the upgrade and in between, by release.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    updates: Vec<Updates>,
    /// The bundles after the upgrade. Null if no path leads to the head of the channel.
    after: Option<Vec<String>>,
    #[serde(skip_serializing_if = "String::is_empty")]
    channel_then: String,
    /// The first release that the operator blocks. Empty for none.
    #[serde(skip_serializing_if = "String::is_empty")]
    blocks: String,
    /// The operators of the same namespace that keep OLM from updating it after the upgrade.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    held_up_by: Vec<String>,
    #[serde(skip)]
    verdict_value: ReadinessVerdict,
    /// The operator, as steps name it.
    #[serde(skip)]
    located: String,
    /// True if it requests APIs that the cluster upgrade removes.
    #[serde(skip)]
    has_requests: bool,
}

/// The verdict of one operator.
pub(super) struct OperatorVerdict<'a> {
    /// The operator, as `NAMESPACE/NAME`.
    pub(super) operator: String,
    pub(super) installed: &'a str,
    pub(super) verdict: ReadinessVerdict,
}

#[derive(Debug, Serialize)]
struct ReasonOutput {
    code: &'static str,
    message: String,
    /// The object that forbids or delays an update. Empty for other reasons.
    #[serde(skip_serializing_if = "String::is_empty")]
    object: String,
}

#[derive(Debug, Serialize)]
struct Updates {
    release: String,
    bundles: Vec<String>,
}

// === impl Report ===

impl Report {
    pub(super) fn of(gathered: &Gathered, answers: &[Readiness], cluster: ClusterFacts) -> Self {
        let stages = &gathered.question.stages;
        let target = stages[stages.len() - 1];
        let answered = |at| Answered {
            gathered,
            answers,
            at,
        };
        let all = (0..answers.len()).map(answered);
        let mut steps: Vec<_> = all.clone().flat_map(|it| it.steps()).collect();
        let notes = cluster.notes.into_iter();
        steps.extend(notes.map(|(object, message)| Step::note(object, message)));
        steps.sort_by(|a, b| (a.when, &a.operator).cmp(&(b.when, &b.operator)));
        Self {
            from: stages[0].to_string(),
            to: target.to_string(),
            kubernetes: target.kubernetes.to_string(),
            operators: all.map(|it| OperatorReadiness::of(&it, stages)).collect(),
            steps,
            unread: gathered.gaps.clone(),
            not_checked: std::iter::once(NEVER_CHECKED.to_owned())
                .chain(cluster.not_checked)
                .collect(),
        }
    }

    pub(super) fn from(&self) -> &str {
        &self.from
    }

    pub(super) fn to(&self) -> &str {
        &self.to
    }

    pub(super) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns the verdict of each operator.
    pub(super) fn verdicts(&self) -> impl Iterator<Item = OperatorVerdict<'_>> {
        self.operators.iter().map(|it| OperatorVerdict {
            operator: it.located.clone(),
            installed: &it.installed,
            verdict: it.verdict_value,
        })
    }

    /// Returns the message of the first step of an operator that a person must do. Empty for none.
    pub(super) fn first_step(&self, operator: &str) -> String {
        let mut steps = self.steps.iter();
        let first = steps.find(|step| step.operator == operator && !step.is_detail);
        first.map(|step| step.message.clone()).unwrap_or_default()
    }

    /// Returns the number of operators with one of these verdicts. An operator that must be changed
    /// because of its requests has no other verdict here.
    fn count(&self, verdicts: &[ReadinessVerdict]) -> usize {
        let operators = self.operators.iter();
        let counted = operators.filter(|it| {
            let verdict = match it.verdict_value {
                ReadinessVerdict::Ready
                | ReadinessVerdict::NotReinstallable
                | ReadinessVerdict::SwitchChannelAfter
                    if it.has_requests =>
                {
                    ReadinessVerdict::UpdateFirst
                }
                verdict => verdict,
            };
            verdicts.contains(&verdict)
        });
        counted.count()
    }

    fn is_to_be_done_before(&self) -> bool {
        let mut steps = self.steps.iter();
        steps.any(|step| [When::Before, When::Blocks, When::Between].contains(&step.when))
    }

    fn is_in_doubt(&self) -> bool {
        !self.unread.is_empty() || self.count(&[ReadinessVerdict::NotChecked]) > 0
    }

    /// Returns the first sentence of the report.
    fn headline(&self) -> String {
        let target = if self.to.starts_with("OpenShift") {
            format!("{} (Kubernetes {})", self.to, self.kubernetes)
        } else {
            self.to.clone()
        };
        let word = match (self.is_to_be_done_before(), self.is_in_doubt()) {
            (true, _) => "Not ready",
            (false, true) => "Unknown if ready",
            (false, false) => "Ready",
        };
        let changes = [
            ReadinessVerdict::UpdateFirst,
            ReadinessVerdict::UpdateBetween,
            ReadinessVerdict::SwitchChannelFirst,
            ReadinessVerdict::Stranded,
            ReadinessVerdict::PackageGone,
        ];
        let parts = [
            (self.count(&changes), "must be changed first"),
            (
                self.count(&[ReadinessVerdict::Blocked]),
                "blocks the upgrade",
            ),
            (
                self.count(&[ReadinessVerdict::SwitchChannelAfter]),
                "must be changed afterwards",
            ),
            (
                self.count(&[ReadinessVerdict::NotReinstallable]),
                "cannot be installed again",
            ),
            (self.count(&[ReadinessVerdict::NotChecked]), "not checked"),
            (self.count(&[ReadinessVerdict::Ready]), "ready"),
        ];
        let parts = parts.iter().filter(|(number, _)| *number > 0);
        let parts: Vec<_> = parts
            .map(|(number, what)| format!("{number} {what}"))
            .collect();
        let operators = words::count(self.operators.len(), "operator");
        match parts.as_slice() {
            [] => format!("{word} for {target}: no operators found."),
            parts => format!("{word} for {target}: {operators}: {}.", parts.join(", ")),
        }
    }

    /// Returns the steps of one time.
    fn steps_of(&self, when: When, detail: Detail) -> Vec<&Step> {
        let steps = self.steps.iter().filter(move |step| step.when == when);
        let steps = steps.filter(|step| detail == Detail::Whole || !step.is_detail);
        steps.collect()
    }
}

impl Render for Report {
    fn page(&self, detail: Detail) -> Page {
        let mut page = Page::default();
        let headline = self.headline();
        page.line([match (self.is_to_be_done_before(), self.is_in_doubt()) {
            (true, _) => Span::error(headline),
            (false, true) => Span::warning(headline),
            (false, false) => Span::good(headline),
        }]);
        for when in When::ALL {
            let steps = self.steps_of(when, detail);
            let unread: &[String] = if when == When::NotChecked {
                &self.unread
            } else {
                &[]
            };
            if steps.is_empty() && unread.is_empty() {
                continue;
            }
            page.section(when.heading());
            for step in steps {
                page.below([format!("{}: {}", step.operator, step.message).into()]);
                if !step.who.is_empty() && when != When::NotChecked {
                    page.indented(2, [format!("who: {}", step.who).into()]);
                }
                if !step.command.is_empty() {
                    page.indented(2, [(&step.command).into()]);
                }
            }
            for gap in unread {
                page.below([gap.into()]);
            }
        }
        let hidden = self.steps.iter().filter(|step| step.is_detail).count();
        if detail == Detail::Usual && hidden > 0 {
            let updates = words::count(hidden, "operator");
            page.part();
            page.text_line(format!(
                "{updates} can be updated after the upgrade (-o wide lists them)."
            ));
        }
        page.part();
        page.text_line(format!(
            "This command does not check {}.",
            self.not_checked.join("; ")
        ));
        page
    }

    fn text(&self, _: Format) -> Result<String, Failure> {
        let mut text = format!("# {}\n", prose(&self.headline()));
        for when in When::ALL {
            let steps = self.steps_of(when, Detail::Whole);
            let unread: &[String] = if when == When::NotChecked {
                &self.unread
            } else {
                &[]
            };
            if steps.is_empty() && unread.is_empty() {
                continue;
            }
            text += &format!("\n## {}\n\n", when.heading());
            for step in steps {
                text += &format!("- **{}**: {}", prose(&step.operator), prose(&step.message));
                if !step.who.is_empty() && when != When::NotChecked {
                    text += &format!(" Who: {}.", prose(&step.who));
                }
                if !step.command.is_empty() {
                    text += &format!(" {}", code(&step.command));
                }
                text.push('\n');
            }
            for gap in unread {
                text += &format!("- {}\n", prose(gap));
            }
        }
        text += &format!(
            "\nThis command does not check {}.\n",
            self.not_checked.join("; ")
        );
        Ok(text)
    }

    fn exit(&self) -> Exit {
        Exit::no_if(self.is_to_be_done_before()).unless_in_doubt(self.is_in_doubt())
    }
}

// === impl OperatorReadiness ===

impl OperatorReadiness {
    fn of(it: &Answered<'_>, stages: &[Stage]) -> Self {
        let (named, answer) = (it.operator(), it.answer());
        let operator = &named.inventory;
        let names = |hops: &[portolan_core_graph::Node]| {
            hops.iter()
                .map(|hop| hop.name.to_string())
                .collect::<Vec<_>>()
        };
        let reasons = answer.reasons.iter().map(|reason| ReasonOutput {
            code: reason_code(reason),
            message: it.sentence(reason),
            object: match reason {
                Reason::Restrained { restraint, .. } => title(&restraint.object),
                _ => String::new(),
            },
        });
        let updates = answer.legs.iter().map(|leg| Updates {
            release: stages[leg.stage].to_string(),
            bundles: names(&leg.hops),
        });
        let held_up_by = answer.held_up_by.iter();
        Self {
            namespace: operator.namespace.clone(),
            name: operator
                .subscription
                .as_ref()
                .map_or_else(|| operator.object.name.clone(), |key| key.name.to_string()),
            manager: operator.manager.as_str(),
            package: operator.package.clone(),
            catalog: named
                .catalogs
                .first()
                .map(ToString::to_string)
                .unwrap_or_default(),
            installed: operator.bundle.clone(),
            verdict: answer.verdict.as_str(),
            reasons: reasons.collect(),
            updates: updates.collect(),
            after: answer.after.as_deref().map(names),
            channel_then: answer
                .channel
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default(),
            blocks: answer
                .blocks
                .map(|stage| stages[stage].to_string())
                .unwrap_or_default(),
            held_up_by: held_up_by
                .map(|at| located(&it.gathered.operators[*at].inventory))
                .collect(),
            verdict_value: answer.verdict,
            located: located(operator),
            has_requests: it.requests().is_some(),
        }
    }
}

/// Returns the code of a reason for programs.
fn reason_code(reason: &Reason) -> &'static str {
    match reason {
        Reason::AboveLimit(_) => "AboveLimit",
        Reason::InvalidLimit(_) => "InvalidLimit",
        Reason::UnknownLimit => "UnknownLimit",
        Reason::PackageGone => "PackageGone",
        Reason::ChannelGone => "ChannelGone",
        Reason::Stranded => "Stranded",
        Reason::NotReinstallable => "NotReinstallable",
        Reason::NotAllowed(_) => "NotAllowed",
        Reason::NeedsNewerKubernetes { .. } => "NeedsNewerKubernetes",
        Reason::GoneBetween { .. } => "GoneBetween",
        Reason::Unread { .. } => "Unread",
        Reason::RemovedObjects { .. } => "RemovedApi",
        Reason::RemovedPermissions { .. } => "RemovedApiPermission",
        Reason::RequestsRemovedApi(_) => "RequestsRemovedApi",
        Reason::ObjectsNotRead { .. } => "ObjectsNotRead",
        Reason::Restrained { restraint, .. } => match restraint.rule {
            RestraintRule::NoUpdates => "NoUpdates",
            RestraintRule::Approval => "NeedsApproval",
            RestraintRule::Bundles { .. } => "BundleNotAllowed",
            RestraintRule::Denied { .. } => "DeniedByPolicy",
        },
        Reason::NothingInstalled => "NothingInstalled",
        Reason::NotFollowed => "NotFollowed",
    }
}
