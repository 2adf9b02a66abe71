import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from './app.fixture.ts';

/*
 * A parameter without a value counts as left out (RFC 6749 §3.2), and null is how JSON writes one: typed clients send it for every
 * member that they do not set. So it is where clients of OAuth call; what our own pages send is taken by its schema alone.
 */

interface Schema {
  $ref?: string;
  properties?: Record<string, object>;
  required?: string[];
}
interface Operation {
  security: Record<string, unknown>[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}
interface Document {
  paths: Record<string, { post?: Operation }>;
  components: { schemas: Record<string, Schema> };
}

let t: TestApp;
let root: Member;
beforeAll(async () => {
  t = await openTestApp({ env: { OPENID_CONNECT: '1' } });
  await t.setOption('RateLimitEnabled', false);
  await t.setOption('OAuth2DynamicRegistration', true);
  root = await t.root();
});
afterAll(() => t.close());

/** Every member that clients may leave out, and none of those that accept null by themselves. */
function optionalMembers(): [path: string, name: string][] {
  const { paths, components } = t.app.document() as Document;
  const found = ({ $ref, ...schema }: Schema): Schema => ($ref ? components.schemas[$ref.split('/').at(-1)!]! : schema);
  return Object.entries(paths)
    .filter(([path, { post }]) => /^(\/api)?\/oauth2\//.test(path) && !post?.security.some(({ session }) => session))
    .flatMap(([path, { post }]) => {
      const { properties = {}, required = [] } = found(post?.requestBody?.content['application/json']?.schema ?? {});
      const names = Object.keys(properties).filter((name) => !required.includes(name));
      return names.filter((name) => !isNullable(properties[name]!)).map((name): [string, string] => [path, name]);
    });
}
const isNullable = (schema: object): boolean => /"null"/.test(JSON.stringify(schema));

const told = async (path: string, body: object): Promise<string> => {
  const answer = await root.call(path.replace(/\{\w+\}/g, '1'), { method: 'POST', body });
  const { message } = (await answer.json().catch(() => ({}))) as { message?: string };
  return `${answer.status} ${message}`;
};

test('null is the same as leaving a member out', async () => {
  const members = optionalMembers();
  expect(members.length).toBeGreaterThan(90);
  const different: string[] = [];
  for (const [path, name] of members) {
    const [without, withNull] = [await told(path, {}), await told(path, { [name]: null })];
    if (withNull !== without) different.push(`${path} ${name}: ${withNull}, instead of ${without}`);
  }
  expect(different).toEqual([]);
});

test('null for a required member is as if it were missing, and our own pages must not send it', async () => {
  expect(await told('/api/oauth2/revoke', { token: null })).toBe('400 token is required.');
  expect(await told('/api/tokens', { name: 'x', models: null })).toContain('400 models: ');
});
