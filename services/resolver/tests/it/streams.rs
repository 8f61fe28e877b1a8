//! Tests of streams to clients that read quickly, slowly, or not at all.

mod batch;
mod watch;

use std::time::Duration;

use futures::stream;
use portolan_core_names::CatalogName;
use portolan_kit::{TempFolder, catalog};
use portolan_proto::DESCRIPTORS;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_resolver::snapshot::{ContentOrigin, SourceObject};
use portolan_resolver::source::read_folder;
use portolan_resolver::{Catalogs, Resolver};
use portolan_shell::client::{Connection, Terms, local, remote};
use portolan_shell::{Readiness, ServeFlags, Server};
use tokio::sync::oneshot;

type Client = ResolverClient<Connection>;

/// The maximum time to wait for an expected event.
const PATIENCE: Duration = Duration::from_secs(20);

/// A catalog with the name `demo` that the tests can change.
struct Demo {
    catalogs: Catalogs,
    name: CatalogName,
    folder: TempFolder,
}

/// A server on a free port. It runs until this value is dropped.
struct Port {
    url: String,
    _stop: oneshot::Sender<()>,
}

#[derive(Debug, clap::Parser)]
struct Flags {
    #[command(flatten)]
    serve: ServeFlags,
}

impl Demo {
    fn of(text: &str) -> Self {
        let demo = Self {
            catalogs: Catalogs::new(),
            name: "demo".parse().expect("a name"),
            folder: TempFolder::empty(),
        };
        let observed = SourceObject::local("Folder", "demo".to_owned());
        demo.catalogs.place(&demo.name, observed, 0.into());
        demo.change(text);
        demo
    }

    fn change(&self, text: &str) {
        catalog(text).write(&self.folder);
        let read = read_folder(&self.folder).expect("the folder must be readable");
        let origin = ContentOrigin::folder(self.folder.to_path_buf());
        self.catalogs.read(&self.name, read, origin);
    }

    fn resolver(&self) -> Resolver {
        Resolver::new(self.catalogs.watch())
    }

    /// Returns a client within this process, so that no transport buffers messages.
    fn local(&self) -> Client {
        Client::new(local(self.resolver().into_service()))
    }

    async fn port(&self) -> Port {
        self.port_with([]).await
    }

    async fn port_with<const N: usize>(&self, flags: [&str; N]) -> Port {
        let ready = Readiness::pending();
        ready.set_ready();
        let own = [
            "flags",
            "--listen=127.0.0.1:0",
            "--probes-listen=127.0.0.1:0",
        ];
        let line = own.into_iter().chain(flags);
        let Flags { serve } = clap::Parser::parse_from(line);
        let server = Server::new(serve, DESCRIPTORS).host(self.resolver().into_service(), ready);
        let bound = server.bind().await.expect("free ports must be there");
        let url = format!("http://{}", bound.grpc_address());
        let (stop, stopped) = oneshot::channel::<()>();
        let stopped = stream::once(async { stopped.await.unwrap_or_default() });
        tokio::spawn(bound.run(Box::pin(stopped)));
        Port { url, _stop: stop }
    }
}

impl Port {
    /// Returns a client with a separate connection.
    fn client(&self) -> Client {
        client_of(&self.url)
    }
}

fn client_of(url: &str) -> Client {
    let terms = Terms::queries(DESCRIPTORS, PATIENCE);
    Client::new(remote(url, terms).expect("the URL must be one"))
}
