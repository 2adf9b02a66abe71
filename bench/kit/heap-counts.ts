import { heapStats } from 'bun:jsc';
import { writeFileSync } from 'node:fs';

/** Preloaded into a program under measurement: writes its object counts on SIGUSR2. */
process.on('SIGUSR2', () => writeFileSync(process.env.HEAP_COUNTS!, JSON.stringify(heapStats().objectTypeCounts)));
