// What rest parameters and `arguments` hold, which no code has written, and what built-ins put through a proxy.
const out = {};
function firstOf(...all) { return all[0].word; }
out.firstOf = firstOf({ word: 'in the first' });
function lastOf(...all) { return all[all.length - 1].word; }
out.lastOf = lastOf({ word: 'no' }, { word: 'in the last' });
function apart(...all) { const [, { word }] = all; return word; }
out.apart = apart(0, { word: 'taken apart' });
function inArguments() { return arguments[1].word; }
out.inArguments = inArguments(0, { word: 'in arguments' });
function shifted(...all) { const first = all.shift(); return [first, all]; }
const both = shifted('taken away', 'moved up', 'moved too');
out.taken = both[0];
out.moved = both[1][0];
function popped(...all) { return all.pop(); }
out.popped = popped(1, 'the last one');
function unshifted(...all) { all.unshift('new'); return all[1]; }
out.unshifted = unshifted('moved down');
function reversed(...all) { return all.reverse()[0]; }
out.reversed = reversed('one', 'the other end');
function spliced(...all) { all.splice(1, 1, 'put in'); return all; }
out.put = spliced('stays', 'goes')[1];
out.stays = spliced('stays there', 'goes')[0];
function looped(...all) { let last; for (const { word } of all) last = word; return last; }
out.looped = looped({ word: 'x' }, { word: 'reached by a loop' });
function paired(...all) { let last; for (const [, { word }] of all.entries()) last = word; return last; }
out.paired = paired({ word: 'x' }, { word: 'reached with its place' });
const composed = (...functions) => (...args) => {
  let at = functions.length - 1, value = functions[at](...args);
  while (at--) value = functions[at](value);
  return value;
};
out.composed = composed((it) => it.word, (it) => it.inner)({ inner: { word: 'through all of them' } });
const twice = (...all) => { all.shift(); return all.shift(); };
out.twice = twice('same', 'other', 'third');
const equal = (...all) => { all.shift(); return all[0]; };
const same = 'equal to another';
out.equal = equal('first', same, same);
const watched = (raw) => new Proxy(raw, {
  set(target, key, value) { target[key] = value; return true; },
});
const handOn = (proxy, method, ...args) => proxy[method].apply(proxy, args);
const pushed = ['x'];
handOn(watched(pushed), 'push', 'y', 'pushed through it');
out.pushed = pushed[2];
const front = ['pushed back by one'];
handOn(watched(front), 'unshift', 'put before it');
out.front = front[0];
out.back = front[1];
const cut = ['x', 'y'];
watched(cut).splice(1, 1, 'cut in');
out.cut = cut[1];
console.log('asked here');
