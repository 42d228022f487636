// Values that storage, events, messages and responses carried.
const out = {};
localStorage.setItem('kept', 'in the storage'); out.storage = localStorage.getItem('kept');
const area = window.sessionStorage; area.setItem('alias', 'by another name'); out.alias = sessionStorage.getItem('alias');
const read = (storage, key) => storage.getItem(key); out.handed = read(localStorage, 'kept');
document.addEventListener('bought', (event) => { out.detail = event.detail.name; out.plain = event.detail.name; });
document.dispatchEvent(new CustomEvent('bought', { detail: { name: 'in an event' } }));
document.addEventListener('told', (event) => { out.told = event.detail; });
document.dispatchEvent(new CustomEvent('told', { detail: 'as detail' }));
addEventListener('message', async (event) => {
  out.message = event.data.text;
  const response = await fetch('/data.json');
  const data = await response.json();
  out.body = data.items[0].name;
  console.log('asked here');
});
postMessage({ text: 'in a message' });
