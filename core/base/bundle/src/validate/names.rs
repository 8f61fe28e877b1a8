//! Reports names that become too long when suffixes are added.

use std::collections::BTreeSet;

use crate::bundle::Bundle;
use crate::fault::{BundleFault, Code, Faults};
use crate::go;

/// The maximum length of a Service name, which must be a valid label.
const LONGEST: usize = 63;

pub(super) fn are_short_enough(bundle: &Bundle, faults: &mut Faults) {
    let csv = &bundle.csv;
    let webhooks = csv.webhooks().iter();
    let serving: BTreeSet<_> = webhooks
        .map(|webhook| &webhook.value.deployment_name)
        .collect();
    for deployment in csv.deployments() {
        let name = &deployment.value.name;
        let serves = serving.contains(name);
        let service = go::joined(&name.replace('.', "-"), "service");
        if serves && service.len() > LONGEST {
            let sentence = format!(
                "OLM v1 names the Service of deployment {name:?} {service:?}, which is one \
                 character too long"
            );
            faults.push(BundleFault::warning(
                &csv.file,
                deployment.line,
                Code::LongName,
                sentence,
            ));
        }
    }
}
