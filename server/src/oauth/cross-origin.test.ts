/** Applications that run in a page: what they may read, they may also ask for with headers of their own. */
import { afterAll, expect, test } from 'bun:test';
import { openOAuthTest } from './oauth.fixture.ts';

const t = await openOAuthTest({ env: { OPENID_CONNECT: '1' } });
await t.setOption('OAuth2DynamicRegistration', true);
afterAll(() => t.app.close());

interface Document {
  paths: Record<string, Record<string, unknown>>;
}
const { paths } = t.app.app.document() as Document;
const routes = Object.entries(paths)
  .filter(([path]) => /oauth2|well-known/.test(path))
  .flatMap(([path, methods]) => Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })))
  .filter(({ method }) => method !== 'OPTIONS');

const headers = { origin: 'https://spa.example' };
const addressOf = (path: string): string => path.replace(/\{[^}]+\}/g, 'mcp');

test('every endpoint that any origin may read has a preflight for its method, and no other has', async () => {
  const open: string[] = [];
  for (const { path, method } of routes) {
    const answer = await t.call(addressOf(path), { method, headers, ...(method !== 'GET' && { body: {} }) });
    const preflight = await t.call(addressOf(path), {
      method: 'OPTIONS',
      headers: { ...headers, 'access-control-request-method': method },
    });
    const methods = preflight.headers.get('access-control-allow-methods')?.split(', ') ?? [];
    const isOpen = answer.headers.get('access-control-allow-origin') === '*';
    expect({ path, method, allowed: methods.includes(method) }).toEqual({ path, method, allowed: isOpen });
    if (isOpen) open.push(path);
  }
  expect(open).toContain('/api/oauth2/token');
  expect(open.length).toBeGreaterThan(12);
});
