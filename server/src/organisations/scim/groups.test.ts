import { afterAll, describe, expect, test } from 'bun:test';
import type { Member } from '../../app.fixture.ts';
import { newAddress, openDirectory, patch, type Resource } from './directory.fixture.ts';
import { noGroup, toldGroup } from './groups.ts';

const { acts, create, directory, joined, memberOf, newOrganisation, org, owner, person, world } = await openDirectory();
afterAll(() => world.close());

const stranger = (await newOrganisation(await world.t.user())).call;

describe('SCIM groups', () => {
  const teamOf = async (member: Member) => (await memberOf(member))?.teams;
  let groups = 0;
  const newGroup = async (...ids: string[]) => {
    groups += 1;
    const group = {
      displayName: `Group ${groups}`,
      externalId: `g${groups}`,
      members: ids.map((value) => ({ value })),
    };
    const told = await directory('POST', '/Groups', group);
    expect(told.status).toBe(201);
    return told.body;
  };
  const idsOf = async (group: Resource) =>
    (await directory('GET', `/Groups/${group.id}`)).body.members.map(({ value }) => value);

  test('a group is a team of current and future members', async () => {
    const { member, userId } = await joined();
    const address = newAddress();
    const { id: later } = await create(address);
    const group = await newGroup(userId, later);
    expect(group).toMatchObject({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
      ...{ displayName: 'Group 1', externalId: 'g1' },
      members: [{ value: userId }, { value: later, display: address, type: 'User' }],
    } as never);
    expect(await teamOf(member)).toEqual([Number(group.id)]);
    const newcomer = await person(address);
    await world.send(newcomer, 'PUT', org('/membership'));
    expect(await teamOf(newcomer)).toEqual([Number(group.id)]);
    // Entra does not want to read thousands of members.
    const asked = `/Groups?excludedAttributes=members&filter=${encodeURIComponent('displayName eq "Group 1"')}`;
    const { Resources } = (await directory('GET', asked)).body;
    expect(Resources).toMatchObject([{ id: group.id }]);
    expect(Resources[0]).not.toHaveProperty('members');
    const found = async (filter: string) =>
      (await directory('GET', `/Groups?filter=${encodeURIComponent(filter)}`)).body.Resources.map(({ id }) => id);
    for (const filter of [
      `members[value eq "${later}"] and displayName sw "Group"`,
      `members.value eq "${userId}" and externalId eq "g1"`,
      `members eq "${later}" and not (displayName ew "2")`,
      `members[type eq "User" and value eq "${later}"]`,
    ])
      expect(await found(filter)).toEqual([group.id]);
    expect(await found(`members.value eq "${later}" and not (members pr)`)).toEqual([]);
    expect(await found(`displayName eq "GROUP 1" and members pr`)).toEqual([]);
    expect((await directory('DELETE', `/Groups/${group.id}`)).status).toBe(204);
    expect(await teamOf(member)).toEqual([]);
  });

  const changes: [what: string, operation: (a: string, b: string) => unknown, before: string, after: string][] = [
    ['Okta: adds a member', (_, b) => ({ op: 'add', path: 'members', value: [{ value: b, display: 'b' }] }), 'a', 'ab'],
    ['Okta: removes a member', (a) => ({ op: 'remove', path: `members[value eq "${a}"]` }), 'ab', 'b'],
    ['Okta: replaces the members', (_, b) => ({ op: 'replace', path: 'members', value: [{ value: b }] }), 'a', 'b'],
    ['Entra: adds a member', (_, b) => ({ op: 'Add', path: 'members', value: [{ $ref: null, value: b }] }), 'a', 'ab'],
    [
      'Entra: removes a member',
      (a) => ({ op: 'Remove', path: 'members', value: [{ $ref: null, value: a }] }),
      'ab',
      'b',
    ],
    ['adds a member without a path', (_, b) => ({ op: 'add', value: { members: [{ value: b }] } }), 'a', 'ab'],
    ['removes all members', () => ({ op: 'remove', path: 'members' }), 'ab', ''],
    [
      'adds the same member twice',
      (a) => ({ op: 'add', path: 'members', value: [{ value: a }, { value: a }] }),
      'a',
      'a',
    ],
    ['removes a user who is not a member', (a) => ({ op: 'remove', path: `members[value eq "${a}"]` }), 'b', 'b'],
  ];
  test.each(changes)('%s', async (_, operation, before, after) => {
    const people = { a: await joined(), b: await joined() };
    const named = (letters: string) => [...letters].map((letter) => people[letter as 'a' | 'b']);
    const group = await newGroup(...named(before).map(({ userId }) => userId));
    const { status } = await directory(
      'PATCH',
      `/Groups/${group.id}`,
      patch(operation(people.a.userId, people.b.userId)),
    );
    expect(status).toBe(204);
    expect(await idsOf(group)).toEqual(named(after).map(({ userId }) => userId));
    for (const [letter, { member }] of Object.entries(people))
      expect(await teamOf(member)).toEqual(after.includes(letter) ? [Number(group.id)] : []);
  });

  test('Okta: a group is renamed and replaced', async () => {
    const { userId } = await joined();
    const group = await newGroup();
    const renamed = { op: 'replace', value: { id: group.id, displayName: 'Renamed' } };
    await directory('PATCH', `/Groups/${group.id}`, patch(renamed));
    // Whoever says what to answer is answered, with as much as that.
    const { status, body } = await directory('PATCH', `/Groups/${group.id}?attributes=displayName`, patch(renamed));
    expect(status).toBe(200);
    expect(Object.keys(body).toSorted()).toEqual(['displayName', 'id', 'schemas']);
    expect((await directory('GET', `/Groups/${group.id}`)).body.displayName).toBe('Renamed');
    const anew = { displayName: 'Anew', members: [{ value: userId }] };
    expect((await directory('PUT', `/Groups/${group.id}`, anew)).body).toMatchObject(anew as never);
    expect((await acts())[0]).toMatchObject({
      action: 'team_updated',
      actor: { name: 'SCIM: Okta' },
      after: { team_id: Number(group.id), name: 'Anew', members: [Number(userId)] },
    });
  });

  test('a name may be as long as those of other directories', async () => {
    const { id } = await newGroup();
    const displayName = `SG-Azure-${'x'.repeat(247)}`;
    const renaming = (name: string) =>
      directory('PATCH', `/Groups/${id}`, patch({ op: 'replace', path: 'displayName', value: name }));
    expect((await renaming(displayName)).status).toBe(204);
    expect((await renaming(`${displayName}x`)).body.detail).toContain('256');
    const found = `/Groups?filter=${encodeURIComponent(`displayName eq "${displayName}"`)}`;
    expect((await directory('GET', found)).body.Resources).toMatchObject([{ id, displayName }]);
    // People can change it here too.
    const teams = org('/teams');
    const { data } = await world.send<{ name: string }>(owner, 'PUT', `${teams}/${id}`, {
      name: displayName.toLowerCase(),
    });
    expect(data.name).toBe(displayName.toLowerCase());
  });

  test.each(['2147483647', '9223372036854775807'])('a list can be requested with a count of %s', async (count) => {
    for (const path of ['/Users', '/Groups'])
      expect((await directory('GET', `${path}?count=${count}&startIndex=${count}`)).status).toBe(200);
  });

  test('of concurrent creations with one name, one succeeds', async () => {
    const made = await Promise.all(
      Array.from({ length: 5 }, () => directory('POST', '/Groups', { displayName: 'Once' })),
    );
    expect(made.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
  });

  test('members added concurrently are all kept', async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, async () => (await create()).id));
    const group = await newGroup();
    await Promise.all(
      ids.map((value) =>
        directory('PATCH', `/Groups/${group.id}`, patch({ op: 'add', path: 'members', value: [{ value }] })),
      ),
    );
    expect((await idsOf(group)).sort()).toEqual(ids.sort());
  });

  test.each([
    ['an unknown user', { op: 'add', path: 'members', value: [{ value: '999999' }] }],
    ['an invalid id', { op: 'add', path: 'members', value: [{ value: 'ada' }] }],
    ['a nested group', { op: 'add', path: 'members', value: [{ value: '1', type: 'Group' }] }],
    ['an empty name', { op: 'replace', path: 'displayName', value: '' }],
  ])('rejected: %s', async (_, operation) => {
    const group = await newGroup();
    const told = await directory('PATCH', `/Groups/${group.id}`, patch(operation));
    expect(told).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });
  });

  test('resources of another organisation are not found', async () => {
    const { id: userId } = await create();
    const group = await newGroup(userId);
    const change = patch({ op: 'replace', value: { active: false, displayName: 'x' } });
    for (const path of [`/Users/${userId}`, `/Groups/${group.id}`])
      for (const [method, body] of [
        ['GET'],
        ['PUT', { userName: 'x', displayName: 'x' }],
        ['PATCH', change],
        ['DELETE'],
      ])
        expect((await stranger(method as string, path, body)).status).toBe(404);
    expect((await stranger('GET', '/Users')).body.totalResults).toBe(0);
    const told = await stranger('POST', '/Groups', { displayName: 'x', members: [{ value: userId }] });
    expect(told).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });
    expect(await idsOf(group)).toEqual([userId]);
  });
});

test('a thousand changes to a large group cost little more than one', () => {
  const members = new Set(Array.from({ length: 10_000 }, (_, at) => at + 1));
  const cost = (count: number): number => {
    const changes = Array.from({ length: count }, (_, at) => ({
      ...{ attribute: 'members', where: null, op: at % 2 === 0 ? ('add' as const) : ('remove' as const) },
      value: [{ value: `${at + 5_000}` }],
    }));
    const before = process.cpuUsage();
    const told = toldGroup({ ...noGroup, members }, changes);
    const { user } = process.cpuUsage(before);
    expect(told.members.size).toBe(10_000 - count / 2);
    expect(members.size).toBe(10_000);
    return user;
  };
  const least = (count: number) => Math.min(...Array.from({ length: 5 }, () => cost(count)));
  cost(1_000);
  expect(least(1_000)).toBeLessThan(30 * (least(10) + 100));
});
