//! Tests of drawings: hostile names in each output language, layouts of random graphs, parts of
//! graphs, and colors.

mod colors;
mod layouts;
mod names;
mod parts;

use crate::drawing::{Bundle, DrawnUpdate, Graph, Head, Way};

/// Returns a graph with hostile names of different lengths.
pub(crate) fn hostile() -> Graph {
    let names = [
        "\"] --> x; click x \"javascript:alert(1)\"",
        "a\\\" [URL=\"evil\"]; b -> c",
        "</b><script>alert(1)</script>&quot;#35;`md`",
        "end\n  subgraph style:x#1;\r\u{1b}[31m",
        "\\",
    ];
    let channel = "c\"}}\nclassDef default fill:#000;|".to_owned();
    let bundle = |name: &&str| Bundle {
        name: (*name).to_owned(),
        version: format!("{}.0.0", name.len()),
        channels: vec![channel.clone()],
        is_deprecated: false,
    };
    let update = |pair: &[&str]| DrawnUpdate {
        channel: channel.clone(),
        from: pair[1].to_owned(),
        to: pair[0].to_owned(),
        ways: vec![Way::Replaces],
    };
    Graph {
        package: "p\" { x } \"".to_owned(),
        bundles: names.iter().map(bundle).collect(),
        updates: names.windows(2).map(update).collect(),
        heads: vec![Head {
            channel: channel.clone(),
            name: names[0].to_owned(),
        }],
        ..Graph::default()
    }
}

/// Returns the same graph with harmless names.
fn tame() -> Graph {
    let mut graph = hostile();
    let tame = |name: &mut String| *name = format!("a{}", name.len());
    tame(&mut graph.package);
    for bundle in &mut graph.bundles {
        tame(&mut bundle.name);
        bundle.channels.iter_mut().for_each(tame);
    }
    for update in &mut graph.updates {
        tame(&mut update.from);
        tame(&mut update.to);
        tame(&mut update.channel);
    }
    for head in &mut graph.heads {
        tame(&mut head.name);
        tame(&mut head.channel);
    }
    graph
}
