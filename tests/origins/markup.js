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
console.log('asked here');
