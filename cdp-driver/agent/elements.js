// Arrays: what their methods write, where an index or `length` is asked.

if (armed && elementSlots.length > 0) {
  const onArray = (original, by) => ({
    method() { return callWatched(original, this, arguments, this, elementSlots, by); },
  }).method;
  const methods = ['push', 'pop', 'shift', 'unshift', 'splice', 'sort', 'reverse', 'fill', 'copyWithin'];
  for (let number = 0; number < methods.length; number++) {
    replaceMethod(Array.prototype, methods[number], `Array.prototype.${methods[number]}`, onArray);
  }
}
