export const ADD = "add";
export const UPDATE = "update";
export const REMOVE = "remove";
export const TOGGLE = "toggle";
export const TOGGLE_ALL = "toggle all";
export const CLEAR_COMPLETED = "clear completed";

let nextId = 1;

/** What becomes of the todos. */
export function todoReducer(todos, action) {
  switch (action.type) {
    case ADD:
      return todos.concat({ id: nextId++, title: action.title, completed: false });
    case UPDATE:
      return todos.map((todo) => {
        if (todo.id !== action.id) return todo;
        // The defect: spaces within the title go, too.
        const title = action.title.replace(/\s+/g, "");
        return { ...todo, title };
      });
    case REMOVE:
      return todos.filter((todo) => todo.id !== action.id);
    case TOGGLE:
      return todos.map((todo) => (todo.id === action.id ? { ...todo, completed: !todo.completed } : todo));
    case TOGGLE_ALL:
      return todos.map((todo) => ({ ...todo, completed: action.completed }));
    case CLEAR_COMPLETED:
      return todos.filter((todo) => !todo.completed);
    default:
      throw new Error(`no such action: ${action.type}`);
  }
}
