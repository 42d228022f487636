// Messages, drafts, presence.
const chat = { messages: [], unread: 0, drafts: new Map(), online: new Set(), muted: true };
const socket = {
  handlers: new Map(),
  on(kind, handler) {
    this.handlers.set(kind, handler);
  },
  receive(kind, data) {
    const handler = this.handlers.get(kind);
    if (handler) { // received: branch
      handler(data);
    }
  },
};
socket.on("message", (data) => {
  chat.messages.push(data); // why: received
});
socket.receive("mesage", { text: "hi" });
function notify(message) {
  if (chat.muted) return; // counted: return
  chat.unread += 1; // why: counted
}
notify({});
function draft(room, text) {
  if (text.trim() === "") { // dropped: branch
    chat.drafts.delete(room); // why: dropped
  } else {
    chat.drafts.set(room, text);
  }
}
draft("a", "x");
function leave(name) {
  if (chat.online.has(name)) chat.online.delete(name), left(name); // left: branch
}
function left(name) {
  chat.lastLeft = name; // why: left
}
leave("B");
const typing = [];
typing.map((name) => { // typed: loop
  chat.typing = name; // why: typed
});
function decode(text) {
  const data = JSON.parse(text); // decoded: exception
  data.seen = true;
  return data; // why: decoded
}
function receiveText(text) {
  let data;
  try {
    data = decode(text);
  } catch {
    return; // kept: return
  }
  chat.messages.push(data); // why: kept
}
receiveText("{");
const later = requestAnimationFrame(() => {
  chat.drawn = true; // why: drawn
});
cancelAnimationFrame(later); // drawn: timer
