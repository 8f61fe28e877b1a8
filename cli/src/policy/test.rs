//! `portolan policy test`: shows if an operator may be upgraded at a given time, and why.

use clap::Parser;
use jiff::Timestamp;
use portolan_api::policy::SubjectKind;
use portolan_approval::worker;
use portolan_core_approval::consent::{
    Move, Object, OperatorId, Reason, UpgradeReview, Version, review,
};
use portolan_core_names::requirement;
use serde::Serialize;

use super::facts::{ConsentArgs, PolicyObjects};
use crate::exit::{self, Exit};
use crate::facts::UpgradeTermArgs;
use crate::failure::Failure;
use crate::print::{Detail, OutputArgs, Page, Render, Span, words};

/// Test whether an operator may be upgraded from one version to another at a given time, and show
/// the reason.
///
/// An upgrade is allowed if all Policies of all PolicyBindings that name the operator allow the
/// upgrade. The answer is the same as the answer of `portolan serve approval`.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  the upgrade is allowed",
        "1  the upgrade is not allowed";
        "portolan policy test policies.yaml --operator ferry@1.2.0",
        "portolan policy test policies.yaml --operator ferry@1.2.0 --from 1.1.0 --at 2026-11-28T12:00:00Z",
        "portolan policy test --world dump --operator managed/sloop@2.0.0",
        "portolan policy test --operator ferry@1.2.0 -o json"
    )
)]
pub(crate) struct PolicyTestArgs {
    /// Operator to upgrade, and the version to install. NAMESPACE/NAME selects an OperatorPolicy.
    #[arg(long, value_name = "[NAMESPACE/]NAME@VERSION")]
    operator: String,

    /// Installed version. Default: the operator is not installed.
    #[arg(long, value_name = "VERSION")]
    from: Option<String>,

    /// Version to install. Same as @VERSION after the name.
    #[arg(long, alias = "version", value_name = "VERSION")]
    to: Option<String>,

    /// Name of the package that the rules of Policies check. Default: the package of the Operator.
    #[arg(long, value_name = "NAME")]
    package: Option<String>,

    /// Label of the operator that the rules of Policies check.
    #[arg(long = "label", value_name = "KEY=VALUE", value_parser = label)]
    labels: Vec<(String, String)>,

    #[command(flatten)]
    terms: UpgradeTermArgs,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    facts: ConsentArgs,
}

/// The result of the command.
#[derive(Debug, Serialize)]
struct ReviewDocument {
    #[serde(skip)]
    operator: String,
    allowed: bool,
    at: String,
    /// The next time at which the answer may change, even if no object changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    reasons: Vec<ReasonDocument>,
    remarks: Vec<ReasonDocument>,
}

/// A reason of the answer.
#[derive(Debug, Serialize)]
struct ReasonDocument {
    code: &'static str,
    message: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    namespace: String,
    name: String,
}

// === impl PolicyTestArgs ===

impl PolicyTestArgs {
    pub(super) async fn run(self) -> Result<Exit, Failure> {
        let mut consent = self.facts.read().await?;
        let at = self.terms.time();
        let asked = self.request(&consent)?;
        // The answer assumes that the requested version exists.
        consent.operators.insert(asked.operator.clone());
        let terms = self.terms.terms();
        let PolicyObjects {
            world, operators, ..
        } = &consent;
        let review = review(world, operators, &asked, at, terms, &worker::judge);
        let answer = ReviewDocument::of(&asked.operator, review, at);
        self.output.format.show(&answer)
    }

    /// Returns the name of the operator, and the version to which it would be upgraded.
    fn operator_and_version(&self) -> Result<(&str, String), Failure> {
        let (operator, target) = requirement::split(&self.operator).map_err(Failure::refused)?;
        let version = target.map(|target| target.to_string());
        match (version, &self.to) {
            (Some(version), Some(to)) if version != *to => Err(Failure::usage(format!(
                "two versions are given: @{version} and --to {to}; omit one of the two"
            ))),
            (Some(version), _) => Ok((operator, version)),
            (None, Some(to)) => Ok((operator, to.clone())),
            (None, None) => Err(Failure::usage(format!(
                "the version to install is missing; use --operator {operator}@VERSION"
            ))),
        }
    }

    fn request(&self, consent: &PolicyObjects) -> Result<Move, Failure> {
        let (operator, to) = self.operator_and_version()?;
        let (kind, namespace, name) = match operator.split_once('/') {
            Some((namespace, name)) => (SubjectKind::OperatorPolicy, namespace, name),
            None => (SubjectKind::Operator, "", operator),
        };
        let known = consent.packages.get(name).filter(|_| namespace.is_empty());
        let version = |version: &String| Version {
            bundle: String::new(),
            version: version.clone(),
        };
        Ok(Move {
            operator: OperatorId::of(kind, namespace, name),
            package: self.package.as_ref().or(known).cloned().unwrap_or_default(),
            labels: self.labels.iter().cloned().collect(),
            from: self.from.as_ref().map(version),
            to: version(&to),
        })
    }
}

fn label(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=');
    let (key, value) = parts.ok_or("use the form KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}

// === impl ReviewDocument ===

impl ReviewDocument {
    fn of(operator: &OperatorId, review: UpgradeReview, at: Timestamp) -> Self {
        let told = |reasons: Vec<Reason>| reasons.into_iter().map(ReasonDocument::from).collect();
        Self {
            operator: words::located(&operator.namespace, &operator.name),
            allowed: review.allows,
            at: at.to_string(),
            next: review.next.map(|next| next.to_string()),
            reasons: told(review.reasons),
            remarks: told(review.remarks),
        }
    }
}

impl Render for ReviewDocument {
    fn page(&self, _: Detail) -> Page {
        let mut page = Page::default();
        let verdict = if self.allowed {
            Span::good("may be upgraded")
        } else {
            Span::error("must not be upgraded")
        };
        page.line([
            Span::plain(&self.operator),
            verdict,
            Span::plain(format!("at {}", self.at)),
        ]);
        for reason in &self.reasons {
            page.indented(1, [Span::plain(&reason.message)]);
        }
        for remark in &self.remarks {
            page.indented(
                1,
                [
                    Span::warning("without effect:"),
                    Span::plain(&remark.message),
                ],
            );
        }
        if let Some(next) = &self.next {
            page.indented(1, [Span::plain(format!("The answer may change at {next}"))]);
        }
        page
    }

    fn exit(&self) -> Exit {
        Exit::no_if(!self.allowed)
    }
}

impl From<Reason> for ReasonDocument {
    fn from(reason: Reason) -> Self {
        let Reason {
            code,
            message,
            object:
                Object {
                    kind,
                    namespace,
                    name,
                },
        } = reason;
        Self {
            code: code.as_str(),
            message,
            kind,
            namespace,
            name,
        }
    }
}
