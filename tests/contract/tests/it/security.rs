//! Tests of TLS and authorization, from the view of clients.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use portolan_contract::{End, Fake, Names, Running, ask, flags, list_response, run, within};
use portolan_kit::{Authority, TempFolder};
use portolan_proto::DESCRIPTORS;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_proto::resolver::v1::resolver_server::ResolverServer;
use portolan_shell::client::{Connection, Terms, remote, remote_at};
use portolan_shell::{
    Asked, Bearer, Caller, Credentials, Guard, Permitted, Readiness, Serve, ServeFlags, Server,
};
use tonic::{Code, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

const LOOPBACK: &str = "127.0.0.1";

/// A guard that authenticates users with the token `sesame`, and permits them one namespace. It
/// records the requests of each user.
#[derive(Debug, Default)]
struct TokenGuard {
    asked: Arc<Mutex<Vec<Asked>>>,
}

/// The identified caller. It records the requests of this caller.
#[derive(Debug)]
struct Known(Arc<Mutex<Vec<Asked>>>);

impl Guard for TokenGuard {
    fn identify(
        &self,
        token: Option<Bearer>,
        from: Option<IpAddr>,
    ) -> BoxFuture<'_, Result<Arc<dyn Caller>, Status>> {
        let is_told = from.is_some_and(|from| from.is_loopback());
        assert!(is_told, "a local client has the address {from:?}");
        let known = Known(self.asked.clone());
        async move {
            match token {
                Some(Bearer(token)) if token == "sesame" => Ok(Arc::new(known) as Arc<dyn Caller>),
                _ => Err(Status::unauthenticated("the guard does not know you")),
            }
        }
        .boxed()
    }
}

impl Caller for Known {
    fn name(&self) -> &str {
        "sailor"
    }

    fn permit(&self, asked: Asked) -> BoxFuture<'_, Result<Permitted, Status>> {
        let reach = match asked.namespace.as_str() {
            "" => Ok(Permitted::All),
            "harbor" => Ok(Permitted::Namespace),
            _ => Err(Status::permission_denied("the guard denies this")),
        };
        self.0.lock().expect("a lock").push(asked);
        async { reach }.boxed()
    }
}

/// A folder with certificates and keys, for the server and for the client.
struct Certificates {
    authority: Authority,
    folder: TempFolder,
}

impl Certificates {
    fn of(name: &str) -> Self {
        let certificates = Self {
            authority: Authority::default(),
            folder: TempFolder::empty(),
        };
        certificates
            .authority
            .vouch(name)
            .write(&certificates.folder);
        fs::write(
            certificates.folder.join("ca.crt"),
            certificates.authority.pem(),
        )
        .expect("a file");
        fs::write(certificates.folder.join("token"), "sesame\n").expect("a file");
        certificates
    }

    fn credentials(&self) -> Credentials {
        Credentials {
            ca: Some(self.folder.join("ca.crt")),
            token: Some(self.folder.join("token")),
        }
    }
}

async fn served(
    certificates: &Certificates,
    flags: ServeFlags,
    guard: Option<Arc<TokenGuard>>,
) -> Running {
    served_by(&Fake::default(), certificates, flags, guard).await
}

async fn served_by(
    fake: &Fake,
    certificates: &Certificates,
    flags: ServeFlags,
    guard: Option<Arc<TokenGuard>>,
) -> Running {
    let ready = Readiness::pending();
    ready.set_ready();
    let resolver = ResolverServer::new(fake.clone());
    let server = Server::new(flags, DESCRIPTORS).host(resolver, ready.clone());
    let mut server = server
        .with_tls(&certificates.folder)
        .expect("a certificate");
    if let Some(guard) = guard {
        server = server.guarded(guard).expect("TLS before");
    }
    run(server, ready).await
}

fn connected(running: &Running, credentials: Credentials) -> Connection {
    let url = format!("https://{}", running.grpc);
    let terms = Terms::queries(DESCRIPTORS, Duration::from_secs(10)).with(credentials);
    remote(&url, terms).expect("a URL")
}

async fn answer(connection: &Connection) -> Result<String, End> {
    let mut client = ResolverClient::new(connection.clone());
    let answered = within(client.list_upgrades(ask("ok"))).await;
    match answered {
        Ok(answer) => Ok(answer.into_inner().recommended),
        Err(status) => Err(End::new(status.code(), &causes(&status))),
    }
}

fn causes(status: &Status) -> String {
    portolan_shell::with_causes(status)
}

#[tokio::test]
async fn call_over_tls_is_answered_and_sends_its_token() {
    let certificates = Certificates::of(LOOPBACK);
    let token_guard = Arc::new(TokenGuard::default());
    let running = served(&certificates, flags(), Some(token_guard.clone())).await;
    let connection = connected(&running, certificates.credentials());
    assert_eq!(
        answer(&connection).await,
        Ok(list_response("ok").recommended)
    );
    let asked = token_guard.asked.lock().expect("a lock").clone();
    let wanted = Asked {
        service: "portolan.resolver.v1.Resolver".to_owned(),
        namespace: String::new(),
    };
    assert_eq!(
        asked,
        [wanted],
        "health checks, which show replicas, are not authorized"
    );
}

#[tokio::test]
async fn client_without_token_may_only_check_health() {
    let certificates = Certificates::of(LOOPBACK);
    let token_guard = Arc::new(TokenGuard::default());
    let running = served(&certificates, flags(), Some(token_guard.clone())).await;
    let stranger = Credentials {
        token: None,
        ..certificates.credentials()
    };
    let mut health = HealthClient::new(connected(&running, stranger));
    let asked = within(health.check(HealthCheckRequest::default())).await;
    let healthy = asked.expect("every client may ask").into_inner().status();
    assert_eq!(healthy, ServingStatus::Serving);
    let credentials = Credentials {
        token: None,
        ..certificates.credentials()
    };
    let refused = answer(&connected(&running, credentials)).await;
    let why = "the guard does not know you";
    let end = refused.expect_err("a refusal");
    assert_eq!(end.code, Code::Unauthenticated);
    assert!(end.message.contains(why), "{}", end.message);
}

#[tokio::test]
async fn client_rejects_server_with_wrong_certificate() {
    let certificates = Certificates::of(LOOPBACK);
    let running = served(&certificates, flags(), None).await;
    let stranger = Certificates::of(LOOPBACK);
    let refused = answer(&connected(&running, stranger.credentials())).await;
    let end = refused.expect_err("the certificate must be rejected");
    assert_eq!(end.code, Code::Unavailable);
    let wanted = format!("TLS handshake with {}", running.grpc);
    assert!(end.message.contains(&wanted), "{}", end.message);

    let other = Certificates::of("other.example");
    let running = served(&other, flags(), None).await;
    let refused = answer(&connected(&running, other.credentials())).await;
    let end = refused.expect_err("the name must be rejected");
    assert!(end.message.contains("other.example"), "{}", end.message);

    // With port forwarding, the client checks the certificate for the name of the server, and not
    // for the forwarded address.
    let terms = Terms::queries(DESCRIPTORS, Duration::from_secs(10)).with(other.credentials());
    let terms = terms.named(Some("other.example".to_owned()));
    let url = format!("https://{}", running.grpc);
    let named = remote(&url, terms).expect("a URL");
    assert_eq!(answer(&named).await, Ok(list_response("ok").recommended));
}

#[tokio::test]
async fn plain_text_requests_get_no_answer() {
    let certificates = Certificates::of(LOOPBACK);
    let running = served(&certificates, flags(), None).await;
    let connection = connected(&running, certificates.credentials());
    assert_eq!(
        answer(&connection).await,
        Ok(list_response("ok").recommended)
    );
    let url = running.url();
    let terms = Terms::queries(DESCRIPTORS, Duration::from_secs(10));
    let end = answer(&remote(&url, terms).expect("a URL")).await;
    assert_eq!(end.expect_err("no answer").code, Code::Unavailable);
}

/// The replicas get certificates from another CA. A client of the replicas continues to work.
#[tokio::test]
async fn client_reloads_the_certificate_authority() {
    let certificates = Certificates::of(LOOPBACK);
    let before = [Fake::default(), Fake::default()];
    let first = served_by(&before[0], &certificates, flags(), None).await;
    let second = served_by(&before[1], &certificates, flags(), None).await;
    let names = Names::of(&[&first, &second]);
    let terms = Terms {
        refresh: Duration::from_millis(60),
        ..Terms::queries(DESCRIPTORS, Duration::from_secs(10))
    };
    let url = format!("https://{LOOPBACK}:1");
    let terms = terms.with(certificates.credentials());
    let connection = remote_at(&url, names, terms).expect("a URL");
    let all_answer = async |fakes: &[Fake; 2]| {
        within(async {
            while fakes.iter().any(|fake| fake.asked() == 0) {
                let _ = answer(&connection).await;
            }
        })
        .await;
    };
    all_answer(&before).await;

    let next = Certificates::of(LOOPBACK);
    let after = [Fake::default(), Fake::default()];
    let mut running = Vec::new();
    for (replica, fake) in [first, second].into_iter().zip(&after) {
        let at = ServeFlags {
            listen: replica.grpc,
            ..flags()
        };
        replica.stop();
        replica.wait_for_end().await;
        running.push(served_by(fake, &next, at, None).await);
    }
    let end = answer(&connection)
        .await
        .expect_err("their certificates must be rejected at first");
    assert_eq!(end.code, Code::Unavailable);
    fs::copy(
        next.folder.join("ca.crt"),
        certificates.folder.join("ca.crt"),
    )
    .expect("a copy");
    all_answer(&after).await;
}

#[tokio::test]
async fn guard_requires_tls_or_loopback() {
    let everywhere = ServeFlags {
        listen: SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
        ..flags()
    };
    let guarded = Server::new(everywhere, DESCRIPTORS).guarded(Arc::new(TokenGuard::default()));
    assert!(matches!(guarded, Err(Serve::Clear)));
    let here = Server::new(flags(), DESCRIPTORS).guarded(Arc::new(TokenGuard::default()));
    assert!(here.is_ok(), "loopback traffic does not leave the machine");
}
