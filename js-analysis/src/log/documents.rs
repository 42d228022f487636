//! Calls and assignments that may change a document, by their names: the agent takes what has changed before and after
//! them.
//!
//! ```text
//! list.append(item)       $QpLW(1,$QpLz(),$QpLC(1,0,list.append($Qp1=$QpLt(item,1)),$Qp1))
//! title.textContent = t   $QpLW(2,$QpLz(title),$QpLw(2,title,title.textContent = t))
//! ```
//! What a name means is not known here. Where the object of an assignment can be named, the agent looks first whether
//! it is a node: many objects have a `title`.

use swc_ecma_ast::{Expr, MemberExpr, MemberProp};

/// Methods of nodes, ranges and documents that change a tree, and those of declarations of a style.
const METHODS: [&str; 52] = [
    "after",
    "append",
    "appendChild",
    "appendData",
    "before",
    "close",
    "createCaption",
    "createTBody",
    "createTFoot",
    "createTHead",
    "deleteCaption",
    "deleteCell",
    "deleteContents",
    "deleteData",
    "deleteFromDocument",
    "deleteRow",
    "deleteTFoot",
    "deleteTHead",
    "execCommand",
    "extractContents",
    "hidePopover",
    "insertAdjacentElement",
    "insertAdjacentHTML",
    "insertAdjacentText",
    "insertBefore",
    "insertCell",
    "insertData",
    "insertNode",
    "insertRow",
    "moveBefore",
    "normalize",
    "prepend",
    "remove",
    "removeAttribute",
    "removeAttributeNS",
    "removeAttributeNode",
    "removeChild",
    "removeProperty",
    "replaceChild",
    "replaceChildren",
    "replaceData",
    "replaceWith",
    "setAttribute",
    "setAttributeNS",
    "setAttributeNode",
    "setHTML",
    "setHTMLUnsafe",
    "setProperty",
    "showModal",
    "splitText",
    "surroundContents",
    "toggleAttribute",
];

/// Parts of an element whose methods and properties change it, whatever these are called.
const PARTS: [&str; 7] = [
    "attributeStyleMap",
    "attributes",
    "classList",
    "dataset",
    "options",
    "relList",
    "style",
];

/// Properties that change the tree or an attribute.
const PROPERTIES: [&str; 42] = [
    "ariaChecked",
    "ariaCurrent",
    "ariaDisabled",
    "ariaExpanded",
    "ariaHidden",
    "ariaLabel",
    "ariaLive",
    "ariaPressed",
    "ariaSelected",
    "ariaValueNow",
    "ariaValueText",
    "className",
    "colSpan",
    "contentEditable",
    "cssText",
    "data",
    "dateTime",
    "defaultValue",
    "dir",
    "disabled",
    "draggable",
    "hidden",
    "href",
    "htmlFor",
    "id",
    "inert",
    "innerHTML",
    "innerText",
    "lang",
    "nodeValue",
    "open",
    "outerHTML",
    "outerText",
    "placeholder",
    "readOnly",
    "rowSpan",
    "src",
    "style",
    "tabIndex",
    "target",
    "textContent",
    "title",
];

/// The member that an expression is, in a chain with `?.` too.
fn member_of(expression: &Expr) -> Option<&MemberExpr> {
    match expression {
        Expr::Member(member) => Some(member),
        Expr::OptChain(chain) => chain.base.as_member(),
        _ => None,
    }
}

fn is_part(object: &Expr) -> bool {
    let name = member_of(object).and_then(|member| name_of(&member.prop));
    name.is_some_and(|name| PARTS.contains(&name))
}

fn name_of(property: &MemberProp) -> Option<&str> {
    match property {
        MemberProp::Ident(name) => Some(&name.sym),
        _ => None,
    }
}

/// Whether a call of this may change a document.
pub(super) fn calls(callee: &Expr) -> bool {
    member_of(callee).is_some_and(|member| {
        let name = name_of(&member.prop);
        is_part(&member.obj) || name.is_some_and(|name| METHODS.contains(&name))
    })
}

/// Whose member it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// A node's, if it has to do with a document at all.
    Node,
    /// That of a part of an element, which is no node.
    Part,
}

/// Whether a write of a member may change a document, and whose member it is.
pub(super) fn writes(member: &MemberExpr) -> Option<Owner> {
    if is_part(&member.obj) {
        return Some(Owner::Part);
    }
    let name = name_of(&member.prop)?;
    PROPERTIES.contains(&name).then_some(Owner::Node)
}
