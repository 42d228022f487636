'use strict';
const kinds = [
  ['heading', /^(#{1,3}) (.+)$/],
  ['item', /^- (.+)$/],
  ['empty', /^\s*$/],
  ['text', /^(.+)$/],
];
function token(line) {
  for (const [kind, expression] of kinds) {
    const found = expression.exec(line);
    if (found) return { kind, parts: found.slice(1) };
  }
  return { kind: 'empty', parts: [] };
}
function blocks(tokens) {
  const found = [];
  for (const { kind, parts } of tokens) {
    const last = found[found.length - 1];
    if (kind === 'heading') found.push({ kind, level: parts[0].length, text: parts[1] });
    else if (kind === 'item' && last?.kind === 'list') last.items.push(parts[0]);
    else if (kind === 'item') found.push({ kind: 'list', items: [parts[0]] });
    else if (kind === 'text' && last?.kind === 'paragraph') last.lines.push(parts[0]);
    else if (kind === 'text') found.push({ kind: 'paragraph', lines: [parts[0]] });
    else found.push({ kind: 'gap' });
  }
  return found.filter((block) => block.kind !== 'gap');
}
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
function closing(text, from, mark) {
  const at = text.indexOf(mark, from);
  return at < 0 ? text.length : at;
}
function inline(text) {
  let out = '';
  let at = 0;
  while (at < text.length) {
    const mark = text.startsWith('**', at) ? '**' : text[at];
    if (mark === '**' || mark === '`') {
      const end = closing(text, at + mark.length, mark);
      const name = mark === '`' ? 'code' : 'b';
      const inner = text.slice(at + mark.length, end);
      out += `<${name}>${name === 'code' ? escaped(inner) : inline(inner)}</${name}>`;
      at = end + mark.length;
    } else {
      out += escaped(mark);
      at++;
    }
  }
  return out;
}
const slug = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
const html = {
  heading: ({ level, text }) => `<h${level} id=${slug(text)}>${inline(text)}</h${level}>`,
  list: ({ items }) => `<ul>${items.map((item) => `<li>${inline(item)}</li>`).join('')}</ul>`,
  paragraph: ({ lines }) => `<p>${inline(lines.join(' '))}</p>`,
};
function markdown(text) {
  return blocks(text.split('\n').map(token)).map((block) => html[block.kind](block));
}
const source = `# Tea & cups
Hot **tea, \`a < b\`**
in a cup.

More.
## What?
- one
- \`two

- three
#no heading`;
const report = { page: markdown(source) };
