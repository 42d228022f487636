(async () => {
  for (const name of Object.keys(inputs)) {
    const parser = name.endsWith('.ts') ? 'typescript' : 'babel';
    print(`=== ${name}\n${await prettier.format(inputs[name], { parser, plugins: Object.values(prettierPlugins), printWidth: 60, singleQuote: true })}`);
  }
})().catch((error) => print('failed', error.stack.split('\n')[0]));
