import { expect, test } from 'bun:test';
import { agentSnippets } from './agent-snippets.ts';

const place = { name: 'files', address: 'https://svc.example/mcp/files' };
const jsonIn = (code: string) => JSON.parse(code.slice(code.indexOf('{')));

test('every snippet has the address, and a key only if keys are accepted', () => {
  for (const withKey of [true, false])
    for (const { label, code } of agentSnippets({ ...place, withKey })) {
      expect([label, code.includes(place.address)]).toEqual([label, true]);
      expect([label, /sk-your-key|SVC_API_KEY/.test(code)]).toEqual([label, withKey]);
    }
});

test('configuration snippets are valid JSON or TOML', () => {
  const snippets = new Map(agentSnippets({ ...place, withKey: true }).map(({ label, code }) => [label, code]));
  const headers = { Authorization: 'Bearer sk-your-key' };
  expect(jsonIn(snippets.get('VS Code')!)).toEqual({
    servers: { files: { type: 'http', url: place.address, headers } },
  });
  expect(jsonIn(snippets.get('Cursor')!)).toEqual({ mcpServers: { files: { url: place.address, headers } } });
  expect(Bun.TOML.parse(snippets.get('Codex')!)).toEqual({
    mcp_servers: { files: { url: place.address, bearer_token_env_var: 'SVC_API_KEY' } },
  });
});
