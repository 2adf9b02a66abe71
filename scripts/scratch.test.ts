import { expect, test } from 'bun:test';
import { tmpdir } from 'node:os';
import { scratchFolder } from './scratch.ts';

const mountedWith = (options: string) => `proc /proc proc rw 0 0\ntmpfs /dev/shm tmpfs ${options} 0 0\n`;
const plenty = () => 20e9;

test('what nobody keeps is kept in memory where there is plenty and programs may run, else where temporary files are', () => {
  expect(scratchFolder(mountedWith('rw,nosuid,nodev'), plenty)).toBe('/dev/shm');
  expect(scratchFolder(mountedWith('rw,nosuid,nodev,noexec'), plenty)).toBe(tmpdir());
  expect(scratchFolder(mountedWith('ro'), plenty)).toBe(tmpdir());
  expect(scratchFolder('proc /proc proc rw 0 0\n', plenty)).toBe(tmpdir());
  expect(scratchFolder(mountedWith('rw'), () => 64e6)).toBe(tmpdir());
});
