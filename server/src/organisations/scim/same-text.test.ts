/** Names are stored in one form, whatever they were written in: a directory finds by a text what it has created with it. */
import { afterAll, describe, expect, test } from 'bun:test';
import { openDirectory, patch } from './directory.fixture.ts';

const { directory, world } = await openDirectory();
afterAll(() => world.close());

let count = 0;
/** Each is of one person or group only. */
const written: [what: string, text: (own: string) => string][] = [
  ['plain', (own) => `Research ${own}`],
  ['with two spaces', (own) => `Research  ${own}`],
  ['with spaces at the ends', (own) => ` Research ${own} `],
  ['with a space that does not break', (own) => `Research\u00a0${own}`],
  ['with an accent apart from its letter', (own) => `Re\u0301search ${own}`],
  ['in Hangul apart', (own) => `\u1112\u1161\u11ab ${own}`],
  ['in other capitals', (own) => `RÉSEARCH ${own}`],
];

describe.each(written)('a text %s', (_, text) => {
  const next = () => {
    count += 1;
    return text(`${count}x`);
  };
  const found = async (path: string, attribute: string, op: string, value: string) => {
    const filter = encodeURIComponent(`${attribute} ${op} ${JSON.stringify(value)}`);
    return (await directory('GET', `${path}?filter=${filter}`)).body.Resources.map(({ id }) => id);
  };

  test.each([
    ['/Users', 'userName'],
    ['/Users', 'displayName'],
    ['/Users', 'name.familyName'],
    ['/Users', 'externalId'],
    ['/Groups', 'displayName'],
    ['/Groups', 'externalId'],
  ])('of %s finds by %s', async (path, attribute) => {
    const value = next();
    const named = path === '/Users' ? { userName: `user ${count}` } : { displayName: `group ${count}` };
    const { status, body } = await directory('POST', path, { ...named, [attribute]: value });
    expect(status).toBe(201);
    expect(await found(path, attribute, 'eq', value)).toEqual([body.id]);
    expect(await found(path, attribute, 'co', value.trim())).toEqual([body.id]);
    expect(await found(path, attribute, 'sw', value.slice(0, -1))).toContain(body.id);
    // Told again, it is the same.
    const again = await directory(
      'PATCH',
      `${path}/${body.id}?attributes=id`,
      patch({ op: 'replace', path: attribute, value }),
    );
    expect(again.status).toBe(200);
  });
});
