import type { Errand, RelayDeps } from '../deps.ts';
import { failure, type Json, UpstreamFault } from '../wire/conversation.ts';
import { invalid, maxInteger, missing, optionalEnum, optionalInteger, requiredString } from '../wire/read.ts';
import { type Answered, callEndpoint, readJson } from './call-endpoint.ts';
import { countTexts, estimateTexts } from './count-texts.ts';

const maxInputs = 2_048;

/** One text or list of token numbers each. */
type Input = string | number[];

const isTokens = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => Number.isInteger(item) && item >= 0);

function readInputs(value: unknown): Input[] {
  if (value === undefined || value === null) throw missing('input');
  const list = typeof value === 'string' || isTokens(value) ? [value] : value;
  if (!Array.isArray(list)) throw invalid('input', `'input' must be a string, an array of strings or token numbers.`);
  if (list.length === 0) throw invalid('input', `'input' must not be empty.`);
  if (list.length > maxInputs) throw invalid('input', `'input' may hold at most ${maxInputs} items.`);
  const single = typeof value === 'string';
  list.forEach((item, i) => {
    if (isTokens(item) || (typeof item === 'string' && item !== '')) return;
    const param = single ? 'input' : `input[${i}]`;
    throw invalid(param, `'${param}' must be a string that is not empty, or an array of token numbers.`);
  });
  return list as Input[];
}

const textsOf = (inputs: Input[]): string[] => inputs.filter((input) => typeof input === 'string');
const numbersOf = (inputs: Input[]): number =>
  inputs.reduce((sum, input) => sum + (typeof input === 'string' ? 0 : input.length), 0);

export async function embed(deps: RelayDeps, errand: Errand, body: Json): Promise<Answered<Json>> {
  const model = requiredString(body, 'model');
  const inputs = readInputs(body.input);
  optionalEnum(body, 'encoding_format', ['float', 'base64']);
  optionalInteger(body, 'dimensions', 1, maxInteger);
  const tokens = estimateTexts(textsOf(inputs)) + numbersOf(inputs);
  return callEndpoint<Json>(deps, errand, {
    type: 'embedding',
    model,
    offeredBy: (kind) => kind.embeddings !== undefined,
    estimate: () => ({ promptTokens: tokens, completionTokens: 0, units: 1 }),
    toUpstream: (kind, target) => kind.embeddings!.toUpstream(body, target),
    read: async (response, kind) => {
      const read = kind.embeddings!.fromUpstream(await readJson(response), body);
      const found = (read.body.data as unknown[]).length;
      if (found !== inputs.length)
        throw new UpstreamFault(failure(`the upstream sent ${found} embeddings for ${inputs.length} inputs`));
      const promptTokens = read.usage?.promptTokens || numbersOf(inputs) + (await countTexts(textsOf(inputs)));
      const usage = { prompt_tokens: promptTokens, total_tokens: promptTokens };
      return {
        value: { object: 'list', ...read.body, model, usage },
        usage: { promptTokens, completionTokens: 0, units: 1 },
      };
    },
  });
}
