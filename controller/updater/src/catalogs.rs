//! Queries the resolver: which catalogs are broken, and which versions Operators can have.

use std::collections::BTreeSet;
use std::time::Duration;

use portolan_core_generate::updater::{Answer, Catalogs, Change, Question, SeenOperator};
use portolan_proto::DESCRIPTORS;
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::catalog::State;
use portolan_proto::resolver::v1::fault::Severity;
use portolan_proto::resolver::v1::generate_request::{Configuration, Document};
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_runtime::Start;
use portolan_shell::client::{self, Connection, LONGEST_ANSWER, Terms};
use tonic::Status;

use crate::Flags;

/// The maximum time for one response. The resolver may have to search for an upgrade route.
const DEADLINE: Duration = Duration::from_secs(30);

/// A client of the resolver. Only some of the resolver's catalogs are used.
#[derive(Debug, Clone)]
pub(crate) struct Resolver {
    client: ResolverClient<Connection>,
    namespaces: BTreeSet<String>,
}

// === impl Resolver ===

impl Resolver {
    /// Creates a client. A connection is opened only with the first request.
    ///
    /// # Errors
    /// Returns an error if the URL of the resolver is invalid.
    pub(crate) fn connect(flags: &Flags) -> Result<Self, Start> {
        let terms = Terms::queries(DESCRIPTORS, DEADLINE).with(flags.credentials.clone());
        let connected = client::remote(&flags.resolver, terms);
        let connection = connected.map_err(|source| Start::Connect {
            service: "the resolver",
            source,
        })?;
        Ok(Self::over(connection, &flags.catalog_namespaces))
    }

    /// Creates a client with an existing connection. `namespaces` are the namespaces whose
    /// CatalogSources are used.
    pub(crate) fn over(connection: Connection, namespaces: &[String]) -> Self {
        let client = ResolverClient::new(connection);
        Self {
            client: client.max_decoding_message_size(LONGEST_ANSWER),
            namespaces: namespaces.iter().cloned().collect(),
        }
    }

    pub(crate) fn client(&self) -> ResolverClient<Connection> {
        self.client.clone()
    }

    /// Returns which of the used catalogs are broken.
    pub(crate) async fn catalogs(&self) -> Catalogs {
        let request = pb::ListCatalogsRequest::default();
        match self.client().list_catalogs(request).await {
            Ok(answer) => self.judge(answer.into_inner().catalogs),
            Err(status) => Catalogs::Unknown(silence(&status)),
        }
    }

    fn judge(&self, catalogs: Vec<pb::Catalog>) -> Catalogs {
        let counted = catalogs.into_iter().filter(|it| self.counts(&it.name));
        let broken: Vec<_> = counted.filter_map(|catalog| sentence(&catalog)).collect();
        if broken.is_empty() {
            Catalogs::Whole
        } else {
            Catalogs::Broken(broken)
        }
    }

    fn counts(&self, catalog: &str) -> bool {
        match catalog.split_once('/') {
            Some((namespace, _)) => self.namespaces.contains(namespace),
            None => true,
        }
    }

    /// Sends a request for the versions of Operators. The resolver considers all Operators of the
    /// cluster.
    pub(crate) async fn generate(
        &self,
        question: &Question,
        operators: &[SeenOperator],
        kubernetes: &str,
    ) -> Answer {
        let documents = operators.iter().map(|operator| Document {
            place: format!("Operator {}", operator.name),
            object: operator.document.to_string(),
            was_json: true,
        });
        let request = pb::GenerateRequest {
            configuration: Some(Configuration {
                documents: documents.collect(),
                unread: Vec::new(),
            }),
            wishes: question.clone(),
            kubernetes: kubernetes.to_owned(),
            scope: Some(pb::CatalogScope {
                namespaces: self.namespaces.iter().cloned().collect(),
            }),
            ..pb::GenerateRequest::default()
        };
        match self.client().generate(request).await {
            Ok(answer) => decode(answer.into_inner()),
            Err(status) => Answer::Unknown(silence(&status)),
        }
    }
}

fn decode(answer: pb::GenerateResponse) -> Answer {
    if !answer.errors.is_empty() {
        return Answer::Refused(answer.errors);
    }
    let changes = answer.changes.into_iter().map(|change| Change {
        name: change.name,
        version: change.version,
        previous: change.previous,
        between: change.available,
    });
    Answer::Changes {
        changes: changes.collect(),
        warnings: answer.warnings,
    }
}

/// Returns the reason why a catalog is broken: it cannot be read now, or opm would not serve it.
/// Returns None if the catalog is not broken.
fn sentence(catalog: &pb::Catalog) -> Option<String> {
    let mut faults = catalog.faults.iter();
    let why = if catalog.state() == State::Serving {
        faults
            .find(|fault| fault.severity() == Severity::Error)?
            .message
            .as_str()
    } else {
        let why = catalog.reasons.first();
        why.map_or("the catalog has not been read yet", |reason| {
            reason.message.as_str()
        })
    };
    Some(format!("catalog {} is broken: {}", catalog.name, bare(why)))
}

fn silence(status: &Status) -> String {
    match bare(status.message()) {
        "" => format!(
            "the resolver does not answer: {}",
            status.code().description()
        ),
        why => format!("the resolver does not answer: {why}"),
    }
}

/// Returns a sentence without the period at its end.
fn bare(sentence: &str) -> &str {
    let sentence = sentence.trim();
    sentence.strip_suffix('.').unwrap_or(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolver() -> Resolver {
        let connection =
            client::remote("http://127.0.0.1:1", Terms::queries(DESCRIPTORS, DEADLINE));
        Resolver {
            client: ResolverClient::new(connection.expect("a URL")),
            namespaces: ["olm".to_owned()].into(),
        }
    }

    fn catalog(name: &str, state: State) -> pb::Catalog {
        pb::Catalog {
            name: name.to_owned(),
            state: state.into(),
            ..pb::Catalog::default()
        }
    }

    #[tokio::test]
    async fn only_relevant_catalogs_count_as_broken() {
        let others = vec![
            catalog("demo", State::Serving),
            catalog("tenant/ships", State::Failed),
        ];
        assert_eq!(resolver().judge(others.clone()), Catalogs::Whole);
        for state in [State::Pending, State::Stale, State::Failed] {
            let broken = catalog("olm/ships", state);
            let all = others.iter().cloned().chain([broken]).collect();
            let expected = "catalog olm/ships is broken: the catalog has not been read yet";
            assert_eq!(
                resolver().judge(all),
                Catalogs::Broken(vec![expected.to_owned()])
            );
        }
    }

    #[tokio::test]
    async fn catalog_with_errors_is_broken_and_with_warnings_is_not() {
        let with = |severity: Severity| {
            let fault = pb::Fault {
                severity: severity.into(),
                message: "it has two defaults.".to_owned(),
                ..pb::Fault::default()
            };
            let faults = vec![fault];
            vec![pb::Catalog {
                faults,
                ..catalog("demo", State::Serving)
            }]
        };
        assert_eq!(resolver().judge(with(Severity::Warning)), Catalogs::Whole);
        let expected = "catalog demo is broken: it has two defaults";
        assert_eq!(
            resolver().judge(with(Severity::Error)),
            Catalogs::Broken(vec![expected.to_owned()])
        );
    }

    #[tokio::test]
    async fn unreachable_resolver_makes_catalogs_unknown() {
        let Catalogs::Unknown(why) = resolver().catalogs().await else {
            panic!("the port must be closed");
        };
        assert!(why.starts_with("the resolver does not answer: "), "{why}");
    }
}
