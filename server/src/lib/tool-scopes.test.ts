import { expect, test } from 'bun:test';
import { openTools, readToolScope, toolScopeOf } from './tool-scopes.ts';

test.each([
  ['mcp:files', { server: 'files', tool: null }],
  ['mcp:files:read', { server: 'files', tool: 'read' }],
  ['mcp:files_12:read', { server: 'files_12', tool: 'read' }],
  ['mcp:files:a%2Fb%3Ac%20%C3%A9', { server: 'files', tool: 'a/b:c é' }],
])('%s is a tool scope', (name, told) => {
  expect(readToolScope(name)).toEqual(told);
  expect(toolScopeOf(told.server, told.tool)).toBe(name as `mcp:${string}`);
});

test.each([
  ...[
    'mcp',
    'mcp:',
    'mcp::',
    'mcp:files:',
    'mcp:Files',
    'mcp:fi_les',
    'mcp:files_',
    'mcp:files_1_2',
    `mcp:${'x'.repeat(25)}`,
    'xmcp:files',
    'MCP:files',
  ],
  // Another spelling of a name that has one already, and none of any.
  ...['mcp:files:%72ead', 'mcp:files:a/b', 'mcp:files:a%2fb', 'mcp:files:a:b', 'mcp:files:%', 'mcp:files:%ff'],
  ...['mcp:files:é', 'mcp:files:a b', 'mcp:files:a"b', 'mcp:files:a\\b', `mcp:files:${'x'.repeat(129)}`],
])('%s is not a tool scope', (name) => {
  expect(readToolScope(name)).toBeNull();
});

test('tool scopes open only the tools they name; without any, tools are not restricted', () => {
  expect(openTools(['openid', 'models:use'])).toBeNull();
  const open = openTools(['openid', 'mcp:files:read', 'mcp:notes'])!;
  expect([open.opens('files', 'read'), open.opens('files', 'write'), open.opensAll('files')]).toEqual([
    ...[true, false, false],
  ]);
  expect([open.opens('notes', 'any'), open.opensAll('notes'), open.opens('other', 'read')]).toEqual([
    true,
    true,
    false,
  ]);
  // Half a pair of surrogates, as a client may send it, is nobody's name.
  expect(open.opens('files', '\ud800')).toBe(false);
});
