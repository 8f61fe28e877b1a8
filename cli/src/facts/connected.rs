//! A connection to a service, in this process or over the network.

use portolan_proto::approval::v1::approval_client::ApprovalClient;
use portolan_proto::diagnosis::v1::diagnosis_client::DiagnosisClient;
use portolan_proto::health::v1::health_client::HealthClient;
use portolan_proto::health::v1::{ListOperatorsRequest, ListOperatorsResponse, Operator};
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_proto::resolver::v1::{ListPackagesRequest, ListPackagesResponse};
use portolan_shell::client::Connection;
use tonic::{Code, Response, Status};

use super::requests::{PagedRequest, Request};
use crate::failure::Failure;
use crate::progress;

/// The maximum number of attempts for a query with several pages. If the catalogs change between
/// two pages, the query starts again with the first page.
const BEGINNINGS: usize = 3;

/// The generated gRPC client of a service.
pub(crate) trait Client {
    /// The name of the server, for messages to users.
    const SERVER: &'static str;

    /// The environment variable with the URL of the server.
    const VARIABLE: &'static str;

    /// Creates a client without a limit for the size of responses, because the user chose the
    /// server.
    fn over(connection: Connection) -> Self;
}

/// A connection to a service, with the facts that error messages need.
pub(crate) struct Connected<C> {
    client: C,
    asked: RequestContext,
    /// True if an unreadable document may contain an object of the query.
    is_in_doubt: bool,
}

/// The facts about a query that error messages need: the server, and the arguments.
#[derive(Debug, Clone)]
pub(crate) struct RequestContext {
    /// The name of the server, for messages to users.
    pub(crate) server: &'static str,
    /// The address of the server. None for a service in this process.
    pub(crate) url: Option<String>,
    /// The fields of the query that positional arguments set.
    pub(crate) positional: &'static [&'static str],
    /// The remedy in the error message if the service does not answer.
    pub(crate) remedy: Option<String>,
}

// === impl HealthConnection ===

impl HealthConnection {
    /// Lists the operators of a namespace, or of all namespaces.
    pub(crate) async fn operators(&mut self, namespace: &str) -> Result<Vec<Operator>, Status> {
        Ok(self.list_operators(namespace).await?.operators)
    }

    /// Lists the operators of a namespace, or of all namespaces. Also returns the kinds that could
    /// not be listed.
    pub(crate) async fn list_operators(
        &mut self,
        namespace: &str,
    ) -> Result<ListOperatorsResponse, Status> {
        let request = ListOperatorsRequest {
            namespace: namespace.to_owned(),
            ..ListOperatorsRequest::default()
        };
        self.try_query_all(request).await
    }
}

// === impl ResolverConnection ===

impl ResolverConnection {
    /// Lists the packages of a catalog, or of all catalogs.
    pub(crate) async fn packages(
        &mut self,
        catalog: &str,
    ) -> Result<ListPackagesResponse, Failure> {
        let request = ListPackagesRequest {
            catalog: catalog.to_owned(),
            ..ListPackagesRequest::default()
        };
        self.query_all(request).await
    }
}

/// Implements `Client` for a service: its generated client, the type of its connection, and the
/// name of its server.
macro_rules! service {
    ($client:ident, $connection:ident, $server:literal, $variable:literal) => {
        pub(crate) type $connection = Connected<$client<Connection>>;

        impl Client for $client<Connection> {
            const SERVER: &'static str = $server;
            const VARIABLE: &'static str = $variable;

            fn over(connection: Connection) -> Self {
                Self::new(connection).max_decoding_message_size(usize::MAX)
            }
        }
    };
}

service!(
    ResolverClient,
    ResolverConnection,
    "a resolver",
    "PORTOLAN_RESOLVER"
);
service!(
    HealthClient,
    HealthConnection,
    "a health server",
    "PORTOLAN_HEALTH"
);
service!(
    ApprovalClient,
    ApprovalConnection,
    "an approval server",
    "PORTOLAN_APPROVAL"
);
service!(
    DiagnosisClient,
    DiagnosisConnection,
    "a diagnosis server",
    "PORTOLAN_DIAGNOSIS"
);

// === impl Connected ===

impl<C: Client> Connected<C> {
    pub(super) fn new(connection: Connection, url: Option<String>) -> Self {
        Self {
            client: C::over(connection),
            asked: RequestContext {
                server: C::SERVER,
                url,
                positional: &[],
                remedy: None,
            },
            is_in_doubt: false,
        }
    }

    pub(super) fn in_doubt(self, is_in_doubt: bool) -> Self {
        Self {
            is_in_doubt,
            ..self
        }
    }

    /// Sets the remedy for the error message if the service does not answer.
    pub(super) fn with_remedy(mut self, remedy: Option<String>) -> Self {
        self.asked.remedy = remedy;
        self
    }

    /// Returns true if an unreadable document may contain an object of the query, so that health is
    /// unknown.
    pub(crate) fn is_in_doubt(&self) -> bool {
        self.is_in_doubt
    }

    /// Sets the fields of the query that positional arguments set, for error messages.
    pub(crate) fn with_positional(mut self, fields: &'static [&'static str]) -> Self {
        self.asked.positional = fields;
        self
    }

    /// Sends the request and returns the response.
    pub(crate) async fn query<R: Request<C>>(&mut self, request: R) -> Result<R::Reply, Failure> {
        let answered = self.try_query(request).await;
        answered.map_err(|status| self.failure(&status))
    }

    /// Sends a request. Returns the status if the service rejects the request.
    pub(crate) async fn try_query<R: Request<C>>(
        &mut self,
        request: R,
    ) -> Result<R::Reply, Status> {
        self.call(async |client| request.call(client).await).await
    }

    /// Requests all pages of a response, and merges the pages.
    pub(crate) async fn query_all<R: PagedRequest<C>>(
        &mut self,
        request: R,
    ) -> Result<R::Reply, Failure> {
        let answered = self.try_query_all(request).await;
        answered.map_err(|status| self.failure(&status))
    }

    /// Requests all pages of a response, and merges the pages. Returns the gRPC status if the
    /// service rejects a request.
    pub(crate) async fn try_query_all<R: PagedRequest<C>>(
        &mut self,
        request: R,
    ) -> Result<R::Reply, Status> {
        let mut last = Status::aborted("");
        for _ in 0..BEGINNINGS {
            match self.pages(request.clone()).await {
                // The catalogs have changed since the first page, so the pages do not match. Starts
                // again.
                Err(status) if status.code() == Code::Aborted => last = status,
                ended => return ended,
            }
        }
        Err(last)
    }

    async fn pages<R: PagedRequest<C>>(&mut self, mut request: R) -> Result<R::Reply, Status> {
        let mut all = self.try_query(request.clone()).await?;
        loop {
            *request.page_token() = std::mem::take(R::next_page_token(&mut all));
            if request.page_token().is_empty() {
                return Ok(all);
            }
            let mut next = self.try_query(request.clone()).await?;
            *R::next_page_token(&mut all) = std::mem::take(R::next_page_token(&mut next));
            R::append(&mut all, next);
        }
    }

    /// Calls any method of the client.
    pub(crate) async fn ask<T>(
        &mut self,
        call: impl AsyncFnOnce(&mut C) -> Result<Response<T>, Status>,
    ) -> Result<T, Failure> {
        let answered = self.call(call).await;
        answered.map_err(|status| self.failure(&status))
    }

    /// Calls any method of the client. Returns the gRPC status if the service rejects the call.
    pub(crate) async fn call<T>(
        &mut self,
        call: impl AsyncFnOnce(&mut C) -> Result<Response<T>, Status>,
    ) -> Result<T, Status> {
        let asking = match &self.asked.url {
            Some(url) => format!("asking {url}"),
            None => "looking".to_owned(),
        };
        let answered = progress::show_while(&asking, call(&mut self.client)).await;
        answered.map(Response::into_inner)
    }

    /// Returns the failure for a call that the service rejected or did not answer.
    pub(crate) fn failure(&self, status: &Status) -> Failure {
        Failure::from_status(status, &self.asked)
    }
}
