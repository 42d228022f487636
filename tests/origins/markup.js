// Texts and attributes that code reads back of markup that it wrote.
const out = {};
const box = document.createElement('div'); document.documentElement.append(box);
const html = '<p><b>inside markup</b> and <i title="of an attribute">italic</i></p>';
box.innerHTML = html;
out.inner = box.querySelector('b').textContent;
out.title = box.querySelector('i').title; out.attr = box.querySelector('i').getAttribute('title');
out.child = box.firstChild.lastChild.textContent;
const name = 'Ada'; const other = document.createElement('div'); document.documentElement.append(other);
other.innerHTML = `<span class="n">${name}</span><em>${'twice'}</em>`;
out.hole = other.querySelector('.n').textContent;
out.list = other.children[1].innerText;
const t = document.createElement('template'); t.innerHTML = '<u>in a template</u>';
out.template = t.content.querySelector('u').textContent;
box.insertAdjacentHTML('beforeend', '<s>put beside</s>'); out.beside = box.querySelector('s').textContent;
out.cells = [...box.querySelectorAll('b')].map((it) => it.textContent)[0];
const row = document.createElement('tr'); row.innerHTML = '<td>cell one</td><td>cell two</td>'; out.cell = row.cells[1].textContent;
const input = document.createElement('p'); input.innerHTML = '<input value="typed before">'; out.value = input.firstChild.value;
const reader = new DOMParser(); const page = reader.parseFromString('<h6 data-kind="of data">a parsed heading</h6>', 'text/html');
out.parsed = page.querySelector('h6').textContent; out.kind = page.querySelector('h6').dataset.kind;
out.body = new DOMParser().parseFromString('<p>all of a body</p>', 'text/html').body.textContent;
const part = document.createRange().createContextualFragment('<ins>in a fragment</ins>'); out.part = part.querySelector('ins').textContent;
const line = document.createElement('p'); document.documentElement.append(line);
const before = document.createTextNode('a text that goes'); line.append(before); before.replaceWith(new Text('a text that comes')); out.comes = line.textContent;
class Card extends HTMLElement {
  static observedAttributes = ['title'];
  set note(text) { this.dataset.note = text; this.innerHTML = `<b>${text}</b>`; }
  attributeChangedCallback(name, old, value) { this.changed = name; this.told = value; }
}
customElements.define('note-card', Card); const card = document.createElement('note-card');
card.note = 'note of a card'; out.note = card.dataset.note; out.bold = card.querySelector('b').textContent;
card.setAttribute('title', 'an attribute that is observed'); out.told = card.told; out.changed = card.changed; out.shown = card.title;
const data = card.dataset; data.late = 'by a name for the data'; out.late = card.dataset.late;
card.title = 'assigned after'; card.setAttribute('title', 'set again'); out.again = card.getAttribute('title');
console.log('asked here');
