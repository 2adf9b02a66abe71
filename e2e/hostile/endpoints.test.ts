/**
 * Sends hostile input to every endpoint that takes text. The event loop must not be blocked for more than 50 ms longer than
 * when idle, on a machine of average speed. `SVC_HOSTILE_ONLY=words` runs only the cases with these words in their
 * names.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type ApiDocument, endpointsOf } from '../fuzz/document.ts';
import { worldFor } from '../fuzz/request.ts';
import { makeWorlds } from '../fuzz/world.ts';
import { casesOf } from './cases.ts';
import { shapes } from './inputs.ts';
import { type MonitoredService, startMonitored } from './monitored-service.ts';

let watched: MonitoredService;

beforeAll(async () => {
  watched = await startMonitored();
}, 300_000);
afterAll(() => watched?.service.stop());

test('hostile texts, queries and bodies to every endpoint do not block the event loop', async () => {
  const { service, idleMs, findSlow } = watched;
  const worlds = await makeWorlds(service, 0);
  const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as ApiDocument;
  const endpoints = endpointsOf(document).filter(
    ({ bodies, queryParameters }) => bodies.length + queryParameters.length > 0,
  );
  const cases = endpoints.flatMap((endpoint, turn) =>
    casesOf(endpoint, worldFor(worlds, endpoint), document.components.schemas, turn),
  );
  expect(cases.length).toBeGreaterThan(300);
  const names = new Set(cases.map(({ name }) => name));
  expect(Object.keys(shapes).filter((shape) => !names.has(`${shape}, in full length`))).toEqual([]);
  console.log(
    `hostile: ${cases.length} requests to ${endpoints.length} endpoints, beside ${idleMs.toFixed(1)} ms when idle`,
  );
  expect(await findSlow(cases)).toEqual([]);
}, 1_800_000);
