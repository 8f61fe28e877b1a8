//! Tests of requests to DiagnosisService.

mod alike;
mod ask;
mod extensions;
mod files;
mod gathered;
mod own;
mod readiness;
mod registry;
mod telling;
mod untold;
mod windows;
mod workloads;

use std::path::Path;
use std::time::Duration;

use portolan_kit::{Catalog, TempFolder, World, catalog};
use portolan_proto::diagnosis::v1 as pb;
use portolan_proto::diagnosis::v1::diagnosis_client::DiagnosisClient;
use portolan_resolver::Following;
use portolan_resolver::source::{CatalogAt, SourceAccess};
use portolan_shell::client::{Connection, local};
use portolan_stage::Stage;
use portolan_world::{Area, Kind, Objects};
use serde_json::json;
use tokio::time::timeout;
use tonic::{Status, Streaming};

use crate::{DiagnosisService, Options};

/// The time after which a test fails if the expected event does not happen.
const PATIENCE: Duration = Duration::from_secs(30);

/// The content of the only catalog in most tests.
const SHOP: &str = "ferry: 1.0.0; pilot: 1.0.0 -> 1.1.0";

/// A client that sends requests.
struct Asking {
    client: DiagnosisClient<Connection>,
    /// The folder of the catalog, if the catalog is read from files.
    _shop: Option<TempFolder>,
}

impl Asking {
    /// Creates a client. Returns after the service has read all objects.
    async fn of(world: &World, shop: &Catalog, options: Options) -> Self {
        let (diagnosis, shop) = diagnosis(&Stage::shared(world), shop, options);
        settled(&diagnosis).await;
        Self::diagnosis(diagnosis, shop)
    }

    async fn at(world: &World) -> Self {
        Self::of(world, &catalog(SHOP), Options::default()).await
    }

    fn diagnosis(diagnosis: DiagnosisService, shop: impl Into<Option<TempFolder>>) -> Self {
        Self {
            client: DiagnosisClient::new(local(diagnosis.into_service())),
            _shop: shop.into(),
        }
    }

    async fn stream(
        &mut self,
        namespace: &str,
        name: &str,
    ) -> Result<Streaming<pb::DiagnoseResponse>, Status> {
        self.send(pb::DiagnoseRequest {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            ..pb::DiagnoseRequest::default()
        })
        .await
    }

    async fn send(
        &mut self,
        request: pb::DiagnoseRequest,
    ) -> Result<Streaming<pb::DiagnoseResponse>, Status> {
        Ok(self.client.diagnose(request).await?.into_inner())
    }

    async fn asked(
        &mut self,
        namespace: &str,
        name: &str,
    ) -> Result<Vec<pb::OperatorDiagnosis>, Status> {
        let mut stream = self.stream(namespace, name).await?;
        let mut all = Vec::new();
        while let Some(answer) = stream.message().await? {
            all.push(answer.diagnosis.expect("an answer must have a diagnosis"));
        }
        Ok(all)
    }

    /// Returns the diagnoses of a request, one line each, and the error at the end of the stream.
    async fn lines_and_end(
        &mut self,
        request: pb::DiagnoseRequest,
    ) -> (Vec<String>, Option<Status>) {
        let mut stream = match self.send(request).await {
            Ok(stream) => stream,
            Err(refused) => return (Vec::new(), Some(refused)),
        };
        let mut lines = Vec::new();
        loop {
            match stream.message().await {
                Ok(Some(answer)) => lines.push(line(&answer.diagnosis.expect("a diagnosis"))),
                Ok(None) => return (lines, None),
                Err(failed) => return (lines, Some(failed)),
            }
        }
    }

    /// Returns the diagnoses of a request, one line each.
    async fn diagnosis_lines(&mut self, namespace: &str, name: &str) -> Vec<String> {
        let answers = self.asked(namespace, name).await;
        answers.expect("an answer").iter().map(line).collect()
    }
}

/// A stage that behaves like a world of files. Any object may be missing in such a world.
#[derive(Debug, Clone)]
struct OfFiles(Stage);

impl portolan_world::World for OfFiles {
    fn objects_in<K: Kind>(&self, area: Area) -> Objects<K> {
        self.0.objects_in(area)
    }

    fn dialer(&self) -> portolan_world::Dialer {
        self.0.dialer()
    }

    fn folder(&self) -> Option<&Path> {
        Some(Path::new("nothing"))
    }

    fn is_partial(&self) -> bool {
        true
    }
}

/// Creates the service for a world and the catalog `olm/shop`.
fn diagnosis(stage: &Stage, shop: &Catalog, options: Options) -> (DiagnosisService, TempFolder) {
    let shop = shop.temp();
    (
        diagnosis_at(stage, &shop.display().to_string(), options),
        shop,
    )
}

/// Creates the service for a world and a catalog at this location.
fn diagnosis_at(stage: &Stage, place: &str, options: Options) -> DiagnosisService {
    DiagnosisService::of(stage.clone(), following(stage, place), options)
}

fn following(stage: &Stage, place: &str) -> Following {
    let given = format!("olm/shop={place}");
    let given: CatalogAt = given.parse().expect("a catalog");
    // The world has other catalogs, but their content is not read.
    let files = OfFiles(stage.clone());
    let catalogs = Following::of(files, vec![given], &SourceAccess::default());
    catalogs.expect("catalogs")
}

async fn settled(diagnosis: &DiagnosisService) {
    let settled = timeout(PATIENCE, diagnosis.settled()).await;
    settled.expect("the first sync must complete");
}

fn line(diagnosis: &pb::OperatorDiagnosis) -> String {
    let name = |object: Option<&portolan_proto::basis::v1::ObjectRef>| {
        let object = object.expect("an object");
        format!("{} {}/{}", object.kind, object.namespace, object.name)
    };
    let mut words = vec![
        name(diagnosis.subject.as_ref()),
        diagnosis.state().as_str_name().to_owned(),
    ];
    if let Some(cause) = &diagnosis.cause {
        words.extend([cause.code.clone(), name(cause.at_fault.as_ref())]);
    }
    words.join(" ")
}

/// Returns a world with the catalog `olm/shop` and healthy operators. Each operator has a separate
/// namespace.
fn well(csvs: &[&str]) -> World {
    well_in("stable", csvs)
}

/// Returns the same world with this channel in the Subscriptions. Empty for the default channel.
fn well_in(channel: &str, csvs: &[&str]) -> World {
    let shop = portolan_kit::world()
        .namespace("olm")
        .catalog_source("shop", "127.0.0.1:1");
    csvs.iter().fold(shop, |world, csv| {
        let (package, _) = csv.split_once(".v").expect("a version");
        world
            .namespace(&format!("{package}-system"))
            .operator_group()
            .subscription(package, channel)
            .installed(csv)
            .csv(csv, "Succeeded")
            .edit(|csv| csv["spec"]["customresourcedefinitions"] = json!({}))
            .deployment(package, 1, 1)
    })
}
