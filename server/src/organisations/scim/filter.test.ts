import { describe, expect, test } from 'bun:test';
import { AppError } from '../../lib/errors.ts';
import { type Filter, parseFilter, parsePath, type Value } from './filter.ts';

const eq = (attribute: string, value: Value): Filter => ({ attribute, op: 'eq', value });
const ada = eq('username', 'ada');
const on = eq('active', true);
const read: [text: string, filter: Filter][] = [
  ['userName eq "ada"', ada],
  ['USERNAME EQ "ada"', ada],
  ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "ada"', ada],
  ['active eq true', on],
  ['userName eq "ada" and active eq True', { all: [ada, on] }],
  ['userName eq "ada" or active eq true and userName eq "ada"', { any: [ada, { all: [on, ada] }] }],
  ['(userName eq "ada" or active eq true) and active eq true', { all: [{ any: [ada, on] }, on] }],
  ['userName eq "a \\"b\\" (c) and \\u00e9"', eq('username', 'a "b" (c) and é')],
  ['not (active eq true) and userName pr', { all: [{ not: on }, { attribute: 'username', op: 'pr' }] }],
  ['not(not (active eq true))', { not: { not: on } }],
  [
    'meta.lastModified Gt "2026-01-01T00:00:00Z"',
    { attribute: 'meta.lastmodified', op: 'gt', value: '2026-01-01T00:00:00Z' },
  ],
  ['externalId ne null', { attribute: 'externalid', op: 'ne', value: null }],
  ['id eq 5', eq('id', 5)],
  ['members[value eq "5"]', { some: 'members', where: eq('value', '5') }],
  [
    'emails[type eq "work"].value co "@b.example"',
    { some: 'emails', where: { all: [eq('type', 'work'), { attribute: 'value', op: 'co', value: '@b.example' }] } },
  ],
  [
    'emails[type eq "work" and not (primary eq true)] or userName eq "ada"',
    { any: [{ some: 'emails', where: { all: [eq('type', 'work'), { not: eq('primary', true) }] } }, ada] },
  ],
];

const refused = [
  '',
  'userName',
  'userName eq',
  'userName eq ada',
  'userName eq "ada',
  'userName eq "\\x"',
  'userName co "a\\u0000b"',
  'userName eq 5.5',
  'userName is "a"',
  'userName pr "a"',
  'not active eq true',
  'not ()',
  'userName not eq "a"',
  '(active eq true',
  'active eq true)',
  'active eq true active eq true',
  'active eq true and',
  'active eq true and and active eq true',
  'emails[type eq "work".value eq "a"',
  'emails[]',
  'emails[type eq "work"].value',
  '"userName" eq "a"',
  "userName eq 'a'; drop table users",
  `${'('.repeat(50)}active eq true${')'.repeat(50)}`,
  `${'not ('.repeat(50)}active eq true${')'.repeat(50)}`,
  `${'emails['.repeat(10)}type eq "a"${']'.repeat(10)}`,
  Array.from({ length: 21 }, () => 'active eq true').join(' or '),
];

describe('SCIM filters', () => {
  test.each(read)('%s', (text, filter) => {
    expect(parseFilter(text)).toEqual(filter);
  });

  test.each([...refused, `userName eq "${'a'.repeat(2_000)}"`])('rejects invalid filter %#', (text) => {
    const read = () => parseFilter(text);
    expect(read).toThrow(AppError);
    expect(read).toThrow(expect.objectContaining({ extras: { body: { scimType: 'invalidFilter' } } }));
  });
});

test('SCIM paths', () => {
  expect(parsePath('name.givenName')).toEqual({ attribute: 'name.givenname', where: null });
  expect(parsePath('emails[type eq "work"].value')).toEqual({
    attribute: 'emails.value',
    where: eq('type', 'work'),
  });
  for (const path of ['name givenName', 'members[value co "5"]', 'emails[not (type eq "home")].value'])
    expect(() => parsePath(path)).toThrow(expect.objectContaining({ extras: { body: { scimType: 'invalidPath' } } }));
});
