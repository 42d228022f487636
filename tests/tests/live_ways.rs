//! Every way to write what the browser keeps, by live hooks: the agent's own lists say which there are, and each is in
//! a page here, in a line of its own. One execution names all lines.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::loopback::*;
use end_to_end::repository;

/// Which line has to be named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    /// That of the way.
    Way,
    /// That before: the way changes nothing of what is asked.
    Before,
    /// None: it cannot be known whether what ran meanwhile came before it.
    Nobody,
}
use Named::{Before, Nobody, Way};

/// A way: its interface and name, what is in the element `it`, what is done before, what the way does, what is asked
/// (of the element, or of a variable), and what is to be named.
type Row = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    Named,
);

const OLD: &str = "<p>old</p>";
const TABLE: &str = "<table><caption>c</caption><thead><tr><td>h</td></tr></thead><tbody><tr><td>b</td></tr></tbody><tfoot><tr><td>f</td></tr></tfoot></table>";
const FIELD: &str = "<input type=number value=1>";
const AREA: &str = "<textarea>old</textarea>";
const LIST: &str = "<select><option>a</option><option>b</option></select>";

const WAYS: &[Row] = &[
    (
        "Element.setAttribute",
        OLD,
        "",
        "p.setAttribute('class', 'x')",
        "p.className",
        Way,
    ),
    (
        "Element.setAttributeNS",
        OLD,
        "",
        "p.setAttributeNS(null, 'class', 'x')",
        "p.className",
        Way,
    ),
    (
        "Element.removeAttribute",
        OLD,
        "p.id = 'x9'",
        "p.removeAttribute('id')",
        "p.id",
        Way,
    ),
    (
        "Element.removeAttributeNS",
        OLD,
        "p.title = 'x'",
        "p.removeAttributeNS(null, 'title')",
        "p.title",
        Way,
    ),
    (
        "Element.toggleAttribute",
        OLD,
        "",
        "p.toggleAttribute('hidden')",
        "p.hidden",
        Way,
    ),
    (
        "Element.setAttributeNode",
        OLD,
        "",
        "const node = document.createAttribute('lang'); node.value = 'de'; p.setAttributeNode(node)",
        "p.lang",
        Way,
    ),
    (
        "Element.setAttributeNodeNS",
        OLD,
        "",
        "const node = document.createAttribute('lang'); node.value = 'de'; p.setAttributeNodeNS(node)",
        "p.lang",
        Way,
    ),
    (
        "Element.removeAttributeNode",
        OLD,
        "p.dir = 'ltr'",
        "p.removeAttributeNode(p.getAttributeNode('dir'))",
        "p.dir",
        Way,
    ),
    (
        "NamedNodeMap.setNamedItem",
        OLD,
        "",
        "const node = document.createAttribute('lang'); node.value = 'de'; p.attributes.setNamedItem(node)",
        "p.lang",
        Way,
    ),
    (
        "NamedNodeMap.setNamedItemNS",
        OLD,
        "",
        "const node = document.createAttribute('lang'); node.value = 'de'; p.attributes.setNamedItemNS(node)",
        "p.lang",
        Way,
    ),
    (
        "NamedNodeMap.removeNamedItem",
        OLD,
        "p.lang = 'de'",
        "p.attributes.removeNamedItem('lang')",
        "p.lang",
        Way,
    ),
    (
        "NamedNodeMap.removeNamedItemNS",
        OLD,
        "p.lang = 'de'",
        "p.attributes.removeNamedItemNS(null, 'lang')",
        "p.lang",
        Way,
    ),
    (
        "Attr.value",
        OLD,
        "p.lang = 'de'",
        "p.getAttributeNode('lang').value = 'en'",
        "p.lang",
        Way,
    ),
    ("Element.id", OLD, "", "p.id = 'x8'", "p.id", Way),
    (
        "DOMTokenList.add",
        OLD,
        "",
        "p.classList.add('x')",
        "p.className",
        Way,
    ),
    (
        "DOMTokenList.remove",
        OLD,
        "p.className = 'x y'",
        "p.classList.remove('x')",
        "p.className",
        Way,
    ),
    (
        "DOMTokenList.toggle",
        OLD,
        "p.className = 'x y'",
        "p.classList.toggle('x')",
        "p.className",
        Way,
    ),
    (
        "DOMTokenList.replace",
        OLD,
        "p.className = 'x y'",
        "p.classList.replace('x', 'z')",
        "p.className",
        Way,
    ),
    (
        "DOMTokenList.value",
        OLD,
        "p.className = 'x y'",
        "p.classList.value = 'z'",
        "p.classList.value",
        Way,
    ),
    (
        "DOMTokenList.again",
        OLD,
        "p.className = 'x y'",
        "p.classList.add('x')",
        "p.className",
        Before,
    ),
    (
        "CSSStyleDeclaration.setProperty",
        OLD,
        "",
        "p.style.setProperty('color', 'red')",
        "p.style.color",
        Way,
    ),
    (
        "CSSStyleDeclaration.removeProperty",
        OLD,
        "p.style.color = 'red'",
        "p.style.removeProperty('color')",
        "p.style.color",
        Way,
    ),
    (
        "CSSStyleDeclaration.color",
        OLD,
        "p.style.color = 'red'",
        "p.style.color = 'blue'",
        "p.style.color",
        Way,
    ),
    (
        "CSSStyleDeclaration.again",
        OLD,
        "p.style.color = 'red'",
        "p.style.color = 'red'",
        "p.style.color",
        Before,
    ),
    (
        "CSSStyleDeclaration.another",
        OLD,
        "p.style.color = 'red'",
        "p.style.backgroundColor = 'red'",
        "p.style.color",
        Before,
    ),
    (
        "CSSStyleDeclaration.cssText",
        OLD,
        "p.style.color = 'red'",
        "p.style.cssText = 'color: blue'",
        "p.style.color",
        Way,
    ),
    (
        "StylePropertyMap.set",
        OLD,
        "p.style.color = 'red'",
        "p.attributeStyleMap.set('color', 'blue')",
        "p.style.color",
        Way,
    ),
    (
        "StylePropertyMap.append",
        OLD,
        "p.style.transitionDuration = '1s'",
        "p.attributeStyleMap.append('transition-duration', '2s')",
        "p.style.transitionDuration",
        Way,
    ),
    (
        "StylePropertyMap.delete",
        OLD,
        "p.style.color = 'red'",
        "p.attributeStyleMap.delete('color')",
        "p.style.color",
        Way,
    ),
    (
        "StylePropertyMap.clear",
        OLD,
        "p.style.color = 'red'",
        "p.attributeStyleMap.clear()",
        "p.style.color",
        Way,
    ),
    (
        "DOMStringMap.x",
        OLD,
        "p.dataset.x = 1",
        "p.dataset.x = 2",
        "p.dataset.x",
        Way,
    ),
    (
        "HTMLElement.click",
        "<input type=checkbox>",
        "",
        "input.click()",
        "input.checked",
        Way,
    ),
    (
        "HTMLElement.showPopover",
        "<p popover>old</p>",
        "p.title = 'x'",
        "p.showPopover()",
        "p.title",
        Before,
    ),
    (
        "HTMLElement.hidePopover",
        "<p popover>old</p>",
        "p.showPopover(); p.title = 'x'",
        "p.hidePopover()",
        "p.title",
        Before,
    ),
    (
        "HTMLElement.togglePopover",
        "<p popover>old</p>",
        "p.title = 'x'",
        "p.togglePopover()",
        "p.title",
        Before,
    ),
    (
        "HTMLInputElement.stepUp",
        FIELD,
        "",
        "input.stepUp()",
        "input.value",
        Way,
    ),
    (
        "HTMLInputElement.stepDown",
        FIELD,
        "",
        "input.stepDown()",
        "input.value",
        Way,
    ),
    (
        "HTMLInputElement.setRangeText",
        "<input value=old>",
        "",
        "input.setRangeText('new', 0, 1)",
        "input.value",
        Way,
    ),
    (
        "HTMLInputElement.value",
        FIELD,
        "",
        "input.value = 7",
        "input.value",
        Way,
    ),
    (
        "HTMLInputElement.valueAsNumber",
        FIELD,
        "input.value = 7",
        "input.valueAsNumber = 8",
        "input.value",
        Way,
    ),
    (
        "HTMLInputElement.checked",
        "<input type=checkbox>",
        "",
        "input.checked = true",
        "input.checked",
        Way,
    ),
    (
        "HTMLTextAreaElement.setRangeText",
        AREA,
        "",
        "textarea.setRangeText('new', 0, 1)",
        "textarea.value",
        Way,
    ),
    (
        "HTMLDialogElement.show",
        "<dialog>old</dialog>",
        "",
        "dialog.show()",
        "dialog.open",
        Way,
    ),
    (
        "HTMLDialogElement.showModal",
        "<dialog>old</dialog>",
        "",
        "dialog.showModal(); dialog.close(); dialog.show()",
        "dialog.open",
        Way,
    ),
    (
        "HTMLDialogElement.close",
        "<dialog>old</dialog>",
        "dialog.show()",
        "dialog.close('x')",
        "dialog.returnValue",
        Way,
    ),
    (
        "HTMLDialogElement.requestClose",
        "<dialog>old</dialog>",
        "dialog.show()",
        "dialog.requestClose()",
        "dialog.open",
        Way,
    ),
    (
        "HTMLFormElement.reset",
        "<form><input value=old></form>",
        "input.value = 'new'",
        "input.form.reset()",
        "input.value",
        Way,
    ),
    (
        "HTMLOptionsCollection.add",
        LIST,
        "select.value = 'b'",
        "select.options.add(new Option('c', 'c', false, true))",
        "select.value",
        Way,
    ),
    (
        "HTMLOptionsCollection.remove",
        LIST,
        "select.value = 'b'",
        "select.options.remove(1)",
        "select.value",
        Way,
    ),
    (
        "HTMLSelectElement.selectedIndex",
        LIST,
        "select.value = 'b'",
        "select.selectedIndex = 0",
        "select.value",
        Way,
    ),
    (
        "HTMLOptionElement.selected",
        LIST,
        "select.value = 'b'",
        "select.options[0].selected = true",
        "select.value",
        Way,
    ),
    (
        "Node.appendChild",
        OLD,
        "p.textContent = 'x'",
        "it.appendChild(document.createTextNode('y'))",
        "it.textContent",
        Way,
    ),
    (
        "Node.insertBefore",
        OLD,
        "p.textContent = 'x'",
        "it.insertBefore(document.createTextNode('y'), p)",
        "it.textContent",
        Way,
    ),
    (
        "Node.normalize",
        OLD,
        "p.append('x')",
        "p.normalize()",
        "it.textContent",
        Before,
    ),
    (
        "Node.removeChild",
        OLD,
        "p.append('x')",
        "it.removeChild(p)",
        "it.textContent",
        Way,
    ),
    (
        "Node.replaceChild",
        OLD,
        "p.append('x')",
        "it.replaceChild(document.createTextNode('y'), p)",
        "it.textContent",
        Way,
    ),
    (
        "Node.appendChild empty",
        OLD,
        "p.append('x')",
        "it.appendChild(document.createElement('b'))",
        "it.textContent",
        Before,
    ),
    (
        "Node.appendChild markup",
        OLD,
        "p.append('x')",
        "it.appendChild(document.createElement('b'))",
        "it.innerHTML",
        Way,
    ),
    (
        "Element.append",
        OLD,
        "p.textContent = 'x'",
        "p.append('y')",
        "it.textContent",
        Way,
    ),
    (
        "Element.prepend",
        OLD,
        "p.textContent = 'x'",
        "p.prepend('y')",
        "it.textContent",
        Way,
    ),
    (
        "Element.after",
        OLD,
        "p.textContent = 'x'",
        "p.after('y')",
        "it.textContent",
        Way,
    ),
    (
        "Element.before",
        OLD,
        "p.textContent = 'x'",
        "p.before('y')",
        "it.textContent",
        Way,
    ),
    (
        "Element.replaceChildren",
        OLD,
        "p.textContent = 'x'",
        "p.replaceChildren('y', 'z')",
        "it.textContent",
        Way,
    ),
    (
        "Element.replaceWith",
        OLD,
        "p.textContent = 'x'",
        "p.replaceWith('y')",
        "it.textContent",
        Way,
    ),
    (
        "Element.remove",
        OLD,
        "p.textContent = 'x'",
        "p.remove()",
        "it.textContent",
        Way,
    ),
    (
        "Element.moveBefore",
        "<p>old</p><b>bold</b>",
        "p.textContent = 'x'",
        "it.moveBefore(it.lastChild, p)",
        "it.textContent",
        Way,
    ),
    (
        "Element.insertAdjacentElement",
        OLD,
        "p.textContent = 'x'",
        "const b = document.createElement('b'); b.textContent = 'y'; p.insertAdjacentElement('afterend', b)",
        "it.textContent",
        Way,
    ),
    (
        "Element.insertAdjacentHTML",
        OLD,
        "p.textContent = 'x'",
        "p.insertAdjacentHTML('beforebegin', '<b>y</b>')",
        "it.textContent",
        Way,
    ),
    (
        "Element.insertAdjacentHTML empty",
        OLD,
        "p.textContent = 'x'",
        "p.insertAdjacentHTML('beforebegin', '<b></b>')",
        "it.textContent",
        Before,
    ),
    (
        "Element.insertAdjacentText",
        OLD,
        "p.textContent = 'x'",
        "p.insertAdjacentText('afterbegin', 'y')",
        "it.textContent",
        Way,
    ),
    (
        "Element.setHTMLUnsafe",
        OLD,
        "p.textContent = 'x'",
        "p.setHTMLUnsafe('<b>y</b>')",
        "it.textContent",
        Way,
    ),
    (
        "Element.setHTML",
        OLD,
        "p.textContent = 'x'",
        "(p.setHTML ?? p.setHTMLUnsafe).call(p, '<b>y</b>')",
        "it.textContent",
        Way,
    ),
    (
        "CharacterData.after",
        OLD,
        "p.textContent = 'x'",
        "p.firstChild.after('y')",
        "it.textContent",
        Way,
    ),
    (
        "CharacterData.before",
        OLD,
        "p.textContent = 'x'",
        "p.firstChild.before('y')",
        "it.textContent",
        Way,
    ),
    (
        "CharacterData.remove",
        OLD,
        "p.textContent = 'x'",
        "p.firstChild.remove()",
        "it.textContent",
        Way,
    ),
    (
        "CharacterData.replaceWith",
        OLD,
        "p.textContent = 'x'",
        "p.firstChild.replaceWith('y')",
        "it.textContent",
        Way,
    ),
    (
        "CharacterData.appendData",
        OLD,
        "p.textContent = 'x'",
        "p.firstChild.appendData('y')",
        "it.textContent",
        Way,
    ),
    (
        "CharacterData.deleteData",
        OLD,
        "p.textContent = 'xy'",
        "p.firstChild.deleteData(0, 1)",
        "it.textContent",
        Way,
    ),
    (
        "CharacterData.insertData",
        OLD,
        "p.textContent = 'x'",
        "p.firstChild.insertData(0, 'y')",
        "it.textContent",
        Way,
    ),
    (
        "CharacterData.replaceData",
        OLD,
        "p.textContent = 'x'",
        "p.firstChild.replaceData(0, 1, 'y')",
        "it.textContent",
        Way,
    ),
    (
        "CharacterData.data",
        OLD,
        "p.textContent = 'x'",
        "p.firstChild.data = 'y'",
        "it.textContent",
        Way,
    ),
    (
        "Text.splitText",
        OLD,
        "p.textContent = 'xy'",
        "p.firstChild.splitText(1)",
        "it.textContent",
        Before,
    ),
    (
        "DocumentType.remove",
        OLD,
        "p.textContent = 'x'",
        "document.implementation.createHTMLDocument('').doctype.remove()",
        "it.textContent",
        Before,
    ),
    (
        "DocumentFragment.append",
        OLD,
        "p.textContent = 'x'",
        "const made = new DocumentFragment(); made.append('y'); p.append(made)",
        "it.textContent",
        Way,
    ),
    (
        "DocumentFragment.prepend",
        OLD,
        "p.textContent = 'x'",
        "const made = new DocumentFragment(); made.prepend('y'); p.append(made)",
        "it.textContent",
        Way,
    ),
    (
        "DocumentFragment.replaceChildren",
        OLD,
        "p.textContent = 'x'",
        "const made = new DocumentFragment(); made.replaceChildren('y'); p.append(made)",
        "it.textContent",
        Way,
    ),
    (
        "DocumentFragment.moveBefore",
        OLD,
        "p.textContent = 'x'",
        "const made = new DocumentFragment(); made.append('y', 'z'); made.moveBefore(made.lastChild, made.firstChild)",
        "it.textContent",
        Before,
    ),
    (
        "ShadowRoot.setHTMLUnsafe",
        OLD,
        "p.textContent = 'x'",
        "p.attachShadow({ mode: 'open' }).setHTMLUnsafe('<b>y</b>')",
        "p.shadowRoot.innerHTML",
        Way,
    ),
    (
        "ShadowRoot.setHTML",
        OLD,
        "p.textContent = 'x'",
        "const root = p.attachShadow({ mode: 'open' }); (root.setHTML ?? root.setHTMLUnsafe).call(root, '<b>y</b>')",
        "p.shadowRoot.innerHTML",
        Way,
    ),
    (
        "ShadowRoot.innerHTML",
        OLD,
        "p.textContent = 'x'",
        "p.attachShadow({ mode: 'open' }).innerHTML = 'y'",
        "p.shadowRoot.innerHTML",
        Way,
    ),
    (
        "Document.write",
        OLD,
        "p.textContent = 'x'",
        "document.implementation.createHTMLDocument('').write('y')",
        "it.textContent",
        Before,
    ),
    (
        "Document.writeln",
        OLD,
        "p.textContent = 'x'",
        "document.implementation.createHTMLDocument('').writeln('y')",
        "it.textContent",
        Before,
    ),
    (
        "Document.execCommand",
        "<p contenteditable>old</p>",
        "p.textContent = 'x'",
        "p.focus(); document.getSelection().selectAllChildren(p); document.execCommand('insertText', false, 'y')",
        "p.textContent",
        Nobody,
    ),
    (
        "Document.moveBefore",
        OLD,
        "p.textContent = 'x'",
        "const made = document.implementation.createHTMLDocument(''); made.moveBefore(made.documentElement, null)",
        "it.textContent",
        Before,
    ),
    (
        "Document.append",
        OLD,
        "p.textContent = 'x'",
        "document.implementation.createHTMLDocument('').append(document.createComment('y'))",
        "it.textContent",
        Before,
    ),
    (
        "Document.prepend",
        OLD,
        "p.textContent = 'x'",
        "document.implementation.createHTMLDocument('').prepend(document.createComment('y'))",
        "it.textContent",
        Before,
    ),
    (
        "Document.replaceChildren",
        OLD,
        "p.textContent = 'x'",
        "document.implementation.createHTMLDocument('').replaceChildren()",
        "it.textContent",
        Before,
    ),
    (
        "Document.adoptNode",
        OLD,
        "p.textContent = 'x'",
        "document.implementation.createHTMLDocument('').adoptNode(p)",
        "it.textContent",
        Way,
    ),
    (
        "Document.title",
        OLD,
        "document.title = 'x'",
        "document.title = 'y'",
        "document.title",
        Way,
    ),
    (
        "Document.body",
        OLD,
        "p.textContent = 'x'",
        "const made = document.implementation.createHTMLDocument(''); made.body = made.createElement('body')",
        "it.textContent",
        Before,
    ),
    (
        "Range.deleteContents",
        OLD,
        "p.textContent = 'xy'",
        "const range = new Range(); range.selectNodeContents(p); range.deleteContents()",
        "it.textContent",
        Way,
    ),
    (
        "Range.extractContents",
        OLD,
        "p.textContent = 'xy'",
        "const range = new Range(); range.selectNodeContents(p); range.extractContents()",
        "it.textContent",
        Way,
    ),
    (
        "Range.insertNode",
        OLD,
        "p.textContent = 'xy'",
        "const range = new Range(); range.setStart(p, 1); range.insertNode(document.createTextNode('z'))",
        "it.textContent",
        Way,
    ),
    (
        "Range.surroundContents",
        OLD,
        "p.textContent = 'xy'",
        "const range = new Range(); range.setStart(p.firstChild, 1); range.setEnd(p.firstChild, 2); range.surroundContents(document.createElement('b'))",
        "it.textContent",
        Before,
    ),
    (
        "Selection.deleteFromDocument",
        OLD,
        "p.textContent = 'xy'",
        "document.getSelection().selectAllChildren(p); document.getSelection().deleteFromDocument()",
        "it.textContent",
        Way,
    ),
    (
        "HTMLTableElement.insertRow",
        TABLE,
        "",
        "it.firstChild.insertRow(0)",
        "it.innerHTML",
        Way,
    ),
    (
        "HTMLTableElement.deleteRow",
        TABLE,
        "",
        "it.firstChild.deleteRow(0)",
        "it.textContent",
        Way,
    ),
    (
        "HTMLTableElement.createCaption",
        TABLE,
        "it.firstChild.deleteCaption()",
        "it.firstChild.createCaption()",
        "it.innerHTML",
        Way,
    ),
    (
        "HTMLTableElement.deleteCaption",
        TABLE,
        "",
        "it.firstChild.deleteCaption()",
        "it.textContent",
        Way,
    ),
    (
        "HTMLTableElement.createTHead",
        TABLE,
        "it.firstChild.deleteTHead()",
        "it.firstChild.createTHead()",
        "it.innerHTML",
        Way,
    ),
    (
        "HTMLTableElement.deleteTHead",
        TABLE,
        "",
        "it.firstChild.deleteTHead()",
        "it.textContent",
        Way,
    ),
    (
        "HTMLTableElement.createTFoot",
        TABLE,
        "it.firstChild.deleteTFoot()",
        "it.firstChild.createTFoot()",
        "it.innerHTML",
        Way,
    ),
    (
        "HTMLTableElement.deleteTFoot",
        TABLE,
        "",
        "it.firstChild.deleteTFoot()",
        "it.textContent",
        Way,
    ),
    (
        "HTMLTableElement.createTBody",
        TABLE,
        "",
        "it.firstChild.createTBody()",
        "it.innerHTML",
        Way,
    ),
    (
        "HTMLTableElement.caption",
        TABLE,
        "",
        "it.firstChild.caption = null",
        "it.textContent",
        Way,
    ),
    (
        "HTMLTableElement.tHead",
        TABLE,
        "",
        "it.firstChild.tHead = null",
        "it.textContent",
        Way,
    ),
    (
        "HTMLTableElement.tFoot",
        TABLE,
        "",
        "it.firstChild.tFoot = null",
        "it.textContent",
        Way,
    ),
    (
        "HTMLTableSectionElement.insertRow",
        TABLE,
        "",
        "it.firstChild.tHead.insertRow()",
        "it.innerHTML",
        Way,
    ),
    (
        "HTMLTableSectionElement.deleteRow",
        TABLE,
        "",
        "it.firstChild.tHead.deleteRow(0)",
        "it.textContent",
        Way,
    ),
    (
        "HTMLTableRowElement.insertCell",
        TABLE,
        "",
        "it.firstChild.rows[0].insertCell()",
        "it.innerHTML",
        Way,
    ),
    (
        "HTMLTableRowElement.deleteCell",
        TABLE,
        "",
        "it.firstChild.rows[0].deleteCell(0)",
        "it.textContent",
        Way,
    ),
    (
        "HTMLSelectElement.add",
        LIST,
        "select.value = 'b'",
        "select.add(new Option('c', 'c', false, true))",
        "select.value",
        Way,
    ),
    (
        "HTMLSelectElement.remove",
        LIST,
        "select.value = 'b'",
        "select.remove(1)",
        "select.value",
        Way,
    ),
    (
        "HTMLSelectElement.length",
        LIST,
        "select.value = 'b'",
        "select.length = 1",
        "select.value",
        Way,
    ),
    (
        "Node.textContent",
        OLD,
        "p.textContent = 'x'",
        "p.textContent = 'y'",
        "it.textContent",
        Way,
    ),
    (
        "Node.textContent again",
        OLD,
        "p.textContent = 'x'",
        "p.textContent = 'x'",
        "it.textContent",
        Before,
    ),
    (
        "Node.nodeValue",
        OLD,
        "p.textContent = 'x'",
        "p.firstChild.nodeValue = 'y'",
        "it.textContent",
        Way,
    ),
    (
        "Element.innerHTML",
        OLD,
        "p.textContent = 'x'",
        "it.innerHTML = '<p>y</p>'",
        "p.textContent",
        Way,
    ),
    (
        "Element.innerHTML again",
        OLD,
        "p.textContent = 'x'",
        "p.innerHTML = 'x'",
        "it.textContent",
        Before,
    ),
    (
        "Element.outerHTML",
        OLD,
        "p.textContent = 'x'",
        "p.outerHTML = '<b>y</b>'",
        "it.textContent",
        Way,
    ),
    (
        "HTMLElement.innerText",
        OLD,
        "p.textContent = 'x'",
        "p.innerText = 'y'",
        "it.textContent",
        Way,
    ),
    (
        "HTMLElement.outerText",
        OLD,
        "p.textContent = 'x'",
        "p.outerText = 'y'",
        "it.textContent",
        Way,
    ),
    (
        "HTMLTitleElement.text",
        OLD,
        "p.textContent = 'x'",
        "const title = document.createElement('title'); p.append(title); title.text = 'y'",
        "it.textContent",
        Way,
    ),
    (
        "HTMLScriptElement.text",
        OLD,
        "p.textContent = 'x'",
        "const script = document.createElement('script'); script.type = 'x'; p.append(script); script.text = 'y'",
        "it.textContent",
        Way,
    ),
    (
        "HTMLOptionElement.text",
        "<select><option>a</option></select>",
        "select.value = 'a'",
        "select.options[0].text = 'y'",
        "select.value",
        Way,
    ),
    (
        "HTMLAnchorElement.text",
        "<a href=x>old</a>",
        "",
        "it.firstChild.text = 'y'",
        "it.textContent",
        Way,
    ),
    (
        "HTMLTextAreaElement.defaultValue",
        AREA,
        "",
        "textarea.defaultValue = 'y'",
        "textarea.value",
        Way,
    ),
    (
        "HTMLOutputElement.value",
        "<output>old</output>",
        "",
        "it.firstChild.value = 'y'",
        "it.textContent",
        Way,
    ),
    (
        "HTMLOutputElement.defaultValue",
        "<output>old</output>",
        "",
        "it.firstChild.defaultValue = 'y'",
        "it.textContent",
        Way,
    ),
    (
        "Storage.setItem",
        OLD,
        "localStorage.a = 1",
        "localStorage.setItem('a', 2)",
        "localStorage.a",
        Way,
    ),
    (
        "Storage.removeItem",
        OLD,
        "localStorage.b = 1",
        "localStorage.removeItem('b')",
        "localStorage.b",
        Way,
    ),
    (
        "Storage.clear",
        OLD,
        "sessionStorage.c = 1",
        "sessionStorage.clear()",
        "sessionStorage.c",
        Way,
    ),
    (
        "Storage.x",
        OLD,
        "localStorage.d = 1",
        "localStorage.d = 2",
        "localStorage.d",
        Way,
    ),
];

/// The ways that the agent's lists name.
fn listed() -> BTreeSet<String> {
    let mut ways = BTreeSet::new();
    for file in ["dom-tree.js", "dom-state.js"] {
        let path = repository().join("agent/js").join(file);
        let text = std::fs::read_to_string(path).unwrap();
        for list in [
            "const STATE_METHODS",
            "const TREE_METHODS",
            "const TREE_SETTERS",
        ] {
            let Some((_, list)) = text.split_once(list) else {
                continue;
            };
            let list = list.split_once("\n});").unwrap().0;
            let mut interface = "";
            for line in list.lines() {
                let mut rest = line;
                if let Some((name, more)) = line.split_once(": {")
                    && name.trim().starts_with(char::is_uppercase)
                {
                    interface = name.trim();
                    rest = more;
                }
                for (at, _) in rest.match_indices(": ") {
                    let is_note =
                        rest[at + 2..].starts_with("note") || rest[at + 2..].starts_with('(');
                    let name = rest[..at].rsplit(|it: char| !it.is_alphanumeric()).next();
                    if is_note && let Some(name) = name {
                        ways.insert(format!("{interface}.{name}"));
                    }
                }
            }
        }
    }
    ways
}

#[test]
fn each_way_that_the_agent_knows_is_in_the_page() {
    let listed = listed();
    assert!(listed.len() > 80, "{listed:?}");
    let here: BTreeSet<&str> = WAYS.iter().map(|row| row.0).collect();
    let missing = listed.iter().filter(|way| !here.contains(way.as_str()));
    let missing: Vec<&String> = missing.collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// The page: two lines for each way, and which line of the document has to be named.
fn page() -> (String, Vec<Option<u64>>) {
    let mut page = String::from("<!doctype html><title>Ways</title>\n");
    for (number, (_, html, ..)) in WAYS.iter().enumerate() {
        let _ = writeln!(page, "<div id=w{number}>{html}</div>");
    }
    page.push_str("<script>\nconst found = (it) => { globalThis.it = it; \
        for (const name of ['p', 'input', 'textarea', 'select', 'dialog']) globalThis[name] = it.querySelector(name); };\n");
    let mut lines = Vec::new();
    for (number, (_, _, before, way, _, named)) in WAYS.iter().enumerate() {
        let found = format!("found(document.getElementById('w{number}'));");
        let line = page.lines().count() as u64 + 1;
        let _ = writeln!(
            page,
            "try {{ {found} {before}; }} catch {{}}\ntry {{ {way}; }} catch {{}}"
        );
        lines.push(match named {
            Named::Before => Some(line),
            Named::Way => Some(line + 1),
            Named::Nobody => None,
        });
    }
    page.push_str("void 0;\n</script>\n");
    (page, lines)
}

/// What is asked of a way: variables of the page would be those of the last one.
fn reference(number: usize, asked: &str) -> String {
    let (root, rest) = asked.split_once('.').unwrap();
    let selector = match root {
        "document" | "localStorage" | "sessionStorage" => return format!("R:{asked}"),
        "it" => format!("#w{number}"),
        name => format!("#w{number} {name}"),
    };
    format!("R:document.querySelector(\"{selector}\").{rest}")
}

#[test]
fn live_hooks_name_the_line_of_each_way_in_one_execution() {
    let (page, lines) = page();
    let site = Site::new(&[("/ways.html", html(&page))]);
    let at = format!("ways.html:{}", page.lines().count() - 1);
    let queries: Vec<String> = WAYS
        .iter()
        .enumerate()
        .map(|(number, row)| format!("W{number} = lastChange({})", reference(number, row.4)))
        .collect();
    let url = site.url("/ways.html");
    let mut arguments = vec![
        "ask",
        url.as_str(),
        "--at",
        &at,
        "--instrument",
        "live",
        "--json",
    ];
    arguments.extend(queries.iter().map(String::as_str));
    let asked = querypoint(&arguments);
    let answer = asked.answer();
    assert_follows_schema(&answer, "answer");
    assert_eq!(answer["executions"], 1);
    let points = answer["points"].as_array().unwrap();
    let mut problems = String::new();
    for ((row, line), point) in WAYS.iter().zip(lines).zip(&points[1..]) {
        if point["location"]["line"].as_u64() != line {
            let _ = writeln!(problems, "{}: line {line:?}, not {point}", row.0);
        }
    }
    assert!(problems.is_empty(), "{problems}");
}
