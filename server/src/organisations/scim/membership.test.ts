import { afterAll, describe, expect, test } from 'bun:test';
import type { Member } from '../../app.fixture.ts';
import { lookedAt } from '../../platform/db/plans.fixture.ts';
import { groupMembers } from '../store/scim-places.ts';
import { placesWaiting } from '../store/scim-users.ts';
import { newAddress, oktaUser, openDirectory, patch } from './directory.fixture.ts';

const {
  acts,
  calling,
  clock,
  create,
  directory,
  id,
  joined,
  memberOf,
  newOrganisation,
  org,
  owner,
  person,
  verify,
  world,
} = await openDirectory();
afterAll(() => world.close());

describe('SCIM tokens', () => {
  test('tokens are created and removed by owners, and are valid for one organisation', async () => {
    const admin = await world.join(owner, id, 'admin');
    for (const [method, path, body] of [
      ['GET', '/scim', undefined],
      ['POST', '/scim/tokens', { name: 'Mine' }],
      ['DELETE', '/scim/tokens/1', undefined],
    ] as const)
      expect((await world.send(admin, method, org(path), body)).status).toBe(403);
    const { data } = await world.send<{ id: number; token: string }>(owner, 'POST', org('/scim/tokens'), {
      name: 'Next',
    });
    const next = calling(data.token);
    // Both, while one takes the other's place.
    for (const call of [next, directory]) expect((await call('GET', '/Users')).status).toBe(200);
    const shown = await world.send<{ url: string; tokens: Record<string, unknown>[] }>(owner, 'GET', org('/scim'));
    expect(shown.data.url).toBe(`${world.t.config.baseUrl}/scim/v2`);
    expect(shown.data.tokens.at(-1)).toEqual({
      ...{ id: data.id, name: 'Next', made_by: { id: owner.id, username: owner.username } },
      ...{ created_at: clock.nowMs() / 1000, last_used_at: clock.nowMs() / 1000 },
    });
    const { db } = world.t.platform.database;
    const rows = await db.selectFrom('organisation_scim_tokens').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(data.token);
    await world.send(owner, 'DELETE', org(`/scim/tokens/${data.id}`));
    expect((await next('GET', '/Users')).status).toBe(401);
    expect((await acts()).slice(0, 2).map(({ action }) => action)).toEqual([
      'scim_token_deleted',
      'scim_token_created',
    ]);
  });

  test('an organisation has at most five tokens', async () => {
    const { organisationId } = await newOrganisation(owner);
    const made = await Promise.all(
      Array.from({ length: 8 }, () => world.send(owner, 'POST', org('/scim/tokens', organisationId), { name: 'One' })),
    );
    expect(made.filter(({ status }) => status === 200).length).toBe(4);
  });

  test('other credentials are rejected, and the token is valid nowhere else', async () => {
    const key = (await world.send<{ key: string }>(owner, 'POST', '/api/tokens', { name: 'k' })).data.key;
    for (const token of [key, 'svcscim_guessed', '']) {
      const { status, type, body } = await calling(token)('GET', '/Users');
      expect(status).toBe(401);
      expect(type).toStartWith('application/scim+json');
      expect(body).toMatchObject({ schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '401' });
    }
    const { data } = await world.send<{ id: number; token: string }>(owner, 'POST', org('/scim/tokens'), { name: 'A' });
    const headers = { authorization: `Bearer ${data.token}` };
    for (const path of ['/v1/models', '/api/tokens', org(), '/mcp'])
      expect((await world.t.call(path, { headers })).status).toBeGreaterThanOrEqual(401);
    await world.send(owner, 'DELETE', org(`/scim/tokens/${data.id}`));
  });
});

describe('SCIM membership', () => {
  const waitingFor = async (member: Member) =>
    (await world.send<{ waiting: unknown[] }>(member, 'GET', '/api/invitations')).data.waiting;

  let servers = 0;
  /** What a member let us do at a server of the organisation; reads it again. */
  const grantAtServer = async ({ id: user_id }: Member) => {
    const { db } = world.t.platform.database;
    servers += 1;
    await world.t.setOption('McpUserServers', true);
    const given = { name: `wiki${servers}`, url: 'https://wiki.invalid/mcp', auth: 'oauth', organisation_id: id };
    const { data } = await world.send(owner, 'POST', '/api/mcp/servers', given);
    const grant = { server_id: data.id, user_id, grant_sealed: '', state_hash: null, updated_at: 1 };
    await db.insertInto('mcp_grants').values(grant).execute();
    return () => db.selectFrom('mcp_grants').selectAll().where('user_id', '=', user_id).execute();
  };

  test('a person joins themselves, and the response does not reveal whether an account exists', async () => {
    const [known, unknown] = [newAddress(), newAddress()];
    const member = await person(known.toLowerCase());
    const answers = await Promise.all([known, unknown].map((name) => directory('POST', '/Users', oktaUser(name))));
    const [a, b] = answers.map(({ body, ...rest }) =>
      JSON.stringify({ ...rest, body })
        .replaceAll(String(body.userName), '')
        .replaceAll(`/${body.id}`, '')
        .replaceAll(`"${body.id}"`, ''),
    );
    expect(a).toBe(b!);
    expect(await memberOf(member)).toBeUndefined();
    expect(await waitingFor(member)).toEqual([{ organisation_id: id, organisation: 'Acme' }]);
    expect((await world.send(member, 'GET', org())).status).toBe(404);
    expect((await world.send(member, 'PUT', org('/membership'))).status).toBe(200);
    expect(await memberOf(member)).toMatchObject({ role: 'member', directory: true });
    expect(await waitingFor(member)).toEqual([]);
    expect((await acts())[0]).toMatchObject({ action: 'member_joined' });
  });

  test('a person with another, unverified or inactive address cannot join', async () => {
    const address = newAddress();
    const { id: userId } = await create(address);
    const other = await person(newAddress());
    const unverified = await world.t.user();
    const { db } = world.t.platform.database;
    await db.updateTable('users').set({ email: address }).where('id', '=', unverified.id).execute();
    for (const member of [other, unverified]) {
      expect(await waitingFor(member)).toEqual([]);
      expect((await world.send(member, 'PUT', org('/membership'))).status).toBe(404);
    }
    await directory('PATCH', `/Users/${userId}`, patch({ op: 'replace', value: { active: false } }));
    const late = await person(address);
    expect((await world.send(late, 'PUT', org('/membership'))).status).toBe(404);
  });

  test.each([
    ['is not active', 'PATCH', patch({ op: 'Replace', path: 'active', value: 'False' })],
    ['is deleted', 'DELETE', undefined],
  ] as const)('a person who %s is removed immediately and keeps their account', async (_, method, body) => {
    const { member, userId } = await joined();
    const { data } = await world.send<{ key: string }>(member, 'POST', org('/keys'), { name: 'k' });
    const grants = await grantAtServer(member);
    expect(await grants()).toHaveLength(1);
    await world.credit(member.id, 10_000);
    expect((await world.ask(data.key)).status).toBe(200);
    const { status } = await directory(method, `/Users/${userId}`, body);
    expect([200, 204]).toContain(status);
    expect(await memberOf(member)).toBeUndefined();
    expect((await world.ask(data.key)).status).toBe(401);
    expect(await grants()).toEqual([]);
    expect((await member.call('/api/user/self')).status).toBe(200);
    const told = (await acts()).slice(0, 2);
    expect(told.map(({ action }) => action).sort()).toEqual([
      'member_removed',
      method === 'DELETE' ? 'scim_user_deleted' : 'scim_user_updated',
    ]);
    for (const { actor } of told) expect(actor.name).toBe('SCIM: Okta');
  });

  test('the export of a person contains their directory entry', async () => {
    const address = newAddress();
    const { member } = await joined(address);
    const told = await (await member.call('/api/user/self/export')).text();
    expect(told).toContain('directory_entries');
    expect(told).toContain(`00u${address}`);
  });

  test('lookups use indexes instead of full scans', async () => {
    const { db } = world.t.platform.database;
    const looked = await lookedAt(db, async () => {
      await placesWaiting(db, owner.id, newAddress());
      await groupMembers(db, [1, 2]);
      await directory('GET', '/Users?filter=externalId eq "a" or userName eq "a" or emails.value eq "a"');
    });
    expect(looked.length).toBeGreaterThan(3);
    const scans = looked.filter(({ steps }) => steps.some((step) => step.startsWith('SCAN')));
    expect(scans).toEqual([]);
  });

  test('a reactivated person must join again', async () => {
    const { member, userId } = await joined();
    for (const active of [false, true])
      await directory('PATCH', `/Users/${userId}`, patch({ op: 'replace', value: { active } }));
    expect(await memberOf(member)).toBeUndefined();
    expect((await world.send(member, 'PUT', org('/membership'))).status).toBe(200);
  });

  test('a person removed by hand joins again only when the directory or the organisation decides anew', async () => {
    const address = newAddress();
    const { member, userId } = await joined(address);
    const write = (active: boolean) =>
      directory('PATCH', `/Users/${userId}`, patch({ op: 'replace', value: { active } }));
    const comeBack = async () => (await world.send(member, 'PUT', org('/membership'))).status;
    const removed = () => world.send(owner, 'DELETE', org(`/members/${member.id}`));
    expect((await removed()).status).toBe(200);
    expect(await comeBack()).toBe(404);
    // Directories repeat what they said before.
    await directory('PUT', `/Users/${userId}`, { ...oktaUser(address), active: true });
    expect(await comeBack()).toBe(404);
    await write(false);
    await write(true);
    expect(await comeBack()).toBe(200);
    expect((await removed()).status).toBe(200);
    const { data } = await world.send<{ url: string }>(owner, 'POST', org('/invitations'), { role: 'admin' });
    const token = data.url.split('#')[1];
    expect((await world.send(member, 'POST', '/api/invitations/accept', { token })).status).toBe(200);
    expect(await memberOf(member)).toMatchObject({ role: 'admin', directory: true });
    // Who leaves may return.
    expect((await world.send(member, 'DELETE', org(`/members/${member.id}`))).status).toBe(200);
    expect(await comeBack()).toBe(200);
  });

  test('an existing member is linked immediately, and stays linked after changing their address', async () => {
    const address = newAddress();
    const member = await world.join(owner, id, 'admin');
    await verify(member, address);
    const { id: userId } = await create(address);
    expect(await memberOf(member)).toMatchObject({ role: 'admin', directory: true });
    await verify(member, newAddress());
    await directory('DELETE', `/Users/${userId}`);
    expect(await memberOf(member)).toBeUndefined();
  });

  test('a member who verifies their address later is still removed', async () => {
    const address = newAddress();
    const { id: userId } = await create(address);
    const member = await world.join(owner, id, 'member');
    await verify(member, address);
    await directory('PUT', `/Users/${userId}`, { ...oktaUser(newAddress()), active: false });
    expect(await memberOf(member)).toBeUndefined();
  });

  test('a deactivated person cannot return by invitation until reactivated', async () => {
    const { member, userId } = await joined();
    const invited = async () => {
      const { data } = await world.send<{ url: string }>(owner, 'POST', org('/invitations'), { role: 'admin' });
      return world.send(member, 'POST', '/api/invitations/accept', { token: data.url.split('#')[1] });
    };
    const active = (is: boolean) =>
      directory('PATCH', `/Users/${userId}`, patch({ op: 'replace', value: { active: is } }));
    await active(false);
    expect((await invited()).status).toBe(403);
    expect(await memberOf(member)).toBeUndefined();
    await active(true);
    expect((await invited()).status).toBe(200);
    expect(await memberOf(member)).toMatchObject({ role: 'admin', directory: true });
  });

  test('an invitation to a deactivated address works for nobody, whatever address the account has now', async () => {
    const { member, userId } = await joined();
    const address = ((await directory('GET', `/Users/${userId}`)).body as unknown as { userName: string }).userName;
    const links: string[] = [];
    for (const email of [address, address.toUpperCase(), address]) {
      const { data } = await world.send<{ url: string }>(owner, 'POST', org('/invitations'), { email });
      links.push(data.url.split('#')[1]!);
    }
    const active = (is: boolean) =>
      directory('PATCH', `/Users/${userId}`, patch({ op: 'replace', value: { active: is } }));
    const accept = async (by: Member, token: string) =>
      (await world.send(by, 'POST', '/api/invitations/accept', { token })).status;
    await active(false);
    expect((await world.send(member, 'PUT', '/api/user/self', { email: '' })).status).toBe(200);
    for (const by of [member, await world.t.user()])
      for (const token of links) expect(await accept(by, token)).toBeOneOf([400, 403]);
    expect(await memberOf(member)).toBeUndefined();
    await active(true);
    const { data } = await world.send<{ url: string }>(owner, 'POST', org('/invitations'), { email: address });
    expect(await accept(member, data.url.split('#')[1]!)).toBe(200);
  });

  test('the last owner cannot be removed', async () => {
    const email = newAddress();
    const boss = await person(email);
    const { organisationId, call } = await newOrganisation(boss);
    const { body } = await call('POST', '/Users', oktaUser(email));
    for (const [method, given] of [
      ['DELETE', undefined],
      ['PATCH', patch({ op: 'replace', value: { active: false } })],
    ] as const) {
      const told = await call(method, `/Users/${body.id}`, given);
      expect(told.status).toBe(409);
      expect(told.body.detail).toContain('needs an owner');
    }
    expect((await call('GET', `/Users/${body.id}`)).body.active).toBe(true);
    const second = await world.join(boss, organisationId, 'owner');
    expect((await call('DELETE', `/Users/${body.id}`)).status).toBe(204);
    expect((await world.send(second, 'GET', org('', organisationId))).status).toBe(200);
    expect((await world.send(boss, 'GET', org('', organisationId))).status).toBe(404);
  });

  test('a change without effect is not logged', async () => {
    const { id: userId, ...user } = await create();
    const before = (await acts()).length;
    for (const [method, body] of [
      ['PUT', user],
      ['PATCH', patch({ op: 'replace', value: { active: true } })],
    ] as const)
      expect((await directory(method, `/Users/${userId}`, body)).status).toBe(200);
    expect((await acts()).length).toBe(before);
  });
});
