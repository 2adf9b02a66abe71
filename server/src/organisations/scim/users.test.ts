import { afterAll, describe, expect, test } from 'bun:test';
import { newAddress, oktaUser, openDirectory, patch, type Resource } from './directory.fixture.ts';

const { clock, create, directory, newOrganisation, owner, world } = await openDirectory();
afterAll(() => world.close());

describe('SCIM users', () => {
  test('Okta: a user is searched, created and read', async () => {
    const userName = newAddress();
    const asked = `/Users?filter=${encodeURIComponent(`userName eq "${userName.toUpperCase()}"`)}&startIndex=1&count=100`;
    expect((await directory('GET', asked)).body).toEqual({
      ...{ schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'], totalResults: 0 },
      ...{ startIndex: 1, itemsPerPage: 0, Resources: [] },
    } as never);
    const made = await directory('POST', '/Users', oktaUser(userName));
    expect(made).toMatchObject({ status: 201, type: expect.stringContaining('application/scim+json') });
    expect(made.location).toBe((made.body.meta as { location: string }).location);
    const at = new Date(clock.nowMs()).toISOString();
    expect(made.body).toEqual({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      ...{ id: made.body.id, externalId: `00u${userName}`, userName, displayName: 'Ada Lovelace', active: true },
      name: { givenName: 'Ada', familyName: 'Lovelace', formatted: 'Ada Lovelace' },
      emails: [{ value: userName, type: 'work', primary: true }],
      meta: {
        ...{ resourceType: 'User', created: at, lastModified: at },
        location: `${world.t.config.baseUrl}/scim/v2/Users/${made.body.id}`,
      },
    } as never);
    expect((await directory('GET', `/Users/${made.body.id}`)).body).toEqual(made.body);
    expect((await directory('GET', asked)).body.Resources).toEqual([made.body]);
    expect(await directory('POST', '/Users', oktaUser(userName.toLowerCase()))).toMatchObject({
      ...{ status: 409, body: { scimType: 'uniqueness', status: '409' } },
    });
  });

  test.each([
    ['GET', '/Nothing', 404],
    ['GET', '/ResourceTypes/', 404],
    ['PUT', '/Users', 405],
  ])('%s %s, which is not there, has the media type of every other answer', async (method, path, status) => {
    const answer = await directory(method, path);
    expect(answer).toMatchObject({ status, type: expect.stringContaining('application/scim+json') });
    expect(answer.body).toMatchObject({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: `${status}`,
    });
  });

  test.each([
    ['externalId eq "00u%"', 1],
    ['emails.value eq "%"', 1],
    ['emails[type eq "work"].value eq "%"', 1],
    ['emails[type eq "home"].value eq "%"', 0],
    ['userName eq "%" and active eq true', 1],
    ['userName eq "%" and active eq false', 0],
    ['userName eq "nobody" or emails eq "%"', 1],
    ['userName sw "person." and userName ew "@acme.example" and userName eq "%"', 1],
    ['emails[type eq "work" and value eq "%"]', 1],
    ['emails[type eq "work"].value co "%"', 1],
    ['not (active eq true) and userName eq "%"', 0],
    ['displayName co "LOVE" and userName eq "%"', 1],
    ['name.familyName eq "lovelace" and externalId ne null and userName eq "%"', 1],
    ['externalId sw "00U" and userName eq "%"', 0],
    ['(externalId pr or active eq false) and userName eq "%"', 1],
    ['meta.lastModified ge "2026-11-16T12:00:00Z" and userName eq "%"', 1],
    ['meta.lastModified gt "2026-11-16T13:00:00+01:00" and userName eq "%"', 0],
    ['userName eq "%" and meta.resourceType eq "User"', 1],
  ])('found by %s', async (filter, found) => {
    const { userName } = (await create()) as unknown as { userName: string };
    const { body } = await directory('GET', `/Users?filter=${encodeURIComponent(filter.replace('%', userName))}`);
    expect(body.totalResults).toBe(found);
  });

  test('lists are sorted, with missing values last', async () => {
    const { call } = await newOrganisation(owner);
    for (const [userName, displayName] of [
      ['b@acme.example', 'zoe'],
      ['C@acme.example', ''],
      ['a@acme.example', 'Ada'],
    ])
      await call('POST', '/Users', { userName, displayName });
    const names = async (query: string) =>
      (await call('GET', `/Users?${query}`)).body.Resources.map(({ userName }) => String(userName)[0]).join('');
    expect(await names('sortBy=userName')).toBe('abC');
    expect(await names('sortBy=userName&sortOrder=descending')).toBe('Cba');
    expect(await names('sortBy=displayName')).toBe('abC');
    expect(await names('sortBy=displayName&sortOrder=descending')).toBe('Cba');
    expect(await names('sortBy=meta.lastModified&sortOrder=ascending&count=2')).toBe('bC');
    expect(await names('sortOrder=descending')).toBe('bCa');
  });

  test('lists are paged and return selected attributes', async () => {
    const { body: all } = await directory('GET', '/Users');
    const { body } = await directory('GET', '/Users?startIndex=2&count=2&attributes=userName');
    expect(body).toMatchObject({ totalResults: all.totalResults, startIndex: 2, itemsPerPage: 2 } as never);
    expect(body.Resources).toEqual(
      all.Resources.slice(1, 3).map(({ schemas, id: userId, userName }) => ({
        schemas,
        id: userId,
        userName,
      })) as never,
    );
    expect((await directory('GET', '/Users?count=0')).body).toMatchObject({ itemsPerPage: 0 });
    expect((await directory('GET', '/Users?startIndex=-5&count=1')).body).toMatchObject({ startIndex: 1 });
  });

  const core = 'urn:ietf:params:scim:schemas:core:2.0:User';
  test.each<[query: string, shown: (user: Resource) => object]>([
    ['attributes=userName', ({ userName }) => ({ userName })],
    [`attributes=${core}:userName, ACTIVE`, ({ userName, active }) => ({ userName, active })],
    [
      'attributes=name.givenName,emails.value',
      ({ userName }) => ({ name: { givenName: 'Ada' }, emails: [{ value: userName }] }),
    ],
    [`attributes=${core}:name.familyName`, () => ({ name: { familyName: 'Lovelace' } })],
    ['attributes=name,name.givenName', ({ name }) => ({ name })],
    ['attributes=', ({ schemas: _, id: __, ...all }) => all],
    ['attributes=title', () => ({})],
    ['attributes=userName&excludedAttributes=userName', () => ({})],
    [
      `excludedAttributes=id,meta,active,displayName,externalId,${core}:emails,name.formatted`,
      ({ userName }) => ({ userName, name: { givenName: 'Ada', familyName: 'Lovelace' } }),
    ],
  ])('selected attributes of a user: %s', async (query, shown) => {
    const user = await create();
    const { schemas, id } = user;
    expect((await directory('GET', `/Users/${id}?${query}`)).body).toEqual({ schemas, id, ...shown(user) } as never);
  });

  /** As they are sent by Okta and by Microsoft Entra ID, and what is different then. */
  const changes: [what: string, operations: unknown[], after: Record<string, unknown>][] = [
    ['Okta: deactivates', [{ op: 'replace', value: { active: false } }], { active: false }],
    ['Entra: deactivates', [{ op: 'Replace', path: 'active', value: 'False' }], { active: false }],
    [
      'Entra, legacy format: deactivates',
      [{ op: 'Replace', path: 'active', value: [{ $ref: null, value: 'False' }] }],
      { active: false },
    ],
    [
      'Entra: changes the work address',
      [{ op: 'Add', path: 'emails[type eq "work"].value', value: 'New@acme.example' }],
      { emails: [{ value: 'New@acme.example', type: 'work', primary: true }] },
    ],
    [
      'Entra: ignores a home address',
      [{ op: 'Add', path: 'emails[type eq "home"].value', value: 'a@home.example' }],
      {},
    ],
    [
      'Entra: changes several attributes',
      [
        { op: 'Replace', path: 'displayName', value: 'Augusta' },
        { op: 'Replace', path: 'name.givenName', value: 'Augusta' },
        { op: 'Add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', value: 'R&D' },
        { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+1 555' },
      ],
      { displayName: 'Augusta', name: { givenName: 'Augusta', familyName: 'Lovelace', formatted: 'Augusta Lovelace' } },
    ],
    [
      'Entra: changes without a path',
      [
        {
          op: 'replace',
          value: {
            'name.familyName': 'King',
            externalId: 'k',
            'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:employeeNumber': '7',
          },
        },
      ],
      { externalId: 'k', name: { givenName: 'Ada', familyName: 'King', formatted: 'Ada King' } },
    ],
    [
      'replaces the name and the list of addresses',
      [
        { op: 'replace', value: { name: { givenName: 'A', familyName: 'K' } } },
        { op: 'replace', path: 'emails', value: [{ value: 'one@acme.example' }] },
      ],
      {
        name: { givenName: 'A', familyName: 'K', formatted: 'A K' },
        emails: [{ value: 'one@acme.example', type: 'work', primary: true }],
      },
    ],
    [
      'null is the same as no path, and as nothing said about the status',
      [{ op: 'replace', path: null, value: { active: null, displayName: 'Augusta' } }],
      { displayName: 'Augusta' },
    ],
    [
      'attributes are removed',
      [
        { op: 'remove', path: 'displayName' },
        { op: 'remove', path: 'emails' },
      ],
      { displayName: undefined, emails: undefined },
    ],
  ];
  test.each(changes)('%s', async (_, operations, after) => {
    const before = await create();
    const { status, body } = await directory('PATCH', `/Users/${before.id}`, patch(...operations));
    expect(status).toBe(200);
    expect(JSON.parse(JSON.stringify({ ...before, ...after }))).toEqual(body);
    expect((await directory('GET', `/Users/${before.id}`)).body).toEqual(body);
  });

  test('PUT removes absent attributes, but does not reactivate a user', async () => {
    const before = await create();
    await directory('PATCH', `/Users/${before.id}`, patch({ op: 'replace', value: { active: false } }));
    const { body } = await directory('PUT', `/Users/${before.id}`, { userName: 'ada' });
    const { schemas, id: userId, meta } = before;
    expect(body).toEqual({ schemas, id: userId, userName: 'ada', active: false, meta } as never);
  });

  test.each<[what: string, method: string, path: string, body: unknown, status: number, scimType: string | undefined]>([
    ['no name', 'POST', '/Users', { displayName: 'Ada' }, 400, 'invalidValue'],
    ['an invisible name', 'POST', '/Users', { userName: '\u200b' }, 400, 'invalidValue'],
    ['an invalid email address', 'POST', '/Users', { userName: 'x', emails: [{ value: 'x' }] }, 400, 'invalidValue'],
    ['active that is not a boolean', 'POST', '/Users', { userName: 'y', active: 'perhaps' }, 400, 'invalidValue'],
    ['a body that is not an object', 'POST', '/Users', [], 400, 'invalidValue'],
    ['an unknown filter', 'GET', '/Users?filter=title pr', undefined, 400, 'invalidFilter'],
    ['an unknown attribute', 'GET', '/Users?filter=title eq "x"', undefined, 400, 'invalidFilter'],
    ['an ordering of booleans', 'GET', '/Users?filter=active gt true', undefined, 400, 'invalidFilter'],
    ['an invalid time', 'GET', '/Users?filter=meta.lastModified gt "soon"', undefined, 400, 'invalidFilter'],
    ['a search for a number', 'GET', '/Users?filter=userName co 5', undefined, 400, 'invalidFilter'],
    ['an ordering of null', 'GET', '/Users?filter=userName gt null', undefined, 400, 'invalidFilter'],
    [
      'a value filter on a single value',
      'GET',
      '/Users?filter=name[givenName eq "x"]',
      undefined,
      400,
      'invalidFilter',
    ],
    ['an unknown sub-attribute', 'GET', '/Users?filter=emails[display eq "x"]', undefined, 400, 'invalidFilter'],
    [
      'too many substring searches',
      'GET',
      `/Users?filter=${Array(5).fill('userName co "x"').join(' or ')}`,
      undefined,
      400,
      'invalidFilter',
    ],
    ['an unknown order', 'GET', '/Users?sortBy=title', undefined, 400, 'invalidValue'],
    ['an unknown direction', 'GET', '/Users?sortBy=userName&sortOrder=up', undefined, 400, 'invalidValue'],
    ['a count that is not a number', 'GET', '/Users?count=many', undefined, 400, 'invalidValue'],
    ['an unknown user', 'GET', '/Users/999999', undefined, 404, undefined],
    ['an invalid id', 'GET', '/Users/ada', undefined, 404, undefined],
    ['an unknown path', 'GET', '/Me', undefined, 404, undefined],
    ['an unknown operation', 'PATCH', '/Users/1', patch({ op: 'move', path: 'a' }), 400, 'invalidValue'],
    ['no operation', 'PATCH', '/Users/1', patch(), 400, 'invalidValue'],
    ['a broken path', 'PATCH', '/Users/1', patch({ op: 'add', path: 'emails[', value: 1 }), 400, 'invalidPath'],
    ['removing without a path', 'PATCH', '/Users/1', patch({ op: 'remove', value: { emails: [] } }), 400, 'noTarget'],
    ['removing nothing', 'PATCH', '/Groups/1', patch({ op: 'remove' }), 400, 'noTarget'],
    ['a changed id', 'PATCH', '/Users/1', patch({ op: 'replace', path: 'id', value: '2' }), 400, 'mutability'],
    ['a changed id in a value', 'PATCH', '/Groups/1', patch({ op: 'replace', value: { id: '2' } }), 400, 'mutability'],
    ['a removed id', 'PATCH', '/Users/1', patch({ op: 'remove', path: 'id' }), 400, 'mutability'],
    [
      'a value without a path that is not an object',
      'PATCH',
      '/Users/1',
      patch({ op: 'add', value: 1 }),
      400,
      'invalidValue',
    ],
  ])('rejected: %s', async (_, method, path, body, status, scimType) => {
    const told = await directory(method, path, body);
    expect(told.status).toBe(status);
    expect(told.body).toEqual({
      ...{ schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: String(status) },
      ...(scimType && { scimType }),
      detail: expect.stringMatching(/./),
    } as never);
  });

  test('a too large body and a too long name are rejected', async () => {
    expect((await directory('POST', '/Users', { userName: 'a'.repeat(1_100_000) })).status).toBe(413);
    expect((await directory('POST', '/Users', { userName: 'a'.repeat(5_000) })).status).toBe(400);
  });

  test('of concurrent creations of one user, one succeeds', async () => {
    const userName = newAddress();
    const made = await Promise.all(Array.from({ length: 8 }, () => directory('POST', '/Users', oktaUser(userName))));
    expect(made.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
  });

  test('concurrent changes are all kept', async () => {
    const { id: userId } = await create();
    await Promise.all([
      directory('PATCH', `/Users/${userId}`, patch({ op: 'replace', path: 'displayName', value: 'D' })),
      directory('PATCH', `/Users/${userId}`, patch({ op: 'replace', path: 'externalId', value: 'E' })),
      directory('PATCH', `/Users/${userId}`, patch({ op: 'replace', path: 'name.givenName', value: 'G' })),
    ]);
    const { body } = await directory('GET', `/Users/${userId}`);
    expect(body).toMatchObject({ displayName: 'D', externalId: 'E', name: { givenName: 'G' } } as never);
  });
});
