/** Numbers in addresses are decimal digits: what else JavaScript takes for a number would be a second name of the same thing. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from './app.fixture.ts';

let t: TestApp;
let root: Member;
let key: string;
beforeAll(async () => {
  t = await openTestApp({ env: { DEMO_PROVIDER: 'on', ALLOW_PRIVATE_WEBHOOKS: '1' } });
  await t.setOption('RateLimitEnabled', false);
  root = await t.root();
  key = await root.key();
  // One of each that the addresses below name.
  const url = 'http://127.0.0.1:9';
  const channel = { name: 'one', provider: 'one', kind: 'openai', base_url: url, credential: 'sk-0123456789abcdef' };
  const made: [path: string, body: unknown][] = [
    ['/api/mcp/servers', { name: 'one', url: `${url}/mcp` }],
    ['/api/admin/identity-providers', { slug: 'one', name: 'One', issuer: url, client_id: 'x' }],
    ['/api/organisations', { name: 'One' }],
    ['/api/admin/channels', channel],
  ];
  for (const [path, body] of made) expect((await root.call(path, { method: 'POST', body })).ok).toBe(true);
});
afterAll(() => t.close());

interface Operation {
  parameters?: { name: string; in: string; schema: { type?: string | string[] } }[];
}

/** Pages are clamped, whatever is asked for. */
const lenient = /^page(_size)?$/;
const spellings = ['1e0', '0x1', '%2B1', '%201', '1%20', '1.0', '0b1', '1_0', '%EF%BC%91', '9007199254740993', '-1'];

function addresses(): string[] {
  const { paths } = t.app.document() as { paths: Record<string, { get?: Operation }> };
  return Object.entries(paths).flatMap(([path, { get }]) => {
    const plain = path.replace('{level}', 'organisation').replace(/\{\w+\}/g, '1');
    return (get?.parameters ?? [])
      .filter(({ name, schema }) => [schema.type].flat().includes('integer') && !lenient.test(name))
      .map(({ name, in: where }) => {
        if (where === 'query') return `${plain}?${name}=…`;
        return path
          .replace('{level}', 'organisation')
          .replace(`{${name}}`, '…')
          .replace(/\{\w+\}/g, '1');
      });
  });
}

test('every number in an address is decimal digits', async () => {
  const taken: string[] = [];
  const all = addresses();
  expect(all.length).toBeGreaterThan(30);
  for (const address of all)
    for (const spelling of spellings) {
      const path = address.replace('…', spelling);
      const isRelay = /^\/v1(beta)?\//.test(path);
      const answer = isRelay
        ? await t.call(path, { headers: { authorization: `Bearer ${key}` } })
        : await root.call(path);
      await answer.body?.cancel();
      if (![400, 401, 403, 404].includes(answer.status)) taken.push(`${answer.status} ${path}`);
    }
  expect(taken).toEqual([]);
});
