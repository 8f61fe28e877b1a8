//! Encodes verdicts on operators.

use portolan_core_health::{Manager, Operator};
use portolan_proto::health::v1 as pb;
use portolan_proto::health::v1::get_operator_request as get;

use super::verdicts::{encode_facts, encode_object, encode_verdict};
use super::{decode_name, decode_namespace};
use crate::question::{GetOperator, Handle, ListOperators, Page, PageRequest, RequestError, Token};

pub(crate) fn decode_get_operator(
    request: &pb::GetOperatorRequest,
) -> Result<GetOperator, RequestError> {
    let pb::GetOperatorRequest { namespace, handle } = request;
    let handle = handle.as_ref().ok_or_else(|| RequestError::Field {
        field: "name",
        message: "select an operator by name, csv, subscription, package, operator, \
                  cluster_extension, install or install_plan"
            .to_owned(),
    })?;
    Ok(GetOperator {
        namespace: decode_namespace(namespace)?,
        handle: match handle {
            get::Handle::Name(name) => Handle::Name(decode_name("name", name)?),
            get::Handle::Csv(name) => Handle::Csv(decode_name("csv", name)?),
            get::Handle::Subscription(name) => {
                Handle::Subscription(decode_name("subscription", name)?)
            }
            get::Handle::Package(name) => Handle::Package(decode_name("package", name)?),
            get::Handle::Operator(name) => {
                Handle::Managed(Manager::Operator, decode_name("operator", name)?)
            }
            get::Handle::ClusterExtension(name) => {
                let name = decode_name("cluster_extension", name)?;
                Handle::Managed(Manager::ClusterExtension, name)
            }
            get::Handle::Install(name) => {
                Handle::Managed(Manager::Install, decode_name("install", name)?)
            }
            get::Handle::InstallPlan(name) => {
                Handle::Managed(Manager::Plan, decode_name("install_plan", name)?)
            }
        },
    })
}

pub(crate) fn encode_get_operator(answer: &Operator) -> pb::GetOperatorResponse {
    pb::GetOperatorResponse {
        operator: Some(encode_operator(answer)),
    }
}

pub(crate) fn decode_list_operators(
    request: &pb::ListOperatorsRequest,
) -> Result<ListOperators, RequestError> {
    let pb::ListOperatorsRequest {
        namespace,
        page_size,
        page_token,
    } = request;
    let after = (!page_token.is_empty()).then(|| page_token.parse::<Token>());
    let after = after.transpose().map_err(|message| RequestError::Field {
        field: "page_token",
        message: message.to_owned(),
    })?;
    Ok(ListOperators {
        namespace: decode_namespace(namespace)?,
        page: PageRequest::new(*page_size, after),
    })
}

pub(crate) fn encode_list_operators(answer: &Page) -> pb::ListOperatorsResponse {
    let Page {
        operators,
        next,
        unread,
    } = answer;
    let next = next.as_ref().map(ToString::to_string);
    pb::ListOperatorsResponse {
        operators: operators.iter().map(|each| encode_operator(each)).collect(),
        next_page_token: next.unwrap_or_default(),
        unread: unread.clone(),
    }
}

pub(super) fn encode_operator(operator: &Operator) -> pb::Operator {
    let Operator {
        subject,
        manager,
        policy,
        package,
        csv,
        bundle,
        version,
        replaces,
        csvs: _,
        phase,
        phase_reason,
        phase_message,
        catalog,
        channel,
        installed,
        facts,
        verdict,
    } = operator;
    pb::Operator {
        subject: Some(encode_object(subject)),
        package: package.clone(),
        csv: csv.clone(),
        version: version.clone(),
        replaces: replaces.clone(),
        phase: phase.clone(),
        phase_reason: phase_reason.clone(),
        phase_message: phase_message.clone(),
        catalog: catalog.clone(),
        channel: channel.clone(),
        installed: installed.clone(),
        verdict: Some(encode_verdict(verdict)),
        facts: encode_facts(facts),
        manager: encode_manager(*manager).into(),
        policy: policy.clone(),
        bundle: bundle.clone(),
    }
}

fn encode_manager(manager: Manager) -> pb::operator::Manager {
    match manager {
        Manager::Olm => pb::operator::Manager::Olm,
        Manager::Operator => pb::operator::Manager::Operator,
        Manager::ClusterExtension => pb::operator::Manager::ClusterExtension,
        Manager::Install => pb::operator::Manager::Install,
        Manager::Plan => pb::operator::Manager::InstallPlan,
    }
}
