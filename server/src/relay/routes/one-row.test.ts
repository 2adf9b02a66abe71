import { afterAll, beforeAll, expect, test } from 'bun:test';
import { catchUp } from '../../billing/store/filing.ts';
import { until } from '../../lib/until.fixture.ts';
import { openRelayTest, type RelayTest } from '../endpoints/relay.fixture.ts';
import { addressOf, askedEverywhere as asked, google } from './every-endpoint.fixture.ts';

/** Whatever the address, the wire and the way of answering: an answered request is one entry of the usage log, under its address. */
let relay: RelayTest;
beforeAll(async () => {
  relay = await openRelayTest({ env: { DEMO_PROVIDER: 'on' } });
  await relay.test.platform.jobs.start();
});
afterAll(() => relay.close());

/** No model answers these, or, in batches, one for each of their requests. */
const without = [
  '/v1/anthropic/files',
  '/v1/batches',
  '/v1/batches/{batch_id}/cancel',
  '/v1/conversations',
  '/v1/conversations/{conversation_id}',
  '/v1/conversations/{conversation_id}/items',
  '/v1/files',
  '/v1/messages/batches',
  '/v1/messages/batches/{batch_id}/cancel',
  '/v1/messages/count_tokens',
  '/v1/realtime',
  '/v1/realtime/calls',
  '/v1/realtime/calls/{call_id}/{act}',
  '/v1/realtime/client_secrets',
  '/v1/realtime/transcription_sessions',
  '/v1/responses/input_tokens',
  '/v1/responses/{response_id}/cancel',
  '/v1/uploads',
  '/v1/uploads/{upload_id}/cancel',
  '/v1/uploads/{upload_id}/complete',
  '/v1/uploads/{upload_id}/parts',
  '/v1/videos/callback-secret/rotate',
  '/v1/videos/{jobId}/remix',
  `${google}:countTokens`,
];

/** Gemini's are named without the model. */
const endpointOf = (route: string): string => route.replace('/{model}', '');

const endpoints = async (): Promise<string[]> => {
  const { db } = relay.test.platform.database;
  await catchUp(db);
  const rows = await db.selectFrom('usage_logs').select('endpoint').execute();
  return rows.map(({ endpoint }) => endpoint).sort();
};

test('each answered request has one usage entry', async () => {
  for (const [route, body, address = addressOf(route)] of asked) {
    const answer = await relay.post(address, body);
    const text = await answer.text();
    expect([address, answer.ok || text]).toEqual([address, true]);
  }
  // Waited for once: entries of what costs nothing are written together, a while later.
  await until('all are in the usage log', async () => (await endpoints()).length >= asked.length);
  expect(await endpoints()).toEqual(asked.map(([route]) => endpointOf(route)).sort());
});

test('every POST path is covered', () => {
  const { paths } = relay.test.app.document() as { paths: Record<string, { post?: unknown }> };
  const posts = Object.keys(paths).filter((path) => /^\/v\d/.test(path) && paths[path]!.post);
  expect([...new Set([...asked.map(([route]) => route), ...without])].sort()).toEqual(posts.sort());
});
