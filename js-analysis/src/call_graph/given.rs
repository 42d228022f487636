//! What is known once nothing flows any more: who hands a function over, and who reads or writes an accessor.

use rustc_hash::FxHashMap;

use super::facts::CallFact;
use super::graph::{CallRef, CalledBack, FunctionRef, RegistrationKind};
use super::platform::{calls_elements, is_call_of_itself, registration, removes_listener};
use super::solver::{Node, Solver, index};
use super::values::Values;

impl Solver<'_> {
    /// The calls that hand each function over, and who calls it therefore. Many functions may go by one name: that a
    /// call hands them over changes no flow, so it is looked at once, at the end.
    pub(super) fn what_is_given(&mut self) {
        let mut handed: Vec<Vec<CallRef>> = vec![Vec::new(); self.functions.len()];
        let scripts = self.scripts;
        for (script, facts) in (0..).zip(scripts) {
            for (number, fact) in (0..).zip(&facts.calls) {
                let call = CallRef {
                    script,
                    call: number,
                };
                for (position, places) in (0..).zip(&fact.given) {
                    if !is_kept(fact, position) {
                        continue;
                    }
                    let is_left_to_others = self.leaves_to_others(call, fact, position);
                    for place in places {
                        let node = self.node(script, place);
                        self.given_at(node, call, is_left_to_others, &mut handed);
                    }
                }
            }
        }
        for callers in self.graph.callers.values_mut() {
            callers.sort_unstable();
            callers.dedup();
        }
        for (function, calls) in self.functions.iter().zip(handed) {
            if calls.is_empty() {
                continue;
            }
            // What is only kept, or handed to a function that does not call it, is called by nobody.
            let callers = self.graph.callers.entry(*function).or_default();
            if callers.is_empty() {
                let registered = calls.iter().copied();
                callers.extend(
                    registered.map(|call| CalledBack::Registered(call, RegistrationKind::Callback)),
                );
            }
            self.graph.handed.insert(*function, calls);
        }
    }

    /// Whether a call hands something to code that is not among the scripts. What is handed to a function of the
    /// scripts is that function's to call.
    fn leaves_to_others(&self, call: CallRef, fact: &CallFact, position: u32) -> bool {
        let callees = self.graph.callees.get(&call);
        registration(fact, position) == Some(RegistrationKind::Callback)
            && !calls_elements(&fact.name)
            && callees.is_none_or(Vec::is_empty)
    }

    fn given_at(
        &mut self,
        node: Node,
        call: CallRef,
        is_left_to_others: bool,
        handed: &mut [Vec<CallRef>],
    ) {
        let values = self.values.get(node as usize).map(Values::as_slice);
        for &number in values.into_iter().flatten() {
            let function = self.functions.get(number as usize);
            let function = function.filter(|function| function.script != u32::MAX);
            let (Some(function), Some(calls)) = (function, handed.get_mut(number as usize)) else {
                continue;
            };
            // A call may hand one over twice.
            if calls.last() == Some(&call) {
                continue;
            }
            calls.push(call);
            if is_left_to_others {
                let by = CalledBack::Registered(call, RegistrationKind::Callback);
                self.graph.callers.entry(*function).or_default().push(by);
            }
        }
    }

    /// Who reads or writes an accessor calls it.
    pub(super) fn accesses(&mut self) {
        let mut accessors: FxHashMap<(&str, bool), Vec<FunctionRef>> = FxHashMap::default();
        for (script, facts) in self.scripts.iter().enumerate() {
            for (function, fact) in facts.functions.iter().enumerate() {
                if let Some(name) = &fact.accessor {
                    let reference = FunctionRef {
                        script: index(script),
                        function: index(function),
                    };
                    let known = accessors.entry((name, fact.is_setter)).or_default();
                    known.push(reference);
                }
            }
        }
        if !accessors.is_empty() {
            for (script, facts) in self.scripts.iter().enumerate() {
                for access in &facts.accesses {
                    let key = (&*access.name, access.is_write);
                    for function in accessors.get(&key).into_iter().flatten() {
                        let caller = CalledBack::Access {
                            script: index(script),
                            function: access.function,
                            at: access.at,
                        };
                        let callers = self.graph.callers.entry(*function).or_default();
                        callers.push(caller);
                    }
                }
            }
        }
    }
}

/// Whether a call gives what it is handed to somebody: `call(f)` is a function of somebody's; `f.call(this)` is a call
/// of `f`.
fn is_kept(fact: &CallFact, position: u32) -> bool {
    let is_of_itself = fact.receiver.is_some() && is_call_of_itself(&fact.name);
    let is_list = position == 0 && fact.name.ends_with("renderList");
    !removes_listener(&fact.name) && !is_of_itself && !is_list
}
