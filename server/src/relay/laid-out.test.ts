/** Upstreams that lay their JSON out over several lines: clients that read line by line get a value in each. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { parseExactly } from '../lib/exact-json.ts';
import { until } from '../lib/until.fixture.ts';
import { openRelayTest, type RelayTest } from './endpoints/relay.fixture.ts';
import { digits, kinds, requests, streams, wholes, written } from './exact-arguments.fixture.ts';
import { addUpstream } from './scripted-upstream.fixture.ts';
import type { Json, WireFormat } from './wire/conversation.ts';

const wires = Object.keys(kinds) as WireFormat[];
const lineEnds = { LF: '\n', CRLF: '\r\n', CR: '\r' };

let relay: RelayTest;
let given = { body: '', type: '' };
const upstream = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () => new Response(given.body, { headers: { 'content-type': given.type } }),
});

beforeAll(async () => {
  relay = await openRelayTest();
  await relay.test.setOption('RateLimitEnabled', false);
  await relay.test.app.start();
  for (const [wire, kind] of Object.entries(kinds))
    await addUpstream(
      relay.test,
      `http://127.0.0.1:${upstream.port}${wire === 'gemini' ? '' : '/v1'}`,
      [
        {
          model_id: `l/${wire}`,
          model_name: 'up',
          capabilities: wire === 'responses' ? { responses: true, tools_in_responses: true } : {},
        },
      ],
      { kind, name: wire, provider: `l-${wire}` },
    );
});
afterAll(async () => {
  await upstream.stop(true);
  await relay.close();
});

const laidOut = (text: string, end: string): string =>
  JSON.stringify(parseExactly(text), null, 2).replaceAll('\n', end);

/** The same events, each with its JSON in several lines of data. */
const laidOutEvents = (text: string, end: string): string =>
  text
    .split('\n')
    .map((line) => (line.startsWith('data: {') ? laidOut(line.slice(6), end).replaceAll(/^/gm, 'data: ') : line))
    .join(end);

/** The values in a text that has one in each line; throws if a line has only a part of one. */
const valuesIn = (lines: string[]): Json[] => lines.filter((line) => line !== '').map((line) => JSON.parse(line));

/** What a reader of lines takes from an event stream. */
const dataLines = (text: string): string[] =>
  text.split(/\r\n|\r|\n/).flatMap((line) => {
    if (line === '' || line.startsWith('event: ') || line.startsWith(':')) return [];
    expect(line).toStartWith('data: ');
    return line === 'data: [DONE]' ? [] : [line.slice(6)];
  });

async function ask(client: WireFormat, model: string, stream: boolean): Promise<string> {
  const { path, body } = requests[client](model, stream);
  const { config, app } = relay.test;
  const headers = { authorization: `Bearer ${relay.key}`, 'content-type': 'application/json' };
  const answer = await app.fetch(new Request(config.baseUrl + path, { method: 'POST', headers, body: written(body) }));
  const text = await answer.text();
  expect([answer.status, text]).toEqual([200, text]);
  return text;
}

describe.each(Object.entries(lineEnds))('lines that end in %s', (_, end) => {
  for (const wire of wires)
    for (const client of wires)
      describe(`a client of ${client}, an upstream of ${wire}`, () => {
        test('a whole answer', async () => {
          given = { body: laidOut(written(wholes[wire]), end), type: 'application/json' };
          const text = await ask(client, `l/${wire}`, false);
          expect(JSON.parse(text)).toBeObject();
          expect(text).toContain(digits);
        });

        test('a stream made of a whole answer', async () => {
          given = { body: laidOut(written(wholes[wire]), end), type: 'application/json' };
          const text = await ask(client, `l/${wire}`, true);
          expect(valuesIn(dataLines(text)).length).toBeGreaterThan(0);
          expect(text).toContain(digits);
        });

        test('a stream', async () => {
          given = { body: laidOutEvents(streams[wire](), end), type: 'text/event-stream' };
          const text = await ask(client, `l/${wire}`, true);
          expect(valuesIn(dataLines(text)).length).toBeGreaterThan(0);
          expect(text).toContain(digits);
          expect(text).not.toContain('"up"');
        });
      });
});

test('a stream in Google’s format whose usage is counted here', async () => {
  const { usageMetadata: _, ...answer } = wholes.gemini as Json;
  given = { body: laidOutEvents(`data: ${written(answer)}\n\n`, '\n'), type: 'text/event-stream' };
  const text = await ask('gemini', 'l/gemini', true);
  expect(text).toContain(digits);
  const [only, ...others] = valuesIn(dataLines(text));
  expect(others).toEqual([]);
  expect(only).toMatchObject({ usageMetadata: { candidatesTokenCount: expect.any(Number) } });
});

describe('batches', () => {
  /** Its results, as a reader of lines sees them. */
  const resultsOf = async (client: WireFormat, model: string): Promise<string[]> => {
    const { path, body } = requests[client](model, false);
    if (client === 'messages') {
      const text = written({ requests: [1, 2].map((n) => ({ custom_id: `c${n}`, params: body })) });
      const { id } = (await sent('/v1/messages/batches', text)) as { id: string };
      const at = `/v1/messages/batches/${id}`;
      await until('it has ended', async () => (await read(at)).processing_status === 'ended');
      return (await (await relay.get(`${at}/results`)).text()).trimEnd().split(/[\n\r\u2028\u2029\x85]/);
    }
    const lines = [1, 2].map((n) => written({ custom_id: `c${n}`, method: 'POST', url: path, body }));
    const form = new FormData();
    form.set('purpose', 'batch');
    form.set('file', new File([lines.join('\n')], 'in.jsonl'));
    const file = (await (await relay.post('/v1/files', form)).json()) as { id: string };
    const { id } = (await sent(
      '/v1/batches',
      JSON.stringify({ input_file_id: file.id, endpoint: path, completion_window: '24h' }),
    )) as { id: string };
    await until('it has ended', async () => (await read(`/v1/batches/${id}`)).status === 'completed');
    const { output_file_id: output } = await read(`/v1/batches/${id}`);
    return (await (await relay.get(`/v1/files/${output}/content`)).text()).trimEnd().split(/[\n\r\u2028\u2029\x85]/);
  };
  const read = async (path: string): Promise<Json> => (await relay.get(path)).json() as Promise<Json>;
  const sent = async (path: string, text: string): Promise<unknown> => {
    const { config, app } = relay.test;
    const headers = { authorization: `Bearer ${relay.key}`, 'content-type': 'application/json' };
    const answer = await app.fetch(new Request(config.baseUrl + path, { method: 'POST', headers, body: text }));
    return answer.json();
  };

  for (const wire of wires)
    for (const client of ['chat', 'responses', 'messages'] as const)
      test(`of ${client}, an upstream of ${wire}: a result is a line`, async () => {
        // These end a line for some readers, Python’s among them.
        const whole = written({ ...(wholes[wire] as Json), note: 'a\u2028b\u2029c\u0085d' });
        given = { body: laidOut(whole, '\r\n'), type: 'application/json' };
        const lines = await resultsOf(client, `l/${wire}`);
        expect(valuesIn(lines).map(({ custom_id }) => custom_id)).toEqual(['c1', 'c2']);
        for (const line of lines) expect(line).toContain(digits);
      });
});
