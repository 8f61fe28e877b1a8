//! Tests a Go client that is generated from our gRPC contracts, as a user would generate it. The
//! client gets the same answers as the program.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use portolan_kit::{TempFolder, assert_same};
use portolan_proto::DESCRIPTORS;
use portolan_rig::{Failure, OwnModule, PATIENCE, Seen, until};
use prost::Message as _;
use prost_types::FileDescriptorSet;
use prost_types::compiler::{CodeGeneratorRequest, CodeGeneratorResponse};
use serde_json::Value;

use crate::begin;
use crate::kubectl::ROOT;
use crate::program::{Started, output, portolan};

/// The Go module of the client. It contains the packages of the messages.
const MODULE: &str = "portolan.example/client";

const SOURCES: [(&str, &str); 3] = [
    ("go.mod", include_str!("../../../clients/go/go.mod")),
    ("go.sum", include_str!("../../../clients/go/go.sum")),
    ("main.go", include_str!("../../../clients/go/main.go")),
];

#[tokio::test]
async fn go_client_gets_the_same_answers() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let folder = TempFolder::empty();
    let client = folder.join("client");
    let (workshop, to) = (folder.to_path_buf(), client.clone());
    let built = tokio::task::spawn_blocking(move || build(&workshop, &to));
    built.await.map_err(Failure::read("the end of a build"))??;

    let portolan = portolan().await?;
    let log = folder.join("log");
    let _resolver = composed(&portolan, &log)?;
    let address = until("the resolver to listen", PATIENCE, async || {
        let message = fs::read_to_string(&log).unwrap_or_default();
        let lines = message.lines().map(serde_json::from_str::<Value>);
        let address = lines.flatten().find_map(|line| {
            let grpc = line["grpc"].as_str()?;
            Some(grpc.to_owned())
        });
        Ok(address.map_or(Seen::NotYet(message), Seen::Yes))
    })
    .await?;
    let wanted = until("the catalogs to be read", PATIENCE, async || {
        let mut asked = Command::new(&portolan);
        asked.args(["upgrades", "ferry", "--from=ferry.v1.1.0", "-o=json"]);
        asked.arg(format!("--server=http://{address}"));
        Ok(match answer(asked).await? {
            Ok(answer) => Seen::Yes(answer),
            Err(message) => Seen::NotYet(message),
        })
    });
    let wanted = wanted.await?;
    let mut asked = Command::new(client);
    asked.args([address.as_str(), "ferry", "ferry.v1.1.0"]);
    let reported = answer(asked).await?.expect("an answer");
    assert_eq!(wanted["recommended"], "ferry.v1.3.0");
    assert_same!(json: reported, wanted);
    Ok(())
}

/// Starts the resolver of docker-compose.yaml as a process.
fn composed(portolan: &Path, log: &Path) -> Result<Started, Failure> {
    let text = fs::read_to_string(Path::new(ROOT).join("docker-compose.yaml"));
    let text = text.map_err(Failure::touch("read docker-compose.yaml"))?;
    let compose: Value = serde_saphyr::from_str(&text).expect("it is YAML");
    let service = &compose["services"]["resolver"];
    let words = service["command"].as_array().expect("a command").iter();
    let words = words.map(|word| match word.as_str().expect("a word") {
        "/demo" => "deploy/demo",
        word => word,
    });
    let set = service["environment"].as_object().expect("an environment");
    let set = set.keys().map(|name| (name, "127.0.0.1:0"));
    let log = File::create(log).map_err(Failure::touch("make a log"))?;
    let mut command = Command::new(portolan);
    command.args(words).envs(set).current_dir(ROOT).stderr(log);
    Started::by(&mut command)
}

/// Returns the JSON output of a program, or its error.
async fn answer(command: Command) -> Result<Result<Value, String>, Failure> {
    let output = output(command).await?;
    if !output.status.success() {
        return Ok(Err(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let answer = serde_json::from_slice(&output.stdout);
    answer.map(Ok).map_err(Failure::read("an answer"))
}

fn build(workshop: &Path, to: &Path) -> Result<(), Failure> {
    let module = OwnModule::within(workshop)?;
    for (name, text) in SOURCES {
        module.put(name, text)?;
    }
    for generator in ["protoc-gen-go", "protoc-gen-go-grpc"] {
        for file in generated(&module, generator)? {
            module.put(file.0.as_str(), file.1.as_str())?;
        }
    }
    module.build(to)
}

/// Runs a code generator as protoc does. Returns the generated files.
fn generated(module: &OwnModule, generator: &str) -> Result<Vec<(String, String)>, Failure> {
    let files = FileDescriptorSet::decode(DESCRIPTORS).map_err(Failure::read("descriptors"))?;
    let names = files.file.iter().map(|file| file.name().to_owned());
    let names: Vec<_> = names.filter(|name| name.starts_with("portolan/")).collect();
    let packages = names.iter().map(|name| {
        let (folder, _) = name.rsplit_once('/').expect("a folder");
        format!("M{name}={MODULE}/{folder}")
    });
    let parameter = packages
        .chain([format!("module={MODULE}")])
        .collect::<Vec<_>>();
    let asked = CodeGeneratorRequest {
        parameter: Some(parameter.join(",")),
        file_to_generate: names,
        proto_file: files.file,
        ..CodeGeneratorRequest::default()
    };
    let mut tool = module.tool(generator);
    tool.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut tool = tool.spawn().map_err(Failure::touch("run a generator"))?;
    let mut input = tool.stdin.take().expect("a pipe");
    let written = input.write_all(&asked.encode_to_vec());
    written.map_err(Failure::touch("ask a generator"))?;
    drop(input);
    let output = tool.wait_with_output();
    let output = output.map_err(Failure::touch("hear a generator"))?;
    let answer = CodeGeneratorResponse::decode(&*output.stdout);
    let answer = answer.map_err(Failure::read("what a generator wrote"))?;
    assert_eq!(answer.error, None);
    let files = answer.file.into_iter();
    let files = files.map(|file| (file.name().to_owned(), file.content().to_owned()));
    Ok(files.collect())
}
