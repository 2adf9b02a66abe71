import { expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram, signInPageIn } from './run-program.ts';

const shell = (script: string) => ['sh', '-c', script];

test('output is passed on as it arrives and returned at the end', async () => {
  const heard: string[] = [];
  const said = await runProgram({
    ...{ command: shell('echo one; sleep 0.2; echo two >&2'), mostMs: 10_000 },
    heard: (so: string) => heard.push(so),
  });
  expect([said, heard[0], heard.at(-1)]).toEqual(['one\ntwo\n', 'one\n', 'one\ntwo\n']);
});

test('a program that hangs is killed with its children, and its last output is reported', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-program-'));
  const late = join(folder, 'late');
  const script = `(sleep 2; echo late > ${late}) & echo waiting; wait`;
  const hung = runProgram({ command: shell(script), mostMs: 1_000 });
  await expect(hung).rejects.toThrow('it did not end within 1 s; the last it said: waiting');
  await Bun.sleep(2_500);
  expect(existsSync(late)).toBe(false);
  rmSync(folder, { recursive: true });
});

test('an error of the listener ends the program', async () => {
  const heard = () => Promise.reject(new Error('nobody agreed'));
  await expect(runProgram({ command: shell('echo go; sleep 60'), mostMs: 30_000, heard })).rejects.toThrow('nobody');
});

test('resolves only after the listener has finished', async () => {
  const done: string[] = [];
  const heard = async () => {
    await Bun.sleep(500);
    done.push('listening');
  };
  await runProgram({ command: shell('echo go'), mostMs: 30_000, heard });
  expect(done).toEqual(['listening']);
  const late = () => Bun.sleep(300).then(() => Promise.reject(new Error('nobody agreed')));
  await expect(runProgram({ command: shell('echo go'), mostMs: 30_000, heard: late })).rejects.toThrow('nobody');
});

test('an incomplete sign-in address is ignored', () => {
  const whole = 'http://127.0.0.1:3000/oauth2/authorize?client_id=a&state=b';
  expect(signInPageIn(`Go to ${whole.slice(0, -3)}`)).toBeUndefined();
  expect(signInPageIn(`Go to ${whole}\n`)).toBe(whole);
});
