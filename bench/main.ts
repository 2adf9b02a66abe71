/** `npm run bench`: the benchmark programs will be called from here. */
console.log('The benchmarks are not built yet.');
