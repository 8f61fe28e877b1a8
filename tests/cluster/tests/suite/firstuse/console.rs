//! Tests a console with several users. Each user sees what their own token permits. The console
//! sends no request as the user who started it.

use std::net::SocketAddr;

use portolan_kit::proxy::{Proxy, Upstream};
use portolan_kit::{Authority, TempFolder};
use portolan_rig::{Failure, PATIENCE, Seen, World, until};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::approval::crds::create_crd;
use crate::kubectl::Kubectl;
use crate::objects::make;
use crate::own_cluster;
use crate::permitted::may;
use crate::program::{Started, portolan};

/// The user who starts the console.
const STARTER: &str = "console-starter";
const NAME: &str = "localhost";

#[tokio::test]
async fn each_console_visitor_sees_what_their_token_permits() -> Result<(), Failure> {
    let Some(cluster) = own_cluster().await? else {
        return Ok(());
    };
    let world = World::on(cluster, "console-visitors").await?;
    create_crd(world.client(), "operators.operators.operatorframework.io").await?;
    make(world.client(), &ferry()).await?;
    let reader = token(&world, "reader", true).await?;
    let nobody = token(&world, "nobody", false).await?;

    let (authority, folder) = (Authority::default(), TempFolder::empty());
    authority.vouch(NAME).write(&folder);
    let address = format!("127.0.0.1:{}", world.cluster().free_port());
    let kubeconfig = world.cluster().admit(STARTER, None)?;
    let mut command = std::process::Command::new(portolan().await?);
    let flags = ["console", "--listen", &address, "--host", NAME, "--tls"];
    command.args(flags).arg(&*folder);
    let _console = Started::by(command.arg("--kubeconfig").arg(kubeconfig))?;
    let port = address.rsplit_once(':').map_or("", |(_, port)| port);
    let host = format!("{NAME}:{port}");
    let upstream = Upstream::tls(&format!("https://{host}"), authority.pem(), None);
    let proxy = Proxy::before(upstream).await;
    let browser = Browser {
        address: proxy.url()["http://".len()..].parse().expect("an address"),
        host,
    };

    let login = browser
        .until("/operators", "", "Token of the cluster")
        .await?;
    assert!(login.starts_with("HTTP/1.1 401"), "{login}");
    let refused = browser.log_in("eyJhbGciOiJub25lIn0.e30.").await?;
    assert!(refused.starts_with("HTTP/1.1 401"), "{refused}");
    assert!(refused.contains("does not know this token"), "{refused}");

    let cookie = browser.enter(&reader).await?;
    let page = browser.until("/operators", &cookie, "ferry").await?;
    let user = |name: &str| format!("system:serviceaccount:{}:{name}", world.namespace());
    assert!(page.contains(&user("reader")), "{page}");
    assert!(!page.contains(&reader), "a token is in a page");

    let cookie = browser.enter(&nobody).await?;
    let page = browser
        .until("/operators", &cookie, &user("nobody"))
        .await?;
    assert!(!page.contains("ferry"), "{page}");
    assert!(page.contains("forbidden"), "{page}");

    let asked = world.cluster().audit()?.by(STARTER);
    assert_eq!(asked.records(), [], "nothing is asked as who started it");
    let asked = world.cluster().audit()?.by(&user("reader"));
    assert_ne!(asked.records(), []);
    let reviews = |it: &&portolan_rig::Record| it.resource == "selfsubjectreviews";
    let writes = asked.writes();
    let others = writes.records().iter().filter(|it| !reviews(it));
    assert_eq!(others.count(), 0, "{writes:?}");
    Ok(())
}

fn ferry() -> serde_json::Value {
    json!({
        "apiVersion": "operators.operatorframework.io/v1alpha1", "kind": "Operator",
        "metadata": {"name": "ferry"}, "spec": {"packageName": "ferry"},
    })
}

/// Returns the token of a new ServiceAccount. If `reads` is true, it may read everything, and
/// otherwise nothing.
async fn token(world: &World, name: &str, reads: bool) -> Result<String, Failure> {
    if reads {
        let user = format!("system:serviceaccount:{}:{name}", world.namespace());
        let all =
            json!([{"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"]}]);
        may(world.client(), &user, all).await?;
    }
    token_of(world, name).await
}

/// Returns the token of a new ServiceAccount.
pub(crate) async fn token_of(world: &World, name: &str) -> Result<String, Failure> {
    let here = world.namespace();
    let account = json!({
        "apiVersion": "v1", "kind": "ServiceAccount",
        "metadata": {"name": name, "namespace": here},
    });
    make(world.client(), &account).await?;
    let kubectl = Kubectl::of(world.cluster());
    let reported = kubectl.run(&["create", "token", name, "-n", here]).await?;
    Ok(reported.trim().to_owned())
}

/// A browser: its requests, and the responses.
struct Browser {
    address: SocketAddr,
    host: String,
}

impl Browser {
    async fn send(&self, request: &str) -> Result<String, Failure> {
        let lost = "talk to the console";
        let stream = TcpStream::connect(self.address).await;
        let mut stream = stream.map_err(Failure::touch(lost))?;
        let sent = stream.write_all(request.as_bytes()).await;
        sent.map_err(Failure::touch(lost))?;
        let mut reported = Vec::new();
        // Ignores an error: the connection is refused until the console listens.
        let _ = stream.read_to_end(&mut reported).await;
        Ok(String::from_utf8_lossy(&reported).into_owned())
    }

    /// Requests a page until it contains this text. Returns the page.
    async fn until(&self, path: &str, cookie: &str, word: &str) -> Result<String, Failure> {
        let host = &self.host;
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
        );
        until(
            format!("{path} to have {word} on it"),
            PATIENCE,
            async || {
                let page = self.send(&request).await?;
                Ok(if page.contains(word) {
                    Seen::Yes(page)
                } else {
                    Seen::NotYet(page)
                })
            },
        )
        .await
    }

    async fn log_in(&self, token: &str) -> Result<String, Failure> {
        let (host, form) = (&self.host, format!("bearer={token}"));
        let request = format!(
            "POST /log-in HTTP/1.1\r\nHost: {host}\r\nOrigin: https://{host}\r\nContent-Length: {}\r\n\
             Connection: close\r\n\r\n{form}",
            form.len()
        );
        self.send(&request).await
    }

    /// Logs in with a token. Returns the cookie.
    async fn enter(&self, token: &str) -> Result<String, Failure> {
        let reported = self.log_in(token).await?;
        let cookie = reported.split("set-cookie: ").nth(1).unwrap_or_default();
        let cookie = cookie.split(';').next().unwrap_or_default();
        assert!(cookie.starts_with("__Host-portolan="), "{reported}");
        Ok(cookie.to_owned())
    }
}
