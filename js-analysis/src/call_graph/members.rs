//! What is in the properties of an object, whatever their names are: `values[key]()`.
//!
//! Only what somebody reads so is followed, from there back to the object literals and classes that it may be.

use swc_ecma_ast::{Expr, MemberProp, ObjectLit, ObjectPatProp, OptChainBase, Pat};

use super::facts::{ELEMENT, FlowPlace};
use super::keys::{key_of, member_key};
use super::solver::{Node, Solver};
use super::walk::Walk;
use crate::scopes::unparenthesized;

/// Through so many variables, parameters and properties an object is followed to where its properties are read.
const MOST_STEPS: u32 = 4;

impl Walk<'_> {
    /// What `object[key]` may be of which the name is not known.
    pub(super) fn members_of(&self, expression: &Expr) -> Vec<FlowPlace> {
        let member = match unparenthesized(expression) {
            Expr::Member(member) => member,
            Expr::OptChain(chain) => match &*chain.base {
                OptChainBase::Member(member) => member,
                OptChainBase::Call(_) => return Vec::new(),
            },
            Expr::Bin(binary) => {
                let mut both = self.members_of(&binary.left);
                both.extend(self.members_of(&binary.right));
                return both;
            }
            _ => return Vec::new(),
        };
        let is_computed = matches!(&member.prop, MemberProp::Computed(_));
        if !is_computed || &*member_key(&member.prop) != ELEMENT {
            return Vec::new();
        }
        let objects = self.places(&member.obj).into_iter();
        let members = objects.map(|place| FlowPlace::Members(Box::new(place)));
        members.collect()
    }

    /// `const { pause } = every(draw)`: what is taken out of what a call gives, by its name there.
    pub(super) fn takes_out(&mut self, pattern: &Pat, value: &Expr) {
        let Pat::Object(object) = pattern else { return };
        let mut results = Vec::new();
        self.result_of(unparenthesized(value), &mut results);
        let Some(FlowPlace::Result(call)) = results.first().cloned() else {
            return;
        };
        for property in &object.props {
            let (key, ident) = match property {
                ObjectPatProp::KeyValue(pair) => match (key_of(&pair.key), &*pair.value) {
                    (Some(key), Pat::Ident(ident)) => (key, &ident.id),
                    _ => continue,
                },
                ObjectPatProp::Assign(short) => (short.key.sym.clone(), &short.key.id),
                ObjectPatProp::Rest(_) => continue,
            };
            let variable = self.variable(&ident.sym, ident.span.lo.0);
            self.facts.taken.push((call, key, variable));
        }
    }

    /// A property of an object literal has a value.
    pub(super) fn member(&mut self, object: &ObjectLit, value: &Expr) {
        let places = self.places(value);
        self.members(object, &places);
    }

    pub(super) fn members(&mut self, object: &ObjectLit, places: &[FlowPlace]) {
        let number = self.literals.get(&object.span.lo.0);
        let literal = number.and_then(|number| self.facts.literals.get_mut(*number as usize));
        if let Some(literal) = literal {
            literal.members.extend_from_slice(places);
        }
    }
}

impl Solver<'_> {
    /// The node of what is in the properties of what is at a node.
    pub(super) fn members(&mut self, of: Node) -> Node {
        if let Some(&known) = self.member_nodes.get(&of) {
            return known;
        }
        self.members_within(of, MOST_STEPS)
    }

    /// What flows into a node that is known to be read so, has properties, too.
    pub(super) fn members_before(&mut self, from: Node, to: Node) {
        let (Some(&members), Some(&left)) =
            (self.member_nodes.get(&to), self.member_steps.get(&to))
        else {
            return;
        };
        if left > 0 && !self.is_element(from) {
            let own = self.members_within(from, left - 1);
            self.edge(own, members);
        }
    }

    /// Whether a node represents the elements of all lists: what is in their properties says nothing.
    fn is_element(&self, node: Node) -> bool {
        self.element == Some(node)
    }

    fn members_within(&mut self, of: Node, steps: u32) -> Node {
        if let Some(&known) = self.member_nodes.get(&of) {
            return known;
        }
        let mut made: Vec<Node> = Vec::new();
        let mut left = vec![(of, steps)];
        while let Some((of, steps)) = left.pop() {
            if self.member_nodes.contains_key(&of) {
                continue;
            }
            let members = self.new_node();
            self.is_members.insert(members);
            self.member_nodes.insert(of, members);
            self.member_steps.insert(of, steps);
            made.push(of);
            if let Some(steps) = steps.checked_sub(1).filter(|_| !self.is_element(of)) {
                left.extend(self.before(of).into_iter().map(|before| (before, steps)));
            }
        }
        for of in made {
            let Some(&members) = self.member_nodes.get(&of) else {
                continue;
            };
            for own in self.own_members(of) {
                self.edge(own, members);
            }
            for before in self.before(of) {
                if let Some(&from) = self.member_nodes.get(&before) {
                    self.edge(from, members);
                }
            }
        }
        self.member_nodes.get(&of).copied().unwrap_or_default()
    }

    /// What flows into a node, and the class of what is made there.
    fn before(&self, node: Node) -> Vec<Node> {
        let flows = self.prev.get(node as usize).into_iter().flatten();
        let classes = self.instances.get(&node).into_iter().flatten();
        flows.chain(classes).copied().collect()
    }

    /// The values of an object that is made at a node.
    fn own_members(&mut self, of: Node) -> Vec<Node> {
        let Some((script, place)) = self.makers.get(&of).cloned() else {
            return Vec::new();
        };
        let Some(facts) = self.scripts.get(script as usize) else {
            return Vec::new();
        };
        let class_of = |class: u32| {
            let class = facts.classes.get(class as usize);
            let methods = class.into_iter().flat_map(|class| &class.methods);
            methods
                .map(|method| FlowPlace::Function(*method))
                .collect::<Vec<FlowPlace>>()
        };
        let places = match place {
            FlowPlace::Literal(literal) => {
                let literal = facts.literals.get(literal as usize);
                literal.map(|it| it.members.clone()).unwrap_or_default()
            }
            FlowPlace::This(function) => {
                let function = facts.functions.get(function as usize);
                let class = function.and_then(|function| function.class);
                class.map(class_of).unwrap_or_default()
            }
            FlowPlace::Class(class) => class_of(class),
            _ => Vec::new(),
        };
        let nodes = places.into_iter().map(|place| self.node(script, &place));
        nodes.collect()
    }

    /// A `new` of a class: what it makes has the class's methods.
    pub(super) fn instance(&mut self, result: Node, class: Node) {
        let classes = self.instances.entry(result).or_default();
        if classes.contains(&class) {
            return;
        }
        classes.push(class);
        if let Some(&members) = self.member_nodes.get(&result) {
            let own = self.members(class);
            self.edge(own, members);
        }
    }
}
