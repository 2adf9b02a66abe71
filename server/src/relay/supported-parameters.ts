import { AppError } from '../lib/errors.ts';
import { table } from '../lib/table.ts';
import type { Candidate } from '../routing/candidate.ts';
import { kindOf, targetOf } from './dispatch.ts';
import { anthropicKind } from './providers/anthropic.ts';
import type { ProviderKind } from './providers/kind.ts';
import { noClientHeaders } from './request-context.ts';
import { parseChatRequest } from './wire/chat/request.ts';
import type { Json, Params } from './wire/conversation.ts';

const tools = [{ type: 'function', function: { name: 'find', parameters: { type: 'object', properties: {} } } }];

/** Parameters not every upstream supports: a value to probe with, and what must accompany it. */
const asking = table<[asked: unknown, beside?: Json]>({
  temperature: [0.5],
  top_p: [0.5],
  stop: ['END'],
  seed: [1],
  frequency_penalty: [0.5],
  presence_penalty: [0.5],
  tools: [tools],
  tool_choice: ['none', { tools }],
});

/** Only Claude models differ from the others of their channel. */
const isClaude = ({ modelName }: Candidate): boolean => modelName.includes('claude-');

/** Unsupported parameters, cached for all models with the same request writer: model lists have hundreds. */
const known = new Map<ProviderKind, Map<string, ReadonlySet<string>>>();
const mostKnown = 1_000;

/** Whether an upstream is sent a chat parameter: compares the request written with and without it. Nothing is sent. */
export function supportsParameter(candidate: Candidate, parameter: string): boolean {
  if (!(parameter in asking)) return true;
  const { channel, modelName } = candidate;
  const kind = kindOf(candidate);
  const ways = known.get(kind) ?? new Map<string, ReadonlySet<string>>();
  const way = `${channel.provider} ${channel.baseUrl} ${isClaude(candidate) ? modelName : ''}`;
  let left = ways.get(way);
  if (!left) {
    if (ways.size >= mostKnown) ways.clear();
    // What Claude itself does not support is not supported by a reseller either.
    const writers = isClaude(candidate) ? [kind, anthropicKind] : [kind];
    left = new Set(Object.keys(asking).filter((name) => !writers.every((one) => isWritten(one, candidate, name))));
    known.set(kind, ways.set(way, left));
  }
  return !left.has(parameter);
}

function isWritten(kind: ProviderKind, candidate: Candidate, parameter: string): boolean {
  const [asked, beside] = asking[parameter]!;
  const target = { ...targetOf(candidate, { clientHeaders: noClientHeaders }), paid: false };
  const written = (members: Json): unknown => {
    const body = { model: candidate.modelId, messages: [{ role: 'user', content: 'Hi' }], ...beside, ...members };
    return kind.toUpstream(parseChatRequest(body), target).body;
  };
  try {
    return written({ [parameter]: asked }) !== written({});
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/** True if at least one of the candidates of a model supports it. */
export const supportedByAny =
  (candidates: readonly Candidate[]) =>
  (parameter: string): boolean =>
    candidates.length === 0 || candidates.some((candidate) => supportsParameter(candidate, parameter));

/** Prefers candidates that honour all optional parameters of the request. Undefined if there are none. */
export function prefersSupported({
  seed,
  frequencyPenalty,
  presencePenalty,
}: Params): ((candidate: Candidate) => boolean) | undefined {
  if (seed === undefined && !frequencyPenalty && !presencePenalty) return undefined;
  return heedsAll([
    ...(seed === undefined ? [] : ['seed']),
    // Zero is the default everywhere.
    ...(frequencyPenalty ? ['frequency_penalty'] : []),
    ...(presencePenalty ? ['presence_penalty'] : []),
  ]);
}

const heedsAll =
  (wishes: readonly string[]) =>
  (candidate: Candidate): boolean =>
    wishes.every((wish) => supportsParameter(candidate, wish));
