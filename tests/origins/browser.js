// Values that the document, storages, channels and databases carried; what the browser itself has.
const out = {};
const wait = () => new Promise((ok) => setTimeout(ok, 20));
async function main() {
  const div = document.createElement('div'); document.documentElement.append(div);
  div.textContent = 'shown'; out.text = div.textContent;
  div.dataset.kind = 'in the data set'; out.data = div.dataset.kind;
  div.setAttribute('title', 'an attribute'); out.attribute = div.getAttribute('title');
  const field = document.createElement('input'); field.value = 'put in'; out.field = field.value;
  localStorage.direct = 'stored directly'; out.direct = localStorage.getItem('direct');
  localStorage.setItem('called', 'stored by a call'); out.called = localStorage.called;
  document.cookie = 'baked=yes'; out.cookie = document.cookie;
  const { port1, port2 } = new MessageChannel(); port2.onmessage = (event) => { out.port = event.data.text; };
  port1.postMessage({ text: 'through a port' });
  const code = 'onmessage = (event) => postMessage({ back: event.data.there })';
  const worker = new Worker(URL.createObjectURL(new Blob([code])));
  worker.onmessage = (event) => { out.worker = event.data.back; }; worker.postMessage({ there: 'to a worker' });
  while (!out.worker || !out.port) await wait();
  const database = await new Promise((ok) => {
    const opening = indexedDB.open('d', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('s');
    opening.onsuccess = () => ok(opening.result);
  });
  const store = database.transaction('s', 'readwrite').objectStore('s'); store.put({ v: 'in a database' }, 'k');
  out.database = await new Promise((ok) => { const asked = store.get('k'); asked.onsuccess = () => ok(asked.result.v); });
  const request = new XMLHttpRequest(); request.open('GET', '/data.json');
  await new Promise((ok) => { request.onload = () => ok(); request.send(); });
  out.request = JSON.parse(request.responseText).items[0].name;
  out.width = innerWidth;
  div.onclick = (event) => { out.type = event.type; }; div.click();
  const config = {}; out.missing = config.none?.value;
  console.log('asked here');
}
main();
