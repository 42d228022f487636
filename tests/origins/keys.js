// Values behind keys that the script computes.
const out = {}, queue = [], cells = {};
function put(row, column, text) {
  cells[`cell${row}-${column}`] = text;
  queue[row * 2] = row;
  queue[row * 2 + 1] = { text };
}
put(0, 0, 'above');
put(1, 2, 'below');
let at = 0;
at += 2;
out.sum = queue[at + 1].text;
out.product = queue[at * 1 + 1].text;
out.rest = queue[(at + 5) % 4 - 2].text;
out.template = cells[`cell${at - 1}-2`];
const name = 'cell';
out.joined = cells[name + (at - 2) + '-' + 0];
console.log('asked here');
