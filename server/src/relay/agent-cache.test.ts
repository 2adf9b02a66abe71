import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { openRelayTest, type RelayTest } from './endpoints/relay.fixture.ts';
import { addUpstream, type Script, type ScriptedUpstream, scriptedUpstream } from './scripted-upstream.fixture.ts';

/**
 * A vendor whose cache belongs to the key: of a prompt it has cached what an earlier prompt with the same key began with. A
 * coding agent sends its whole conversation with every turn, and so nearly all of it is cached, as long as it stays there.
 */
interface Message {
  role: string;
  content: string;
}

let relay: RelayTest;
let upstream: ScriptedUpstream;
/** By key: every beginning of a prompt, as its hash. */
let begun = new Map<string, Set<bigint>>();
/** By model: tokens that were cached, and all. */
let seen = new Map<string, { cached: number; all: number; keys: Set<string> }>();

const tokensOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0);

const vendor: Script = ({ headers, body }) => {
  const { model, messages } = body as { model: string; messages: Message[] };
  const key = headers.get('authorization')!.replace('Bearer ', '');
  const texts = messages.map(({ role, content }) => `${role}: ${content}`);
  const known = begun.get(key) ?? new Set();
  begun.set(key, known);
  let hash = 0n;
  const beginnings = texts.map((text) => {
    hash = Bun.hash.wyhash(text, hash);
    return hash;
  });
  const cached = tokensOf(texts.filter((_, i) => known.has(beginnings[i]!)));
  for (const beginning of beginnings) known.add(beginning);
  const all = tokensOf(texts);
  const sums = seen.get(model) ?? { cached: 0, all: 0, keys: new Set<string>() };
  sums.cached += cached;
  sums.all += all;
  sums.keys.add(key);
  seen.set(model, sums);
  return Response.json({
    id: 'c',
    model,
    choices: [{ index: 0, message: { role: 'assistant', content: `step ${messages.length}` }, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: all,
      completion_tokens: 5,
      total_tokens: all + 5,
      prompt_tokens_details: { cached_tokens: cached },
    },
  });
};

beforeAll(async () => {
  relay = await openRelayTest();
  await relay.test.setOption('RateLimitEnabled', false);
  const root = await relay.test.root();
  upstream = scriptedUpstream(vendor);
  await addUpstream(relay.test, upstream.url, [{ model_id: 'acme/one' }], { credential: 'sk-alone', provider: 'acme' });
  const two = await addUpstream(relay.test, upstream.url, [{ model_id: 'acme/two' }], {
    ...{ credential: 'sk-first', provider: 'acme' },
  });
  const body = { name: 'Second', credential: 'sk-second' };
  const added = await root.call(`/api/admin/channels/${two}/credentials`, { method: 'POST', body });
  expect(added.status).toBe(201);
});
beforeEach(() => {
  begun = new Map();
  seen = new Map();
});
afterAll(async () => {
  await upstream.close();
  await relay.close();
});

interface Agent {
  /** Of the turn. */
  system?(turn: number): string;
  body?: Record<string, unknown>;
  headers?(turn: number): Record<string, string>;
}

const guidance = 'You are a careful coding agent. '.repeat(200);

/** Twenty turns, each with the output of a tool that it asked for. */
async function work(model: string, task: string, { system = () => guidance, body, headers }: Agent = {}) {
  const messages: Message[] = [{ role: 'user', content: task }];
  for (let turn = 0; turn < 20; turn += 1) {
    const sent = { model, ...body, messages: [{ role: 'system', content: system(turn) }, ...messages] };
    const answer = await relay.post('/v1/chat/completions', sent, headers ? { headers: headers(turn) } : {});
    expect(answer.status).toBe(200);
    const { choices } = (await answer.json()) as { choices: { message: Message }[] };
    messages.push(choices[0]!.message, {
      role: 'user',
      content: `output of step ${turn}: ${'line of code '.repeat(320)}`,
    });
  }
}

/** Cached share of all tokens. */
const share = (model: string): number => {
  const { cached, all } = seen.get(model)!;
  return cached / all;
};

const sessions: Record<string, (task: string) => Agent> = {
  'without a session id': () => ({}),
  'with a prompt_cache_key': (task) => ({ body: { prompt_cache_key: task } }),
  'with a session in its headers': (task) => ({ headers: () => ({ 'x-claude-code-session-id': task }) }),
};

/** Several at once, or one key would do for all of them. */
async function workOnSeveral(name: string, agent: (task: string) => Agent): Promise<void> {
  const tasks = Array.from({ length: 6 }, (_, i) => `task ${i} of ${name}`);
  for (const model of ['acme/one', 'acme/two']) await Promise.all(tasks.map((task) => work(model, task, agent(task))));
}

describe('twenty turns of a coding agent', () => {
  test.each(Object.keys(sessions))(
    '%s keep at least 0.95 of the cached share that a single credential reaches',
    async (name) => {
      await workOnSeveral(name, sessions[name]!);
      expect(share('acme/one')).toBeGreaterThan(0.8);
      expect(share('acme/two')).toBeGreaterThanOrEqual(0.95 * share('acme/one'));
    },
  );

  test('a session id keeps one credential although the beginning of the prompt changes', async () => {
    const system = (turn: number) => `Turn ${turn}. ${guidance}`;
    await work('acme/two', 'moving', { system, headers: () => ({ session_id: 'moving' }) });
    expect(seen.get('acme/two')!.keys.size).toBe(1);
  });

  // What the others would have without being followed; so the figure above tells something.
  test('a new session id in each turn spreads requests and loses cache hits', async () => {
    await workOnSeveral('spread', (task) => ({ headers: (turn) => ({ 'x-session-id': `${task}, turn ${turn}` }) }));
    expect(seen.get('acme/two')!.keys.size).toBe(2);
    expect(share('acme/two')).toBeLessThan(0.97 * share('acme/one'));
  });
});
