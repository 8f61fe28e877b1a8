# Each recipe is one command that also works typed by hand.

# Every test there is, the suite on a real control plane included.
test:
    cargo test --workspace

# The tests that need nothing but the build: seconds.
test-unit:
    cargo test

# The suite on a real control plane alone.
test-cluster:
    cargo test -p portolan-cluster

# A real control plane with OLM to try things on; Ctrl-C takes it down.
cluster *FLAGS:
    cargo run -p portolan-cluster -- up --olm {{FLAGS}}

# What is generated: the Rust of the contracts, and the manifests of our kinds.
gen:
    cargo run --example generate
    cargo run --example crdgen

# The templates of the Helm chart, from deploy/base.
chart:
    cargo run -p portolan-cluster --example chart

# The page of all commands, from their help.
commands:
    PORTOLAN_WRITE_PAGES=1 cargo test -p portolan --test it -- help

# After each change of a contract. A break wants a CHANGELOG line that begins with `- !`.
baseline:
    buf build --exclude-source-info -o proto/baseline.binpb

# After each change of the definitions that only adds; a field that goes is refused by a test.
baseline-crds:
    PORTOLAN_WRITE_BASELINE=1 cargo test -p portolan-api --test it -- additive

fmt:
    cargo fmt --all

lint:
    cargo clippy --workspace --all-targets -- -D warnings

# Everything that has to pass before a change lands.
gate:
    .ci/run

# A picture of each page of the console, as people see it in Chromium.
pictures FOLDER:
    PORTOLAN_PICTURES={{FOLDER}} cargo test -p portolan-cluster -- console::pages

# The figures of the last gate, as the history that later ones are compared with, and what its tools have judged.
record:
    sed "s/^/$(date --iso-8601)\t/" target/gate.tsv >> .ci/history.tsv
    cp target/judged .ci/judged

# What takes too long for the gate: ours beside opm and OLM, all of it.
soak:
    cargo build --release --workspace --bins
    PORTOLAN_MUTANTS=0..20000 cargo test --release -p portolan-core-bundle --test it -- broken
    PORTOLAN_MUTANTS=0..5000 cargo test --release -p portolan-core-templates mutants
    go run -C core/base/templates/tests/oracle . -check ../fixtures/cases.json
    PORTOLAN_WORLDS=0..10000 cargo test --release -p portolan-core-route --test it -- worlds
    PORTOLAN_WORLDS=0..2000 cargo test --release -p portolan-core-install --test it -- whatever_comes_between
    PORTOLAN_CONSOLE_REQUESTS=2000 cargo test --release -p portolan-console -- mutated
    PORTOLAN_SOAK=1 cargo test --release -p portolan-cluster -- --nocapture console::soak killed:: engine::faults engine::mutated engine::size engine::rest
    cargo test --release -p portolan-cluster -- --nocapture --ignored
    cargo test --release -p portolan-peers -- --ignored
    target/release/portolan-peers
