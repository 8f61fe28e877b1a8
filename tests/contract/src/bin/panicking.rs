//! A process whose only call panics. A test that checks logs starts this process, because logs
//! belong to a whole process.

use portolan_contract::{Fake, served};
use portolan_shell::{LogFlags, LogFormat, Logs};
use tonic::Code;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let log = LogFlags {
        log: "error".to_owned(),
        log_format: Some(LogFormat::Json),
    };
    let _logs = Logs::start(&log, "contract").expect("logs must not be started yet");
    let running = served(Fake::default()).await;
    let end = running.raw().await.ask("panic", None).await;
    assert_eq!(end.code, Code::Internal);
}
