//! Runs one of the two servers as a process.

use std::fs::File;
use std::io::Read as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tonic::transport::{Channel, Endpoint};

use crate::failure::Failure;
use crate::load;
use crate::process;
use crate::question::Question;

/// The maximum time to wait for the first response of a server.
const PATIENCE: Duration = Duration::from_secs(120);

/// The pause between two requests while a server starts.
const PAUSE: Duration = Duration::from_millis(1);

/// The maximum time to wait until a server is ready, and the pause between two checks.
const READY: Duration = Duration::from_secs(300);
const READY_PAUSE: Duration = Duration::from_millis(20);

/// A running server. Dropping this value kills the process.
#[derive(Debug)]
pub(crate) struct Server {
    program: String,
    child: Child,
    endpoint: Endpoint,
    begun: Instant,
    log: File,
    /// The folder with the temporary files of the server.
    _scratch: TempDir,
}

/// The time and memory of a start, until the first response.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Started {
    pub(crate) time: Duration,
    pub(crate) processor_time: Duration,
    pub(crate) memory: u64,
}

// === impl Server ===

impl Server {
    /// Starts the process, and the measurement of its time.
    pub(crate) fn start(
        mut command: Command,
        port: u16,
        scratch: TempDir,
    ) -> Result<Self, Failure> {
        let program = command.get_program().to_string_lossy().into_owned();
        let touch = |act: &str| {
            let act = format!("{act} {program}");
            |source| Failure::Touch { act, source }
        };
        let log = tempfile::tempfile().map_err(touch("keep the log of"))?;
        let written = log.try_clone().map_err(touch("keep the log of"))?;
        command.env("TMPDIR", scratch.path());
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(written);
        let endpoint = Endpoint::from_shared(format!("http://127.0.0.1:{port}"));
        let endpoint = endpoint.map_err(|error| Failure::Expect(error.to_string()))?;
        let begun = Instant::now();
        let child = command.spawn().map_err(touch("run"))?;
        Ok(Self {
            program,
            child,
            endpoint: endpoint.tcp_nodelay(true),
            begun,
            log,
            _scratch: scratch,
        })
    }

    /// Waits until the probe server of the process reports that it is ready.
    pub(crate) async fn until_ready(&mut self, what: &str, probes: u16) -> Result<(), Failure> {
        while !is_ready(probes).await {
            self.check_running()?;
            if self.begun.elapsed() > READY {
                return Err(Failure::Expect(format!("portolan {what} is not ready")));
            }
            tokio::time::sleep(READY_PAUSE).await;
        }
        Ok(())
    }

    /// Sends a request again and again, until the server responds.
    pub(crate) async fn first_answer(&mut self, question: &Question) -> Result<Started, Failure> {
        let channel = self.connection();
        loop {
            let answer = load::call(&channel, question).await;
            let time = self.begun.elapsed();
            match answer {
                Ok(_) => return self.started(time),
                Err(last) if time > PATIENCE => {
                    return Err(Failure::Silent {
                        program: self.program.clone(),
                        patience: PATIENCE,
                        last: last.into(),
                    });
                }
                Err(_) => self.check_running()?,
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Opens a new connection.
    pub(crate) fn connection(&self) -> Channel {
        self.endpoint.connect_lazy()
    }

    pub(crate) fn peak_memory(&self) -> Result<u64, Failure> {
        process::peak_memory(self.child.id())
    }

    pub(crate) fn processor_time(&self) -> Result<Duration, Failure> {
        process::processor_time(self.child.id())
    }

    fn started(&self, time: Duration) -> Result<Started, Failure> {
        Ok(Started {
            time,
            processor_time: self.processor_time()?,
            memory: self.peak_memory()?,
        })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Returns the time at which the server was started.
    pub(crate) fn begun(&self) -> Instant {
        self.begun
    }

    /// Returns an error if the process has exited, because it will never respond then.
    pub(crate) fn check_running(&mut self) -> Result<(), Failure> {
        if let Ok(None) = self.child.try_wait() {
            return Ok(());
        }
        let mut said = String::new();
        // The position in the file is at the end of the output, so this reads the file from its
        // start.
        let read =
            std::io::Seek::rewind(&mut self.log).and_then(|()| self.log.read_to_string(&mut said));
        let said = read.map_or_else(|error| error.to_string(), |_| said);
        Err(Failure::Ended {
            program: self.program.clone(),
            said: said.lines().last().unwrap_or("none").to_owned(),
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Ignores an error: the process may have exited.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns true if the process with this probe port reports that it is ready.
pub(crate) async fn is_ready(probes: u16) -> bool {
    let asked = async {
        let mut stream = TcpStream::connect(("127.0.0.1", probes)).await?;
        let request = b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        stream.write_all(request).await?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await?;
        Ok::<_, std::io::Error>(answer)
    };
    asked
        .await
        .is_ok_and(|answer| answer.starts_with(b"HTTP/1.1 200"))
}
