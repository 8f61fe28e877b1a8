//! Commands of other programs, and the commands of Portolan with the same purpose.

/// Words that name a command in other programs, and the commands of Portolan with the same purpose.
pub(super) struct Hint {
    pub(super) words: &'static [&'static str],
    pub(super) answers: &'static [Answer],
}

/// A command, and its purpose as the end of a sentence that begins with "it". The text NAME stands
/// for the word after the unknown command.
pub(super) struct Answer(pub(super) &'static str, pub(super) &'static str);

/// The placeholder for the word after the unknown command.
pub(super) const NAME: &str = "NAME";

pub(super) const HINTS: [Hint; 24] = [
    Hint {
        words: &["install", "add", "deploy", "subscribe"],
        answers: &[Answer("create NAME", "installs an operator")],
    },
    Hint {
        words: &["remove", "rm", "purge", "destroy"],
        answers: &[Answer("delete NAME", "removes an operator")],
    },
    Hint {
        words: &["list", "ls", "get", "ps", "operators"],
        answers: &[
            Answer("health", "lists installed operators"),
            Answer("packages", "lists packages of catalogs"),
        ],
    },
    Hint {
        words: &["describe", "status", "inspect", "info"],
        answers: &[
            Answer("health NAME", "describes an installed operator"),
            Answer("diagnose NAME", "explains a problem"),
        ],
    },
    Hint {
        words: &["upgrade", "bump"],
        answers: &[
            Answer("upgrades NAME", "lists available upgrades"),
            Answer("update NAME --version VERSION", "upgrades an Operator"),
        ],
    },
    Hint {
        words: &["edit", "set", "patch", "pin"],
        answers: &[Answer(
            "update NAME --version VERSION",
            "changes an Operator",
        )],
    },
    Hint {
        words: &["rollback", "undo", "downgrade"],
        answers: &[
            Answer(
                "path NAME --to VERSION",
                "finds the upgrade path to a version",
            ),
            Answer("update NAME --version VERSION", "changes an Operator"),
        ],
    },
    Hint {
        words: &[
            "logs",
            "log",
            "events",
            "why",
            "doctor",
            "debug",
            "fix",
            "troubleshoot",
        ],
        answers: &[Answer("diagnose NAME", "finds the cause and the fix")],
    },
    Hint {
        words: &["apply", "preview", "simulate", "dry-run", "diff"],
        answers: &[
            Answer("explain FILE", "shows what manifests would change"),
            Answer("plan diff FILE", "compares an InstallPlan with a cluster"),
        ],
    },
    Hint {
        words: &["init", "start", "run", "demo", "quickstart"],
        answers: &[Answer("up", "runs all services, by default on sample data")],
    },
    Hint {
        words: &["server", "daemon"],
        answers: &[Answer("serve --help", "lists the servers")],
    },
    Hint {
        words: &[
            "search",
            "find",
            "list-available",
            "available",
            "operatorhub",
        ],
        answers: &[
            Answer("packages", "lists the packages of catalogs"),
            Answer("packages NAME", "describes one"),
        ],
    },
    Hint {
        words: &["show", "view", "package", "versions", "channels", "channel"],
        answers: &[
            Answer("packages NAME", "describes a package"),
            Answer("health NAME", "describes an installed operator"),
        ],
    },
    Hint {
        words: &["watch", "top"],
        answers: &[Answer("health --watch", "prints each change of the health")],
    },
    Hint {
        words: &["tree", "dependencies", "deps"],
        answers: &[
            Answer("graph NAME", "draws the update graph of a package"),
            Answer("resolve NAME", "finds the dependencies of a package"),
        ],
    },
    Hint {
        words: &["catalogs", "catalogsource", "catalogsources", "repo"],
        answers: &[Answer("catalog list", "lists catalogs")],
    },
    Hint {
        words: &["bundles", "render", "template", "manifests"],
        answers: &[Answer(
            "bundle render FILE",
            "prints the objects of a bundle",
        )],
    },
    Hint {
        words: &["validate", "lint", "verify", "test"],
        answers: &[
            Answer("bundle check FILE", "checks a bundle"),
            Answer("catalog check FILE", "checks a catalog"),
        ],
    },
    Hint {
        words: &["plans", "history", "revisions"],
        answers: &[
            Answer("plan status", "lists the InstallPlans of Portolan"),
            Answer("review", "lists the InstallPlans of OLM"),
        ],
    },
    Hint {
        words: &["installplan", "installplans", "pending", "approvals"],
        answers: &[
            Answer("review", "lists the InstallPlans of OLM"),
            Answer("approve NAME", "approves one"),
        ],
    },
    Hint {
        words: &["migrate", "import", "takeover"],
        answers: &[Answer("adopt NAME", "adopts an operator of OLM")],
    },
    Hint {
        words: &["policies", "windows"],
        answers: &[
            Answer("explain", "shows what policies would change"),
            Answer("policy windows", "shows when upgrades are allowed"),
        ],
    },
    Hint {
        words: &["export", "backup", "snapshot", "must-gather"],
        answers: &[Answer("dump FOLDER", "saves objects for offline use")],
    },
    Hint {
        words: &["ui", "web", "dashboard", "open"],
        answers: &[Answer("console", "serves web pages")],
    },
];
