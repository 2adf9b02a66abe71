/** Values that PostgreSQL or JavaScript cannot take for texts are refused, or ignored like others of the wrong type. */
import { afterAll, expect, test } from 'bun:test';
import { newAddress, openDirectory, patch, type Resource } from './directory.fixture.ts';

const { create, directory, world } = await openDirectory();
afterAll(() => world.close());

const odd = { toString: 1 };

test('an escaped NUL in a filter is refused', async () => {
  const { status, body } = await directory('GET', `/Users?filter=${encodeURIComponent('userName eq "a\\u0000"')}`);
  expect([status, body.scimType]).toEqual([400, 'invalidFilter']);
});

test.each([
  [{ op: 'replace', path: 'active', value: odd }, 'invalidValue'],
  [{ op: 'replace', path: 'active', value: [{ value: [odd] }] }, 'invalidValue'],
  [{ op: 'replace', path: 'id', value: odd }, 'mutability'],
])('a change of a user is refused: %j', async (change, scimType) => {
  const { status, body } = await directory('PATCH', `/Users/${(await create()).id}`, patch(change));
  expect([status, body.scimType]).toEqual([400, scimType]);
});

test('a kind of email that is no text is ignored', async () => {
  const emails = [{ value: 'b@acme.example', type: odd, primary: odd }];
  const { status, body } = await directory('POST', '/Users', { userName: newAddress(), emails });
  expect([status, (body.emails as Resource[])[0]]).toMatchObject([201, { value: 'b@acme.example' }]);
});

test('a member whose id is no text is refused', async () => {
  const { body: group } = await directory('POST', '/Groups', { displayName: 'Sales' });
  const change = { op: 'add', path: 'members', value: [{ value: odd, type: odd }] };
  const { status, body } = await directory('PATCH', `/Groups/${group.id}`, patch(change));
  expect([status, body.scimType]).toEqual([400, 'invalidValue']);
});
