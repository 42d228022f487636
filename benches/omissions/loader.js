// Things that are loaded: promises, retries, a cache.
const cache = { hits: 0, entries: {} };
const config = { online: false, retries: 0 };
function fetchItems() {
  return new Promise((resolve, reject) => {
    if (config.online) { // loaded: branch
      resolve(["a", "b"]);
    }
  });
}
async function load() {
  const items = await fetchItems();
  cache.entries.items = items; // why: loaded
}
function never() {
  return new Promise(() => {});
}
async function waitForSettings() {
  const settings = await never(); // configured: promise
  cache.settings = settings; // why: configured
}
async function user() {
  return { name: "A", admin: true };
}
async function greet() {
  const current = user();
  if (current.admin) { // greeted: await
    cache.greeting = "hello"; // why: greeted
  }
}
async function broken() {
  throw new Error("no network"); // refreshed: exception
}
function refresh() {
  broken().then((value) => {
    cache.entries.fresh = value; // why: refreshed
  }).catch(() => {});
}
async function retry(times) {
  for (let attempt = 0; attempt < config.retries; attempt++) { // retried: loop
    cache.attempt = attempt; // why: retried
    await null;
  }
}
async function guarded() {
  await null;
  if (!config.online) { // guarded: return
    return;
  }
  cache.guarded = true; // why: guarded
}
load();
waitForSettings();
greet();
refresh();
retry();
guarded();
