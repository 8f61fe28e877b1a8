//! Renders a readiness report as text and as a data structure for `-o json`.

use portolan_core_route::readiness::{ReadinessVerdict, When};
use portolan_proto::diagnosis::v1 as pb;
use portolan_proto::diagnosis::v1::list_readiness_response::Content;
use serde::Serialize;

use super::operator::OperatorReadiness;
use super::step::Step;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::print::markdown::{code, prose};
use crate::print::{Detail, Format, Page, Render, Span, words};

/// The facts that the command never checks.
const NEVER_CHECKED: &str = "dependencies between operators";

/// The report about the operators of a cluster.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Report {
    /// The current release.
    from: String,
    /// The target release.
    to: String,
    kubernetes: String,
    operators: Vec<OperatorReadiness>,
    /// The steps, in the order in which they must be done.
    steps: Vec<Step>,
    /// The objects that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<String>,
    not_checked: Vec<String>,
}

/// The verdict of one operator.
pub(super) struct OperatorVerdict<'a> {
    /// The operator, as `NAMESPACE/NAME`.
    pub(super) operator: String,
    pub(super) installed: &'a str,
    pub(super) verdict: ReadinessVerdict,
}

// === impl Report ===

impl Report {
    /// Creates the report from the responses of the service.
    pub(super) fn of(responses: Vec<pb::ListReadinessResponse>) -> Result<Self, Failure> {
        let (mut overview, mut operators, mut steps) = (None, Vec::new(), Vec::new());
        for response in responses {
            match response.content {
                Some(Content::Overview(found)) => overview = Some(found),
                Some(Content::Operator(mut operator)) => {
                    let own = std::mem::take(&mut operator.steps);
                    let operator = OperatorReadiness::of(operator);
                    let (located, manager) = (&operator.located, &operator.manager);
                    steps.extend(own.into_iter().map(|it| Step::of(located, manager, it)));
                    operators.push(operator);
                }
                // A value of a newer server.
                None => {}
            }
        }
        let missing = || Failure::unknown("the server sent no overview".to_owned());
        let pb::ReadinessOverview {
            from,
            to,
            kubernetes,
            notes,
            unread,
            not_checked,
        } = overview.ok_or_else(missing)?;
        let notes = notes.into_iter();
        steps.extend(notes.map(|note| Step::note(note.object, note.message)));
        steps.sort_by(|a, b| (a.when, &a.operator).cmp(&(b.when, &b.operator)));
        Ok(Self {
            from,
            to,
            kubernetes,
            operators,
            steps,
            unread,
            not_checked: std::iter::once(NEVER_CHECKED.to_owned())
                .chain(not_checked)
                .collect(),
        })
    }

    pub(super) fn from(&self) -> &str {
        &self.from
    }

    pub(super) fn to(&self) -> &str {
        &self.to
    }

    /// Returns the objects that could not be read.
    pub(super) fn unread(&self) -> &[String] {
        &self.unread
    }

    pub(super) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns the verdicts of all operators.
    pub(super) fn verdicts(&self) -> impl Iterator<Item = OperatorVerdict<'_>> {
        self.operators.iter().map(|it| OperatorVerdict {
            operator: it.located.clone(),
            installed: &it.installed,
            verdict: it.verdict,
        })
    }

    /// Returns the message of the first step of an operator that a person must do. Returns an empty
    /// text if there is no such step.
    pub(super) fn first_step(&self, operator: &str) -> String {
        let mut steps = self.steps.iter();
        let first = steps.find(|step| step.operator == operator && !step.is_detail);
        first.map(|step| step.message.clone()).unwrap_or_default()
    }

    /// Returns the number of operators with one of these verdicts. An operator with requests for
    /// removed APIs counts as UpdateFirst, even if its own verdict is better.
    fn count(&self, verdicts: &[ReadinessVerdict]) -> usize {
        let operators = self.operators.iter();
        let counted = operators.filter(|it| {
            let verdict = match it.verdict {
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

    /// Returns the steps for one phase of the upgrade.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A server of a newer version may send values that this version does not know. An unknown
    /// verdict does not count as ready.
    #[test]
    fn unknown_verdict_is_not_ready() {
        let operator = pb::OperatorReadiness {
            verdict: 99,
            manager: 99,
            ..pb::OperatorReadiness::default()
        };
        let overview = Content::Overview(pb::ReadinessOverview::default());
        let contents = [Some(overview), Some(Content::Operator(operator)), None];
        let responses = contents.map(|content| pb::ListReadinessResponse { content });
        let report = Report::of(responses.into()).expect("a report");
        assert_eq!(report.exit(), Exit::Unknown);
    }

    #[test]
    fn rejects_answer_without_overview() {
        assert!(Report::of(Vec::new()).is_err());
    }
}
