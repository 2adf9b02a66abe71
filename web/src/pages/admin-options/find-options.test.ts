import { expect, test } from 'bun:test';
import { optionsWith } from './find-options.ts';

const option = (key: string, description: string) => ({ key, value: 1, default: 1, description });
const options = [
  option('OAuth2CodeTTL', 'Lifetime of authorization codes, seconds'),
  option('RateLimitV1', 'Requests a minute'),
  option('AuditLogDays', 'Days that entries are kept'),
];
const found = (asked: string) => optionsWith(options, asked).map(({ key }) => key);

test('finds options by words of their name, key or description, ignoring case', () => {
  expect(found('')).toEqual(options.map(({ key }) => key));
  expect(found('  code LIFETIME ')).toEqual(['OAuth2CodeTTL']);
  expect(found('ratelimitv1')).toEqual(['RateLimitV1']);
  expect(found('kept')).toEqual(['AuditLogDays']);
  expect(found('days minute')).toEqual([]);
});
