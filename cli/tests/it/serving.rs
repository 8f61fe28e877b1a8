//! Starts resolvers and other services for tests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::program::{FERRY, portolan};

/// Flags with port 0, so that the operating system chooses free ports.
pub(crate) const ANY_PORT: &str = "--listen 127.0.0.1:0 --probes-listen 127.0.0.1:0";

/// A running `portolan serve resolver`. Dropping this value kills the process.
#[derive(Debug)]
pub(crate) struct Resolver {
    child: Child,
    /// The log of the process. None after the test has closed the log.
    log: Option<BufReader<ChildStderr>>,
    /// The lines that the process logged until it listened.
    begun: Vec<Value>,
    /// The address of the gRPC server.
    pub(crate) grpc: String,
    /// The address of the server for probes.
    pub(crate) probes: String,
}

/// A resolver that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    /// The lines that the process logged.
    pub(crate) log: Vec<Value>,
}

/// Returns the command that serves a resolver with the package ferry.
pub(crate) fn ferry_resolver() -> Command {
    portolan(&format!("serve resolver --catalog {FERRY} {ANY_PORT}"))
}

// === impl Resolver ===

impl Resolver {
    /// Starts a resolver with JSON logs, and waits until it is ready.
    pub(crate) fn start(command: &mut Command) -> Self {
        let resolver = Self::listening(command);
        // Repeats the request without a pause: the resolver reads only small catalogs, so it is
        // ready soon.
        while !resolver.probe("/readyz").starts_with("HTTP/1.1 200 ") {}
        resolver
    }

    /// Starts a resolver, or another service, and waits until it listens.
    pub(crate) fn listening(command: &mut Command) -> Self {
        let mut child = command
            .stderr(Stdio::piped())
            .spawn()
            .expect("the resolver must start");
        let stderr = child.stderr.take().expect("standard error must be a pipe");
        let mut log = BufReader::new(stderr);
        let mut begun = Vec::new();
        let listening = loop {
            let mut line = String::new();
            log.read_line(&mut line).expect("the log must be readable");
            assert!(!line.is_empty(), "ended after {begun:?}");
            begun.push(parse(&line));
            if let Some(last) = begun.last()
                && last["message"] == "listening"
            {
                break last;
            }
        };
        let address = |field: &str| match &listening[field] {
            Value::String(address) => address.clone(),
            other => panic!("{field} must be an address and is {other}"),
        };
        Self {
            grpc: address("grpc"),
            probes: address("probes"),
            child,
            log: Some(log),
            begun,
        }
    }

    /// Returns the URL for the flag `--server`.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.grpc)
    }

    /// Sends a request to a probe endpoint, and returns the HTTP response.
    pub(crate) fn probe(&self, path: &str) -> String {
        let mut answer = String::new();
        TcpStream::connect(&self.probes)
            .and_then(|mut stream| {
                write!(
                    stream,
                    "GET {path} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n"
                )?;
                stream.read_to_string(&mut answer)
            })
            .expect("the probes must answer");
        answer
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("the resolver must run");
    }

    /// Sends a signal to the process, and waits until the process has ended.
    pub(crate) fn stop(mut self, signal: Signal) -> Ended {
        self.signal(signal);
        let mut log = std::mem::take(&mut self.begun);
        let rest = self.log.take().into_iter().flat_map(BufRead::lines);
        log.extend(rest.map(|line| parse(&line.expect("the log must be readable"))));
        Ended {
            status: self.child.wait().expect("the resolver must end"),
            log,
        }
    }

    /// Closes the reader of the log, sends SIGTERM, and waits until the process has ended.
    pub(crate) fn stop_unread(mut self) -> ExitStatus {
        self.log = None;
        self.signal(Signal::TERM);
        self.child.wait().expect("the resolver must end")
    }
}

impl Drop for Resolver {
    fn drop(&mut self) {
        // Ignores an error: the process may have exited.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

// === impl Ended ===

impl Ended {
    /// Returns the logged messages without their fields.
    pub(crate) fn messages(&self) -> Vec<&str> {
        let messages = self.log.iter().map(|line| line["message"].as_str());
        messages.map(|message| message.unwrap_or("-")).collect()
    }
}

fn parse(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|_| panic!("`{line}` must be a line of JSON"))
}
