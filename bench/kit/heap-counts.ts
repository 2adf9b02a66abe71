import { heapStats } from 'bun:jsc';
import { writeFileSync } from 'node:fs';

/** Loaded ahead of a program whose memory is looked at: tells what it has made so far whenever it is asked to. */
process.on('SIGUSR2', () => writeFileSync(process.env.HEAP_COUNTS!, JSON.stringify(heapStats().objectTypeCounts)));
