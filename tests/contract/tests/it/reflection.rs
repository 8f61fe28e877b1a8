//! Tests of reflection, which clients use if they know nothing about the server.

use futures::stream;
use portolan_contract::{Fake, served, within};
use portolan_proto::DESCRIPTORS;
use prost::Message;
use prost_types::{FileDescriptorProto, FileDescriptorSet};
use tonic_reflection::pb::{v1, v1alpha};

const SERVICES: [&str; 4] = [
    "grpc.health.v1.Health",
    "grpc.reflection.v1.ServerReflection",
    "grpc.reflection.v1alpha.ServerReflection",
    "portolan.resolver.v1.Resolver",
];

/// Sends a request with one version of the reflection protocol. The messages of both versions are
/// the same.
macro_rules! reflect {
    ($version:ident, $running:expr, $question:expr) => {{
        use $version::server_reflection_client::ServerReflectionClient;
        let request = $version::ServerReflectionRequest {
            host: String::new(),
            message_request: Some($question),
        };
        let mut client = ServerReflectionClient::new($running.channel());
        let mut answers = within(client.server_reflection_info(stream::iter([request])))
            .await
            .expect("reflection must be served")
            .into_inner();
        within(answers.message())
            .await
            .expect("reflection must answer")
            .and_then(|answer| answer.message_response)
            .expect("the answer must not be empty")
    }};
}

#[tokio::test]
async fn reflection_lists_every_service() {
    use v1::server_reflection_request::MessageRequest::ListServices;
    use v1::server_reflection_response::MessageResponse::ListServicesResponse;

    let running = served(Fake::default()).await;
    let answer = reflect!(v1, running, ListServices(String::new()));
    let ListServicesResponse(listed) = answer else {
        panic!("services must be listed, not {answer:?}");
    };
    let mut names: Vec<_> = listed.service.iter().map(|it| it.name.as_str()).collect();
    names.sort();
    assert_eq!(names, SERVICES);
}

#[tokio::test]
async fn reflection_lists_every_service_to_older_clients() {
    use v1alpha::server_reflection_request::MessageRequest::ListServices;
    use v1alpha::server_reflection_response::MessageResponse::ListServicesResponse;

    let running = served(Fake::default()).await;
    let answer = reflect!(v1alpha, running, ListServices(String::new()));
    let ListServicesResponse(listed) = answer else {
        panic!("services must be listed, not {answer:?}");
    };
    let mut names: Vec<_> = listed.service.iter().map(|it| it.name.as_str()).collect();
    names.sort();
    assert_eq!(names, SERVICES);
}

#[tokio::test]
async fn reflection_returns_the_file_of_a_service_unchanged() {
    use v1::server_reflection_request::MessageRequest::FileContainingSymbol;
    use v1::server_reflection_response::MessageResponse::FileDescriptorResponse;

    let running = served(Fake::default()).await;
    let symbol = "portolan.resolver.v1.Resolver".to_owned();
    let answer = reflect!(v1, running, FileContainingSymbol(symbol));
    let FileDescriptorResponse(files) = answer else {
        panic!("a file must be found, not {answer:?}");
    };
    let described = FileDescriptorSet::decode(DESCRIPTORS).expect("the descriptors must decode");
    let hosts = |file: &FileDescriptorProto| file.service.iter().any(|it| it.name() == "Resolver");
    let described = described.file.into_iter().filter(hosts);
    let reflected = files
        .file_descriptor_proto
        .iter()
        .map(|file| FileDescriptorProto::decode(file.as_slice()).expect("a file must decode"));
    assert_eq!(
        reflected.filter(hosts).collect::<Vec<_>>(),
        described.collect::<Vec<_>>()
    );
}
