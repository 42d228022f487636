(() => {
  // node_modules/library/index.js
  var made = [];
  function jsx(tag, props) {
    const type = typeof tag === "string" ? null : tag;
    const draw = type && type.draw ? type.draw : type;
    if (draw) made.push(draw(props));
    return { tag, props };
  }

  // view.js
  var state = { user: null, shown: 0, items: [] };
  function Badge(props) {
    return jsx("b", { onClick: () => props.pick(1) });
  }
  var Panel = {
    draw(props) {
      return jsx("p", props);
    }
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
  jsx(function() {
    return () => {
      state.left = 1;
    };
  });
})();
//# sourceMappingURL=plain.js.map
