(async () => {
  for (const name of Object.keys(inputs)) {
    const { code } = await Terser.minify(inputs[name], { compress: { passes: 2, unsafe: true }, mangle: { toplevel: true } });
    print(`=== ${name}\n${code}`);
  }
})().catch((error) => print('failed', error.message));
