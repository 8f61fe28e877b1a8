# Each recipe is one command that you can also type by hand.

# Runs all tests, including the suite on a real control plane.
test:
    cargo test --workspace

# Runs the tests that need only the build, in seconds.
test-unit:
    cargo test

# Runs only the suite on a real control plane.
test-cluster:
    cargo test -p portolan-cluster

# Starts a real control plane with OLM for experiments. Ctrl-C stops it.
cluster *FLAGS:
    cargo run -p portolan-cluster -- up --olm {{FLAGS}}

# Writes the files of a release for linux-amd64, with the image and the chart. Builds take minutes. `FLAGS` are those of
# `portolan-rig release`, such as `--push HOST:PORT`.
release FOLDER="target/files" *FLAGS="": static
    cargo run --locked -p portolan-cluster -- release --program linux-amd64=target/x86_64-unknown-linux-gnu/dist/portolan --output {{FOLDER}} {{FLAGS}}

# Builds the static program of a release. The flags keep the paths of this machine out of it, so two builds are equal.
static:
    RUSTFLAGS="-C target-feature=+crt-static --remap-path-prefix={{justfile_directory()}}=/portolan --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo" PORTOLAN_COMMIT=$(git rev-parse HEAD) cargo build --locked --profile dist --package portolan --target x86_64-unknown-linux-gnu

# Generates the Rust code of the contracts, and the manifests of our CRDs.
gen:
    cargo run --example generate
    cargo run --example crdgen

# Generates the templates of the Helm chart from deploy/base.
chart:
    cargo run -p portolan-cluster --example chart

# Builds the site of the documentation with mdbook: FOLDER/html/index.html.
site FOLDER="target/site":
    cargo run -p portolan-layers --example site -- {{FOLDER}}

# Generates the page of all commands from their help.
commands:
    PORTOLAN_WRITE_PAGES=1 cargo test -p portolan --test it -- help

# Renews the baseline of the contracts. Run it after each change of a contract. A breaking change requires a CHANGELOG
# line that begins with `- !`.
baseline:
    buf build --exclude-source-info -o proto/baseline.binpb

# Renews the baseline of the CRDs. Run it after each change that only adds fields. A test rejects removed fields.
baseline-crds:
    PORTOLAN_WRITE_BASELINE=1 cargo test -p portolan-api --test it -- additive

fmt:
    cargo fmt --all

lint:
    cargo clippy --workspace --all-targets -- -D warnings

# Runs everything that must pass before a change lands.
gate:
    .ci/run

# Draws the pictures in docs/pictures from the output of commands.
pictures:
    PORTOLAN_WRITE_PAGES=1 cargo test -p portolan --test it -- pictures

# Takes a screenshot of each page of the console in Chromium.
screenshots FOLDER:
    PORTOLAN_PICTURES={{FOLDER}} cargo test -p portolan-cluster -- console::pages

# Records the figures of the last gate in the history for later runs, and the digests that its tools have checked.
record:
    sed "s/^/$(date --iso-8601)\t/" target/gate.tsv >> .ci/history.tsv
    cp target/judged .ci/judged

# Runs everything that takes too long for the gate: our results against those of opm and OLM, for all inputs.
soak:
    cargo build --release --workspace --bins
    PORTOLAN_MUTANTS=0..20000 cargo test --release -p portolan-core-bundle --test it -- broken
    PORTOLAN_MUTANTS=0..5000 cargo test --release -p portolan-core-templates mutants
    go run -C core/base/templates/tests/oracle . -check ../fixtures/cases.json
    PORTOLAN_WORLDS=0..10000 cargo test --release -p portolan-core-route --test it -- worlds
    PORTOLAN_WORLDS=0..2000 cargo test --release -p portolan-core-install --test it -- interleaved_plans
    PORTOLAN_CONSOLE_REQUESTS=2000 cargo test --release -p portolan-console -- mutated
    PORTOLAN_SOAK=1 cargo test --release -p portolan-cluster -- --nocapture console::soak killed:: engine::faults engine::mutated engine::size engine::rest
    cargo test --release -p portolan-cluster -- --nocapture --ignored
    cargo test --release -p portolan-peers -- --ignored
    target/release/portolan-peers
