import { expect, test } from 'bun:test';
import OpenAI from 'openai';
import type { OfferedModel } from '../models.ts';
import { modelSnippets } from './model-snippets.ts';

const types: OfferedModel['types'] = [
  'chat',
  'embedding',
  'image',
  'speech',
  'transcription',
  'moderation',
  'rerank',
  'video',
  'realtime',
];
const call = { baseUrl: 'https://ai.example', apiKey: 'sk-x' };
const snippets = (type: OfferedModel['types'][number], id = 'acme/one') => modelSnippets(call, { id, types: [type] });

test('every model type has snippets for the clients that support it', () => {
  const labels = Object.fromEntries(types.map((type) => [type, snippets(type).map(({ label }) => label)]));
  expect(labels).toMatchObject({
    chat: ['curl', 'Python', 'TypeScript', 'Anthropic'],
    embedding: ['curl', 'Python', 'TypeScript'],
    transcription: ['curl', 'Python', 'TypeScript'],
    // No client of OpenAI's knows these.
    rerank: ['curl'],
    video: ['curl'],
    realtime: ['Python', 'TypeScript'],
  });
  for (const type of types)
    for (const { code } of snippets(type)) {
      expect(code).toContain('acme/one');
      expect(code).toContain('https://ai.example');
    }
});

test('the methods in TypeScript snippets exist in the OpenAI client', () => {
  const client = new OpenAI({ baseURL: 'http://127.0.0.1:9/v1', apiKey: 'sk-x' });
  for (const type of types) {
    const code = snippets(type).find(({ label }) => label === 'TypeScript')?.code;
    if (!code) continue;
    const [, path] = code.match(/await client\.([\w.]+)\(/)!;
    const method = path!.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], client);
    expect([path, typeof method]).toEqual([path, 'function']);
  }
});

test('snippets stay valid code for any model name', () => {
  const odd = `it's "odd"\\/$(x) {`;
  for (const type of types) {
    for (const { label, code } of snippets(type, odd)) {
      if (label === 'TypeScript' || label === 'Anthropic')
        expect(() => new Bun.Transpiler({ loader: 'ts' }).transformSync(code)).not.toThrow();
      if (label !== 'curl') continue;
      const said = Bun.spawnSync(['bash', '-c', `curl() { printf '%s\\n' "\${@: -1}"; }\n${code}`]).stdout.toString();
      const model = type === 'transcription' ? said.trim().slice('model='.length) : JSON.parse(said).model;
      expect([type, model]).toEqual([type, odd]);
    }
  }
});
