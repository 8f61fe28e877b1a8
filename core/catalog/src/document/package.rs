//! `olm.package`

use portolan_core_names::{ChannelName, PackageName};

use super::fields::Fields;
use super::{Content, LineTrouble, ReadContext};
use crate::digest::Digest;
use crate::fault::{Severity, Trouble};
use crate::node::Node;

const KEYS: [&str; 3] = ["defaultChannel", "icon", "description"];

/// The longest name that opm takes, and a label of the domain name system.
const LONGEST_LABEL: usize = 63;

/// What an `olm.package` says of its package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) default_channel: Option<ChannelName>,
    /// Of the description and the icon, which are not kept.
    pub(crate) display: Digest,
}

pub(super) fn read(
    node: &Node<'_>,
    context: &mut ReadContext<'_>,
) -> Result<(PackageName, Content), LineTrouble> {
    let fields = Fields::of("olm.package", node, &KEYS, context)?;
    let name: PackageName = fields.required("name")?;
    if name.as_str().len() > LONGEST_LABEL || name.as_str().contains('.') {
        let trouble = Trouble::Doubtful {
            key: "name",
            sentence: format!("opm refuses dots, and more than {LONGEST_LABEL} characters"),
            severity: Severity::Error,
        };
        context.note(fields.error("name", trouble));
    }
    let default_channel = fields.parsed("defaultChannel");
    let default_channel = match default_channel {
        Ok(None) => {
            let line = fields.line;
            let trouble = Trouble::NoDefault;
            context.note(LineTrouble { line, trouble });
            None
        }
        read => context.settle(read),
    };
    let display = ["description", "icon"].map(|key| fields.find(key).map(|node| &node.value));
    let head = Head {
        default_channel,
        display: Digest::of_texts(display.map(|value| value.map(|value| value.canonical_json()))),
    };
    Ok((name, Content::Package(head)))
}
