// Objects that came from outside: parts of a message and of a server's answer, taken out of it in every way.
const out = {};
const through = (handler, message) => new Promise((ok) => {
  const { port1, port2 } = new MessageChannel();
  port2.onmessage = (event) => { handler(event); ok(); };
  port1.postMessage(message);
});
function take(message) { out.handed = message.text; }
async function main() {
  await through((event) => { const { data } = event; out.pattern = data.text; }, { text: 'by a pattern' });
  await through(({ data }) => { out.parameter = data.text; }, { text: 'by a pattern of a parameter' });
  await through((event) => take(event.data), { text: 'handed to a function' });
  await through((event) => { const kept = event.data; const inner = kept.inner; out.copied = inner.text; },
    { inner: { text: 'copied, part by part' } });
  await through((event) => { for (const row of event.data.rows) out.looped = row.text; },
    { rows: [{ text: 'first row of a loop' }, { text: 'reached by a loop' }] });
  await through((event) => { const { data: { rows: [, second] } } = event; out.second = second.text; },
    { rows: [{ text: 'not this one' }, { text: 'second of a pattern' }] });
  await through((event) => { out.mapped = event.data.rows.map((row) => row.text)[1]; },
    { rows: [{ text: 'mapped first' }, { text: 'reached by map' }] });
  const request = new XMLHttpRequest();
  request.open('GET', '/data.json');
  request.responseType = 'json';
  await new Promise((ok) => {
    request.onload = (event) => { const best = event.target.response.items[0]; out.target = best.name; ok(); };
    request.send();
  });
  await fetch('/data.json').then((answer) => answer.json()).then((body) => {
    const best = body.items[0];
    out.body = best.name;
    for (const item of body.items) out.item = item.name;
  });
  console.log('asked here');
}
main();
