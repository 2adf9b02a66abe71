/** Where a run keeps what nobody looks at afterwards: databases, profiles of browsers, data folders of services. */
import { readFileSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';

const inMemory = '/dev/shm';
/** Of room and of memory: a run leaves most of it to the programs themselves. */
const leastBytes = 6e9;

/**
 * In memory where there is plenty: to copy a database of a thousand files, as many tests do, took PostgreSQL 61 and 237 ms of
 * processor time on a disk, and 26 ms here.
 */
export function scratchFolder(
  mounts: string = readMounts(),
  roomBytes: () => number = () => Math.min(roomIn(inMemory), freemem()),
): string {
  const mounted = mounts.split('\n').find((line) => line.split(' ')[1] === inMemory);
  const options = mounted?.split(' ')[3]?.split(',') ?? ['ro'];
  // The program that the tests start is compiled into it.
  const usable = options.includes('rw') && !options.includes('noexec');
  return usable && roomBytes() >= leastBytes ? inMemory : tmpdir();
}

function readMounts(): string {
  try {
    return readFileSync('/proc/mounts', 'utf8');
  } catch {
    return '';
  }
}

function roomIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
