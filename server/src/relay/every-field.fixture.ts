import { readFileSync } from 'node:fs';
import { AppError } from '../lib/errors.ts';
import { anthropicKind } from './providers/anthropic.ts';
import { bedrockKind } from './providers/bedrock.ts';
import { geminiKind } from './providers/gemini.ts';
import type { ProviderKind, Target } from './providers/kind.ts';
import { openaiKind } from './providers/openai.ts';
import type { Conversation, Json } from './wire/conversation.ts';

/** Members of a type of a vendor's library, read from its declarations: what a new release adds must be decided on. */
export function membersOf(file: string, type: string): string[] {
  const text = readFileSync(`${import.meta.dir}/../../../node_modules/${file}`, 'utf8');
  const body = text.match(new RegExp(`^export (?:declare )?interface ${type}\\b[^{]*\\{\\r?\\n(.*?)^\\}`, 'ms'))?.[1];
  if (body === undefined) throw new Error(`${file} has no type ${type}`);
  return [...body.matchAll(/^ {4}(\w+)\??:/gm)].map(([, name]) => name!);
}

/** A place in requests of a format, and for each member of its type a value that asks for something. */
export interface Place {
  /** File and name of the type in the vendor's library. */
  type: [file: string, name: string];
  /** A request with these members in that place. */
  put(members: Json): Json;
  samples: Json;
  /** Of members that the library no longer has, and servers still take. */
  older?: Json;
  /** Of members that only later releases of the library have. */
  newer?: Json;
  /** What stands beside a member, without which it asks for nothing. */
  needs?: Record<string, Json>;
  /** What every request has, or what never reaches a server. */
  given: string[];
}

const target = (baseUrl: string, modelName: string, provider = ''): Target => ({
  ...{ baseUrl, modelName, provider, credential: 'k', maxOutputTokens: 65_536 },
});

/** Whoever is asked: one of each way in which requests are written. */
export const askedKinds: Record<string, { kind: ProviderKind; target: Target }> = {
  openai: { kind: openaiKind, target: target('https://api.openai.com/v1', 'gpt-5.4', 'openai') },
  responses: { kind: openaiKind.responses!, target: target('https://api.openai.com/v1', 'gpt-5.4', 'openai') },
  mistral: { kind: openaiKind, target: target('https://api.mistral.ai/v1', 'mistral-large-latest', 'mistral') },
  claude: { kind: anthropicKind, target: target('https://api.anthropic.com', 'claude-sonnet-4-6') },
  gemini: { kind: geminiKind, target: target('https://generativelanguage.googleapis.com', 'gemini-3.8-flash') },
  converse: {
    kind: bedrockKind.forModel!('amazon.nova-2-lite-v1:0'),
    target: target('https://bedrock-runtime.us-east-1.amazonaws.com', 'amazon.nova-2-lite-v1:0'),
  },
};

type Outcome = 'carried' | 'dropped' | 'refused' | `refused as ${string}`;

/** What becomes of one member, by what is sent with and without it. */
export function outcomeOf(
  { put, samples, older = {}, newer = {}, needs = {} }: Place,
  parse: (body: Json) => Conversation,
  name: string,
  { kind, target }: (typeof askedKinds)[string],
): Outcome {
  const sent = (members: Json): string => {
    const { url, headers, body } = kind.toUpstream(parse(put(members)), target);
    return JSON.stringify([url, headers, body]);
  };
  const beside = needs[name] ?? {};
  const without = sent(beside);
  try {
    return sent({ ...beside, [name]: samples[name] ?? older[name] ?? newer[name] }) === without ? 'dropped' : 'carried';
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const words = `${error.extras.param} ${error.message}`;
    return words.includes(name) ? 'refused' : `refused as ${words}`;
  }
}
