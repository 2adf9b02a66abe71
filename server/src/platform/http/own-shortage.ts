import { closeSync, openSync } from 'node:fs';

/** By these the system says that it is we who have run out of something: descriptors, memory, buffers, ports. */
const codes = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS', 'EADDRNOTAVAIL']);
/** With fewer descriptors left a connection that just failed may have failed for the want of one. */
const fewDescriptors = 8;

/**
 * Whether a connection failed because of us. Bun reports some that got no descriptor as refused by the other side, so after
 * a failure we see for ourselves whether there are any.
 */
export const isOwnShortage = (error: unknown): boolean =>
  codes.has((error as { code?: string } | null)?.code ?? '') || lacksDescriptors();

function lacksDescriptors(): boolean {
  const opened: number[] = [];
  try {
    while (opened.length < fewDescriptors) opened.push(openSync('/dev/null', 'r'));
    return false;
  } catch (error) {
    return codes.has((error as { code?: string }).code ?? '');
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}
