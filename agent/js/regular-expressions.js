// Regular expressions: `lastIndex`, which their methods write, and the arrays of matches.

import { isArray, RegExp, Symbol } from './captured.js';
import { armed } from './config.js';
import { elementSlots, publicSlots, slotOfKey } from './slots.js';
import { replaceMethod } from './installed.js';
import { callWatched } from './built-ins.js';
import { tellCreated } from './created-objects.js';

{
  const watchesLastIndex = slotOfKey.lastIndex !== undefined;
  const ofMatch = ['index', 'input', 'groups', 'indices'];
  const watchesMatches = elementSlots.length > 0 || ofMatch.some((key) => slotOfKey[key] !== undefined);
  if (armed && (watchesLastIndex || watchesMatches)) {
    const watched = watchesLastIndex ? [slotOfKey.lastIndex] : [];
    // What the string's methods do with an expression they do by these.
    /** @param {AnyFunction} original @param {number} by */
    const ofExpression = (original, by) => ({
      method() {
        const result = callWatched(original, this, arguments, this, watched, by);
        if (isArray(result)) tellCreated(result, publicSlots, by);
        return result;
      },
    }).method;
    replaceMethod(RegExp.prototype, 'exec', 'RegExp.prototype.exec', ofExpression);
    replaceMethod(RegExp.prototype, Symbol.match, 'RegExp.prototype[Symbol.match]', ofExpression);
    replaceMethod(RegExp.prototype, Symbol.split, 'RegExp.prototype[Symbol.split]', ofExpression);
    replaceMethod(RegExp.prototype, Symbol.replace, 'RegExp.prototype[Symbol.replace]', ofExpression);
    replaceMethod(RegExp.prototype, Symbol.search, 'RegExp.prototype[Symbol.search]', ofExpression);
    replaceMethod(RegExp.prototype, 'test', 'RegExp.prototype.test', ofExpression);
    replaceMethod(RegExp.prototype, 'compile', 'RegExp.prototype.compile', ofExpression);
  }
}
