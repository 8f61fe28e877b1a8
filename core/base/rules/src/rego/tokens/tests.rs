use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use regorus::Engine;
use regorus::unstable::{Expr, Literal, Query, Ref, Rule, RuleHead};

use super::*;
use crate::rego::deep::deep;
use crate::rego::text::module;

/// Returns the counted depth of a text, without applying limits. Returns None if the lexer fails.
fn counted(module: &str) -> Option<usize> {
    let source = Source::from_contents(FILE.to_owned(), module.to_owned()).ok()?;
    let mut lexer = Lexer::new(&source);
    let mut scan = Scan::new();
    let mut deepest = 0;
    while let Ok(token) = lexer.next_token() {
        if token.0 == TokenKind::Eof {
            break;
        }
        scan.read(&token);
        deepest = deepest.max(scan.depth());
    }
    Some(deepest)
}

/// Returns the depth of the parsed tree. Returns None if the text is not a valid module.
fn actual(module: &str) -> Option<usize> {
    let mut engine = Engine::new();
    engine.set_rego_v0(false);
    engine.add_policy(FILE.to_owned(), module.to_owned()).ok()?;
    let module = engine.get_modules().first().expect("a module").clone();
    let depths = module.policy.iter().map(|rule| match &**rule {
        Rule::Default { refr, value, .. } => all([refr, value]),
        Rule::Spec { head, bodies, .. } => {
            let head = match head {
                RuleHead::Compr { refr, assign, .. } => all([refr]
                    .into_iter()
                    .chain(assign.as_ref().map(|it| &it.value))),
                RuleHead::Set { refr, key, .. } => all([refr].into_iter().chain(key)),
                RuleHead::Func {
                    refr, args, assign, ..
                } => all([refr]
                    .into_iter()
                    .chain(args)
                    .chain(assign.as_ref().map(|it| &it.value))),
            };
            let bodies = bodies.iter().map(|body| {
                body_of(&body.query).max(all(body.assign.as_ref().map(|it| &it.value)))
            });
            bodies.max().unwrap_or(0).max(head)
        }
    });
    depths.max()
}

fn all<'e>(exprs: impl IntoIterator<Item = &'e Ref<Expr>>) -> usize {
    exprs.into_iter().map(|it| depth(it)).max().unwrap_or(0)
}

fn body_of(body: &Query) -> usize {
    let depths = body.stmts.iter().map(|statement| {
        let literal = match &statement.literal {
            Literal::SomeVars { .. } => 0,
            Literal::SomeIn {
                key,
                value,
                collection,
                ..
            } => all([value, collection].into_iter().chain(key)),
            Literal::Expr { expr, .. } | Literal::NotExpr { expr, .. } => depth(expr),
            Literal::Every { domain, query, .. } => depth(domain).max(1 + body_of(query)),
        };
        let replaced = statement
            .with_mods
            .iter()
            .map(|it| all([&it.refr, &it.r#as]));
        replaced.max().unwrap_or(0).max(literal)
    });
    depths.max().unwrap_or(0)
}

fn depth(expr: &Expr) -> usize {
    1 + match expr {
        Expr::String { .. }
        | Expr::RawString { .. }
        | Expr::Number { .. }
        | Expr::Bool { .. }
        | Expr::Null { .. }
        | Expr::Var { .. } => 0,
        Expr::Array { items, .. } | Expr::Set { items, .. } => all(items),
        Expr::Object { fields, .. } => fields
            .iter()
            .map(|(_, key, value)| all([key, value]))
            .max()
            .unwrap_or(0),
        Expr::ArrayCompr { term, query, .. } | Expr::SetCompr { term, query, .. } => {
            depth(term).max(body_of(query))
        }
        Expr::ObjectCompr {
            key, value, query, ..
        } => all([key, value]).max(body_of(query)),
        Expr::Call { fcn, params, .. } => depth(fcn).max(all(params)),
        Expr::UnaryExpr { expr, .. } => depth(expr),
        Expr::RefDot { refr, .. } => depth(refr),
        Expr::RefBrack { refr, index, .. } => all([refr, index]),
        Expr::BinExpr { lhs, rhs, .. }
        | Expr::BoolExpr { lhs, rhs, .. }
        | Expr::ArithExpr { lhs, rhs, .. }
        | Expr::AssignExpr { lhs, rhs, .. } => all([lhs, rhs]),
        Expr::Membership {
            key,
            value,
            collection,
            ..
        } => all([value, collection].into_iter().chain(key)),
    }
}

/// Generates all kinds of expressions. They may contain line breaks.
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "1",
        "-1",
        "x",
        "input.a.b",
        "\"# not [ a { comment\"",
        "`\"\\`",
        "true",
        "set()",
        "[]",
        "{}",
        "\"\\\"\"",
    ]);
    let leaf = leaf.prop_map(str::to_owned);
    leaf.prop_recursive(8, 64, 4, |inner| {
        let operator =
            prop::sample::select(vec!["+", "-", "*", "|", "&", "==", "!=", "<", "in", "/"]);
        let end = prop::sample::select(vec![" ", "\n", " # \" ` [\n", "\t"]);
        let long = (inner.clone(), operator, end, 1..40_usize);
        prop_oneof![
            long.prop_map(|(part, operator, end, times)| {
                let chain = vec![part; times].join(&format!("{end}{operator}{end}"));
                format!("({chain})")
            }),
            (inner.clone(), 1..40_usize)
                .prop_map(|(part, times)| format!("{}{part}", "- ".repeat(times))),
            prop::collection::vec(inner.clone(), 1..4)
                .prop_map(|items| format!("[{}]", items.join(",\n"))),
            prop::collection::vec(inner.clone(), 1..4)
                .prop_map(|items| format!("{{{}}}", items.join(", "))),
            (inner.clone(), inner.clone()).prop_map(|(key, value)| format!("{{{key}: {value}}}")),
            (inner.clone(), inner.clone())
                .prop_map(|(term, body)| format!("[{term} | some y in {body}\n{term}]")),
            (inner.clone(), inner.clone())
                .prop_map(|(key, body)| format!("{{{key}: x | x := {body}; [{key}] == x}}")),
            (inner.clone(), 1..9_usize)
                .prop_map(|(index, times)| format!("input{}", format!("[{index}]").repeat(times))),
            prop::collection::vec(inner, 0..3)
                .prop_map(|items| format!("count({}).a", items.join(", "))),
        ]
    })
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(expression(), 1..4).prop_map(|parts| {
        let [first, rest @ ..] = &parts[..] else {
            return String::new();
        };
        format!(
            "allow if {{\n{first}\nnot {first} with input as {first}\nevery x in {first} {{ {first} }}\n}}\na := {}\n",
            rest.join("\nb contains ")
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// The counted depth is never below the real depth, so each accepted text has a tree of limited
    /// depth.
    #[test]
    fn counted_depth_is_at_least_the_depth_of_the_parsed_tree(text in text()) {
        let Ok(module) = module(&text) else {
            return Ok(());
        };
        let Some(counted) = counted(&module) else {
            return Ok(());
        };
        // A rejected text is not parsed, so its tree may be deeper.
        if check(&module).is_ok() {
            let actual = deep(|| actual(&module)).expect("a thread");
            prop_assert!(actual.is_none_or(|actual| actual <= counted + 1), "{counted} {actual:?}");
        }
    }
}

#[test]
fn most_generated_texts_are_valid_modules() {
    let (mut texts, mut modules) = (0, 0);
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for _ in 0..64 {
        let text = text().new_tree(&mut runner).expect("a text").current();
        let module = module(&text).ok().filter(|module| check(module).is_ok());
        texts += usize::from(module.is_some());
        let is_module = module.is_some_and(|it| deep(|| actual(&it)).expect("a thread").is_some());
        modules += usize::from(is_module);
    }
    assert!(modules * 2 > texts && modules >= 8, "{modules} of {texts}");
}
