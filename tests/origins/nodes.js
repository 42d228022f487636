// Texts that code reads back by way of other nodes: children, rows and cells, what is beside and around.
const out = {};
const list = document.createElement('ul'); document.documentElement.append(list);
for (const text of ['first of the list', 'second of the list', 'third of the list']) {
  const item = document.createElement('li'); item.textContent = text; list.appendChild(item);
}
out.last = list.lastChild.textContent; out.first = list.firstElementChild.textContent;
out.second = list.children[1].textContent; out.node = list.childNodes[2].firstChild.data;
out.beside = list.firstChild.nextSibling.textContent; out.before = list.lastElementChild.previousElementSibling.textContent;
out.looked = document.querySelector('ul').lastChild.textContent;
const table = document.createElement('table');
for (const [name, note] of [['name one', 'note one'], ['name two', 'note two']]) {
  const row = table.insertRow(); row.insertCell().textContent = name; row.insertCell().append(note);
}
out.cell = table.rows[1].cells[0].textContent; out.noted = table.rows[0].cells[1].textContent;
out.body = table.tBodies[0].rows[1].lastElementChild.firstChild.nodeValue;
const front = document.createElement('li'); front.append('put in front'); list.prepend(front);
out.front = list.firstChild.textContent;
list.insertBefore(list.lastChild, front.nextSibling); out.moved = list.children[1].textContent;
list.removeChild(list.firstChild); out.removed = list.firstChild.textContent;
const other = document.createElement('li'); other.append('in place of another'); list.lastChild.replaceWith(other);
out.replaced = list.lastChild.textContent;
const part = document.createDocumentFragment();
for (const text of ['one of a fragment', 'two of a fragment']) { const item = document.createElement('li'); item.append(text); part.append(item); }
list.append(part); out.part = list.children[list.children.length - 1].textContent; out.earlier = list.children[3].textContent;
out.around = other.parentNode.lastElementChild.textContent;
const choice = document.createElement('select'); choice.append(new Option('label of an option', 'value')); out.option = choice.options[0].textContent;
list.replaceChildren('a text alone'); out.alone = list.firstChild.data;
const box = document.createElement('div'); box.innerHTML = '<i>in markup</i>'; box.append('behind the markup'); out.markup = box.firstChild.textContent;
console.log('asked here');
