import { useReducer, useState } from "react";
import { Footer } from "./Footer.jsx";
import { Item } from "./Item.jsx";
import { TextField } from "./TextField.jsx";
import { ADD, TOGGLE_ALL, todoReducer } from "./reducer.js";

const IS_SHOWN = {
  all: () => true,
  active: (todo) => !todo.completed,
  completed: (todo) => todo.completed,
};

export function App() {
  const [todos, dispatch] = useReducer(todoReducer, []);
  const [filter, setFilter] = useState("all");
  const visible = todos.filter(IS_SHOWN[filter]);
  return (
    <>
      <header className="header">
        <h1>todos</h1>
        <TextField
          className="new-todo"
          label="New todo"
          placeholder="What needs to be done?"
          onEnter={(title) => dispatch({ type: ADD, title })}
        />
      </header>
      {todos.length > 0 && (
        <main className="main">
          <input
            id="toggle-all"
            className="toggle-all"
            type="checkbox"
            checked={todos.every((todo) => todo.completed)}
            onChange={(event) => dispatch({ type: TOGGLE_ALL, completed: event.target.checked })}
          />
          <label htmlFor="toggle-all">Mark all as complete</label>
          <ul className="todo-list">
            {visible.map((todo) => (
              <Item key={todo.id} todo={todo} dispatch={dispatch} />
            ))}
          </ul>
        </main>
      )}
      {todos.length > 0 && <Footer todos={todos} filter={filter} setFilter={setFilter} dispatch={dispatch} />}
    </>
  );
}
