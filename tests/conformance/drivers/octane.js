BenchmarkSuite.ResetRNG();
for (const benchmark of BenchmarkSuite.suites[0].benchmarks) {
  benchmark.Setup();
  benchmark.run();
  // Each checks its results itself, and throws if they are wrong.
  benchmark.TearDown();
  print(benchmark.name, 'is right');
}
