import { expect, test } from 'bun:test';
import { openTestApp } from '../app.fixture.ts';
import { until } from '../lib/until.fixture.ts';
import { openLog } from '../platform/log.ts';
import { type Endpoint, endpoints } from './classify-refusal.fixture.ts';
import { addUpstream, type Script, scriptedUpstream } from './scripted-upstream.fixture.ts';

const status =
  (code: number): Script =>
  () =>
    Response.json({ error: { message: 'no' } }, { status: code });
const broken: Script = () => new Response('{"choices', { headers: { 'content-type': 'application/json' } });

test('a failure of an upstream is logged once, as a warning without a stack; so is a model without upstreams', async () => {
  const lines: string[] = [];
  const keep = { write: (line: string) => void lines.push(line) };
  const house = await openTestApp({ log: openLog('info', keep) });
  const root = await house.root();
  const headers = { authorization: `Bearer ${await root.key()}` };
  const upstream = scriptedUpstream();
  const fetched = async (name: string, script: Script, url = upstream.url) => {
    const { type, kind = 'openai', path, body } = endpoints[name as keyof typeof endpoints] as Endpoint;
    const model = `fails/${lines.length}-${name}`;
    await addUpstream(house, url, [{ model_id: model, type }], {
      kind,
      provider: `p-${lines.length}-${name}`.toLowerCase(),
    });
    upstream.answer(script);
    const ask = async () => {
      const before = lines.length;
      const answer = await house.call(path, { method: 'POST', headers, body: body(model) });
      const text = await answer.text();
      await until('it was logged', () => lines.length > before);
      await Bun.sleep(5);
      const own = lines.slice(before).filter((line) => line.includes(answer.headers.get('x-request-id')!));
      expect([name, answer.status, own.length, text.includes('error')]).toEqual([name, answer.status, 1, true]);
      expect(JSON.parse(own[0]!)).toMatchObject({ level: 'warn' });
      expect(own[0]).not.toContain('stack');
      return answer.status;
    };
    const told = [];
    for (let i = 0; i < 6; i++) told.push(await ask());
    // Its circuit has opened.
    expect(told.at(-1)).toBe(503);
  };
  for (const name of Object.keys(endpoints)) await fetched(name, status(500));
  for (const name of ['whole', 'messages', 'embeddings', 'images', 'rerank']) await fetched(name, broken);
  for (const name of ['whole', 'embeddings']) await fetched(name, status(500), 'http://127.0.0.1:9/v1');
  await upstream.close();
  await house.close();
});
