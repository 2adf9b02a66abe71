/** A directory may know several addresses of a person, of which one is stored: the one that says whose account is meant. */
import { afterAll, expect, test } from 'bun:test';
import { newAddress, openDirectory, patch } from './directory.fixture.ts';

const { create, directory, world } = await openDirectory();
afterAll(() => world.close());

const home = 'ada@home.example';
const other = 'new@acme.example';
const shown = (value: string) => [{ value, type: 'work', primary: true }];

/** `%` is the stored address. */
const changes: [what: string, operation: Record<string, unknown>, after: '%' | '' | typeof other][] = [
  ['another kind is added', { op: 'add', path: 'emails', value: [{ value: home, type: 'home' }] }, '%'],
  ['another kind is added without a path', { op: 'Add', value: { emails: [{ value: home, type: 'home' }] } }, '%'],
  ['another kind is added as one value', { op: 'add', path: 'emails', value: { value: home, type: 'home' } }, '%'],
  [
    'another kind is added as the primary one',
    { op: 'add', path: 'emails', value: [{ value: other, type: 'other', primary: true }] },
    other,
  ],
  ['a work address is added', { op: 'add', path: 'emails', value: [{ value: other, type: 'work' }] }, other],
  ['an address without a kind is added', { op: 'add', path: 'emails', value: [{ value: other }] }, other],
  ['nothing is added', { op: 'add', path: 'emails', value: [] }, '%'],
  ['another kind replaces all', { op: 'replace', path: 'emails', value: [{ value: other, type: 'home' }] }, other],
  ['another address is removed by a filter', { op: 'remove', path: `emails[value eq "${home}"]` }, '%'],
  ['another kind is removed', { op: 'remove', path: 'emails[type eq "home"]' }, '%'],
  ['what is not primary is removed', { op: 'remove', path: 'emails[primary eq false]' }, '%'],
  ['another address is removed by value', { op: 'remove', path: 'emails', value: [{ value: home }] }, '%'],
  ['it is removed by a filter', { op: 'remove', path: 'emails[type eq "work" and value eq "%"]' }, ''],
  ['it is removed by value', { op: 'remove', path: 'emails', value: [{ value: '%' }] }, ''],
  ['its kind is removed', { op: 'remove', path: 'emails[type eq "work"]' }, ''],
  ['all are removed', { op: 'remove', path: 'emails' }, ''],
  ['another address is replaced', { op: 'replace', path: `emails[value eq "${home}"].value`, value: other }, '%'],
  ['it is replaced by a filter', { op: 'replace', path: 'emails[value eq "%"].value', value: other }, other],
  ['the primary one is replaced', { op: 'Replace', path: 'emails[primary eq "True"].value', value: other }, other],
  [
    'a kind of several is replaced',
    { op: 'replace', path: 'emails[type eq "home" or type eq "Work"].value', value: other },
    other,
  ],
];

test.each(changes)('of the stored address: %s', async (_, operation, after) => {
  const stored = newAddress();
  const { id } = await create(stored);
  const sent = JSON.parse(JSON.stringify(operation).replaceAll('%', stored.toUpperCase()));
  const { status, body } = await directory('PATCH', `/Users/${id}`, patch(sent));
  expect(status).toBe(200);
  expect(body.emails as unknown).toEqual(after === '' ? undefined : shown(after === '%' ? stored : after));
});

test.each(['home', 'work', 'other'])('a first address is stored, also of the kind %s', async (type) => {
  const { body: user } = await directory('POST', '/Users', { userName: newAddress() });
  const { body } = await directory(
    'PATCH',
    `/Users/${user.id}`,
    patch({ op: 'add', path: 'emails', value: [{ value: other, type }] }),
  );
  expect(body.emails as unknown).toEqual(shown(other));
});

test.each([
  { op: 'remove', path: 'name' },
  { op: 'replace', path: 'name', value: null },
  { op: 'replace', value: { name: null } },
])('a name is removed with all of its parts: %j', async (operation) => {
  const { id } = await create();
  expect((await directory('PATCH', `/Users/${id}`, patch(operation))).body).not.toHaveProperty('name');
});
