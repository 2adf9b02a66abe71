/** Where a test run keeps temporary data: databases, browser profiles, data folders of services. */
import { readFileSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';

const inMemory = '/dev/shm';
/** Minimum of free space and free memory: a run leaves most of it to the programs themselves. */
const leastBytes = 6e9;

/**
 * In memory if there is plenty: copying a database of a thousand files, as many tests do, took PostgreSQL 61 and 237 ms
 * of processor time on a disk, and 26 ms here.
 */
export function scratchFolder(
  mounts: string = readMounts(),
  roomBytes: () => number = () => Math.min(roomIn(inMemory), freemem()),
): string {
  const mounted = mounts.split('\n').find((line) => line.split(' ')[1] === inMemory);
  const options = mounted?.split(' ')[3]?.split(',') ?? ['ro'];
  // The tests' executable is compiled into this folder, so it must allow execution.
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
