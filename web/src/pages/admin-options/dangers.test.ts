import { expect, test } from 'bun:test';
import { optionTable } from '../../../../server/src/identity/option-table.ts';
import { dangerOf } from './dangers.ts';

test('defaults and unchanged values need no confirmation', () => {
  for (const [key, { default: value }] of Object.entries(optionTable)) {
    expect([key, dangerOf(key, value, value)]).toEqual([key, null]);
    expect([key, dangerOf(key, value, typeof value === 'number' ? 0 : '')]).toEqual([key, null]);
  }
});

test.each([
  ['RateLimitEnabled', false, true],
  ['RateLimitV1', 0, 240],
  ['OAuth2Enabled', false, true],
  ['OAuth2AccessTokenTTL', 90_000, 3600],
  ['OAuth2CodeTTL', 601, 600],
  ['OAuth2RefreshTokenTTL', 5, 2_592_000],
  ['QuotaForNewUser', 1e9, 0],
  ['UsageLogDays', 1, 365],
  ['ResponsesKeptDays', 0, 30],
  ['BatchPriceFactor', 0, 1],
  ['CorsOrigins', 'https://a.example *', ''],
  ['LogLevel', 'silent', ''],
] as const)('setting %s to %p needs confirmation', (key, value, before) => {
  expect(dangerOf(key, value, before)).toBeString();
});

test.each([
  ['RateLimitV1', 1, 240],
  ['OAuth2AccessTokenTTL', 86_400, 3600],
  ['UsageLogDays', 400, 365],
  ['OAuth2SigningKeyDays', 30, 90],
  ['QuotaForNewUser', 500_000, 0],
  ['CorsOrigins', 'https://a.example', ''],
] as const)('setting %s to %p needs no confirmation', (key, value, before) => {
  expect(dangerOf(key, value, before)).toBeNull();
});
