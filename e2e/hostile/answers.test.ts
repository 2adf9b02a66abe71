/** Valid upstream responses of maximum size do not block the event loop (see endpoints.test.ts). */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { silence, startUpstream } from '../upstream.ts';
import { casesOfAnswers } from './answers.ts';
import { byKey, type MonitoredService, startMonitored, titleOf } from './monitored-service.ts';

let watched: MonitoredService;

beforeAll(async () => {
  watched = await startMonitored();
}, 300_000);
afterAll(() => watched?.service.stop());

test('upstream responses of maximum size do not block the event loop', async () => {
  const { service, send, findSlow } = watched;
  const upstream = startUpstream(silence);
  try {
    const cases = await casesOfAnswers(service, upstream, byKey(service.key));
    for (const one of cases) expect([titleOf(one), await send(one)]).toEqual([titleOf(one), 200]);
    expect(await findSlow(cases)).toEqual([]);
  } finally {
    upstream.stop();
  }
}, 600_000);
