import { expect, test } from 'bun:test';
import { tmpdir } from 'node:os';
import { scratchFolder } from './scratch.ts';

const mountedWith = (options: string) => `proc /proc proc rw 0 0\ntmpfs /dev/shm tmpfs ${options} 0 0\n`;
const plenty = () => 20e9;

test('scratch files are in memory if it is large and executable, else in the temporary folder', () => {
  expect(scratchFolder(mountedWith('rw,nosuid,nodev'), plenty)).toBe('/dev/shm');
  expect(scratchFolder(mountedWith('rw,nosuid,nodev,noexec'), plenty)).toBe(tmpdir());
  expect(scratchFolder(mountedWith('ro'), plenty)).toBe(tmpdir());
  expect(scratchFolder('proc /proc proc rw 0 0\n', plenty)).toBe(tmpdir());
  expect(scratchFolder(mountedWith('rw'), () => 64e6)).toBe(tmpdir());
});
