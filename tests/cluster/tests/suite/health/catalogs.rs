//! Tests catalogs whose registries stop, do not respond, or send invalid responses.

use std::net::SocketAddr;
use std::time::Instant;

use portolan_core_health::HealthCode;
use portolan_kit::catalog;
use portolan_proto::health::v1::verdict::State;
use portolan_rig::{Failure, Kind};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};

use super::news::{self, Wanted, operator};
use super::stage::{Stage, stage};
use super::witness::Witness;

#[tokio::test]
async fn operators_stay_healthy_without_their_registry() -> Result<(), Failure> {
    let Some(mut stage) = stage("registries").await? else {
        return Ok(());
    };
    let folder = catalog("yawl: 1.0.0").installable().temp();
    let mut served = stage.world.catalog("fleet", &folder).await?;
    let witness = Witness::of(&stage.world);
    let fleet = news::catalog("fleet");
    stage.watcher.until(&fleet, Wanted::Well).await;
    stage.install(&served, "yawl", "yawl.v1.0.0").await?;

    let begun = Instant::now();
    let lost = Wanted::no(HealthCode::RegistryUnreachable);
    let stopped = async { served.stop() };
    stage.watcher.reports(&fleet, lost, stopped).await?;
    served.until_state("TRANSIENT_FAILURE").await?;
    let again = served.serve(&folder);
    stage.watcher.reports(&fleet, Wanted::Well, again).await?;

    let of = operator("yawl");
    stage.watcher.stayed_well(&of, begun);
    witness.confirms(&stage.watcher.well(&of)).await;
    let address = served.address().expect("opm must run");
    registries_are_mute_and_noisy(&mut stage, address).await?;
    stage.watcher.agrees(&stage.serving).await;
    Ok(())
}

/// One registry accepts connections but never responds. Another registry sends invalid responses.
/// Each problem ends when the CatalogSource refers to a registry that works.
async fn registries_are_mute_and_noisy(
    stage: &mut Stage,
    sound: SocketAddr,
) -> Result<(), Failure> {
    let editor = stage.editor();
    let watcher = &mut stage.watcher;
    let registries = [
        ("mute", Behavior::Mute, HealthCode::RegistryTimeout),
        ("noisy", Behavior::Noisy, HealthCode::RegistryUnreachable),
    ];
    for (name, behavior, code) in registries {
        let registry = Registry::of(behavior).await;
        let of = news::catalog(name);
        let spec = json!({"sourceType": "grpc", "address": registry.address.to_string()});
        let made = editor.create(Kind::CatalogSource, name, json!({"spec": spec}));
        watcher
            .reports(&of, Wanted::Among(State::No, code), made)
            .await?;
        let answers = stage.serving.catalogs(stage.world.namespace()).await;
        assert_eq!(answers.len(), 2, "no other request may wait for it");

        let mended = json!({"spec": {"address": sound.to_string()}});
        let mended = editor.patch(Kind::CatalogSource, name, mended);
        watcher.reports(&of, Wanted::Well, mended).await?;
        let deleted = editor.delete(Kind::CatalogSource, name);
        watcher.reports(&of, Wanted::Gone, deleted).await?;
    }
    Ok(())
}

#[derive(Debug, Clone, Copy)]
enum Behavior {
    /// Reads all requests, and never responds.
    Mute,
    /// Responds with another protocol, and closes the connection.
    Noisy,
}

/// A port with this behavior. Dropping this value closes the port.
struct Registry {
    address: SocketAddr,
    listening: AbortHandle,
}

impl Registry {
    async fn of(behavior: Behavior) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await;
        let listener = listener.expect("a loopback port must be free");
        let address = listener.local_addr().expect("it must have an address");
        let listening = tokio::spawn(async move {
            // The task owns the set. Dropping the task closes all connections.
            let mut lines = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                lines.spawn(behavior.meet(stream));
            }
        });
        let listening = listening.abort_handle();
        Self { address, listening }
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

impl Behavior {
    async fn meet(self, mut stream: TcpStream) {
        let mut asked = [0; 1024];
        match self {
            Self::Mute => while stream.read(&mut asked).await.is_ok_and(|read| read > 0) {},
            Self::Noisy => {
                let _ = stream.read(&mut asked).await;
                let noise = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";
                // Ignores an error: the client may have closed the connection.
                let _ = stream.write_all(noise).await;
            }
        }
    }
}
