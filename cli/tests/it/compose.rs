//! Runs the processes in docker-compose.yaml. The test uses other ports and another path of the
//! sample world.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use portolan_kit::assert_same;
use serde::Deserialize;

use crate::program::{portolan, run};
use crate::serving::Resolver;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// For each service, a query about the sample world.
const QUESTIONS: [(&str, &str); 4] = [
    ("resolver", "upgrades ferry --from ferry.v1.1.0"),
    ("health", "health"),
    ("approval", "review"),
    ("diagnosis", "diagnose ferry"),
];

#[derive(Debug, Deserialize)]
struct Compose {
    services: BTreeMap<String, Service>,
}

#[derive(Debug, Deserialize)]
struct Service {
    build: Build,
    command: Vec<String>,
    environment: BTreeMap<String, String>,
    ports: Vec<String>,
    volumes: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Build {
    context: String,
    dockerfile: String,
}

// === impl Service ===

impl Service {
    /// Returns the command that the container runs.
    fn command(&self) -> Command {
        let [volume] = &self.volumes[..] else {
            panic!("one folder: {:?}", self.volumes);
        };
        let parts: Vec<_> = volume.split(':').collect();
        let [from, to, "ro"] = parts[..] else {
            panic!("a folder to be read: {volume}");
        };
        let mut command = portolan("");
        command.args(
            self.command
                .iter()
                .map(|word| if word == to { from } else { word }),
        );
        for (name, value) in &self.environment {
            let (_, port) = value.rsplit_once(':').expect("an address");
            let is_shown = self
                .ports
                .iter()
                .any(|it| it.ends_with(&format!(":{port}")));
            assert!(
                is_shown || name != "PORTOLAN_LISTEN",
                "{value} is not published"
            );
            command.env(name, "127.0.0.1:0");
        }
        command
    }
}

#[test]
fn composed_services_answer_about_their_sample_objects() {
    let text = fs::read_to_string(Path::new(ROOT).join("docker-compose.yaml")).expect("a file");
    let compose: Compose = serde_saphyr::from_str(&text).expect("a compose file");
    let names: Vec<_> = compose.services.keys().map(String::as_str).collect();
    assert_eq!(names, ["approval", "diagnosis", "health", "resolver"]);
    for (name, question) in QUESTIONS {
        let service = &compose.services[name];
        let Build {
            context,
            dockerfile,
        } = &service.build;
        let image = Path::new(ROOT).join(context).join(dockerfile);
        assert!(image.is_file(), "{}", image.display());
        assert!(
            service
                .ports
                .iter()
                .all(|port| port.starts_with("127.0.0.1:"))
        );

        let running = Resolver::start(&mut service.command());
        let ask = |facts: &str| run(&mut portolan(&format!("{question} -o json {facts}")));
        let far = ask(&format!("--server {}", running.url()));
        let near = ask("--world deploy/demo");
        let texts = [&far, &near].map(|it| String::from_utf8_lossy(&it.stdout).into_owned());
        let [from_server, from_files] = texts;
        assert!(!from_files.is_empty(), "{near:?}");
        assert_same!(from_server, from_files);
        assert_eq!(far.status.code(), near.status.code(), "{name}");
    }
}
