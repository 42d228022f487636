// Validation, submission, undo of a form.
const form = { values: { name: "" }, errors: {}, submitted: false, valid: true, log: [] };
const rules = {
  name: [(value) => value.length > 0],
  age: [],
};
function validate() {
  for (const rule of rules.age) { // aged: loop
    if (!rule(form.values.age)) form.errors.age = true; // why: aged
  }
  for (const rule of rules.name) {
    if (!rule(form.values.name)) {
      form.valid = false;
    }
  }
}
function submit() {
  validate();
  if (!form.valid) return "invalid"; // sent: return
  return send(form.values);
}
function send(values) {
  form.submitted = true; // why: sent
  return values;
}
function fill(values) {
  Object.keys(values).forEach((key) => {
    if (!(key in form.values)) return; // filled: return
    form.values[key] = values[key]; // why: filled
  });
}
function trim() {
  const address = form.values.address.trim(); // trimmed: exception
  form.values.address = address; // why: trimmed
}
function reset(confirmed) {
  if (confirmed === "yes") { // cleared: branch
    form.values = {}; // why: cleared
    form.log.push("reset");
  }
}
class Field {
  #touched = false;
  constructor(name) {
    this.name = name;
  }
  set value(text) {
    if (this.#touched) { // touched: branch
      form.log.push(text); // why: touched
    }
  }
  focus() {
    this.#touched = true; // why: focused
  }
}
fill({ nmae: "A" });
submit();
try { trim(); } catch { form.errors.address = true; }
reset(true);
const field = new Field("name");
field.value = "x";
if (form.errors.name) field.focus(); // focused: branch
