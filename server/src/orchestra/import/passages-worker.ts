/**
 * Runs in a worker thread, one per file: a PDF takes seconds to read, and one crafted to take forever can be stopped.
 */
import { parentPort } from 'node:worker_threads';
import { FileFault } from './faults.ts';
import { decodeText, kindOfFile } from './file-kind.ts';
import type { PassageLimits } from './limits.ts';
import { limitMemory } from './memory-budget.ts';
import { type Passage, passagesOf } from './passages.ts';
import { pdfSections } from './pdf-sections.ts';
import type { Reply, ToRead } from './read-file.ts';
import { sectionsOf } from './sections.ts';

/** Passages per message: receiving ten megabytes at once would block the main thread. */
const atOnce = 64;

async function* readFile(bytes: Uint8Array, limits: PassageLimits): AsyncGenerator<Passage> {
  if (kindOfFile(bytes) === 'text') {
    yield* passagesOf(sectionsOf(decodeText(bytes)), limits.passages);
    return;
  }
  const exceeded = limitMemory(limits.allocationBytes, limits.allocatedBytes);
  let left = limits.passages;
  try {
    for await (const section of pdfSections(bytes, limits)) {
      if (section.paragraphs.length === 0) continue;
      for (const passage of passagesOf([section], left)) {
        left -= 1;
        yield passage;
      }
    }
  } catch (error) {
    throw exceeded() ? new FileFault('too_much') : error;
  }
  if (exceeded()) throw new FileFault('too_much');
}

async function answer({ bytes, limits }: ToRead): Promise<Reply> {
  try {
    let made = 0;
    let waiting: Passage[] = [];
    const send = () => parentPort!.postMessage({ passages: waiting } satisfies Reply);
    for await (const passage of readFile(bytes, limits)) {
      made += 1;
      waiting.push(passage);
      if (waiting.length < atOnce) continue;
      send();
      waiting = [];
    }
    if (made === 0) return { fault: 'empty' };
    send();
    return { done: true };
  } catch (error) {
    return { fault: error instanceof FileFault ? error.fault : 'unreadable' };
  }
}

parentPort!.on('message', async (file: ToRead) => parentPort!.postMessage(await answer(file)));
