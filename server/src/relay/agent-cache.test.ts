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
/** By key: every prompt, as the texts of its messages. */
let prompts = new Map<string, string[][]>();
/** By model: tokens that were cached, and all. */
let seen = new Map<string, { cached: number; all: number; keys: Set<string> }>();

const tokensOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0);

const commonStart = (a: readonly string[], b: readonly string[]): number => {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  return at;
};

const vendor: Script = ({ headers, body }) => {
  const { model, messages } = body as { model: string; messages: Message[] };
  const key = headers.get('authorization')!.replace('Bearer ', '');
  const texts = messages.map(({ role, content }) => `${role}: ${content}`);
  const before = prompts.get(key) ?? [];
  const cached = tokensOf(texts.slice(0, Math.max(0, ...before.map((one) => commonStart(one, texts)))));
  prompts.set(key, [...before, texts]);
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
  prompts = new Map();
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
  headers?: Record<string, string>;
}

const guidance = 'You are a careful coding agent. '.repeat(200);

/** Twenty turns, each with the output of a tool that it asked for. */
async function work(model: string, task: string, { system = () => guidance, body, headers }: Agent = {}) {
  const messages: Message[] = [{ role: 'user', content: task }];
  for (let turn = 0; turn < 20; turn += 1) {
    const sent = { model, ...body, messages: [{ role: 'system', content: system(turn) }, ...messages] };
    const answer = await relay.post('/v1/chat/completions', sent, headers ? { headers } : {});
    expect(answer.status).toBe(200);
    const { choices } = (await answer.json()) as { choices: { message: Message }[] };
    messages.push(choices[0]!.message, {
      role: 'user',
      content: `output of step ${turn}: ${'line of code '.repeat(40)}`,
    });
  }
}

/** Cached share of all tokens. */
const share = (model: string): number => {
  const { cached, all } = seen.get(model)!;
  return cached / all;
};

const sessions: Record<string, (task: string) => Agent> = {
  'that says nothing of itself': () => ({}),
  'with a prompt_cache_key': (task) => ({ body: { prompt_cache_key: task } }),
  'with a session in its headers': (task) => ({ headers: { 'x-claude-code-session-id': task } }),
};

describe('twenty turns of a coding agent', () => {
  test.each(Object.keys(sessions))('%s keep at least 95 %% of the cached share of one credential', async (name) => {
    // Several at once, or one key would do for all of them.
    const tasks = Array.from({ length: 6 }, (_, i) => `task ${i} of ${name}`);
    for (const model of ['acme/one', 'acme/two'])
      await Promise.all(tasks.map((task) => work(model, task, sessions[name]!(task))));
    expect(share('acme/one')).toBeGreaterThan(0.8);
    expect(share('acme/two')).toBeGreaterThanOrEqual(0.95 * share('acme/one'));
  });

  test('a session holds it together where its beginning changes', async () => {
    const system = (turn: number) => `Turn ${turn}. ${guidance}`;
    await work('acme/two', 'moving', { system, headers: { session_id: 'moving' } });
    expect(seen.get('acme/two')!.keys.size).toBe(1);
  });
});
