import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { openTestApp, type TestApp } from '../app.fixture.ts';
import { quotaPerUsd } from '../lib/money.ts';
import { until } from '../lib/until.fixture.ts';
import { engineOf } from '../platform/db/tables.ts';
import { eventStream } from '../relay/responses-upstream.fixture.ts';
import {
  addUpstream,
  breakAfter,
  chatPiece,
  type ScriptedUpstream,
  scriptedUpstream,
} from '../relay/scripted-upstream.fixture.ts';
import type { Meta } from './turn/meta.ts';

let house: TestApp;
let key: string;
const upstreams: ScriptedUpstream[] = [];
beforeAll(async () => {
  house = await openTestApp();
  key = await (await house.root()).key();
});
afterAll(async () => {
  for (const upstream of upstreams) await upstream.close();
  await house.close();
});

/** An upstream that answers with the next of these. */
async function serve(model: string, answers: string[], price = 0): Promise<ScriptedUpstream> {
  const upstream = scriptedUpstream(
    () => new Response(answers.shift(), { headers: { 'content-type': 'text/event-stream' } }),
  );
  upstreams.push(upstream);
  await addUpstream(house, upstream.url, [{ model_id: model, prompt_price: price, completion_price: price }]);
  return upstream;
}

const ask = async (model: string, more: object = {}): Promise<string> => {
  const answer = await house.call('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: {
      model: 'svc/svc-ms',
      stream: true,
      messages: [{ role: 'user', content: 'What is it?' }],
      svc_ms: { force_model: model },
      ...more,
    },
  });
  const text = await answer.text();
  return [...text.matchAll(/"content":"([^"]*)"/g)].map(([, piece]) => piece).join('');
};

test('an interrupted answer that no one saw is not repeated when another upstream takes over', async () => {
  const answers = [
    `${chatPiece({ content: 'It is ' })}data: {"error":{"message":"overloaded","code":503}}\n\n`,
    `${chatPiece({ content: 'It is a test.' })}${chatPiece({}, 'stop')}data: [DONE]\n\n`,
  ];
  // Whichever is asked first breaks off.
  await serve('m/broken', answers);
  await serve('m/broken', answers);
  expect(await ask('m/broken')).toBe('It is a test.');
  expect(answers).toBeEmpty();
});

test('provider preferences are applied and not forwarded; the user and labels are forwarded', async () => {
  const upstream = await serve('m/wishes', [
    `${chatPiece({ content: 'Yes.' })}${chatPiece({}, 'stop')}data: [DONE]\n\n`,
  ]);
  expect(await ask('m/wishes', { provider: { only: ['nobody'] } })).toBe('');
  expect(upstream.seen).toBeEmpty();
  const more = { user: 'u-1', metadata: { team: 'x' } };
  expect(await ask('m/wishes', { ...more, provider: { ignore: ['nobody'] }, reasoning_effort: 'low' })).toBe('Yes.');
  expect(upstream.seen[0]!.body).toMatchObject({ ...more, reasoning_effort: 'low' });
  expect(upstream.seen[0]!.body).not.toHaveProperty('provider');
});

/** The turn's `svc_ms_meta`, and what its calls were charged by the books. */
async function charged(body: object): Promise<{ meta: Meta; dollars: number; calls: number }> {
  const headers = { authorization: `Bearer ${key}` };
  const messages = [{ role: 'user', content: 'What is it?' }];
  const answer = await house.call('/v1/chat/completions', {
    method: 'POST',
    headers,
    body: { model: 'svc/svc-ms', messages, stream: true, ...body },
  });
  const [last] = (await answer.text()).split('data: ').filter((line) => line.includes('"finish_reason":"stop"'));
  const { svc_ms_meta: meta } = JSON.parse(last!) as { svc_ms_meta: Meta };
  const logs = await (await house.root()).call(`/api/usage/logs?parent_request_id=${meta.request_id}`);
  const { data } = (await logs.json()) as { data: { logs: { quota: number }[] } };
  return { meta, dollars: data.logs.reduce((sum, { quota }) => sum + quota, 0) / quotaPerUsd, calls: data.logs.length };
}

test('an interrupted but charged stream is included in cost and usage', async () => {
  const upstream = await serve('m/dear', [], 1000);
  const whole = `${chatPiece({ content: '{"is": "a test"}' })}${chatPiece({}, 'stop')}data: [DONE]\n\n`;
  const broken = breakAfter([new TextEncoder().encode(chatPiece({ content: '{"is": "a long way off' }))], eventStream);
  upstream.answer((request) => {
    upstream.answer(() => new Response(whole, { headers: eventStream }));
    return broken(request);
  });
  const wishes = { svc_ms: { force_model: 'm/dear', remember: false }, response_format: { type: 'json_object' } };
  const { meta, dollars, calls } = await charged(wishes);
  expect([calls, meta.total_model_calls]).toEqual([2, 2]);
  expect(dollars).toBeGreaterThan(0);
  expect(meta.cost).toBeCloseTo(dollars, 9);
});

test.each([true, false])("a vendor's refusal is recognised regardless of its wording, streamed: %p", async (stream) => {
  const model = `m/refuses-${stream}`;
  const refusal = 'Das mache ich nicht.';
  const upstream = await serve(model, []);
  upstream.answer(() =>
    stream
      ? new Response(`${chatPiece({ refusal })}${chatPiece({}, 'stop')}data: [DONE]\n\n`, { headers: eventStream })
      : Response.json({
          choices: [{ index: 0, message: { role: 'assistant', content: null, refusal }, finish_reason: 'stop' }],
        }),
  );
  const answer = await house.call('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: {
      model: 'svc/svc-ms',
      stream,
      messages: [{ role: 'user', content: 'Who?' }],
      svc_ms: { force_model: model },
    },
  });
  const text = await answer.text();
  expect([answer.status, text.split(refusal).length - 1]).toEqual([200, 1]);
  expect(text).toContain('"task_status":"failed"');
  // The same model would only say it again.
  expect(upstream.seen).toHaveLength(1);
});

test('texts are embedded and paid once, even if the process died before storing the vectors', async () => {
  const embedded: string[] = [];
  const upstream = scriptedUpstream(({ body }) => {
    const { input } = body as { input: string[] };
    embedded.push(...input);
    const data = input.map((_, index) => ({ object: 'embedding', index, embedding: [1, index, -1] }));
    return Response.json({ object: 'list', data, model: 'm', usage: { prompt_tokens: 1_000, total_tokens: 1_000 } });
  });
  upstreams.push(upstream);
  const somebody = await house.user();
  const credits = `/api/admin/users/${somebody.id}/credits`;
  await (await house.root()).call(credits, { method: 'POST', body: { quota: quotaPerUsd } });
  await addUpstream(house, upstream.url, [{ model_id: 'm/embed', type: 'embedding', prompt_price: 10 }]);
  await house.setOption('MsEmbeddingModel', 'm/embed');
  const { db } = house.platform.database;
  const add = (title: string) =>
    somebody.call('/api/svc-ms/knowledge', {
      method: 'POST',
      body: { category: 'c', title, content: title, keywords: [] },
    });
  const [breaks, mends] =
    engineOf(db) === 'sqlite'
      ? [
          `create trigger broken before insert on ms_vectors begin select raise(abort, 'no'); end`,
          'drop trigger broken',
        ]
      : ['add', 'drop'].map(
          (verb) =>
            `alter table ms_vectors ${verb} constraint broken ${verb === 'add' ? 'check (false) not valid' : ''}`,
        );
  const left = async (table: 'ms_unembedded' | 'kept_answers') =>
    (await db.selectFrom(table).selectAll().where('user_id', '=', somebody.id).execute()).length;
  await sql.raw(breaks!).execute(db);
  await add('harbour');
  await until('it is paid for, and given back without a vector', async () => {
    const free = await db
      .selectFrom('ms_unembedded')
      .select('owner')
      .where('user_id', '=', somebody.id)
      .executeTakeFirst();
    return embedded.length === 1 && free?.owner === '';
  });
  await sql.raw(mends!).execute(db);
  await add('lighthouse');
  await until('both have vectors', async () => (await left('ms_unembedded')) === 0);
  expect(embedded.map((text) => text.split('\n')[0])).toEqual(['harbour', 'lighthouse']);
  expect(await left('kept_answers')).toBe(0);
});

test('a model that takes no temperature is asked without', async () => {
  const said = `${chatPiece({ content: 'A test.' })}${chatPiece({}, 'stop')}data: [DONE]\n\n`;
  const upstream = await serve('acme/gpt-6', Array(9).fill(said), 1);
  expect(await ask('acme/gpt-6', { temperature: 0.2 })).toContain('A test.');
  for (const { body } of upstream.seen) expect(body).not.toHaveProperty('temperature');
});
