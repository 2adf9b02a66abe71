import { beforeEach, expect, test } from 'bun:test';
import { ApiError } from '../../api.ts';
import type { Content } from './chat-content.ts';
import { ChatSaver } from './chat-saver.ts';

/** The service as far as it matters here: a version for each chat, and a network that may lose what it is given. */
const kept = new Map<string, { version: number; content: Content }>();
let lost: 'nothing' | 'request' | 'answer' = 'nothing';
let saves = 0;

async function overNetwork<T>(act: () => T): Promise<T> {
  const how = lost;
  lost = 'nothing';
  if (how === 'request') throw new ApiError(0, 'No network.', null);
  const answer = act();
  if (how === 'answer') throw new ApiError(0, 'No network.', null);
  return answer;
}

const service = {
  save: (id: string, version: number, content: Content) =>
    overNetwork(() => {
      const before = kept.get(id)?.version ?? 0;
      if (before !== version) throw new ApiError(before === 0 ? 404 : 409, 'Saved since.', null);
      saves += 1;
      kept.set(id, { version: version + 1, content });
      return { name: 'Named', version: version + 1 };
    }),
  load: (id: string) => overNetwork(() => kept.get(id)!),
};

beforeEach(() => {
  kept.clear();
  [lost, saves] = ['nothing', 0];
});

const contentOf = (...ids: string[]): Content => ({
  columns: [{ id: 'c', model: 'm' }],
  settings: {},
  entries: ids.map((id) => ({ id, role: 'user', content: id })),
});

function open(id: string, first: Content | null, version = 0, sent = '') {
  const chat = { id, content: first, moves: 0, fault: null as Error | null, told: Promise.withResolvers<void>() };
  const saver = new ChatSaver(
    {
      id: () => chat.id,
      content: () => chat.content,
      told: (_, fault) => {
        chat.fault = fault;
        chat.told.resolve();
      },
      moved: () => {
        chat.moves += 1;
        chat.id = `${id}-moved`;
      },
    },
    { version, sent },
    service,
  );
  const saved = async (content: Content | null) => {
    chat.content = content;
    chat.told = Promise.withResolvers();
    saver.changed();
    saver.now();
    await chat.told.promise;
    // The saver ends its turn before the next one can begin.
    await Bun.sleep(1);
  };
  return { chat, saver, saved };
}

test('each save increments the version', async () => {
  const { saver, saved } = open('a', null);
  expect(saver.behind).toBe(false);
  await saved(contentOf('1'));
  await saved(contentOf('1', '2'));
  expect(kept.get('a')).toMatchObject({ version: 2, content: contentOf('1', '2') });
  expect([saver.behind, saves]).toEqual([false, 2]);
});

test('a chat changed elsewhere is not overwritten, but saved under a new id', async () => {
  kept.set('a', { version: 5, content: contentOf('1', 'theirs') });
  const { chat, saved } = open('a', contentOf('1'), 4);
  await saved(contentOf('1', 'ours'));
  expect([chat.moves, chat.id]).toEqual([1, 'a-moved']);
  expect(kept.get('a')!.content).toEqual(contentOf('1', 'theirs'));
  expect(kept.get('a-moved')).toMatchObject({ version: 1, content: contentOf('1', 'ours') });
});

test('a chat deleted elsewhere is not restored, but saved under a new id', async () => {
  const { chat, saved } = open('a', contentOf('1'), 4);
  await saved(contentOf('1', 'ours'));
  expect([chat.moves, kept.has('a'), kept.has('a-moved')]).toEqual([1, false, true]);
});

test('after a lost request or response, the next save stores the chat once', async () => {
  for (const what of ['request', 'answer'] as const) {
    const { chat, saver, saved } = open(what, null);
    lost = what;
    await saved(contentOf('1'));
    expect([chat.fault?.message === 'No network.', saver.behind]).toEqual([true, true]);
    await saved(contentOf('1', '2'));
    expect([chat.fault, chat.moves, saver.behind]).toEqual([null, 0, false]);
    expect(kept.get(what)!.content).toEqual(contentOf('1', '2'));
    saver.end();
  }
});

test('a reloaded page recognises its own last save and does not move the chat', async () => {
  kept.set('a', { version: 2, content: contentOf('1') });
  const { chat, saved } = open('a', null, 1, '1');
  await saved(contentOf('1', '2'));
  expect([chat.moves, kept.size]).toEqual([0, 1]);
  expect(kept.get('a')).toMatchObject({ version: 3, content: contentOf('1', '2') });
});

test('a 404 from the service is reported after two attempts', async () => {
  let asked = 0;
  const save = service.save;
  service.save = async () => {
    asked += 1;
    if (asked > 5) throw new Error('too often');
    throw new ApiError(404, 'Not found.', null);
  };
  const { chat, saver, saved } = open('a', null, 3);
  await saved(contentOf('1'));
  service.save = save;
  expect([asked, chat.fault?.message, saver.behind]).toEqual([2, 'Not found.', true]);
});

test('a save that failed after logout succeeds on the next attempt', async () => {
  const { chat, saver, saved } = open('a', null);
  const save = service.save;
  service.save = async () => {
    throw new ApiError(401, 'Log in.', null);
  };
  await saved(contentOf('1'));
  service.save = save;
  expect([chat.fault?.message, saver.behind, kept.size]).toEqual(['Log in.', true, 0]);
  chat.told = Promise.withResolvers();
  saver.now();
  await chat.told.promise;
  expect([chat.fault, kept.size]).toEqual([null, 1]);
});

test('nothing is saved after the saver has ended', async () => {
  const { chat, saver } = open('a', contentOf('1'));
  saver.end();
  saver.changed();
  saver.now();
  await Bun.sleep(5);
  expect([kept.size, chat.moves]).toEqual([0, 0]);
});
