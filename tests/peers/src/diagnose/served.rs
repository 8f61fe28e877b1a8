//! Measures `portolan diagnose-server` with a dump, on one CPU. Its objects are already in memory.

use std::path::Path;
use std::time::Instant;

use portolan_proto::diagnosis::v1 as pb;
use portolan_proto::diagnosis::v1::diagnosis_client::DiagnosisClient;

use super::dump::Dump;
use super::run;
use crate::catalogs::scratch;
use crate::failure::Failure;
use crate::pair::free_port;
use crate::server::Server;
use crate::table::median;

/// The response times of a server.
#[derive(Debug, Clone, Copy)]
pub(super) struct Served {
    /// The median time of a request for all operators, in seconds.
    pub(super) all: f64,
    /// The median time of a request for one operator, in seconds.
    pub(super) one: f64,
}

pub(super) async fn measure(portolan: &Path, dump: &Dump, turns: usize) -> Result<Served, Failure> {
    let (listen, probes) = (free_port()?, free_port()?);
    let mut command = run::command(portolan, "diagnose-server", dump);
    command.arg(format!("--listen=127.0.0.1:{listen}"));
    command.arg(format!("--probes-listen=127.0.0.1:{probes}"));
    let scratch = scratch()?;
    let mut server = run::on_one_processor(|| Server::start(command, listen, scratch))?;
    server.until_ready("diagnose-server", probes).await?;
    let client = DiagnosisClient::new(server.connection());
    let mut client = client.max_decoding_message_size(usize::MAX);
    let (mut all, mut one) = (Vec::new(), Vec::new());
    for _ in 0..turns {
        let everything = pb::DiagnoseRequest::default();
        all.push(asked(&mut client, everything, dump.operators).await?);
        let operator = pb::DiagnoseRequest {
            namespace: "harbor-001".to_owned(),
            ..pb::DiagnoseRequest::default()
        };
        one.push(asked(&mut client, operator, 1).await?);
    }
    Ok(Served {
        all: median(all),
        one: median(one),
    })
}

/// Returns the seconds until the server has reported at least `least` operators.
async fn asked(
    client: &mut DiagnosisClient<tonic::transport::Channel>,
    request: pb::DiagnoseRequest,
    least: usize,
) -> Result<f64, Failure> {
    let failed = |status: tonic::Status| Failure::Call {
        method: "Diagnose",
        status: status.into(),
    };
    let begun = Instant::now();
    let mut answers = client.diagnose(request).await.map_err(failed)?.into_inner();
    let mut reported = 0;
    while answers.message().await.map_err(failed)?.is_some() {
        reported += 1;
    }
    let took = begun.elapsed().as_secs_f64();
    if reported >= least {
        Ok(took)
    } else {
        Err(Failure::Expect(format!(
            "{reported} of {least} operators are reported"
        )))
    }
}
