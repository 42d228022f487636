// An editor's commands, in a table; plugins.
const editor = { text: "", marks: [], readOnly: true, plugins: [], log: [] };
const commands = {
  insert(text) {
    if (editor.readOnly) throw new Error("read only"); // inserted: exception
    editor.text += text; // why: inserted
  },
  mark(from, to) {
    if (from >= to) return false; // marked: return
    editor.marks.push([from, to]); // why: marked
    return true;
  },
  clear() {
    editor.marks.forEach((mark) => { // cleared: loop
      editor.log.push(mark); // why: cleared
    });
    editor.marks = [];
  },
};
function run(name, ...given) {
  const command = commands[name];
  if (typeof command !== "function") { // unknown: branch
    editor.log.push("unknown"); // why: unknown
    return;
  }
  try {
    command(...given);
  } catch (error) {
    if (error.name === "RangeError") { // ranged: branch
      editor.log.push(error.message); // why: ranged
    }
  }
}
class Plugin {
  #enabled = false;
  constructor(name) {
    this.name = name;
  }
  install() {
    if (this.#enabled || editor.plugins.includes(this.name)) { // installed: branch
      editor.log.push(this.name); // why: installed
    }
  }
  get label() {
    return this.name.toUpperCase();
  }
}
function walk(node, visit) {
  if (node === undefined) return; // walked: return
  visit(node); // why: walked
  for (const child of node.children) walk(child, visit);
}
run("insert", "a");
run("mark", 3, 3);
run("clear");
new Plugin("spell").install();
walk(editor.root, () => {});
