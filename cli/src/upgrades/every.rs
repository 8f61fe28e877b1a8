//! The updates of everything that is installed.

use portolan_proto::resolver::v1::{ListUpgradesRequest, ListUpgradesResponse};
use serde::Serialize;

use crate::facts::ResolverConnection;
use crate::failure::Failure;
use crate::installed::Installed;
use crate::print::{Detail, Page, Span, Table, words};

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
pub(super) async fn ask(
    resolver: &mut ResolverConnection,
    all: Vec<Installed>,
) -> Result<Answers, Failure> {
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

pub(super) fn render(answers: &Answers, detail: Detail) -> Page {
    let mut page = Page::default();
    if answers.operators.is_empty() {
        page.say("No operator is installed.");
        return page;
    }
    page.table(
        Table::of(&answers.operators, detail)
            .text("NAMESPACE", &|each| &each.namespace)
            .text("OPERATOR", &|each| &each.name)
            .text("INSTALLED", &|each| &each.installed)
            .column("NEXT", &|each| {
                let next = each.upgrades.as_ref().map_or("", |told| &told.recommended);
                match next {
                    "" => words::NONE.into(),
                    next => Span::good(next),
                }
            })
            .text("CHANNEL", &|each| &each.channel)
            .column("NOTE", &|each| note(each.upgrades.as_ref())),
    );
    let unanswered = answers
        .operators
        .iter()
        .filter(|each| each.upgrades.is_none());
    page.lines(unanswered.map(|each| {
        let name = words::located(&each.namespace, &each.name);
        [format!("{name}: {}", each.reason).into()]
    }));
    page
}

fn note(upgrades: Option<&ListUpgradesResponse>) -> Span {
    let Some(answer) = upgrades else {
        return Span::warning("not known");
    };
    let further = answer.reachable.iter().filter(|bundle| bundle.hops > 1);
    let further = further.count();
    let unreachable = answer.newer_unreachable.len();
    let is_deprecated = !answer.deprecations.is_empty();
    let text = words::notes([
        (is_deprecated, "deprecated"),
        (further > 0, &format!("{further} further")),
        (unreachable > 0, &format!("{unreachable} out of reach")),
    ]);
    Span::warning_if(is_deprecated, text)
}
