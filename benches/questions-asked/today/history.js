'use strict';
const copied = (text) => ({ ...text });
const inserted = (at, part) => (text) => ({
  ...text,
  value: text.value.slice(0, at) + part + text.value.slice(at),
  cursor: at + part.length,
});
const deleted = (from, to) => (text) => ({
  ...text,
  value: text.value.slice(0, from) + text.value.slice(to),
  cursor: from,
});
const apply = (text, change) => change(copied(text));
const limited = (list, most) => list.slice(Math.max(0, list.length - most));
function createEditor(most) {
  let now = { value: '', cursor: 0 };
  let past = [];
  let future = [];
  const change = (how) => {
    past = limited([...past, now], most);
    now = apply(now, how);
    future = [];
  };
  return {
    type(part) {
      change(inserted(now.cursor, part));
    },
    erase(count) {
      change(deleted(Math.max(0, now.cursor - count), now.cursor));
    },
    move(to) {
      now = { ...now, cursor: Math.min(to, now.value.length) };
    },
    undo() {
      if (past.length === 0) return false;
      future = [now, ...future];
      now = past[past.length - 1];
      past = past.slice(0, -1);
      return true;
    },
    redo() {
      const [next, ...rest] = future;
      if (next === undefined) return false;
      past = [...past, now];
      now = next;
      future = rest;
      return true;
    },
    text: () => now.value,
  };
}
const editor = createEditor(3);
const seen = [];
const run = (...steps) => {
  for (const step of steps) {
    step();
    seen.push(editor.text());
  }
};
run(() => editor.type('helo'), () => editor.move(3), () => editor.type('l'), () => editor.move(9));
run(() => editor.type('!?'), () => editor.erase(1), () => editor.undo(), () => editor.redo());
run(() => editor.undo(), () => editor.undo(), () => editor.undo(), () => editor.undo(), () => editor.redo());
run(() => editor.type(' you'), () => editor.redo());
const report = { seen };
