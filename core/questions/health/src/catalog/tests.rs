use crate::tests::kit::*;
use crate::*;

stories! { Registry;
    one_that_answers_and_olm_is_connected_and_olm_is_ready: olm("READY", Probe::Answered { packages: 3 }) => r#"
        Yes CatalogSource olm/ports
    "#;
    one_that_answers_and_has_nothing_and_olm_is_ready: olm("READY", Probe::Answered { packages: 0 }) => r#"
        Yes CatalogSource olm/ports
        Yes CatalogEmpty CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 has no packages.
    "#;
    one_that_was_not_asked_and_olm_is_ready: olm("READY", Probe::NotProbed) => r#"
        NotYet CatalogSource olm/ports
        NotYet RegistryNotProbed CatalogSource olm/ports: The registry of CatalogSource olm/ports was not asked; OLM says READY.
    "#;
    one_that_has_not_answered_yet_and_olm_is_ready: olm("READY", Probe::Pending) => r#"
        NotYet CatalogSource olm/ports
        NotYet RegistryNotProbed CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 has not answered yet.
    "#;
    one_that_has_a_name_that_only_the_cluster_knows_and_olm_is_ready: olm("READY", Probe::NameUnknown("no such host".to_owned())) => r#"
        NotYet CatalogSource olm/ports
        NotYet RegistryUnreachable CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 is not known by that name from here, though OLM is connected to it: no such host
    "#;
    one_that_cannot_be_reached_and_olm_is_ready: olm("READY", Probe::Unreachable("connection refused".to_owned())) => r#"
        No CatalogSource olm/ports
        No RegistryUnreachable CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 cannot be reached: connection refused
        No OlmMistaken CatalogSource olm/ports: OLM says READY of CatalogSource olm/ports, whose registry does not answer.
    "#;
    one_that_does_not_serve_and_olm_is_ready: olm("READY", Probe::NotServing) => r#"
        No CatalogSource olm/ports
        No RegistryNotServing CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 says that it does not serve.
        No OlmMistaken CatalogSource olm/ports: OLM says READY of CatalogSource olm/ports, whose registry does not serve.
    "#;
    one_that_is_silent_and_olm_is_ready: olm("READY", Probe::Silent("ListPackages, 10 s".to_owned())) => r#"
        No CatalogSource olm/ports
        No RegistrySilent CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 takes questions and does not answer in time: ListPackages, 10 s
        No OlmMistaken CatalogSource olm/ports: OLM says READY of CatalogSource olm/ports, whose registry does not answer.
    "#;
    one_that_fails_and_olm_is_ready: olm("READY", Probe::Failing("ListPackages: UNKNOWN".to_owned())) => r#"
        No CatalogSource olm/ports
        No RegistryFailing CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 does not answer as it should: ListPackages: UNKNOWN
        No OlmMistaken CatalogSource olm/ports: OLM says READY of CatalogSource olm/ports, whose registry does not answer as it should.
    "#;
    one_that_answers_and_olm_is_connected_and_olm_is_connecting: olm("TRANSIENT_FAILURE", Probe::Answered { packages: 3 }) => r#"
        NotYet CatalogSource olm/ports
        NotYet OlmNotConnected CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 answers, and OLM is not connected to it. It tries again within two minutes. [TRANSIENT_FAILURE]
    "#;
    one_that_answers_and_has_nothing_and_olm_is_connecting: olm("TRANSIENT_FAILURE", Probe::Answered { packages: 0 }) => r#"
        NotYet CatalogSource olm/ports
        Yes CatalogEmpty CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 has no packages.
        NotYet OlmNotConnected CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 answers, and OLM is not connected to it. It tries again within two minutes. [TRANSIENT_FAILURE]
    "#;
    one_that_was_not_asked_and_olm_is_connecting: olm("TRANSIENT_FAILURE", Probe::NotProbed) => r#"
        No CatalogSource olm/ports
        NotYet RegistryNotProbed CatalogSource olm/ports: The registry of CatalogSource olm/ports was not asked; OLM says TRANSIENT_FAILURE.
        No CatalogTrouble CatalogSource olm/ports: OLM has no connection to the registry of CatalogSource olm/ports (TRANSIENT_FAILURE).
    "#;
    one_that_has_not_answered_yet_and_olm_is_connecting: olm("TRANSIENT_FAILURE", Probe::Pending) => r#"
        NotYet CatalogSource olm/ports
        NotYet RegistryNotProbed CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 has not answered yet.
    "#;
    one_that_has_a_name_that_only_the_cluster_knows_and_olm_is_connecting: olm("TRANSIENT_FAILURE", Probe::NameUnknown("no such host".to_owned())) => r#"
        No CatalogSource olm/ports
        No RegistryUnreachable CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 is not known by that name: no such host
    "#;
    one_that_cannot_be_reached_and_olm_is_connecting: olm("TRANSIENT_FAILURE", Probe::Unreachable("connection refused".to_owned())) => r#"
        No CatalogSource olm/ports
        No RegistryUnreachable CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 cannot be reached: connection refused
    "#;
    one_that_does_not_serve_and_olm_is_connecting: olm("TRANSIENT_FAILURE", Probe::NotServing) => r#"
        No CatalogSource olm/ports
        No RegistryNotServing CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 says that it does not serve.
    "#;
    one_that_is_silent_and_olm_is_connecting: olm("TRANSIENT_FAILURE", Probe::Silent("ListPackages, 10 s".to_owned())) => r#"
        No CatalogSource olm/ports
        No RegistrySilent CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 takes questions and does not answer in time: ListPackages, 10 s
    "#;
    one_that_fails_and_olm_is_connecting: olm("TRANSIENT_FAILURE", Probe::Failing("ListPackages: UNKNOWN".to_owned())) => r#"
        No CatalogSource olm/ports
        No RegistryFailing CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 does not answer as it should: ListPackages: UNKNOWN
    "#;
    one_that_answers_and_olm_is_connected_and_olm_is_unsaid: olm("", Probe::Answered { packages: 3 }) => r#"
        NotYet CatalogSource olm/ports
        NotYet OlmNotConnected CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 answers, and OLM has not said whether it is connected to it.
    "#;
    one_that_answers_and_has_nothing_and_olm_is_unsaid: olm("", Probe::Answered { packages: 0 }) => r#"
        NotYet CatalogSource olm/ports
        Yes CatalogEmpty CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 has no packages.
        NotYet OlmNotConnected CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 answers, and OLM has not said whether it is connected to it.
    "#;
    one_that_was_not_asked_and_olm_is_unsaid: olm("", Probe::NotProbed) => r#"
        NotYet CatalogSource olm/ports
        NotYet RegistryNotProbed CatalogSource olm/ports: The registry of CatalogSource olm/ports was not asked; OLM says nothing of it.
    "#;
    one_that_has_not_answered_yet_and_olm_is_unsaid: olm("", Probe::Pending) => r#"
        NotYet CatalogSource olm/ports
        NotYet RegistryNotProbed CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 has not answered yet.
    "#;
    one_that_has_a_name_that_only_the_cluster_knows_and_olm_is_unsaid: olm("", Probe::NameUnknown("no such host".to_owned())) => r#"
        NotYet CatalogSource olm/ports
        NotYet RegistryUnreachable CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 is not known by that name: no such host
    "#;
    one_that_cannot_be_reached_and_olm_is_unsaid: olm("", Probe::Unreachable("connection refused".to_owned())) => r#"
        No CatalogSource olm/ports
        No RegistryUnreachable CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 cannot be reached: connection refused
    "#;
    one_that_does_not_serve_and_olm_is_unsaid: olm("", Probe::NotServing) => r#"
        No CatalogSource olm/ports
        No RegistryNotServing CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 says that it does not serve.
    "#;
    one_that_is_silent_and_olm_is_unsaid: olm("", Probe::Silent("ListPackages, 10 s".to_owned())) => r#"
        No CatalogSource olm/ports
        No RegistrySilent CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 takes questions and does not answer in time: ListPackages, 10 s
    "#;
    one_that_fails_and_olm_is_unsaid: olm("", Probe::Failing("ListPackages: UNKNOWN".to_owned())) => r#"
        No CatalogSource olm/ports
        No RegistryFailing CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 does not answer as it should: ListPackages: UNKNOWN
    "#;
    one_that_is_being_deleted: asked(|it| it.source.metadata.deletion_timestamp = deleted()) => r#"
        NotYet CatalogSource olm/ports
        NotYet CatalogTrouble CatalogSource olm/ports: CatalogSource olm/ports is being deleted.
    "#;
    one_that_olm_complains_of: asked(|it| {
        it.source.status.reason = "RegistryServerError".to_owned();
        it.source.status.message = "image not found".to_owned();
    }) => r#"
        No CatalogSource olm/ports
        No CatalogTrouble CatalogSource olm/ports: OLM reports trouble with CatalogSource olm/ports (RegistryServerError): image not found
    "#;
    one_that_nobody_can_find: asked(|it| it.address = Err("it has no address yet".to_owned())) => r#"
        NotYet CatalogSource olm/ports
        NotYet RegistryAddressUnknown CatalogSource olm/ports: Nobody knows where the registry of CatalogSource olm/ports is: it has no address yet
    "#;
    one_that_nobody_can_find_and_olm_says_why: asked(|it| { it.address = Err("it has neither an image nor an address".to_owned()); it.source.status.reason = "SpecInvalidError".to_owned(); }) => r#"
        No CatalogSource olm/ports
        No CatalogTrouble CatalogSource olm/ports: OLM reports trouble with CatalogSource olm/ports (SpecInvalidError).
        No RegistryAddressUnknown CatalogSource olm/ports: Nobody knows where the registry of CatalogSource olm/ports is: it has neither an image nor an address
    "#;
}

fn olm(says: &str, probe: Probe) -> Registry {
    let mut source = catalog("ports");
    source.status.connection = connection(says);
    Registry {
        probe,
        ..Registry::of(source)
    }
}

fn asked(change: impl FnOnce(&mut Registry)) -> Registry {
    let mut registry = olm("READY", Probe::Answered { packages: 3 });
    change(&mut registry);
    registry
}
