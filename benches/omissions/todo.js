// A list of tasks with filters and storage.
const settings = { autosave: false, filter: "done", limit: 0 };
const store = new Map();
class Task {
  constructor(title) {
    this.title = title;
    this.done = false;
    this.tags = [];
  }
  tag(name) {
    if (this.done) { // tagged: branch
      this.tags.push(name); // why: tagged
    }
  }
}
class TaskList {
  constructor() {
    this.tasks = [];
    this.listeners = [];
    this.history = [];
  }
  subscribe(listener) {
    this.listeners.push(listener);
  }
  add(title) {
    const task = new Task(title);
    if (this.tasks.length >= settings.limit) return null; // added: return
    this.tasks.push(task); // why: added
    this.notify("add", task);
    return task;
  }
  notify(kind, task) {
    for (const listener of this.listeners) { // notified: loop
      listener(kind, task); // why: notified
    }
  }
  visible() {
    return this.tasks.filter((task) => matches(task)); // matching: loop
  }
  undo() {
    const last = this.history.pop();
    if (!last) return; // undone: return
    last.revert(); // why: undone
  }
}
function matches(task) {
  return task.done; // why: matching
}
function save(list) {
  if (!settings.autosave) return; // saved: return
  store.set("tasks", list.tasks); // why: saved
}
const list = new TaskList();
list.add("write");
list.add("read");
list.notify("load", null);
list.visible();
list.undo();
save(list);
const task = new Task("alone");
task.tag("home");
