import { expect, test } from 'bun:test';
import { headerSecretsOf } from './header-secrets.ts';

test.each<[name: string, value: string, secrets: string[]]>([
  ['authorization', 'Bearer the-secret', ['Bearer the-secret', 'the-secret']],
  ['authorization', 'Token 0123456789', ['Token 0123456789', '0123456789']],
  ['authorization', 'the-secret', ['the-secret']],
  ['x-api-key', 'swordfish', ['swordfish']],
  ['cookie', 'theme=dark; id=abcdef', ['theme=dark; id=abcdef', 'theme=dark;', 'id=abcdef']],
  ['x-service-token', 'short', []],
  ['x-workspace', '3f2a9c1e-0b7d-4e6a-9d51-aa10b3c4d5e6', ['3f2a9c1e-0b7d-4e6a-9d51-aa10b3c4d5e6']],
  // These choose what the server does.
  ['x-mcp-toolsets', 'issues', []],
  ['x-mcp-toolsets', 'issues,pull_requests', []],
  ['x-mcp-toolsets', 'issues, wikis', []],
  ['x-api-version', '2025-06-18', []],
  ['user-agent', 'content fetcher', []],
])('%s: %s', (name, value, secrets) => {
  expect(headerSecretsOf({ [name]: value })).toEqual(secrets);
});
