//! The updates of everything that is installed.

use portolan_proto::resolver::v1::{CatalogRef, ListUpgradesRequest, ListUpgradesResponse};
use serde::Serialize;

use crate::facts::Resolver;
use crate::failure::Failure;
use crate::installed::Installed;
use crate::print::words::{self, or_none};
use crate::print::{Detail, Page, Sourced, Span};

/// An answer about each.
#[derive(Debug, Serialize)]
pub(super) struct Answers {
    operators: Vec<Each>,
}

#[derive(Debug, Serialize)]
struct Each {
    namespace: String,
    /// The name of the Subscription.
    name: String,
    package: String,
    catalog: String,
    channel: String,
    installed: String,
    /// None where there is no answer.
    upgrades: Option<ListUpgradesResponse>,
    /// Why there is none.
    reason: String,
}

/// The question about one of them.
pub(super) fn request(installed: &Installed) -> ListUpgradesRequest {
    let Installed {
        key: _,
        package,
        channel,
        catalog,
        bundle,
        version,
    } = installed.clone();
    ListUpgradesRequest {
        catalog,
        package,
        channel,
        installed: bundle,
        installed_version: version,
    }
}

/// Asks about all of them. Where there is no answer about one, there may be about others.
pub(super) async fn ask(resolver: &mut Resolver, all: Vec<Installed>) -> Result<Answers, Failure> {
    let mut operators = Vec::new();
    for installed in all {
        let asked = request(&installed);
        let told = resolver.call(async |client| client.list_upgrades(asked).await);
        let (upgrades, reason) = match told.await {
            Ok(answer) => (Some(answer), String::new()),
            Err(status) => (None, status.message().to_owned()),
        };
        let Installed {
            key,
            package,
            channel,
            catalog,
            bundle,
            version: _,
        } = installed;
        operators.push(Each {
            namespace: key.namespace.to_string(),
            name: key.name.to_string(),
            package,
            catalog,
            channel,
            installed: bundle,
            upgrades,
            reason,
        });
    }
    Ok(Answers { operators })
}

pub(super) fn render(answers: &Answers, _detail: Detail) -> Page {
    let mut page = Page::default();
    if answers.operators.is_empty() {
        page.say("No operator is installed.");
        return page;
    }
    page.table(
        [
            "NAMESPACE",
            "OPERATOR",
            "INSTALLED",
            "NEXT",
            "CHANNEL",
            "NOTE",
        ],
        answers.operators.iter().map(row).collect(),
    );
    let untold = answers
        .operators
        .iter()
        .filter(|each| each.upgrades.is_none());
    for (number, each) in untold.enumerate() {
        if number == 0 {
            page.part();
        }
        let name = words::located(&each.namespace, &each.name);
        page.say(format!("{name}: {}", each.reason));
    }
    page
}

fn row(each: &Each) -> [Span; 6] {
    let Each {
        namespace,
        name,
        channel,
        installed,
        upgrades,
        ..
    } = each;
    let next = upgrades.as_ref().map_or("", |told| &told.recommended);
    [
        Span::plain(namespace),
        Span::plain(name),
        Span::plain(installed),
        match next {
            "" => or_none(next).into(),
            next => Span::good(next),
        },
        or_none(channel).into(),
        note(upgrades.as_ref()),
    ]
}

fn note(upgrades: Option<&ListUpgradesResponse>) -> Span {
    let Some(told) = upgrades else {
        return Span::warning("not known");
    };
    let further = told
        .reachable
        .iter()
        .filter(|bundle| bundle.hops > 1)
        .count();
    let unreachable = told.newer_unreachable.len();
    let notes = [
        (!told.deprecations.is_empty(), "deprecated".to_owned()),
        (further > 0, format!("{further} further")),
        (unreachable > 0, format!("{unreachable} out of reach")),
    ];
    let notes: Vec<_> = notes.into_iter().filter(|(holds, _)| *holds).collect();
    let text: Vec<_> = notes.iter().map(|(_, note)| note.as_str()).collect();
    match told.deprecations.is_empty() {
        true => Span::plain(text.join(", ")),
        false => Span::warning(text.join(", ")),
    }
}

impl Sourced for Answers {
    /// Each answer has its own.
    fn catalogs(&self) -> &[CatalogRef] {
        &[]
    }
}
