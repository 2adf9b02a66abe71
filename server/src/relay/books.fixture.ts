import { expect } from 'bun:test';
import { catchUp } from '../billing/store/filing.ts';
import { manualClock } from '../lib/clock.ts';
import type { Wire } from './answers.fixture.ts';
import { openRelayTest } from './endpoints/relay.fixture.ts';
import { addUpstream, breakAfter, scriptedUpstream } from './scripted-upstream.fixture.ts';

/** One request and what the upstream answers to it. */
export interface Case {
  wire: Wire;
  client: 'chat' | 'messages' | 'responses' | 'background' | 'gemini';
  stream: boolean;
  text: string;
  cut: { at: number; breaks: boolean };
  /** The client goes away after so many pieces. */
  leaveAfter?: number;
}

export interface BooksTest {
  /** Asks, and sees that the books are right afterwards. */
  hold(given: Case): Promise<void>;
  held: number;
  charged: number;
  free: number;
  close(): Promise<void>;
}

/** In quota: 10 and 20 USD a million tokens are 5 and 10 units a token, so that every cost is whole. */
const unitPrices = { prompt: 5, completion: 10 };
const kinds: Record<Wire, string> = { chat: 'openai', messages: 'anthropic', gemini: 'gemini' };
const start = 1_000_000_000;

export async function openBooksTest(): Promise<BooksTest> {
  const clock = manualClock(Date.now());
  const relay = await openRelayTest({ clock });
  await relay.test.app.start();
  await relay.test.setOption('RateLimitEnabled', false);
  await relay.credit(start);
  const upstream = scriptedUpstream();
  for (const [wire, kind] of Object.entries(kinds))
    await addUpstream(
      relay.test,
      wire === 'gemini' ? upstream.url.replace('/v1', '') : upstream.url,
      [{ model_id: `books/${wire}`, model_name: 'up', prompt_price: 10, completion_price: 20 }],
      { kind, provider: `books-${wire}`, name: wire },
    );
  const books: BooksTest = { held: 0, charged: 0, free: 0, hold, close };
  let before = await relay.money();
  let broken = false;
  async function hold(given: Case): Promise<void> {
    // Circuits that a broken answer opened let the next one try again. Only then: everything cached is read again.
    if (broken) clock.advance(61_000);
    upstream.answer(scriptOf(given));
    const { requestId, got } = await ask(given);
    const after = await untilNoHold();
    const row = await rowOf(requestId);
    broken = row?.status !== 'ok';
    books.held += 1;
    const reached = /mark\d/.test(got);
    if (reached && !row) throw new Error(`free of charge: ${JSON.stringify(got)}`);
    if (row) {
      expect(row.quota).toBe(unitPrices.prompt * row.prompt_tokens + unitPrices.completion * row.completion_tokens);
      if (reached) expect(row.quota).toBeGreaterThan(0);
      books.charged += 1;
    } else books.free += 1;
    const cost = row?.quota ?? 0;
    expect(after).toMatchObject({ quota: before.quota - cost, used_quota: before.used_quota + cost });
    before = after;
  }

  async function ask({ wire, client, stream, leaveAfter = Number.POSITIVE_INFINITY }: Case) {
    const gone = new AbortController();
    const { path, body } = requests[client](`books/${wire}`, stream);
    const answer = await relay.post(path, body, { signal: gone.signal });
    expect(answer.status).not.toBe(403);
    const requestId = answer.headers.get('x-request-id')!;
    if (client === 'background') return ended(answer);
    if (!stream || !answer.ok) return { requestId, got: answer.ok ? await answer.text() : '' };
    return { requestId, got: await readSome(answer, leaveAfter, gone) };
  }

  /** What runs in the background is asked for until it is over. */
  async function ended(answer: Response) {
    const { id } = (await answer.json()) as { id: string };
    for (;;) {
      const got = await (await relay.get(`/v1/responses/${id}`)).text();
      const { status } = JSON.parse(got) as { status: string };
      if (status !== 'queued' && status !== 'in_progress') return { requestId: `${id}-1`, got };
      await Bun.sleep(5);
    }
  }

  /** Each request's hold is its own: none may be left when it is over. Returns the money as it then stands. */
  async function untilNoHold() {
    for (let pauseMs = 5; ; pauseMs = Math.min(100, pauseMs * 1.5)) {
      const money = await relay.money();
      if (money.quota + money.used_quota === start) return money;
      await Bun.sleep(pauseMs);
    }
  }

  /** Asked of the database: a page of the usage log costs more than the request that it tells of. */
  async function rowOf(requestId: string) {
    const { db } = relay.test.platform.database;
    await catchUp(db);
    const rows = await db.selectFrom('usage_logs').selectAll().where('request_id', '=', requestId).execute();
    expect(rows.length).toBeLessThanOrEqual(1);
    return rows[0];
  }

  async function close(): Promise<void> {
    await upstream.close();
    await relay.close();
  }
  return books;
}

const said = [{ role: 'user', content: 'hi' }];
const hi = { max_tokens: 1_000, messages: said };
const hiToGoogle = {
  contents: [{ parts: [{ text: 'hi' }] }],
  generationConfig: { maxOutputTokens: 1_000, thinkingConfig: { includeThoughts: true } },
};

const requests: Record<Case['client'], (model: string, stream: boolean) => { path: string; body: unknown }> = {
  chat: (model, stream) => ({ path: '/v1/chat/completions', body: { ...hi, model, stream } }),
  messages: (model, stream) => ({ path: '/v1/messages', body: { ...hi, model, stream } }),
  responses: (model, stream) => ({
    path: '/v1/responses',
    body: { max_output_tokens: 1_000, input: said, model, stream },
  }),
  background: (model) => ({
    path: '/v1/responses',
    body: { max_output_tokens: 1_000, input: said, model, background: true },
  }),
  gemini: (model, stream) => ({
    path: `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: hiToGoogle,
  }),
};

const scriptOf = ({ stream, text, cut }: Case) => {
  const headers = { 'content-type': stream ? 'text/event-stream' : 'application/json' };
  return cut.breaks && cut.at < 1
    ? breakAfter([new TextEncoder().encode(text)], headers)
    : () => new Response(text, { headers });
};

async function readSome(answer: Response, leaveAfter: number, gone: AbortController): Promise<string> {
  const reader = answer.body!.getReader();
  const decoder = new TextDecoder();
  let got = '';
  for (let pieces = 0; ; pieces += 1) {
    if (pieces >= leaveAfter) {
      gone.abort();
      await reader.cancel();
      return got;
    }
    const { done, value } = await reader.read();
    if (done) return got;
    got += decoder.decode(value, { stream: true });
  }
}
