import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from './app.fixture.ts';

/*
 * A filter whose name is wrong would show everything, and nobody would notice: our own endpoints refuse parameters that they
 * do not know.
 */

interface Operation {
  parameters?: { name: string; in: string; required?: boolean }[];
}

/** OAuth ignores what it does not know (RFC 6749 §3.1), and those who send somebody back here add parameters of their own. */
const ofProtocols =
  /^\/api\/(oauth2\/(?!(applications|consents|admin\/(applications|consents|audit))$)|auth\/\{provider\}\/callback$|mcp\/authorized$)/;

let t: TestApp;
let root: Member;
let operations: [path: string, methods: Record<string, Operation>][];

beforeAll(async () => {
  t = await openTestApp();
  await t.setOption('RateLimitEnabled', false);
  root = await t.root();
  const { paths } = t.app.document() as { paths: Record<string, Record<string, Operation>> };
  operations = Object.entries(paths).filter(([path]) => path.startsWith('/api/') && !ofProtocols.test(path));
});
afterAll(() => t.close());

const neededOf = ({ parameters = [] }: Operation) =>
  parameters.filter((parameter) => parameter.in === 'query' && parameter.required);

test('every GET endpoint rejects unknown parameters', async () => {
  const read = operations.filter(([, { get }]) => get && neededOf(get).length === 0).map(([path]) => path);
  expect(read.length).toBeGreaterThan(50);
  const answers = await Promise.all(
    read.map(async (path) => {
      const answer = await root.call(`${path.replace(/\{\w+\}/g, '1')}?no_such=1`);
      return [path, answer.status, ((await answer.json()) as { message?: string }).message];
    }),
  );
  expect(answers).toEqual(read.map((path) => [path, 400, 'no_such: there is no such parameter.']));
});

test.each([
  ['GET', '/api/admin/accounting?from=2026-01&until=2026-02', 'until'],
  ['GET', `/api/oauth2/admin/consents?user_id=1&status=1`, 'status'],
  ['POST', '/api/user/logout?everywhere=1', 'everywhere'],
  ['DELETE', '/api/tokens/1?force=1', 'force'],
])('%s %s', async (method, path, name) => {
  const answer = await root.call(path, { method });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ message: `${name}: there is no such parameter.` });
});

test.each(['/api/tokens', '/api/models', '/api/user/sessions'])(
  '%s has one page, and accepts the parameters of other lists',
  async (path) => {
    expect((await root.call(`${path}?page=1&page_size=5`)).status).toBe(200);
  },
);

test.each(['/client-metadata.json', '/.well-known/openid-configuration'])(
  '%s is read by third parties, who may add parameters',
  async (path) => {
    expect((await t.call(`${path}?no_such=1`)).status).toBe(200);
  },
);
