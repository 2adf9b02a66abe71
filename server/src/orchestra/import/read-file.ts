import { Worker } from 'node:worker_threads';
import { type Fault, FileFault } from './faults.ts';
import { importLimits, type PassageLimits } from './limits.ts';
import type { Passage } from './passages.ts';

export interface ToRead {
  bytes: Uint8Array;
  limits: PassageLimits;
}
export type Reply = { passages: Passage[] } | { done: true } | { fault: Fault };

/** How often the growth of the process is checked. */
const lookMs = 100;

// The executable contains the worker's program under this name: see scripts/build-binary.ts.
const startThread = () => new Worker(new URL('./passages-worker.ts', import.meta.url));

interface Reading extends PassageLimits {
  readingMs: number;
  growthBytes: number;
}

/**
 * Reads a file's passages in a worker thread. Throws a FileFault with advice for the owner; other errors are internal,
 * including a thread that cannot be started.
 */
export async function readPassages(
  bytes: Uint8Array,
  signal: AbortSignal,
  limits: Reading = importLimits,
): Promise<Passage[]> {
  signal.throwIfAborted();
  const thread = startThread();
  const read = Promise.withResolvers<Passage[]>();
  const passages: Passage[] = [];
  thread.on('message', (reply: Reply) => {
    if ('passages' in reply) for (const passage of reply.passages) passages.push(passage);
    else if ('fault' in reply) read.reject(new FileFault(reply.fault));
    else read.resolve(passages);
  });
  thread.on('error', (error) => read.reject(error));
  thread.on('exit', () => read.reject(new Error('the thread reading a file ended')));
  const before = process.memoryUsage.rss();
  const watch = setInterval(() => {
    if (process.memoryUsage.rss() - before > limits.growthBytes) read.reject(new FileFault('too_much'));
  }, lookMs);
  const late = setTimeout(() => read.reject(new FileFault('too_slow')), limits.readingMs);
  const stop = () => read.reject(signal.reason);
  signal.addEventListener('abort', stop);
  try {
    thread.postMessage({ bytes, limits: pick(limits) } satisfies ToRead);
    return await read.promise;
  } finally {
    signal.removeEventListener('abort', stop);
    clearInterval(watch);
    clearTimeout(late);
    await thread.terminate();
  }
}

/** Only the limits that the worker needs and that can be sent to it. */
const pick = ({ passages, pages, characters, allocationBytes, allocatedBytes }: Reading): PassageLimits => ({
  passages,
  pages,
  characters,
  allocationBytes,
  allocatedBytes,
});
