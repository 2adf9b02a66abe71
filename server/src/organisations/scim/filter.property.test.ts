/** Filters as text, through the parser and SQL, against an evaluator that reads the resources as they are shown. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { groupsLike, usersLike } from '../store/scim-conditions.ts';
import { addPlaces, groupMembers, pageGroups } from '../store/scim-places.ts';
import { insertScimUser, pageScimUsers } from '../store/scim-users.ts';
import { insertTeam } from '../store/teams.ts';
import { openDirectory } from './directory.fixture.ts';
import { type Comparison, type Filter, parseFilter } from './filter.ts';
import { addressOf } from './user-fields.ts';
import { type Resource, viewGroup, viewUser } from './views.ts';

type World = Awaited<ReturnType<typeof openDirectory>>;
let world: World;
let users: Resource[];
let groups: Resource[];
const start = Date.UTC(2026, 0, 1) / 1000;

/** With all that SQL gives a meaning to. Case is ignored of ASCII by both engines, so other letters have one case. */
const signs = ['a', 'A', 'b', 'B', '%', '_', '\\', "'", '"', 'é', '.', '@', '(', ' '];
const word = fc.array(fc.constantFrom(...signs), { maxLength: 4 }).map((all) => all.join('').trim());
const someWord = word.filter((text) => text !== '');
const seconds = fc.integer({ min: 0, max: 4 });

const person = fc.record({
  ...{ user_name: someWord, external_id: word, given_name: word, family_name: word, display_name: word },
  ...{ email: word, active: fc.constantFrom(0, 1), created_at: seconds, updated_at: seconds },
});
const team = fc.record({
  ...{ name: someWord, external_id: word, created_at: seconds, members: fc.uniqueArray(fc.nat(24), { maxLength: 4 }) },
});

beforeAll(async () => {
  world = await openDirectory();
  const { db } = world.world.t.platform.database;
  const people = fc.sample(
    fc.uniqueArray(person, { selector: ({ user_name }) => user_name.toLowerCase(), minLength: 25, maxLength: 40 }),
    { seed: 7, numRuns: 1 },
  )[0]!;
  const rows: Awaited<ReturnType<typeof insertScimUser>>[] = [];
  for (const { created_at, updated_at, ...fields } of people)
    rows.push(
      await insertScimUser(db, {
        ...{
          ...fields,
          organisation_id: world.id,
          user_key: fields.user_name.toLowerCase(),
          address: addressOf(fields),
        },
        ...{ created_at: start + created_at, updated_at: start + updated_at },
      }),
    );
  users = rows.map((row) => viewUser('', row));
  for (const { members, created_at, ...fields } of fc.sample(team, { seed: 7, numRuns: 12 })) {
    const made = await insertTeam(db, { ...fields, organisation_id: world.id, created_at: start + created_at });
    await addPlaces(
      db,
      made.id,
      members.map((index) => rows[index]!.id),
    );
  }
  const { rows: teams } = await pageGroups(db, world.id, groupsLike(null), { limit: 100, offset: 0 });
  const inTeams = Map.groupBy(
    await groupMembers(
      db,
      teams.map(({ id }) => id),
    ),
    ({ team_id }) => team_id,
  );
  groups = teams.map((row) => viewGroup('', row, inTeams.get(row.id) ?? []));
});
afterAll(() => world.world.close());

const textOps = ['eq', 'ne', 'co', 'sw', 'ew'] as const;
const timeOps = ['eq', 'ne', 'gt', 'ge', 'lt', 'le'] as const;
const time = fc
  .tuple(seconds, fc.constantFrom(0, 0.5))
  .map(([second, part]) => new Date((start + second + part) * 1000).toISOString());
const compares = (names: string[], ops: readonly Comparison['op'][], value: fc.Arbitrary<string | boolean>) =>
  fc.record({ attribute: fc.constantFrom(...names), op: fc.constantFrom(...ops), value }) as fc.Arbitrary<Comparison>;
const isThere = (names: string[]) =>
  fc.oneof(
    fc.record({ attribute: fc.constantFrom(...names), op: fc.constant('pr' as const) }),
    fc.record({
      ...{ attribute: fc.constantFrom(...names), op: fc.constantFrom('eq' as const, 'ne' as const) },
      value: fc.constant(null),
    }),
  );
const equal = ['eq', 'ne'] as const;
const idText = fc.oneof(fc.nat(40).map(String), word);

const userTexts = ['username', 'externalid', 'displayname', 'name.givenname', 'name.familyname', 'name.formatted'];
const userLeaf = fc.oneof(
  compares([...userTexts, 'emails', 'emails.value'], textOps, word),
  compares(['id'], equal, idText),
  compares(['active', 'emails.primary'], equal, fc.boolean()),
  compares(['emails.type'], equal, fc.constantFrom('work', 'WORK', 'home')),
  compares(['meta.created', 'meta.lastmodified'], timeOps, time),
  isThere([...userTexts, 'emails', 'emails.value', 'active', 'meta.created']),
);
const emailLeaf = fc.oneof(
  compares(['value'], textOps, word),
  compares(['type'], equal, fc.constantFrom('work', 'home')),
  compares(['primary'], equal, fc.boolean()),
);
const groupTexts = ['externalid', 'displayname'];
const groupLeaf = fc.oneof(
  compares(groupTexts, textOps, word),
  compares(['id', 'members', 'members.value'], equal, idText),
  compares(['meta.created'], timeOps, time),
  isThere([...groupTexts, 'members']),
);
const memberLeaf = fc.oneof(
  compares(['value'], equal, idText),
  compares(['type'], equal, fc.constantFrom('User', 'Group')),
);

const filters = (name: string, leaf: fc.Arbitrary<Filter>, part: fc.Arbitrary<Filter>): fc.Arbitrary<Filter> => {
  const inner = fc.oneof(
    part,
    part.map((not) => ({ not })),
    fc.tuple(part, part).map((all) => ({ all })),
    fc.tuple(part, part).map((any) => ({ any })),
  );
  const some = inner.map((where) => ({ some: name, where }));
  return fc.letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 2, withCrossShrink: true },
      leaf,
      some,
      tie('filter').map((not) => ({ not })),
      fc.array(tie('filter'), { minLength: 2, maxLength: 3 }).map((all) => ({ all })),
      fc.array(tie('filter'), { minLength: 2, maxLength: 3 }).map((any) => ({ any })),
    ),
  })).filter;
};

/** As a directory writes it: lists within others in brackets. */
function textOf(filter: Filter): string {
  const inside = (part: Filter) => ('all' in part || 'any' in part ? `(${textOf(part)})` : textOf(part));
  if ('all' in filter) return filter.all.map(inside).join(' and ');
  if ('any' in filter) return filter.any.map(inside).join(' or ');
  if ('not' in filter) return `not (${textOf(filter.not)})`;
  if ('some' in filter) return `${filter.some}[${textOf(filter.where)}]`;
  return filter.op === 'pr'
    ? `${filter.attribute} pr`
    : `${filter.attribute} ${filter.op} ${JSON.stringify(filter.value)}`;
}

const exact = new Set(['id', 'externalid', 'members', 'members.value']);
type Shown = Record<string, unknown>;
const lowered = (value: Shown): Shown =>
  Object.fromEntries(Object.entries(value).map(([name, one]) => [name.toLowerCase(), one]));

/** What RFC 7644 §3.4.2.2 says, word by word. */
function holds(filter: Filter, shown: Shown, kind: 'User' | 'Group', within = ''): boolean {
  if ('all' in filter) return filter.all.every((part) => holds(part, shown, kind, within));
  if ('any' in filter) return filter.any.some((part) => holds(part, shown, kind, within));
  if ('not' in filter) return !holds(filter.not, shown, kind, within);
  if ('some' in filter) {
    const values = (shown[filter.some] ?? []) as Shown[];
    return values.some((value) => holds(filter.where, value, kind, filter.some));
  }
  const [name, part] = filter.attribute.split('.') as [string, string?];
  const values = shown[name];
  const whole = within ? `${within}.${filter.attribute}` : filter.attribute;
  if (!Array.isArray(values) && !within && (name === 'emails' || name === 'members')) return isNone(filter);
  if (Array.isArray(values)) {
    if (filter.value === null && filter.op === 'eq') return values.length === 0;
    return values.some((value: Shown) => matches(filter, value[part ?? 'value'], whole, kind));
  }
  return matches(filter, part ? lowered((values ?? {}) as Shown)[part] : values, whole, kind);
}
const isNone = ({ op, value }: Comparison): boolean => op === 'eq' && value === null;

function matches({ op, value }: Comparison, found: unknown, attribute: string, kind: 'User' | 'Group'): boolean {
  if (op === 'pr') return found !== undefined;
  if (op === 'ne') return !matches({ attribute, op: 'eq', value: value ?? null }, found, attribute, kind);
  if (value === null) return found === undefined;
  if (found === undefined) return false;
  if (typeof found === 'boolean') return found === value;
  if (attribute.startsWith('meta.')) return timeHolds(op, Date.parse(String(found)), Date.parse(String(value)));
  const isExact = exact.has(attribute) || (kind === 'Group' && attribute === 'displayname');
  const [one, other] = [String(found), String(value)].map((text) => (isExact ? text : text.toLowerCase())) as [
    string,
    string,
  ];
  if (op === 'co') return one.includes(other);
  if (op === 'sw') return one.startsWith(other);
  return op === 'ew' ? one.endsWith(other) : one === other;
}

function timeHolds(op: Comparison['op'], found: number, given: number): boolean {
  if (op === 'gt') return found > given;
  if (op === 'ge') return found >= given;
  if (op === 'lt') return found < given;
  return op === 'le' ? found <= given : found === given;
}

const termsIn = (text: string): number => text.split(/\(|\[| (?:and|or) /).length;
/** No more of these than are searched for at once. */
const slowIn = (text: string): number => text.match(/ (co|sw|ew) "|(displayname|name\.\w+) (eq|ne) /g)?.length ?? 0;
const all = { limit: 200, offset: 0 };

async function check(kind: 'User' | 'Group', filter: Filter): Promise<void> {
  const text = textOf(filter);
  fc.pre(termsIn(text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')) <= 20);
  expect(parseFilter(text)).toEqual(filter);
  fc.pre(slowIn(text) <= 4);
  const { db } = world.world.t.platform.database;
  const { rows } =
    kind === 'User'
      ? await pageScimUsers(db, world.id, usersLike(parseFilter(text)), all)
      : await pageGroups(db, world.id, groupsLike(parseFilter(text)), all);
  const expected = (kind === 'User' ? users : groups).filter((one) => holds(filter, lowered(one), kind));
  expect([text, rows.map(({ id }) => String(id))]).toEqual([text, expected.map(({ id }) => String(id))]);
}

test('user filters agree with a naive evaluator', () =>
  fc.assert(
    fc.asyncProperty(filters('emails', userLeaf, emailLeaf), (filter) => check('User', filter)),
    { numRuns: 600 },
  ));

test('group filters agree with a naive evaluator', () =>
  fc.assert(
    fc.asyncProperty(filters('members', groupLeaf, memberLeaf), (filter) => check('Group', filter)),
    { numRuns: 400 },
  ));

test('any filter text is parsed or rejected with invalidFilter', () => {
  const pieces = fc.constantFrom(
    'userName',
    'emails',
    '[',
    ']',
    '(',
    ')',
    'not',
    'and',
    'or',
    'eq',
    'pr',
    'co',
    '"a"',
    'true',
    '5',
    '.value',
    '"',
    '\\',
  );
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(pieces, { maxLength: 20 }).map((some) => some.join(' ')),
  );
  fc.assert(
    fc.property(texts, (text) => {
      try {
        usersLike(parseFilter(text));
      } catch (error) {
        expect(error).toMatchObject({ code: 'invalid_value', extras: { body: { scimType: 'invalidFilter' } } });
      }
    }),
    { numRuns: 2_000 },
  );
});
