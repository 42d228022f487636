const options = { target: ts.ScriptTarget.ES2015, module: ts.ModuleKind.CommonJS, strict: true, sourceMap: true, declaration: true, lib: ['lib.es2015.core.d.ts'], types: [] };
const printed = [];
const program = ts.createProgram(['main.ts'], options, {
  getSourceFile: (name, target) => (Object.hasOwn(inputs, name) ? ts.createSourceFile(name, inputs[name], target) : undefined),
  getDefaultLibFileName: () => 'lib.es5.d.ts', getDefaultLibLocation: () => '', writeFile: (name, text) => { printed.push(`=== ${name}\n${text}`); },
  getCurrentDirectory: () => '', getCanonicalFileName: (name) => name, useCaseSensitiveFileNames: () => true, getNewLine: () => '\n',
  fileExists: (name) => Object.hasOwn(inputs, name), readFile: (name) => inputs[name],
});
program.emit();
for (const found of ts.getPreEmitDiagnostics(program)) printed.push(`${found.file?.fileName}:${found.start} ${ts.flattenDiagnosticMessageText(found.messageText, '\n')}`);
print(printed.join('\n'));
