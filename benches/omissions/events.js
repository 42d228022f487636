// Listeners, timers, a bus.
const state = { open: false, ticks: 0, menu: null };
const button = document.querySelector("#b");
class Bus {
  constructor() {
    this.handlers = {};
  }
  on(kind, handler) {
    (this.handlers[kind] ??= []).push(handler);
  }
  emit(kind, value) {
    for (const handler of this.handlers[kind] ?? []) handler(value);
  }
}
const bus = new Bus();
function onSave() {
  state.saved = true; // why: saving
}
if (state.open) { // saving: branch
  button.addEventListener("click", onSave);
}
function onResize() { // resized: unreachable
  state.width = 1; // why: resized
}
button.addEventListener("dblclik", () => { // doubled: listener
  state.doubled = true; // why: doubled
});
function onMove() {
  state.moved = true; // why: moved
}
document.addEventListener("mousemove", onMove);
document.removeEventListener("mousemove", onMove); // moved: listener
const blink = setTimeout(() => {
  state.blink = true; // why: blinked
}, 5);
clearTimeout(blink); // blinked: timer
document.body.addEventListener("click", () => {
  state.outside = true; // why: outside
});
button.addEventListener("click", (event) => {
  event.stopPropagation(); // outside: listener
});
button.click();
button.onblur = () => { // blurred: listener
  state.blurred = true; // why: blurred
};
function start() {
  if (state.menu !== null) open(); // opened: branch
}
function open() {
  state.open = true; // why: opened
}
start();
