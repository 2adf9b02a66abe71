import { expect, test } from 'bun:test';
import { openTestApp } from '../app.fixture.ts';
import { manualClock } from '../lib/clock.ts';
import { type Endpoint, endpoints } from './classify-refusal.fixture.ts';
import { addUpstream, scriptedUpstream } from './scripted-upstream.fixture.ts';

test('while every circuit of a model is open, each endpoint returns the earliest Retry-After', async () => {
  const clock = manualClock(Date.now());
  const house = await openTestApp({ clock });
  const root = await house.root();
  const headers = { authorization: `Bearer ${await root.key()}` };
  const upstream = scriptedUpstream(() => new Response(null, { status: 500 }));
  for (const [name, { type, kind, path, body }] of Object.entries<Endpoint>(endpoints)) {
    const model = `gone/${name}`;
    await addUpstream(house, upstream.url, [{ model_id: model, type }], {
      kind: kind ?? 'openai',
      provider: `a-${name.toLowerCase()}`,
    });
    const ask = () => house.call(path, { method: 'POST', headers, body: body(model) });
    for (let i = 0; i < 5; i++) await (await ask()).text();
    clock.advance(20_500);
    const answer = await ask();
    const told = [answer.status, answer.headers.get('retry-after'), answer.headers.get('retry-after-ms')];
    expect([name, ...told]).toEqual([name, 503, '40', '39500']);
  }
  await upstream.close();
  await house.close();
});

test('a service without models or in shutdown returns Retry-After', async () => {
  const house = await openTestApp({ env: { DEMO_PROVIDER: 'off' } });
  const root = await house.root();
  const headers = { authorization: `Bearer ${await root.key()}` };
  const body = { model: 'svc/svc-ms', messages: [{ role: 'user', content: 'hi' }] };
  const answer = await house.call('/v1/chat/completions', { method: 'POST', headers, body });
  expect(answer.status).toBe(503);
  expect(Number(answer.headers.get('retry-after-ms'))).toBeGreaterThanOrEqual(1_000);
  expect((await house.call('/readyz')).headers.get('retry-after')).toBeNull();
  house.app.drain();
  const readiness = await house.call('/readyz');
  expect([readiness.status, Number(readiness.headers.get('retry-after')) >= 1]).toEqual([503, true]);
  await house.close();
});
