import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import { keepAnswer } from '../billing/store/kept-answers.ts';
import { until } from '../lib/until.fixture.ts';
import { insertBatch, readBatch } from './store/batches.ts';
import { insertRequests } from './store/requests.ts';

let service: TestApp;
let member: Member;
beforeAll(async () => {
  service = await openTestApp();
  await service.app.start();
  member = await service.user();
});
afterAll(() => service.close());

const now = Math.floor(Date.now() / 1000);
const nothing = {
  ...{ results_blob: null, output_seconds: null, model: null, metadata: null, errors: null, input_file_id: null },
  ...{ output_file_id: null, error_file_id: null, finalizing_at: null, ended_at: null },
};

test.each([
  ['cancelled', { status: 'cancelling', cancelling_at: now, expires_at: now + 3_600 }],
  ['expired', { status: 'in_progress', cancelling_at: null, expires_at: now - 1 }],
] as const)(
  'a batch that is %s contains the answers that were paid for before its process died',
  async (status, left) => {
    const { db } = service.platform.database;
    const id = `batch_${status}`;
    const { ref } = await insertBatch(db, {
      ...nothing,
      ...{ id, user_id: member.id, key_id: null, wire: 'openai', endpoint: '/v1/chat/completions', input_blob: 'none' },
      ...{ attempts: 1, total: 2, created_at: now - 9_000, in_progress_at: now - 9_000, touched_at: now - 9_000 },
      ...left,
    });
    const lines = [1, 2].map((position) => ({ position, custom_id: `c${position}`, first_byte: 0, last_byte: 0 }));
    await insertRequests(db, ref, lines);
    const body = JSON.stringify({ said: 'seven' });
    await keepAnswer(db, { work: id, call: '2', request_id: 'paid', user_id: member.id, created_at: now, body });
    // Finds work that nobody does.
    service.app.sweep();
    const batch = async () => (await readBatch(db, id))!;
    await until('it has ended', async () => (await batch()).ended_at !== null);
    const missed = status === 'cancelled' ? { canceled: 1 } : { expired: 1 };
    expect(await batch()).toMatchObject({ status, succeeded: 1, errored: 0, ...missed });
    const file = await service.call(`/v1/files/${(await batch()).output_file_id}/content`, {
      headers: { authorization: `Bearer ${await member.key()}` },
    });
    expect(await file.json()).toMatchObject({
      custom_id: 'c2',
      response: { request_id: 'paid', body: { said: 'seven' } },
    });
    const kept = () => db.selectFrom('kept_answers').select('call').where('work', '=', id).execute();
    expect(await kept()).toEqual([]);
  },
);
