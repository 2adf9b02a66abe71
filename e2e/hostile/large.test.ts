/** Valid requests of maximum size do not block the event loop (see endpoints.test.ts). */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Case, longLists, manyParts } from './cases.ts';
import { byKey, type MonitoredService, startMonitored } from './monitored-service.ts';

let watched: MonitoredService;

beforeAll(async () => {
  watched = await startMonitored();
}, 300_000);
afterAll(() => watched?.service.stop());

test('valid lists of maximum length do not block the event loop', async () => {
  const { service, findSlow } = watched;
  const user = await service.user(500_000_000);
  const headers = byKey(await user.key());
  const cases = Object.entries(longLists).map(
    ([name, { path, body }]): Case => ({ name, method: 'POST', path, headers, body: JSON.stringify(body) }),
  );
  expect(await findSlow(cases)).toEqual([]);
}, 600_000);

test('forms with very many parts and a 32 MB picture do not block the event loop', async () => {
  const { service, findSlow } = watched;
  const { authorization } = byKey(service.key);
  const form = manyParts(200_000);
  const picture = {
    type: 'image_url',
    image_url: { url: `data:image/png;base64,${'iVBORw0KGgoA'.repeat(2_700_000)}` },
  };
  const chat = {
    model: 'demo/chat',
    messages: [{ role: 'user', content: [picture, { type: 'text', text: 'What is it?' }] }],
  };
  const cases: Case[] = ['/v1/audio/transcriptions', '/v1/audio/translations'].map((path) => ({
    ...{ name: 'many parts', method: 'POST', path, body: form.body! },
    headers: { ...form.headers, authorization },
  }));
  cases.push({
    name: 'a picture',
    method: 'POST',
    path: '/v1/chat/completions',
    headers: byKey(service.key),
    body: JSON.stringify(chat),
  });
  expect(await findSlow(cases)).toEqual([]);
}, 600_000);
