import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import type { Member } from '../app.fixture.ts';
import { manualClock } from '../lib/clock.ts';
import { openSealer } from '../lib/seal.ts';
import { keyEntry } from '../platform/sealing-keys.ts';
import { forgetMember } from './members.ts';
import { openWorld, price, type World } from './organisations.fixture.ts';
import { has, type MemberRole, memberRoles, type Right } from './rights.ts';
import { findOrganisation, resealOrganisations } from './store/organisations.ts';

const clock = manualClock(Date.UTC(2026, 10, 16, 12));
let world: World;
let owner: Member;
let id: number;
const path = (rest = '') => `/api/organisations/${id}${rest}`;

beforeAll(async () => {
  world = await openWorld({ clock });
  owner = await world.t.user();
  id = (await world.send(owner, 'POST', '/api/organisations', { name: 'Acme' })).data.id;
});
afterAll(() => world.close());

const team = async (name = 'Research') => (await world.send(owner, 'POST', path('/teams'), { name })).data.id;
const keyOf = (by: Member, body: Record<string, unknown>) =>
  world.send<{ id: number; key: string; owner: object }>(by, 'POST', path('/keys'), { name: 'key', ...body });

describe('permissions', () => {
  /** One call for each right, with what it takes. */
  const calls: Partial<Record<Right, (by: Member) => Promise<{ status: number }>>> = {
    see: (by) => world.send(by, 'GET', path()),
    see_all: (by) => world.send(by, 'GET', path('/warnings')),
    use: (by) => keyOf(by, {}),
    manage_teams: (by) => world.send(by, 'POST', path('/teams'), { name: 'Another' }),
    manage_members: (by) => world.send(by, 'POST', path('/invitations'), { role: 'viewer' }),
    manage_budgets: (by) => world.send(by, 'PUT', path(`/limits/organisation/${id}`), { requests_per_minute: 0 }),
    manage_organisation: (by) => world.send(by, 'PUT', path(), { name: 'Acme' }),
  };
  const members: Partial<Record<MemberRole, Member>> = {};
  beforeAll(async () => {
    for (const role of memberRoles) members[role] = await world.join(owner, id, role);
  });

  test.each(Object.keys(calls).flatMap((right) => memberRoles.map((role) => [right, role] as const)))(
    '%s: %s',
    async (right, role) => {
      const { status } = await calls[right as Right]!(members[role]!);
      expect(status).toBe(has(role, right as Right) ? 200 : 403);
    },
  );

  test('non-members get 404', async () => {
    const stranger = await world.t.user();
    for (const call of Object.values(calls)) expect((await call(stranger)).status).toBe(404);
    expect((await world.send(world.root, 'GET', path())).status).toBe(404);
  });

  test('admins can neither appoint nor change owners, and the last owner cannot be removed', async () => {
    const admin = members.admin!;
    expect((await world.send(admin, 'PUT', path(`/members/${owner.id}`), { role: 'viewer' })).status).toBe(403);
    expect((await world.send(admin, 'DELETE', path(`/members/${owner.id}`))).status).toBe(403);
    expect((await world.send(admin, 'POST', path('/invitations'), { role: 'owner' })).status).toBe(403);
    const other = members.owner!;
    const both = await Promise.all([owner, other].map((by) => world.send(by, 'DELETE', path(`/members/${by.id}`))));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    // Whichever left comes back, so that the tests after this one have their owner.
    const [left, stayed] = both[0]!.status === 200 ? [owner, other] : [other, owner];
    const { data } = await world.send<{ url: string }>(stayed, 'POST', path('/invitations'), { role: 'owner' });
    const token = data.url.split('#')[1];
    expect((await world.send(left, 'POST', '/api/invitations/accept', { token })).status).toBe(200);
  });
});

describe('invitations', () => {
  test('an invitation works once, for one person, and can be revoked', async () => {
    const { data } = await world.send<{ url: string; mailed: boolean; invitation: { id: number } }>(
      owner,
      'POST',
      path('/invitations'),
      { role: 'member' },
    );
    expect(data.mailed).toBe(false);
    const token = data.url.split('#')[1];
    const two = [await world.t.user(), await world.t.user()];
    expect((await world.send(two[0]!, 'POST', '/api/invitations/look', { token })).data).toMatchObject({
      organisation: 'Acme',
      role: 'member',
    });
    const tries = await Promise.all(two.map((by) => world.send(by, 'POST', '/api/invitations/accept', { token })));
    expect(tries.map(({ status }) => status).sort()).toEqual([200, 400]);

    const back = await world.send<{ url: string; invitation: { id: number } }>(owner, 'POST', path('/invitations'), {});
    expect((await world.send(owner, 'DELETE', path(`/invitations/${back.data.invitation.id}`))).status).toBe(200);
    const late = { token: back.data.url.split('#')[1] };
    expect((await world.send(await world.t.user(), 'POST', '/api/invitations/accept', late)).status).toBe(400);
  });

  test('an invitation expires, and changes nothing for members', async () => {
    const member = await world.join(owner, id, 'member');
    const { data } = await world.send<{ url: string }>(owner, 'POST', path('/invitations'), { role: 'admin' });
    const token = data.url.split('#')[1];
    expect((await world.send(member, 'POST', '/api/invitations/accept', { token })).status).toBe(409);
    clock.advance(7 * 86_400_000 + 1_000);
    const somebody = await world.t.user();
    expect((await world.send(somebody, 'POST', '/api/invitations/accept', { token })).status).toBe(400);
    // Sessions have a month.
    expect((await world.send(owner, 'GET', path('/invitations'))).data).toEqual({ invitations: [] } as never);
  });
});

test('whoever is removed does not return by an earlier invitation to their address', async () => {
  const member = await world.join(owner, id, 'member');
  const email = `m${member.id}@example.com`;
  const confirm = { email_verified: true, email };
  await world.send(member, 'PUT', '/api/user/self', { email: email.toUpperCase() });
  confirm.email = email.toUpperCase();
  expect((await world.send(world.root, 'PUT', `/api/admin/users/${member.id}`, confirm)).status).toBe(200);
  const invite = async (to: string) => {
    const { data } = await world.send<{ url: string }>(owner, 'POST', path('/invitations'), { email: to });
    return data.url.split('#')[1]!;
  };
  const accept = async (by: Member, token: string) =>
    (await world.send(by, 'POST', '/api/invitations/accept', { token })).status;
  const [again, anothers] = [await invite(email), await invite('other@example.com')];
  expect((await world.send(owner, 'DELETE', path(`/members/${member.id}`))).status).toBe(200);
  expect(await accept(member, again)).toBe(400);
  expect(await accept(await world.t.user(), anothers)).toBe(200);
  // A new invitation is a new decision.
  expect(await accept(member, await invite(email))).toBe(200);
});

describe('an invitation by a member who', () => {
  const invited = async (by: Member, role: string) => {
    const { data } = await world.send<{ url: string }>(by, 'POST', path('/invitations'), { role });
    return data.url.split('#')[1]!;
  };
  const shown = async (by: Member, token: string) =>
    (await world.send(by, 'POST', '/api/invitations/look', { token })).status;
  const accept = async (by: Member, token: string) =>
    (await world.send(by, 'POST', '/api/invitations/accept', { token })).status;

  test('was removed is invalid for everyone', async () => {
    const former = await world.join(owner, id, 'owner');
    const token = await invited(former, 'owner');
    expect(await shown(former, token)).toBe(200);
    expect((await world.send(owner, 'DELETE', path(`/members/${former.id}`))).status).toBe(200);
    expect([await shown(former, token), await accept(former, token)]).toEqual([400, 400]);
  });

  test('lost rights grants no more than the inviter still can', async () => {
    const former = await world.join(owner, id, 'owner');
    const [high, low] = [await invited(former, 'owner'), await invited(former, 'viewer')];
    const put = (role: string) => world.send(owner, 'PUT', path(`/members/${former.id}`), { role });
    expect((await put('admin')).status).toBe(200);
    const somebody = await world.t.user();
    expect([await accept(somebody, high), await accept(somebody, low)]).toEqual([400, 200]);
    const later = await invited(former, 'member');
    expect((await put('member')).status).toBe(200);
    expect(await accept(await world.t.user(), later)).toBe(400);
  });

  test('is disabled works again once they are enabled', async () => {
    const admin = await world.join(owner, id, 'admin');
    const token = await invited(admin, 'viewer');
    const put = (status: number) => world.send(world.root, 'PUT', `/api/admin/users/${admin.id}`, { status });
    const somebody = await world.t.user();
    await put(2);
    expect(await accept(somebody, token)).toBe(400);
    await put(1);
    expect(await accept(somebody, token)).toBe(200);
  });
});

describe('API keys', () => {
  test('team keys outlive their creator; personal keys end with the membership', async () => {
    const teamId = await team();
    const admin = await world.join(owner, id, 'admin', teamId);
    await world.credit(admin.id, 10 * price);
    const account = (await world.send<{ account_id: number }>(owner, 'GET', path())).data.account_id;
    await world.credit(account, 10 * price);
    const ofTeam = await keyOf(admin, { owner: 'team', team_id: teamId });
    const own = await keyOf(admin, { team_id: teamId });
    expect(ofTeam.data.owner).toEqual({ type: 'team', id: teamId });
    expect(own.data.owner).toEqual({ type: 'user', id: admin.id });
    for (const { data } of [ofTeam, own]) expect((await world.ask(data.key)).status).toBe(200);
    expect((await world.send(owner, 'DELETE', path(`/members/${admin.id}`))).status).toBe(200);
    expect((await world.ask(ofTeam.data.key)).status).toBe(200);
    expect(await world.ask(own.data.key)).toMatchObject({ status: 401, code: 'invalid_api_key' });

    expect((await world.send(owner, 'DELETE', path(`/teams/${teamId}`))).status).toBe(200);
    expect(await world.ask(ofTeam.data.key)).toMatchObject({ status: 401, code: 'invalid_api_key' });
  });

  test('a key requires a team that its creator is in', async () => {
    const teamId = await team('Elsewhere');
    const member = await world.join(owner, id, 'member');
    expect((await keyOf(member, { team_id: teamId })).status).toBe(403);
    expect((await keyOf(member, { owner: 'team', team_id: teamId })).status).toBe(403);
    expect((await keyOf(owner, { owner: 'team' })).status).toBe(400);
    expect((await keyOf(owner, { owner: 'team', team_id: 999_999 })).status).toBe(404);
    expect((await world.send(owner, 'PUT', path(`/teams/${teamId}/members/${member.id}`))).status).toBe(200);
    expect((await keyOf(member, { team_id: teamId })).status).toBe(200);
    expect((await world.send(owner, 'DELETE', path(`/teams/${teamId}/members/${member.id}`))).status).toBe(200);
    expect((await keyOf(member, { team_id: teamId })).status).toBe(403);
  });

  test('a key made before its owner joined a team is shown as outside it, until it is moved there', async () => {
    const teamId = await team('Late');
    const member = await world.join(owner, id, 'member');
    const { data } = await keyOf(member, {});
    const seen = async (by: Member) => {
      const listed = await world.send<{ keys: { id: number; outside_teams: boolean }[] }>(by, 'GET', path('/keys'));
      return listed.data.keys.find((key) => key.id === data.id)?.outside_teams;
    };
    expect(data).toMatchObject({ outside_teams: false });
    expect(await seen(owner)).toBe(false);
    await world.send(owner, 'PUT', path(`/teams/${teamId}/members/${member.id}`));
    expect(await seen(owner)).toBe(true);
    expect(await seen(member)).toBe(true);
    const moved = await world.send(owner, 'PUT', path(`/keys/${data.id}`), { team_id: teamId });
    expect(moved.data).toMatchObject({ team_id: teamId, outside_teams: false });
    expect(await seen(owner)).toBe(false);
    expect((await keyOf(owner, { owner: 'team', team_id: teamId })).data).toMatchObject({ outside_teams: false });
  });

  test('keys are visible and editable only for their owner and for those who manage keys', async () => {
    const [one, other] = [await world.join(owner, id, 'member'), await world.join(owner, id, 'member')];
    const { data } = await keyOf(one, { name: 'mine' });
    const keysOf = async (by: Member) =>
      (await world.send<{ keys: { id: number }[] }>(by, 'GET', path('/keys'))).data.keys.map((key) => key.id);
    expect(await keysOf(one)).toEqual([data.id]);
    expect(await keysOf(other)).toEqual([]);
    expect(await keysOf(owner)).toContain(data.id);
    expect((await world.send(other, 'PUT', path(`/keys/${data.id}`), { name: 'theirs' })).status).toBe(404);
    expect((await world.send(owner, 'PUT', path(`/keys/${data.id}`), { status: 2 })).status).toBe(200);
    expect((await world.ask(data.key)).status).toBe(401);
    expect((await world.send(one, 'DELETE', path(`/keys/${data.id}`))).status).toBe(200);
    expect(await keysOf(owner)).not.toContain(data.id);
  });
});

test('thousands of newer keys, of others and deleted, hide no key and no usage', async () => {
  const { data } = await world.send<{ id: number }>(owner, 'POST', '/api/organisations', { name: 'Builds' });
  const root = `/api/organisations/${data.id}`;
  const member = await world.join(owner, data.id, 'member');
  await world.credit(member.id, price);
  const made = await world.send<{ id: number; key: string }>(member, 'POST', `${root}/keys`, { name: 'first' });
  expect((await world.ask(made.data.key)).status).toBe(200);
  await sql`insert into organisation_keys (key_id, organisation_id, team_id, member_id, name, created_at)
    with recursive n (i) as (select 1 union all select i + 1 from n where i < 5001)
    select 1000000 + i, ${data.id}, null, ${owner.id}, '', 0 from n`.execute(world.t.platform.database.db);
  const keysOf = async (by: Member) =>
    (await world.send<{ keys: { id: number }[] }>(by, 'GET', `${root}/keys`)).data.keys.map(({ id: keyId }) => keyId);
  for (const by of [owner, member]) expect(await keysOf(by)).toEqual([made.data.id]);
  for (const by of [owner, member]) {
    const usage = await world.send<{ total: object }>(by, 'GET', `${root}/usage`);
    expect(usage.data.total).toMatchObject({ requests: 1, quota: price });
    const listed = await world.send<{ logs: { token_id: number }[] }>(by, 'GET', `${root}/requests`);
    expect(listed.data.logs.map(({ token_id }) => token_id)).toEqual([made.data.id]);
    const file = await (await by.call(`${root}/requests?format=csv`)).text();
    expect(file.trim().split('\n')).toHaveLength(2);
  }
  const others = await world.send<{ total: object }>(member, 'GET', `${root}/usage?level=member&level_id=${owner.id}`);
  expect(others.data.total).toMatchObject({ requests: 0 });
});

test('a shared balance pays for members, and an empty one cannot be enabled', async () => {
  const made = await world.send<{ id: number; account_id: number }>(owner, 'POST', '/api/organisations', {
    name: 'Family',
  });
  const family = `/api/organisations/${made.data.id}`;
  expect((await world.send(owner, 'PUT', family, { balance: 'shared' })).status).toBe(409);
  await world.credit(made.data.account_id, 2 * price);
  expect((await world.send(owner, 'PUT', family, { balance: 'shared' })).status).toBe(200);
  expect((await world.send(world.root, 'DELETE', `/api/admin/users/${made.data.account_id}`)).status).toBe(409);
  const member = await world.join(owner, made.data.id, 'member');
  const { data } = await world.send<{ key: string }>(member, 'POST', `${family}/keys`, { name: 'key' });
  expect((await world.ask(data.key)).status).toBe(200);
  expect((await world.ask(data.key)).status).toBe(200);
  const refused = await world.ask(data.key);
  expect(refused).toMatchObject({ status: 403, code: 'insufficient_user_quota' });
  expect(refused.message).toContain('organisation');
  const self = await world.send<{ quota: number; used_quota: number }>(member, 'GET', '/api/user/self');
  expect(self.data).toMatchObject({ quota: 0, used_quota: 0 });
  expect((await world.send(owner, 'DELETE', family)).status).toBe(200);
  expect(await world.ask(data.key)).toMatchObject({ status: 401, code: 'invalid_api_key' });
});

test('a team’s application outlives its creator, and those who manage keys maintain it', async () => {
  const teamId = await team('Builders');
  const builder = await world.join(owner, id, 'admin', teamId);
  const body = { name: 'Notes', redirect_uris: ['https://notes.example/cb'], scopes: 'openid' };
  const app = (await world.send(builder, 'POST', '/api/oauth2/applications', body)).data.id;
  const at = `/api/oauth2/applications/${app}`;
  const give = (by: Member, to: number) => world.send(by, 'PUT', `${at}/owner`, { type: 'team', id: to });
  expect((await give(owner, teamId)).status).toBe(403);
  expect((await give(builder, 999_999)).status).toBe(404);
  expect((await give(builder, teamId)).status).toBe(200);
  expect((await world.send(owner, 'DELETE', path(`/members/${builder.id}`))).status).toBe(200);
  expect((await world.send(builder, 'GET', at)).status).toBe(403);
  expect((await world.send(await world.join(owner, id, 'member'), 'GET', at)).status).toBe(403);
  expect((await world.send(owner, 'PUT', at, { description: 'Ours' })).status).toBe(200);
  const { data } = await world.send<{ applications: object[] }>(owner, 'GET', path('/applications'));
  expect(data.applications).toMatchObject([{ id: app, name: 'Notes', owner: { type: 'team', id: teamId } }]);
});

test('when the last owner deletes their account, the next in rank becomes owner', async () => {
  const made = await world.send(owner, 'POST', '/api/organisations', { name: 'Left behind' });
  const there = `/api/organisations/${made.data.id}`;
  const admin = await world.join(owner, made.data.id, 'admin');
  const founder = await world.join(owner, made.data.id, 'owner');
  expect((await world.send(owner, 'DELETE', `${there}/members/${owner.id}`)).status).toBe(200);
  const { accounts } = world.t.app.identity;
  await forgetMember(accounts, founder.id);
  expect((await world.send<{ role: string }>(admin, 'GET', there)).data.role).toBe('owner');
});

test('the account of an organisation cannot log in or get a role', async () => {
  const account = (await world.send<{ account_id: number }>(owner, 'GET', path())).data.account_id;
  const user = `/api/admin/users/${account}`;
  for (const purpose of ['reset_password', 'verify_email', 'invitation'])
    expect((await world.send(world.root, 'POST', `${user}/links`, { purpose })).status).toBe(409);
  expect((await world.send(world.root, 'PUT', user, { role: 10 })).status).toBe(409);
  expect((await world.send(world.root, 'PUT', user, { role: 1, group: 'default' })).status).toBe(200);
});

test('administrators find the account of an organisation by its current name', async () => {
  const made = await world.send<{ id: number; account_id: number }>(owner, 'POST', '/api/organisations', {
    name: 'Before',
  });
  await world.send(owner, 'PUT', `/api/organisations/${made.data.id}`, { name: 'Afterwards' });
  const root = await world.t.root();
  const found = (await (await root.call('/api/admin/users?q=afterwards')).json()) as { data: { users: object[] } };
  expect(found.data.users).toMatchObject([{ id: made.data.account_id, display_name: 'Afterwards' }]);
});

test('members see only budgets and limits that apply to them', async () => {
  const { data } = await world.send(owner, 'POST', '/api/organisations', { name: 'Acme' });
  const path = (rest: string) => `/api/organisations/${data.id}${rest}`;
  const set = (level: string, level_id: number) =>
    world.send(owner, 'POST', path('/budgets'), { level, level_id, window: 'total', amount: 5 });
  const limit = async (level: string, level_id: number) => {
    const put = await world.send(owner, 'PUT', path(`/limits/${level}/${level_id}`), { requests_per_minute: 9 });
    expect(put.status).toBe(200);
  };
  const someone = async () => {
    const teamId = (await world.send(owner, 'POST', path('/teams'), { name: 'Research' })).data.id;
    const member = await world.join(owner, data.id, 'member', teamId);
    const key = await world.send(member, 'POST', path('/keys'), { name: 'k', team_id: teamId });
    const levels = { team: teamId, member: member.id, key: key.data.id };
    for (const [level, id] of Object.entries(levels)) {
      expect((await set(level, id)).status).toBe(200);
      await limit(level, id);
    }
    return { member, levels };
  };
  await set('organisation', data.id);
  await limit('organisation', data.id);
  const [one, other] = [await someone(), await someone()];
  const seen = async (by: Member) => {
    type Places = { level: string; level_id: number }[];
    const answer = await world.send<{ budgets: Places }>(by, 'GET', path('/budgets'));
    const limits = await world.send<{ limits: Places }>(by, 'GET', path('/limits'));
    expect(limits.status).toBe(answer.status);
    if (answer.status !== 200) return answer.status;
    const [budgeted, limited] = [answer.data.budgets, limits.data.limits].map((places) =>
      places.map(({ level, level_id }) => [level, level_id]),
    );
    expect(new Set(limited!.map(String))).toEqual(new Set(budgeted!.map(String)));
    return budgeted;
  };
  const whole = ['organisation', data.id];
  expect(await seen(one.member)).toEqual([whole, ...Object.entries(one.levels)]);
  expect(await seen(other.member)).toEqual([whole, ...Object.entries(other.levels)]);
  expect(await seen(await world.join(owner, data.id, 'viewer'))).toHaveLength(7);
  expect(await seen(await world.t.user())).toBe(404);
  await world.send(owner, 'DELETE', path(`/teams/${one.levels.team}/members/${one.member.id}`));
  expect(await seen(one.member)).not.toContainEqual(['team', one.levels.team]);
});

test('rotating the encryption key re-encrypts webhook secrets', async () => {
  const { database, sealingKeys } = world.t.platform;
  const { data } = await world.send<{ webhook_secret: string }>(owner, 'POST', path('/webhook-secret'));
  const newKey = keyEntry(new Uint8Array(32).fill(7));
  const { reseal } = openSealer({ keys: [newKey, ...sealingKeys] });
  expect(await resealOrganisations(database.db, reseal)).toBeGreaterThan(0);
  expect(await resealOrganisations(database.db, reseal)).toBe(0);
  const { webhook_secret } = (await findOrganisation(database.db, id))!;
  expect(openSealer({ keys: [newKey] }).open(webhook_secret)).toBe(data.webhook_secret);
});
