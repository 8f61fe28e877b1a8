use crate::tests::kit::*;
use crate::*;

stories! { Registry;
    answers_with_packages_and_olm_is_ready: olm("READY", Probe::Answered { packages: 3 }) => r#"
        Yes CatalogSource olm/ports
    "#;
    answers_without_packages_and_olm_is_ready: olm("READY", Probe::Answered { packages: 0 }) => r#"
        Yes CatalogSource olm/ports
        Yes CatalogEmpty CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 has no packages.
    "#;
    was_not_probed_and_olm_is_ready: olm("READY", Probe::NotProbed) => r#"
        NotYet CatalogSource olm/ports
        NotYet RegistryNotProbed CatalogSource olm/ports: The registry of CatalogSource olm/ports was not probed; OLM reports READY.
    "#;
    has_not_answered_yet_and_olm_is_ready: olm("READY", Probe::Pending) => r#"
        NotYet CatalogSource olm/ports
        NotYet RegistryNotProbed CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 has not answered yet.
    "#;
    has_a_name_that_only_the_cluster_resolves_and_olm_is_ready: olm("READY", Probe::NameUnknown("no such host".to_owned())) => r#"
        NotYet CatalogSource olm/ports
        NotYet RegistryUnreachable CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 has a host name that is unknown on this machine, although OLM is connected to the registry: no such host
    "#;
    is_unreachable_and_olm_is_ready: olm("READY", Probe::Unreachable("connection refused".to_owned())) => r#"
        No CatalogSource olm/ports
        No RegistryUnreachable CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 cannot be reached: connection refused
        No OlmStatusWrong CatalogSource olm/ports: OLM reports READY for CatalogSource olm/ports, but the registry of this catalog does not answer.
    "#;
    is_not_serving_and_olm_is_ready: olm("READY", Probe::NotServing) => r#"
        No CatalogSource olm/ports
        No RegistryNotServing CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 reports the state NOT_SERVING.
        No OlmStatusWrong CatalogSource olm/ports: OLM reports READY for CatalogSource olm/ports, but the registry of this catalog does not serve.
    "#;
    times_out_and_olm_is_ready: olm("READY", Probe::Silent("ListPackages, 10 s".to_owned())) => r#"
        No CatalogSource olm/ports
        No RegistryTimeout CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 accepts requests but does not answer in time: ListPackages, 10 s
        No OlmStatusWrong CatalogSource olm/ports: OLM reports READY for CatalogSource olm/ports, but the registry of this catalog does not answer.
    "#;
    fails_and_olm_is_ready: olm("READY", Probe::Failing("ListPackages: UNKNOWN".to_owned())) => r#"
        No CatalogSource olm/ports
        No RegistryFailing CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 gives an invalid answer: ListPackages: UNKNOWN
        No OlmStatusWrong CatalogSource olm/ports: OLM reports READY for CatalogSource olm/ports, but the registry of this catalog gives an invalid answer.
    "#;
    answers_with_packages_and_olm_is_connecting: olm("TRANSIENT_FAILURE", Probe::Answered { packages: 3 }) => r#"
        NotYet CatalogSource olm/ports
        NotYet OlmNotConnected CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 answers, but OLM is not connected to this registry. OLM retries within two minutes. [TRANSIENT_FAILURE]
    "#;
    answers_without_packages_and_olm_is_connecting: olm("TRANSIENT_FAILURE", Probe::Answered { packages: 0 }) => r#"
        NotYet CatalogSource olm/ports
        Yes CatalogEmpty CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 has no packages.
        NotYet OlmNotConnected CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 answers, but OLM is not connected to this registry. OLM retries within two minutes. [TRANSIENT_FAILURE]
    "#;
    was_not_probed_and_olm_is_connecting: olm("TRANSIENT_FAILURE", Probe::NotProbed) => r#"
        No CatalogSource olm/ports
        NotYet RegistryNotProbed CatalogSource olm/ports: The registry of CatalogSource olm/ports was not probed; OLM reports TRANSIENT_FAILURE.
        No CatalogNotReady CatalogSource olm/ports: OLM has no connection to the registry of CatalogSource olm/ports (TRANSIENT_FAILURE).
    "#;
    has_not_answered_yet_and_olm_is_connecting: olm("TRANSIENT_FAILURE", Probe::Pending) => r#"
        NotYet CatalogSource olm/ports
        NotYet RegistryNotProbed CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 has not answered yet.
    "#;
    has_a_name_that_only_the_cluster_resolves_and_olm_is_connecting: olm("TRANSIENT_FAILURE", Probe::NameUnknown("no such host".to_owned())) => r#"
        No CatalogSource olm/ports
        No RegistryUnreachable CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 has an unknown host name: no such host
    "#;
    is_unreachable_and_olm_is_connecting: olm("TRANSIENT_FAILURE", Probe::Unreachable("connection refused".to_owned())) => r#"
        No CatalogSource olm/ports
        No RegistryUnreachable CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 cannot be reached: connection refused
    "#;
    is_not_serving_and_olm_is_connecting: olm("TRANSIENT_FAILURE", Probe::NotServing) => r#"
        No CatalogSource olm/ports
        No RegistryNotServing CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 reports the state NOT_SERVING.
    "#;
    times_out_and_olm_is_connecting: olm("TRANSIENT_FAILURE", Probe::Silent("ListPackages, 10 s".to_owned())) => r#"
        No CatalogSource olm/ports
        No RegistryTimeout CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 accepts requests but does not answer in time: ListPackages, 10 s
    "#;
    fails_and_olm_is_connecting: olm("TRANSIENT_FAILURE", Probe::Failing("ListPackages: UNKNOWN".to_owned())) => r#"
        No CatalogSource olm/ports
        No RegistryFailing CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 gives an invalid answer: ListPackages: UNKNOWN
    "#;
    answers_with_packages_and_olm_status_is_empty: olm("", Probe::Answered { packages: 3 }) => r#"
        NotYet CatalogSource olm/ports
        NotYet OlmNotConnected CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 answers, but OLM has not reported its connection to this registry yet.
    "#;
    answers_without_packages_and_olm_status_is_empty: olm("", Probe::Answered { packages: 0 }) => r#"
        NotYet CatalogSource olm/ports
        Yes CatalogEmpty CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 has no packages.
        NotYet OlmNotConnected CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 answers, but OLM has not reported its connection to this registry yet.
    "#;
    was_not_probed_and_olm_status_is_empty: olm("", Probe::NotProbed) => r#"
        NotYet CatalogSource olm/ports
        NotYet RegistryNotProbed CatalogSource olm/ports: The registry of CatalogSource olm/ports was not probed; OLM reports no connection state.
    "#;
    has_not_answered_yet_and_olm_status_is_empty: olm("", Probe::Pending) => r#"
        NotYet CatalogSource olm/ports
        NotYet RegistryNotProbed CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 has not answered yet.
    "#;
    has_a_name_that_only_the_cluster_resolves_and_olm_status_is_empty: olm("", Probe::NameUnknown("no such host".to_owned())) => r#"
        NotYet CatalogSource olm/ports
        NotYet RegistryUnreachable CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 has an unknown host name: no such host
    "#;
    is_unreachable_and_olm_status_is_empty: olm("", Probe::Unreachable("connection refused".to_owned())) => r#"
        No CatalogSource olm/ports
        No RegistryUnreachable CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 cannot be reached: connection refused
    "#;
    is_not_serving_and_olm_status_is_empty: olm("", Probe::NotServing) => r#"
        No CatalogSource olm/ports
        No RegistryNotServing CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 reports the state NOT_SERVING.
    "#;
    times_out_and_olm_status_is_empty: olm("", Probe::Silent("ListPackages, 10 s".to_owned())) => r#"
        No CatalogSource olm/ports
        No RegistryTimeout CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 accepts requests but does not answer in time: ListPackages, 10 s
    "#;
    fails_and_olm_status_is_empty: olm("", Probe::Failing("ListPackages: UNKNOWN".to_owned())) => r#"
        No CatalogSource olm/ports
        No RegistryFailing CatalogSource olm/ports: The registry of CatalogSource olm/ports at ports.example:50051 gives an invalid answer: ListPackages: UNKNOWN
    "#;
    is_being_deleted: asked(|it| it.source.metadata.deletion_timestamp = deleted()) => r#"
        NotYet CatalogSource olm/ports
        NotYet CatalogNotReady CatalogSource olm/ports: CatalogSource olm/ports is being deleted.
    "#;
    olm_reports_a_problem: asked(|it| {
        it.source.status.reason = "RegistryServerError".to_owned();
        it.source.status.message = "image not found".to_owned();
    }) => r#"
        No CatalogSource olm/ports
        No CatalogNotReady CatalogSource olm/ports: OLM reports a problem with CatalogSource olm/ports (RegistryServerError): image not found
    "#;
    has_no_address: asked(|it| it.address = Err("it has no address yet".to_owned())) => r#"
        NotYet CatalogSource olm/ports
        NotYet RegistryAddressUnknown CatalogSource olm/ports: The address of the registry of CatalogSource olm/ports is unknown: it has no address yet
    "#;
    has_no_address_and_olm_reports_the_reason: asked(|it| { it.address = Err("it has neither an image nor an address".to_owned()); it.source.status.reason = "SpecInvalidError".to_owned(); }) => r#"
        No CatalogSource olm/ports
        No CatalogNotReady CatalogSource olm/ports: OLM reports a problem with CatalogSource olm/ports (SpecInvalidError).
        No RegistryAddressUnknown CatalogSource olm/ports: The address of the registry of CatalogSource olm/ports is unknown: it has neither an image nor an address
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
