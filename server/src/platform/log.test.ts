import { expect, test } from 'bun:test';
import { openTestApp } from '../app.fixture.ts';
import { openLog } from './log.ts';

const lines: Record<string, unknown>[] = [];
const keep = { write: (line: string) => void lines.push(JSON.parse(line)) };

test('the option LogLevel applies at once, and empty restores the initial level', async () => {
  const service = await openTestApp({ env: { LOG_LEVEL: 'error' } });
  const { log } = service.platform;
  expect(log.level).toBe('error');
  const root = await service.root();
  const set = (value: string) => root.call('/api/admin/options', { method: 'PUT', body: { key: 'LogLevel', value } });
  expect((await set('debug')).status).toBe(200);
  expect(log.level).toBe('debug');
  expect((await set('loud')).status).toBe(400);
  expect(log.level).toBe('debug');
  await set('');
  expect(log.level).toBe('error');
  await service.close();
});

test('an access line has the caller and the request, and no secrets', async () => {
  const service = await openTestApp({ log: openLog('info', keep) });
  await service.setOption('AccessLog', true);
  const member = await service.user();
  const key = await member.key();
  lines.length = 0;
  const answer = await service.call('/v1/models/demo%2Fchat?secret=hidden', {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({
    msg: 'request',
    requestId: answer.headers.get('x-request-id'),
    method: 'GET',
    route: '/v1/models/{model_id+}',
    status: 200,
    ms: expect.any(Number),
    ip: expect.any(String),
    userId: member.id,
    keyId: expect.any(Number),
  });
  await member.call('/api/user/self', { method: 'PUT', body: { password: 'another fine one', current_password: 'x' } });
  const text = JSON.stringify(lines);
  for (const secret of [key, 'hidden', 'another fine one', member.cookie.split('=')[1]!])
    expect(text).not.toContain(secret);
  await service.close();
});

test('secrets are masked everywhere', () => {
  lines.length = 0;
  const log = openLog('info', keep);
  log.info({
    headers: { authorization: 'Bearer sk-abcdefghij', cookie: 'svc_session=abc' },
    body: { password: 'p4ss' },
  });
  log.error({ error: new Error('bad key sk-abcdefghijkl and svcat_0123456789') });
  const text = JSON.stringify(lines);
  for (const secret of ['abcdefghij', 'svc_session', 'p4ss', '0123456789']) expect(text).not.toContain(secret);
});
