import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { refuseBeyondTokens } from './providers/kind/beyond-tokens.ts';

const types = `${import.meta.dir}/../../../node_modules/@anthropic-ai/sdk/resources/beta/messages/messages.d.ts`;

/** The `type` of each tool that Anthropic's library says is run by the client. */
function clientTools(): string[] {
  const text = readFileSync(types, 'utf8');
  const union = /^export type BetaClientToolUnion = (.*);$/m.exec(text)![1]!;
  return union.split(' | ').flatMap((name) => {
    const body = new RegExp(`^export interface ${name} \\{\\r?\\n(.*?)^\\}`, 'ms').exec(text)![1]!;
    return /^ {4}type: '([^']+)';/m.exec(body)?.[1] ?? [];
  });
}

test.each(clientTools())('%s runs at the client and needs no price of its own', (type) => {
  expect(() => refuseBeyondTokens('messages', { tools: [{ type }] })).not.toThrow();
});

test('tools that Anthropic runs need one', () => {
  for (const type of ['code_execution_20260521', 'web_fetch_20260318', 'advisor_20260301', 'browser_use_20990101'])
    expect(() => refuseBeyondTokens('messages', { tools: [{ type }] })).toThrow('tools');
});
