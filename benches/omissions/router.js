// A router with guards, hooks and history.
const router = { routes: [], current: null, guards: [], history: [], errors: [] };
const session = { user: null, roles: [] };
function route(path, view) {
  router.routes.push({ path, view });
}
function match(path) {
  return router.routes.find((entry) => entry.path === path);
}
function allowed(entry) {
  return router.guards.every((guard) => guard(entry)); 
}
router.check = () => {
  allowed(router.routes[0]);
};
function requireUser(entry) {
  return session.user !== null && // required: branch
    session.roles.includes(entry.role); // why: required
}
function go(path) {
  const entry = match(path);
  if (!entry) { // shown: return // titled: return
    router.errors.push(path);
    return;
  }
  router.current = entry; // why: shown
  entry.view();
}
function back() {
  while (router.history.length > 1) { // back: loop
    router.history.pop(); // why: back
  }
}
function about() {
  router.title = "About"; // why: titled
}
route("/about", about);
go("/abuot"); // hidden
requireUser({ role: "admin" });
back();
if (router.history.length) { // forward: branch
  router.history.push("/"); // why: forward
}
const title = session.user // named: branch
  ? session.user.name.trim() // why: named
  : "guest";
function login(name) {
  session.user ??= { name };
  session.roles.length === 0 || // roled: branch
    session.roles.sort(); // why: roled
}
login("A");
