import { closeSync, openSync } from 'node:fs';

/** The system's codes for our own exhaustion: descriptors, memory, buffers, ports. */
const codes = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS', 'EADDRNOTAVAIL']);
/** With fewer free descriptors, a failed connection may have failed for lack of one. */
const fewDescriptors = 8;

/**
 * Whether a connection failed because of local exhaustion. Bun reports some of these as refused by the peer, so the
 * free descriptors are counted after a failure.
 */
export const isLocalExhaustion = (error: unknown): boolean =>
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
