// `async` functions as compilers write them: TypeScript's helper, with the class of promises in a variable, Babel's.
const out = {};
var __awaiter = function (self, given, P, generator) {
  function adopt(value) { return value instanceof P ? value : new P((resolve) => { resolve(value); }); }
  return new (P || (P = Promise))(function (resolve, reject) {
    function fulfilled(value) { try { step(generator.next(value)); } catch (e) { reject(e); } }
    function rejected(value) { try { step(generator['throw'](value)); } catch (e) { reject(e); } }
    function step(result) { result.done ? resolve(result.value) : adopt(result.value).then(fulfilled, rejected); }
    step((generator = generator.apply(self, given || [])).next());
  });
};
function go(generator, resolve, reject, next, stop, key, argument) {
  try { var info = generator[key](argument); var value = info.value; } catch (error) { reject(error); return; }
  if (info.done) resolve(value); else Promise.resolve(value).then(next, stop);
}
function asyncToGenerator(code) {
  return function () {
    const self = this, given = arguments;
    return new Promise(function (resolve, reject) {
      const generator = code.apply(self, given);
      function next(value) { go(generator, resolve, reject, next, stop, 'next', value); }
      function stop(error) { go(generator, resolve, reject, next, stop, 'throw', error); }
      next(undefined);
    });
  };
}
function price(name) { return __awaiter(this, void 0, void 0, function* () {
  const base = yield Promise.resolve(`price of ${name}`);
  return base;
}); }
function outer(name) { return __awaiter(this, void 0, void 0, function* () { return price(name); }); }
const babel = asyncToGenerator(function* (name) { const found = yield price(name); return found; });
async function native(name) { return outer(name); }
async function main() {
  out.direct = await price('a pen');
  out.through = await outer('a book');
  out.native = await native('a lamp');
  out.babel = await babel('a cup');
  console.log('asked here');
}
main();
