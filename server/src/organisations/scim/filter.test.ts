import { describe, expect, test } from 'bun:test';
import { AppError } from '../../lib/errors.ts';
import { type Filter, parseFilter, parsePath } from './filter.ts';

const ada = { attribute: 'username', value: 'ada' };
const on = { attribute: 'active', value: true };
const read: [text: string, filter: Filter][] = [
  ['userName eq "ada"', ada],
  ['USERNAME EQ "ada"', ada],
  ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "ada"', ada],
  ['active eq true', on],
  ['userName eq "ada" and active eq True', { all: [ada, on] }],
  ['userName eq "ada" or active eq true and userName eq "ada"', { any: [ada, { all: [on, ada] }] }],
  ['(userName eq "ada" or active eq true) and active eq true', { all: [{ any: [ada, on] }, on] }],
  ['userName eq "a \\"b\\" (c) and \\u00e9"', { attribute: 'username', value: 'a "b" (c) and é' }],
  ['members[value eq "5"]', { attribute: 'members.value', value: '5' }],
  [
    'emails[type eq "work"].value eq "a@b.example"',
    {
      all: [
        { attribute: 'emails.value', value: 'a@b.example' },
        { attribute: 'emails.type', value: 'work' },
      ],
    },
  ],
];

const refused = [
  '',
  'userName',
  'userName eq',
  'userName eq ada',
  'userName eq "ada',
  'userName eq "\\x"',
  'userName eq 5',
  'userName sw "a"',
  'userName pr',
  'not (active eq true)',
  '(active eq true',
  'active eq true)',
  'active eq true active eq true',
  'active eq true and',
  'emails[type eq "work".value eq "a"',
  '"userName" eq "a"',
  "userName eq 'a'; drop table users",
  `${'('.repeat(50)}active eq true${')'.repeat(50)}`,
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
    where: { attribute: 'type', value: 'work' },
  });
  expect(() => parsePath('name givenName')).toThrow(
    expect.objectContaining({ extras: { body: { scimType: 'invalidPath' } } }),
  );
});
