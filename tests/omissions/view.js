import { jsx } from "library";
const state = { user: null, shown: 0, items: [] };
function Badge(props) {
  return jsx("b", { onClick: () => props.pick(1) });
}
const Panel = {
  draw(props) {
    return jsx("p", props);
  },
};
function greet() {
  if (!state.user) return;
  state.shown = 1;
}
function view() {
  const count = state.items.length;
  return count > 0 && jsx(Badge, {});
}
function panels() {
  return state.items.map((item) => jsx(Panel, { item }));
}
greet();
view();
panels();
jsx(function () {
  return () => {
    state.left = 1;
  };
});
