import { CLEAR_COMPLETED } from "./reducer.js";

export function Footer({ todos, filter, setFilter, dispatch }) {
  const left = todos.filter((todo) => !todo.completed).length;
  return (
    <footer className="footer">
      <span className="todo-count">
        {left} {left === 1 ? "item" : "items"} left!
      </span>
      <ul className="filters">
        {["all", "active", "completed"].map((name) => (
          <li key={name}>
            <a
              href={`#/${name}`}
              className={name === filter ? "selected" : ""}
              onClick={(event) => {
                event.preventDefault();
                setFilter(name);
              }}
            >
              {name}
            </a>
          </li>
        ))}
      </ul>
      <button
        className="clear-completed"
        disabled={left === todos.length}
        onClick={() => dispatch({ type: CLEAR_COMPLETED })}
      >
        Clear completed
      </button>
    </footer>
  );
}
