//! Checks the parsed tree of a rule, before the engine analyzes and evaluates it.

use std::collections::BTreeSet;

use regorus::unstable::{
    Expr, Literal, LiteralStmt, Module, Query, Ref, Rule, RuleAssign, RuleBody, RuleHead,
    WithModifier,
};

use crate::rego::calls::path;
use crate::rego::inputs::Inputs;
use crate::rego::{RuleFault, calls};

/// The name of the rule whose value is the result.
const ALLOW: &str = "allow";

/// The maximum work of the engine's analysis. The analysis compares the variables and statements of
/// a rule with each other, so its work is quadratic.
const MOST_WORK: usize = 500_000;

/// Checks a parsed module. Returns the fields of the input document that it reads. Returns no
/// fields if it replaces its input.
pub(crate) fn check(module: &Module) -> Result<BTreeSet<Vec<String>>, RuleFault> {
    let names: BTreeSet<_> = module
        .policy
        .iter()
        .filter_map(|rule| path(head(rule)))
        .collect();
    if !names.contains(ALLOW) {
        return Err(RuleFault {
            line: 1,
            column: 1,
            message: format!("has no rule {ALLOW}; write {ALLOW} if {{ … }}"),
        });
    }
    let mut sizes = Vec::new();
    let mut inputs = Inputs::default();
    for rule in &module.policy {
        let mut survey = Traversal {
            defined: &names,
            parts: 0,
            inputs: &mut inputs,
        };
        survey.rule(rule)?;
        sizes.push((survey.parts, rule.span()));
    }
    let work = sizes.iter().fold(0_usize, |work, (parts, _)| {
        work.saturating_add(parts.saturating_mul(*parts))
    });
    match sizes.iter().max_by_key(|(parts, _)| *parts) {
        Some((_, longest)) if work > MOST_WORK => Err(RuleFault::at(
            longest.line.into(),
            longest.col.into(),
            "has too many variables and statements, most of them in this rule; split it into several rules",
        )),
        Some(_) | None => Ok(inputs.known()),
    }
}

/// Returns the reference that contains the name of a rule.
fn head(rule: &Rule) -> &Expr {
    match rule {
        Rule::Default { refr, .. } => refr,
        Rule::Spec { head, .. } => match head {
            RuleHead::Compr { refr, .. }
            | RuleHead::Set { refr, .. }
            | RuleHead::Func { refr, .. } => refr,
        },
    }
}

/// The state while the tree of one rule is traversed.
struct Traversal<'a> {
    /// The names of all rules in the module.
    defined: &'a BTreeSet<String>,
    /// The number of variables, statements and bodies that were found so far.
    parts: usize,
    inputs: &'a mut Inputs,
}

// === impl Traversal ===

impl Traversal<'_> {
    fn rule(&mut self, rule: &Rule) -> Result<(), RuleFault> {
        match rule {
            Rule::Default {
                span: _,
                refr,
                args,
                op: _,
                value,
            } => {
                self.expr(refr)?;
                self.exprs(args)?;
                self.expr(value)
            }
            Rule::Spec {
                span: _,
                head,
                bodies,
            } => {
                self.head(head)?;
                bodies.iter().try_for_each(|body| self.body(body))
            }
        }
    }

    fn head(&mut self, head: &RuleHead) -> Result<(), RuleFault> {
        match head {
            RuleHead::Compr {
                span: _,
                refr,
                assign,
            } => {
                self.expr(refr)?;
                self.assign(assign.as_ref())
            }
            RuleHead::Set { span: _, refr, key } => {
                self.expr(refr)?;
                self.exprs(key)
            }
            RuleHead::Func {
                span: _,
                refr,
                args,
                assign,
            } => {
                self.expr(refr)?;
                self.exprs(args)?;
                self.assign(assign.as_ref())
            }
        }
    }

    fn assign(&mut self, assign: Option<&RuleAssign>) -> Result<(), RuleFault> {
        assign.map_or(Ok(()), |assign| self.expr(&assign.value))
    }

    fn body(&mut self, body: &RuleBody) -> Result<(), RuleFault> {
        self.assign(body.assign.as_ref())?;
        self.query(&body.query)
    }

    fn query(&mut self, query: &Query) -> Result<(), RuleFault> {
        self.parts += 1;
        query
            .stmts
            .iter()
            .try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &LiteralStmt) -> Result<(), RuleFault> {
        self.parts += 1;
        match &statement.literal {
            Literal::SomeVars { span: _, vars } => self.parts += vars.len(),
            Literal::SomeIn {
                span: _,
                key,
                value,
                collection,
            } => {
                self.exprs(key)?;
                self.expr(value)?;
                self.expr(collection)?;
            }
            Literal::Expr { span: _, expr } | Literal::NotExpr { span: _, expr } => {
                self.expr(expr)?
            }
            Literal::Every {
                span: _,
                key,
                value: _,
                domain,
                query,
            } => {
                self.parts += 1 + usize::from(key.is_some());
                self.expr(domain)?;
                self.query(query)?;
            }
        }
        let modifiers = statement.with_mods.iter();
        modifiers.into_iter().try_for_each(|modifier| {
            let WithModifier {
                span: _,
                refr,
                r#as,
            } = modifier;
            self.inputs.is_replaced = true;
            self.expr(refr)?;
            self.expr(r#as)
        })
    }

    fn exprs<'e>(
        &mut self,
        exprs: impl IntoIterator<Item = &'e Ref<Expr>>,
    ) -> Result<(), RuleFault> {
        exprs.into_iter().try_for_each(|expr| self.expr(expr))
    }

    /// Traverses a reference from its last part to its first part.
    fn reference(&mut self, reference: &Expr) -> Result<(), RuleFault> {
        self.inputs.add(reference);
        let mut rest = reference;
        loop {
            match rest {
                Expr::RefDot { refr, .. } => rest = refr,
                Expr::RefBrack { refr, index, .. } => {
                    self.expr(index)?;
                    rest = refr;
                }
                other => return self.expr(other),
            }
        }
    }

    /// Traverses an expression. The recursion depth is the nesting depth of the rule, which was
    /// limited before parsing.
    fn expr(&mut self, expr: &Expr) -> Result<(), RuleFault> {
        match expr {
            Expr::String { .. }
            | Expr::RawString { .. }
            | Expr::Number { .. }
            | Expr::Bool { .. }
            | Expr::Null { .. } => Ok(()),
            Expr::Var { .. } => {
                self.parts += 1;
                Ok(())
            }
            Expr::Array { items, .. } | Expr::Set { items, .. } => self.exprs(items),
            Expr::Object { fields, .. } => fields
                .iter()
                .try_for_each(|(_, key, value)| self.exprs([key, value])),
            Expr::ArrayCompr { term, query, .. } | Expr::SetCompr { term, query, .. } => {
                self.expr(term)?;
                self.query(query)
            }
            Expr::ObjectCompr {
                key, value, query, ..
            } => {
                self.exprs([key, value])?;
                self.query(query)
            }
            Expr::Call { fcn, params, .. } => {
                calls::check(fcn, self.defined)?;
                self.expr(fcn)?;
                self.exprs(params)
            }
            Expr::UnaryExpr { expr, .. } => self.expr(expr),
            Expr::RefDot { .. } | Expr::RefBrack { .. } => self.reference(expr),
            Expr::BinExpr { lhs, rhs, .. }
            | Expr::BoolExpr { lhs, rhs, .. }
            | Expr::ArithExpr { lhs, rhs, .. }
            | Expr::AssignExpr { lhs, rhs, .. } => self.exprs([lhs, rhs]),
            Expr::Membership {
                key,
                value,
                collection,
                ..
            } => {
                self.exprs(key)?;
                self.exprs([value, collection])
            }
        }
    }
}
