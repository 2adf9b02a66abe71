import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openTestApp, type TestApp } from '../../app.fixture.ts';
import { until } from '../../lib/until.fixture.ts';
import { openLog } from '../../platform/log.ts';

/* Google's clients may put the key into the address: it counts there, and is written down nowhere. */

let service: TestApp;
let key: string;
let other: string;
const lines: string[] = [];
const traces: string[] = [];
const collector = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async (request) => {
    traces.push(await request.text());
    return Response.json({});
  },
});

beforeAll(async () => {
  const env = { DEMO_PROVIDER: 'on', OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}` };
  service = await openTestApp({ env, log: openLog('trace', { write: (line: string) => void lines.push(line) }) });
  await service.setOption('AccessLog', true);
  const member = await service.user();
  key = await member.key();
  other = await member.key();
});
afterAll(async () => {
  await service.close();
  await collector.stop(true);
});

const address = '/v1beta/models/demo/chat:generateContent';
const body = { contents: [{ parts: [{ text: 'hi' }] }] };
const ask = (path: string, headers: Record<string, string> = {}) =>
  service.call(path, { method: 'POST', body, headers });

describe('API keys', () => {
  test('are accepted in the query, in Google’s header and as bearer token', async () => {
    expect((await ask(`${address}?key=${key}`)).status).toBe(200);
    expect((await ask(address, { 'x-goog-api-key': key })).status).toBe(200);
    expect((await ask(address, { authorization: `Bearer ${key}` })).status).toBe(200);
    expect((await ask(`${address}?key=${key}`, { 'x-goog-api-key': key })).status).toBe(200);
    expect((await service.call(`/v1beta/models?key=${key}`)).status).toBe(200);
  });

  test.each([
    ['none', () => ask(address)],
    ['an invalid key', () => ask(`${address}?key=sk-wrong`)],
    ['an empty key', () => ask(`${address}?key=`)],
    ['a pair of different keys', () => ask(`${address}?key=${key}`, { 'x-goog-api-key': other })],
    ['a pair of different keys in the query', () => ask(`${address}?key=${key}&key=${other}`)],
  ])('%s is rejected in Google’s error format', async (_, act) => {
    const answer = await act();
    expect(answer.status).toBe(401);
    const text = await answer.text();
    expect(JSON.parse(text).error).toMatchObject({ code: 401, status: 'UNAUTHENTICATED' });
    expect(text).not.toContain(key);
  });

  test('are not accepted in the query of other paths', async () => {
    expect((await service.call(`/v1/models?key=${key}`)).status).toBe(401);
    expect((await ask(`/v1/chat/completions?key=${key}`)).status).toBe(401);
  });

  test('appear in no log, trace or metric', async () => {
    const paths = [
      address,
      '/v1beta/models/nobody/knows:generateContent',
      '/v1beta/nothing',
      '/v1beta/models/demo/chat:nothing',
    ];
    for (const path of paths) await (await ask(`${path}?key=${key}`)).text();
    await service.call(`${address}?key=${key}`, { method: 'POST', body: '{' });
    await until('traces have come', () => traces.join('').includes('generateContent'));
    expect(lines.join('')).toContain('generateContent');
    const metrics = await (await service.call('/metrics')).text();
    expect(metrics).toContain('generateContent');
    for (const told of [lines.join(''), traces.join(''), metrics]) {
      expect(told).not.toContain(key);
      expect(told).not.toContain('?key=');
    }
  });
});
