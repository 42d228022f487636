import { useState } from "react";

/** A field whose text is taken with Enter. */
export function TextField({ className, label, placeholder, text = "", onEnter }) {
  const [typed, setTyped] = useState(text);
  const enter = (event) => {
    if (event.key !== "Enter") return;
    onEnter(typed.trim());
    setTyped("");
  };
  return (
    <input
      className={className}
      aria-label={label}
      placeholder={placeholder}
      autoFocus
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      onKeyDown={enter}
    />
  );
}
