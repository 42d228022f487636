for (const name of Object.keys(inputs)) {
  const presets = [['env', { targets: 'ie 11' }], ...(name.endsWith('.ts') ? ['typescript'] : [])];
  const { code, map } = Babel.transform(inputs[name], { presets, filename: name, sourceMaps: true });
  print(`=== ${name}\n${code}\n${JSON.stringify(map)}`);
}
