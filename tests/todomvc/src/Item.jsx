import { memo, useState } from "react";
import { TextField } from "./TextField.jsx";
import { REMOVE, TOGGLE, UPDATE } from "./reducer.js";

export const Item = memo(function Item({ todo, dispatch }) {
  const [isEdited, setIsEdited] = useState(false);
  const { id, title, completed } = todo;
  const update = (text) => {
    dispatch(text === "" ? { type: REMOVE, id } : { type: UPDATE, id, title: text });
    setIsEdited(false);
  };
  return (
    <li className={completed ? "completed" : ""}>
      <div className="view">
        {isEdited ? (
          <TextField className="edit-field" label="Edit todo" text={title} onEnter={update} />
        ) : (
          <>
            <input
              className="toggle"
              type="checkbox"
              aria-label="Done"
              checked={completed}
              onChange={() => dispatch({ type: TOGGLE, id })}
            />
            <label onDoubleClick={() => setIsEdited(true)}>{title}</label>
            <button className="destroy" aria-label="Remove" onClick={() => dispatch({ type: REMOVE, id })} />
          </>
        )}
      </div>
    </li>
  );
});
