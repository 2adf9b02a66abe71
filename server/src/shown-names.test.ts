import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Member, openTestApp, rootPassword, type TestApp } from './app.fixture.ts';
import { randomString } from './lib/ids.ts';

let service: TestApp;
let root: Member;
let keyId: number;
let applicationId: number;
let channelId: number;
let organisationId: number;
let teamId: number;

const callback = 'https://client.example/callback';
const application = { name: 'Good', redirect_uris: [callback], scopes: 'openid' };
const channel = { name: 'Good', kind: 'openai', base_url: 'http://127.0.0.1:1/v1' };
const model = { model_id: 'good/one', channel_id: 0 };

beforeAll(async () => {
  service = await openTestApp();
  await service.setOption('RateLimitEnabled', false);
  root = await service.root();
  const made = async (path: string, body: unknown) =>
    ((await (await root.call(path, { method: 'POST', body })).json()) as { data: { id: number } }).data.id;
  keyId = await made('/api/tokens', { name: 'Good' });
  applicationId = await made('/api/oauth2/applications', application);
  channelId = await made('/api/admin/channels', channel);
  organisationId = await made('/api/organisations', { name: 'Good' });
  teamId = await made(`/api/organisations/${organisationId}/teams`, { name: 'Good' });
});
afterAll(() => service.close());

type Places = [what: string, method: string, path: () => string, body: (name: string) => unknown][];

/** Every place where somebody gives a name that others, or they themselves, will read. */
const places: Places = [
  ['an application', 'POST', () => '/api/oauth2/applications', (name) => ({ ...application, name })],
  ['an application, changed', 'PUT', () => `/api/oauth2/applications/${applicationId}`, (name) => ({ name })],
  [
    'what an application says',
    'PUT',
    () => `/api/oauth2/applications/${applicationId}`,
    (name) => ({ description: name }),
  ],
  [
    'somebody new',
    'POST',
    () => '/api/user/register',
    (name) => ({ username: `u_${randomString(8)}`, password: rootPassword, display_name: name }),
  ],
  ['oneself', 'PUT', () => '/api/user/self', (name) => ({ display_name: name })],
  ['a key', 'POST', () => '/api/tokens', (name) => ({ name })],
  ['a key, changed', 'PUT', () => `/api/tokens/${keyId}`, (name) => ({ name })],
  ['an organisation', 'POST', () => '/api/organisations', (name) => ({ name })],
  ['an organisation, changed', 'PUT', () => `/api/organisations/${organisationId}`, (name) => ({ name })],
  ['a team', 'POST', () => `/api/organisations/${organisationId}/teams`, (name) => ({ name })],
  [
    'a key of a team’s own',
    'POST',
    () => `/api/organisations/${organisationId}/teams/${teamId}/own-keys`,
    (name) => ({ name, credential: 'sk-good', provider: 'openai' }),
  ],
  ['a channel', 'POST', () => '/api/admin/channels', (name) => ({ ...channel, name })],
  ['a channel, changed', 'PUT', () => `/api/admin/channels/${channelId}`, (name) => ({ name })],
  ['a group of channels', 'PUT', () => `/api/admin/channels/${channelId}`, (name) => ({ group: name })],
  [
    'a credential of a channel',
    'POST',
    () => `/api/admin/channels/${channelId}/credentials`,
    (name) => ({ name, credential: 'sk-good' }),
  ],
  [
    'a key of one’s own',
    'POST',
    () => '/api/routing/own-keys',
    (name) => ({ name, credential: 'sk-good', provider: 'openai' }),
  ],
  [
    'an alias',
    'POST',
    () => '/api/admin/model-aliases',
    (name) => ({ name: name.replaceAll(' ', ''), models: ['good/one'] }),
  ],
  [
    'a model',
    'POST',
    () => '/api/admin/provider-models',
    (name) => ({ ...model, channel_id: channelId, model_id: name.replaceAll(' ', '') }),
  ],
  ['a chat, renamed', 'PUT', () => '/api/playground/chats/good/name', (name) => ({ name })],
  ['a preset', 'POST', () => '/api/playground/presets', (name) => ({ name, prompt: 'Good' })],
  ['a tag', 'POST', () => '/api/svc-ms/sessions', (name) => ({ tags: [name] })],
  ['a username', 'POST', () => '/api/user/register', (name) => ({ username: `${name}x`, password: rootPassword })],
];

const bad = ['\u200b', '\u200d', '\u2060', '\ufeff', '\u202e', '\u2066', '\u00ad', '\u0007', '\u3164', '\u{e0041}'];

test.each(places)('the name of %s holds nothing that cannot be seen', async (_what, method, path, body) => {
  for (const character of bad) {
    const answer = await root.call(path(), { method, body: body(`My${character}bank`) });
    expect([character.codePointAt(0)!.toString(16), answer.status]).toEqual([
      character.codePointAt(0)!.toString(16),
      400,
    ]);
  }
});
