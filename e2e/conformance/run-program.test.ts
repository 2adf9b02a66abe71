import { expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram, signInPageIn } from './run-program.ts';

const shell = (script: string) => ['sh', '-c', script];

test('what a program says is heard as it comes, and given back when it has ended', async () => {
  const heard: string[] = [];
  const said = await runProgram({
    ...{ command: shell('echo one; sleep 0.2; echo two >&2'), mostMs: 10_000 },
    heard: (so: string) => heard.push(so),
  });
  expect([said, heard[0], heard.at(-1)]).toEqual(['one\ntwo\n', 'one\n', 'one\ntwo\n']);
});

test('one that does not end is ended, with all that it started, and the last it said is told', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-program-'));
  const late = join(folder, 'late');
  const script = `(sleep 2; echo late > ${late}) & echo waiting; wait`;
  const hung = runProgram({ command: shell(script), mostMs: 1_000 });
  await expect(hung).rejects.toThrow('it did not end within 1 s; the last it said: waiting');
  await Bun.sleep(2_500);
  expect(existsSync(late)).toBe(false);
  rmSync(folder, { recursive: true });
});

test('a fault of whoever listens ends it as well', async () => {
  const heard = () => Promise.reject(new Error('nobody agreed'));
  await expect(runProgram({ command: shell('echo go; sleep 60'), mostMs: 30_000, heard })).rejects.toThrow('nobody');
});

test('whoever listens is done when it has ended: nothing of theirs is taken away under their hands', async () => {
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

test('an address that is half there is none', () => {
  const whole = 'http://127.0.0.1:3000/oauth2/authorize?client_id=a&state=b';
  expect(signInPageIn(`Go to ${whole.slice(0, -3)}`)).toBeUndefined();
  expect(signInPageIn(`Go to ${whole}\n`)).toBe(whole);
});
