// What a page shows: each element has the name of a way in which its text came into the document.
// Each text stands once in the program, so where it begins is known; but for those that are there twice.
// shown: appended document.querySelector('#appended').textContent
// shown: prepended document.querySelector('#prepended').textContent
// shown: node document.querySelector('#node').textContent
// shown: made document.querySelector('#made').textContent
// shown: adjacent document.querySelector('#adjacent').textContent
// shown: instead document.querySelector('#instead').textContent
// shown: child document.querySelector('#child').textContent
// shown: deep document.querySelector('#deep').textContent
// shown: fragment document.querySelector('#fragment').textContent
// shown: first document.querySelector('#first').textContent
// shown: second document.querySelector('#second').textContent
// shown: copied document.querySelector('#copied b').textContent
// shown: walked document.querySelector('#walked').textContent
// shown: assigned document.querySelector('#assigned').textContent
// shown: reflected document.querySelector('#reflected').textContent
// shown: markup document.querySelector('#markup').textContent
// shown: inserted document.querySelector('#inserted').textContent
// shown: joined document.querySelector('#joined li:nth-child(2)').textContent
// shown: passed document.querySelector('#passed').textContent
// shown: title document.querySelector('#title').title
// shown: tone document.querySelector('#tone').style.color
// shown: hue document.querySelector('#hue').style.color
// shown: marked document.querySelector('#marked').className
// shown: chosen document.querySelector('#chosen').className
// shown: set document.querySelector('#set').dataset.name
// shown: added document.querySelector('#added tr:nth-child(2) td').textContent
// shown: several document.querySelector('#several').textContent
// shown: both document.querySelector('#both').textContent
const it = {};
function box(id) {
  const element = document.createElement('div');
  element.id = id;
  document.body.append(element);
  return element;
}
it.appended = 'appended as a text'; box('appended').append(it.appended);
it.prepended = 'prepended as a text'; box('prepended').prepend(it.prepended);
it.node = 'text of a node'; box('node').appendChild(document.createTextNode(it.node));
it.made = 'new text'; box('made').insertBefore(new Text(it.made), null);
it.adjacent = 'beside an end'; box('adjacent').insertAdjacentText('beforeend', it.adjacent);
it.instead = 'instead of all'; box('instead').replaceChildren(it.instead);
it.child = 'text of a child'; const child = document.createElement('b'); child.textContent = it.child;
box('child').appendChild(child);

it.assigned = 'by Object.assign'; Object.assign(box('assigned'), { textContent: it.assigned });
it.reflected = 'by Reflect.set'; Reflect.set(box('reflected'), 'textContent', it.reflected);

// Built before it is inserted, by one function for all of them.
function element(name, ...inside) {
  const made = document.createElement(name);
  for (const part of inside) made.appendChild(typeof part === 'string' ? document.createTextNode(part) : part);
  return made;
}
it.deep = 'deep inside'; box('deep').append(element('p', element('i', it.deep)));
const fragment = document.createDocumentFragment();
it.fragment = 'by way of a fragment'; fragment.append(element('p', it.fragment)); box('fragment').append(fragment);

// Two with the same text: which of them it is, only the node says.
it.first = 'twice'; it.second = 'twice';
box('first').append(element('p', it.first)); box('second').append(element('p', it.second));

// Copies of a template, and nodes that are found in them.
const template = document.createElement('template');
template.innerHTML = '<p>Name: <b> </b></p><!--end-->';
const copy = template.content.cloneNode(true), bold = copy.firstChild.childNodes[1], text = bold.firstChild;
it.copied = 'in a copy'; text.data = it.copied; box('copied').appendChild(copy);
const other = document.importNode(template.content, true);
const walker = document.createTreeWalker(document, 129);
walker.currentNode = other;
walker.nextNode(); walker.nextNode();
const end = walker.nextNode();
it.walked = 'beside a mark'; end.parentNode.insertBefore(document.createTextNode(it.walked), end);
box('walked').insertBefore(other, null);

// Markup: the part of it that is shown.
it.markup = 'in markup'; box('markup').innerHTML = `<p class=x>${it.markup}</p>`;
it.inserted = 'in inserted markup'; box('inserted').insertAdjacentHTML('beforeend', '<p>' + it.inserted + '</p>');
const rows = [{ name: 'first row' }, { name: 'second row' }];
const item = (row, number) => `<li class="${number > 0 ? 'next' : ''}">${row.name}</li>`;
box('joined').innerHTML = '<ul>\n' + rows.map(item).join('\n') + '</ul>';
let table = '<table>';
for (const row of rows) table += `<tr><td>${row.name}, added</td></tr>`;
box('added').innerHTML = table + '</table>';
const passed = (markup) => markup;
it.passed = 'handed on'; box('passed').innerHTML = passed(`<em>${it.passed}</em>`);

// Several texts are put together.
it.several = 'and another'; box('several').append('one text ', it.several);
// In two places of the markup: which one is shown, the text does not say.
it.both = 'in two places'; box('both').innerHTML = `<p title="${it.both}">${it.both}</p>`;

// Attributes.
it.title = 'title of it'; box('title').setAttribute('title', it.title);
it.set = 'in the data set'; box('set').setAttribute('data-name', it.set);
// Styles and classes; both colours at one place.
function paint(id, color) { box(id).style.setProperty('color', color); }
it.tone = 'rgb(1, 2, 3)'; paint('tone', it.tone); it.hue = 'rgb(4, 5, 6)'; paint('hue', it.hue);
it.marked = 'marked-by-add'; box('marked').classList.add(it.marked);
it.chosen = 'marked-by-choice'; box('chosen').classList[it.chosen ? 'add' : 'remove'](it.chosen);
console.log('asked here');
