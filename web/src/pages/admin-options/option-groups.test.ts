import { expect, test } from 'bun:test';
import { durationOf, groupedOptions, labelOf } from './option-groups.ts';

const option = (key: string) => ({ key, value: 1, default: 1, description: '' });

test('every option is in exactly one group; unknown options are in the last', () => {
  const keys = [
    'RegistrationEnabled',
    'OAuth2CodeTTL',
    'RateLimitV1',
    'MsPlanModel',
    'AuditLogDays',
    'AccessLog',
    'Brand',
  ];
  const grouped = groupedOptions(keys.map(option));
  expect(grouped.flatMap(({ options }) => options).length).toBe(keys.length);
  expect(grouped.map(({ title, options }) => [title, options.map(({ key }) => key)])).toEqual([
    ['Accounts', ['RegistrationEnabled']],
    ['OAuth', ['OAuth2CodeTTL']],
    ['Limits', ['RateLimitV1']],
    ['Models and orchestration', ['MsPlanModel']],
    ['Records', ['AuditLogDays', 'AccessLog']],
    ['Other', ['Brand']],
  ]);
});

test('option keys become readable labels', () => {
  expect(labelOf('OAuth2AccessTokenTTL')).toBe('Access token lifetime');
  expect(labelOf('RateLimitOAuthAuthorizePost')).toBe('Rate limit OAuth authorize post');
  expect(labelOf('RateLimitV1')).toBe('Rate limit /v1');
  expect(labelOf('MsHardModel')).toBe('Hard model');
  expect(labelOf('OAuth2OpenIDConnect')).toBe('OpenID Connect');
  expect(labelOf('OAuth2RegistrationTokenSha256')).toBe('Registration token SHA-256');
  expect(labelOf('CorsEnabled')).toBe('CORS enabled');
  expect(labelOf('McpApiKeys')).toBe('MCP API keys');
  expect(labelOf('RateLimitMcp')).toBe('Rate limit MCP');
  expect(labelOf('RateLimitScim')).toBe('Rate limit SCIM');
  expect(labelOf('FileMaxMebibytes')).toBe('File max size');
});

test('seconds become readable durations', () => {
  expect(durationOf(2_592_000)).toBe('30 days');
  expect(durationOf(5400)).toBe('1.5 hours');
  expect(durationOf(3600)).toBe('1 hour');
  expect(durationOf(59)).toBe('59 seconds');
});
