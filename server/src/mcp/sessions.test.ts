import { expect, test } from 'bun:test';
import { manualClock } from '../lib/clock.ts';
import type { Connection } from './connection.ts';
import { ServerStreams } from './front/server-streams.ts';
import { type SessionDeps, Sessions } from './sessions.ts';
import type { McpServer } from './store/servers.ts';

const clock = manualClock(0);
const signal = new AbortController().signal;
// Of a server only where it is matters here.
const server = { id: 7, url: 'https://one.example/mcp' } as McpServer;

/** Connections that say nothing, with what was done with each. */
function opening() {
  const [opened, closed, listening] = [[] as string[], [] as string[], [] as string[]];
  const sessions = new Sessions({ clock } as unknown as SessionDeps, {
    open: async (_, holder) => {
      opened.push(holder);
      const listen = async () => {
        listening.push(holder);
        return null;
      };
      // What is not asked of it here it need not have.
      return { about: { name: holder, version: '1', protocol: '2025-11-25' }, listen } as unknown as Connection;
    },
    close: async ({ about }) => void closed.push(about.name),
  });
  return { sessions, opened, closed, listening };
}

test('connections per user are limited; the one idle longest is closed, and other users keep theirs', async () => {
  const { sessions, opened, closed } = opening();
  const use = (holder: string) => sessions.introduction(server, holder, signal);
  await use('2 key:1 a');
  for (let at = 0; at < 1_100; at += 1) {
    await use(`1 key:1 ${at}`);
    clock.advance(1);
    await use('1 key:1 0');
  }
  expect(closed).toEqual(Array.from({ length: 1_100 - 1_024 }, (_, at) => `1 key:1 ${at + 1}`));
  await use('1 key:1 1');
  await use('2 key:1 a');
  expect([opened.length, opened.at(-1)]).toEqual([1_102, '1 key:1 1']);
  await sessions.stop();
});

test('side listeners are limited per user, independently of other users', async () => {
  const { sessions, listening } = opening();
  const aside = new ServerStreams(sessions);
  const asking = { ask: () => undefined, takenBack: () => {} };
  const call = (holder: string) => aside.during(server, holder, { signal, asking }, async () => 'done');
  const holders = Array.from({ length: 150 }, (_, at) => `1 key:${at} any-e`);
  expect(new Set(await Promise.all([...holders, '2 key:1 any-e'].map(call)))).toEqual(new Set(['done']));
  expect([listening.length, listening.at(-1)]).toEqual([101, '2 key:1 any-e']);
  aside.stop();
  await sessions.stop();
});
