import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openTestApp, type TestApp } from './app.fixture.ts';

/* Where other sites send browsers, people see the errors: they get a page, and programs JSON as everywhere. */

interface Operation {
  responses: Record<string, { content?: Record<string, unknown> }>;
}

let t: TestApp;
let visited: [method: string, path: string][];
beforeAll(async () => {
  t = await openTestApp({ env: { OPENID_CONNECT: '1' } });
  await t.setOption('RateLimitEnabled', false);
  const { paths } = t.app.document() as { paths: Record<string, Record<string, Operation>> };
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({ method, path, responses })),
  );
  const sendsOn = ({ responses }: Operation) =>
    Object.entries(responses).some(([status, { content }]) => /^30/.test(status) || content?.['text/html']);
  // Whatever asks /v1 brings a key, which no link does.
  visited = all
    .filter((one) => sendsOn(one) && !one.path.startsWith('/v1'))
    .map(({ method, path }) => [method.toUpperCase(), path]);
});
afterAll(() => t.close());

const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
const form = 'application/x-www-form-urlencoded';
const hostile = '<img src=x onerror="alert(1)">';

/** Wrong everywhere: no such provider, application, state or parameter. */
const ask = (method: string, path: string, headers: Record<string, string>) => {
  const wrong = new URLSearchParams({ client_id: hostile, state: 's'.repeat(3_000), answer: 'x', return_to: hostile });
  const address = path.replace(/\{\w+\}/g, 'none');
  if (method === 'GET') return t.call(`${address}?${wrong}&${wrong}`, { headers });
  return t.call(address, {
    method,
    body: `${wrong}&x=${'x'.repeat(70_000)}`,
    headers: { 'content-type': form, ...headers },
  });
};

test('whoever is sent to an address by another site gets errors as a page, programs as JSON', async () => {
  expect(visited.length).toBeGreaterThan(6);
  for (const [method, path] of visited) {
    const page = await ask(method, path, { accept, 'accept-language': 'zh-CN' });
    const told = await ask(method, path, { accept: '*/*' });
    const type = (answer: Response) => answer.headers.get('content-type')?.split(';')[0];
    expect([path, page.status, type(page), type(told)]).toEqual([path, told.status, 'text/html', 'application/json']);
    expect(told.status).toBeGreaterThanOrEqual(400);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const text = await page.text();
    expect(text).toContain('lang="zh-CN"');
    expect(text).not.toContain('<img');
  }
});

test('the page says what is wrong, with nothing from the request as markup', async () => {
  const page = await t.call(`/api/oauth2/end_session?${new URLSearchParams({ [hostile]: 'x', state: 'a' })}&state=b`, {
    headers: { accept },
  });
  expect(page.status).toBe(400);
  const text = await page.text();
  expect(text).toContain('The parameter &#34;state&#34; is specified more than once.');
  const twice = await t.call(`/api/oauth2/end_session?${hostile}=1&${hostile}=2`, { headers: { accept } });
  expect([twice.status, /<img/.test(await twice.text())]).toEqual([400, false]);
});
