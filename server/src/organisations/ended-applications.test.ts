import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sql } from 'kysely';
import type { Member } from '../app.fixture.ts';
import { until } from '../lib/until.fixture.ts';
import { faultOf, jsonOf, type OAuthTest, openOAuthTest, type TestClient } from '../oauth/oauth.fixture.ts';
import { wordsOf } from '../platform/db/migration.ts';
import { migration as endedOrganisations } from '../platform/db/migrations/0055-ended-organisations.ts';
import { engineOf } from '../platform/db/tables.ts';
import { deleteOrganisation } from './store/organisations.ts';

let t: OAuthTest;
beforeAll(async () => {
  t = await openOAuthTest();
});
afterAll(() => t.close());

const dataOf = async (answer: Response | Promise<Response>) => (await jsonOf(answer)).data;
const post = (by: Member, path: string, body: object) => by.call(path, { method: 'POST', body });

/** An organisation with a team, and an application that is the team's. */
async function teamApplication(): Promise<{ client: TestClient; organisationId: number }> {
  const { id: organisationId } = await dataOf(post(t.owner, '/api/organisations', { name: 'Acme' }));
  const { id: teamId } = await dataOf(
    post(t.owner, `/api/organisations/${organisationId}/teams`, { name: 'Research' }),
  );
  const client = await t.client();
  const body = { type: 'team', id: teamId };
  const given = await t.owner.call(`/api/oauth2/applications/${client.id}/owner`, { method: 'PUT', body });
  expect(given.status).toBe(200);
  return { client, organisationId };
}

test('applications stop working with their organisation: tokens, refresh, codes and new consents', async () => {
  const { client, organisationId } = await teamApplication();
  const mine = await t.client();
  const [tokens, others] = [await t.tokens(client), await t.tokens(mine)];
  const code = await t.code(client);
  expect((await t.userinfo(tokens.access_token)).status).toBe(200);

  const stranger = await t.app.user();
  expect((await stranger.call(`/api/organisations/${organisationId}`, { method: 'DELETE' })).status).toBe(404);
  expect((await t.userinfo(tokens.access_token)).status).toBe(200);

  expect((await t.owner.call(`/api/organisations/${organisationId}`, { method: 'DELETE' })).status).toBe(200);
  expect(await faultOf(t.userinfo(tokens.access_token))).toEqual([401, 'invalid_token']);
  expect(await faultOf(t.refresh(client, tokens.refresh_token))).toEqual([401, 'invalid_client']);
  expect(await faultOf(t.exchange(client, { code }))).toEqual([401, 'invalid_client']);
  expect((await t.decide(client)).status).toBe(404);
  expect((await t.owner.call(`/api/oauth2/applications/${client.id}`)).status).toBe(404);
  const consents = await dataOf(t.member.call('/api/oauth2/consents'));
  expect(consents.consents.map((one: { application_id: number }) => one.application_id)).toEqual([mine.id]);
  // Of whoever deletes it, what is their own goes on.
  expect((await t.userinfo(others.access_token)).status).toBe(200);

  const root = await t.root();
  const { logs } = await dataOf(root.call(`/api/admin/audit?action=app_deleted&user_id=${t.owner.id}`));
  expect(logs).toMatchObject([{ actor: { id: t.owner.id }, target: { type: 'application', id: client.id } }]);
});

test('applications given at the same moment do not exceed the limit of an account', async () => {
  const { client, organisationId } = await teamApplication();
  const { teams } = await dataOf(t.owner.call(`/api/organisations/${organisationId}/teams`));
  const { db } = t.platform.database;
  const applications = () => db.selectFrom('oauth_applications');
  const { id: _, ...row } = await applications().selectAll().where('id', '=', client.id).executeTakeFirstOrThrow();
  const more = Array.from({ length: 498 }, (_, i) => ({ ...row, client_id: `another-${i}`, name: `another ${i}` }));
  for (const one of more) await db.insertInto('oauth_applications').values(one).execute();
  const mine = await Promise.all(Array.from({ length: 4 }, () => t.client()));
  const body = { type: 'team', id: teams[0].id };
  const given = await Promise.all(
    mine.map(({ id }) => t.owner.call(`/api/oauth2/applications/${id}/owner`, { method: 'PUT', body })),
  );
  expect(given.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
});

test('deleting the account of the last manager ends the organisation with its applications and keys', async () => {
  const alone = await t.app.user();
  const { id: organisationId } = await dataOf(post(alone, '/api/organisations', { name: 'Alone' }));
  const at = `/api/organisations/${organisationId}`;
  const { id: teamId } = await dataOf(post(alone, `${at}/teams`, { name: 'Team' }));
  const invited = await dataOf(post(alone, `${at}/invitations`, { role: 'viewer' }));
  const viewer = await t.app.user();
  const token = new URL(invited.url).hash.slice(1);
  expect((await post(viewer, '/api/invitations/accept', { token })).status).toBe(200);
  const client = await t.client({}, alone);
  const given = { method: 'PUT', body: { type: 'team', id: teamId } };
  expect((await alone.call(`/api/oauth2/applications/${client.id}/owner`, given)).status).toBe(200);
  const { key } = await dataOf(post(alone, `${at}/keys`, { name: 'ours', owner: 'team', team_id: teamId }));
  const tokens = await t.tokens(client);
  const models = () => t.call('/v1/models', { headers: { authorization: `Bearer ${key}` } });
  expect((await models()).status).toBe(200);

  await t.app.app.start();
  const closed = await alone.call('/api/user/self', { method: 'DELETE', body: { password: 'a fine password' } });
  expect(closed.status).toBe(200);
  await until('it has ended', async () => (await viewer.call(at)).status === 404);
  await until('its applications have', async () => (await t.userinfo(tokens.access_token)).status === 401);
  expect(await faultOf(t.refresh(client, tokens.refresh_token))).toEqual([401, 'invalid_client']);
  expect((await models()).status).toBe(401);
});

test('a migration ends applications of organisations that were deleted earlier, and no others', async () => {
  const [ended, living, mine] = [await teamApplication(), await teamApplication(), await t.client()];
  const [tokens, others, own] = [await t.tokens(ended.client), await t.tokens(living.client), await t.tokens(mine)];
  const { db } = t.platform.database;
  await deleteOrganisation(db, ended.organisationId);
  expect((await t.userinfo(tokens.access_token)).status).toBe(200);
  const statements = endedOrganisations.statements(wordsOf(engineOf(db)));
  for (const statement of statements) await sql.raw(statement).execute(db);
  // As a start would, which comes after it.
  await t.owner.call(`/api/oauth2/applications/${mine.id}`, { method: 'PUT', body: { description: 'Changed' } });
  expect(await faultOf(t.userinfo(tokens.access_token))).toEqual([401, 'invalid_token']);
  expect(await faultOf(t.refresh(ended.client, tokens.refresh_token))).toEqual([401, 'invalid_client']);
  expect((await t.decide(ended.client)).status).toBe(404);
  const consents = await dataOf(t.member.call('/api/oauth2/consents'));
  const ids = consents.consents.map((one: { application_id: number }) => one.application_id);
  expect(ids).not.toContain(ended.client.id);
  for (const { access_token } of [others, own]) expect((await t.userinfo(access_token)).status).toBe(200);
  expect((await t.owner.call(`/api/organisations/${living.organisationId}`)).status).toBe(200);
});
