import { randomString } from '../../lib/ids.ts';
import type { RelayDeps, RequestContext } from '../deps.ts';
import { failure, isObject, type Json, UpstreamFault } from '../wire/conversation.ts';
import { invalid, missing } from '../wire/read.ts';
import { type Answered, callEndpoint, readJson } from './call-endpoint.ts';
import { bytesOf, countMost, countTexts } from './count-texts.ts';
import { modelOrDefault } from './default-model.ts';

/** OpenAI's thirteen; clients read each without checking that it exists. */
const categories = [
  'harassment',
  'harassment/threatening',
  'hate',
  'hate/threatening',
  'illicit',
  'illicit/violent',
  'self-harm',
  'self-harm/instructions',
  'self-harm/intent',
  'sexual',
  'sexual/minors',
  'violence',
  'violence/graphic',
];

const fill = (given: unknown, value: unknown): Json => ({
  ...Object.fromEntries(categories.map((category) => [category, value])),
  ...(isObject(given) ? given : {}),
});

function fillResult(result: unknown): Json {
  if (!isObject(result)) throw new UpstreamFault(failure('the upstream returned a result that is not an object'));
  const judged = fill(result.categories, false);
  return {
    ...result,
    flagged: typeof result.flagged === 'boolean' ? result.flagged : Object.values(judged).includes(true),
    categories: judged,
    category_scores: fill(result.category_scores, 0),
    category_applied_input_types: fill(result.category_applied_input_types, []),
  };
}

/** The texts to judge; images have none. */
function readInput(input: unknown): string[] {
  if (input === undefined || input === null) throw missing('input');
  if (typeof input === 'string') return [input];
  if (!Array.isArray(input) || input.length === 0)
    throw invalid('input', `'input' must be a string or a non-empty array.`);
  return input.flatMap((item, i) => {
    if (typeof item === 'string') return [item];
    if (!isObject(item) || typeof item.type !== 'string')
      throw invalid(`input[${i}]`, `'input[${i}]' must be a string or a part with a 'type'.`);
    if (item.type === 'text' && typeof item.text !== 'string')
      throw invalid(`input[${i}].text`, `'input[${i}].text' must be a string.`);
    return typeof item.text === 'string' ? [item.text] : [];
  });
}

export async function moderate(deps: RelayDeps, context: RequestContext, given: Json): Promise<Answered<Json>> {
  const texts = readInput(given.input);
  const model = modelOrDefault(deps, context.caller, given, 'moderation');
  const body: Json = { ...given, model };
  return callEndpoint<Json>(deps, context, {
    type: 'moderation',
    model,
    offeredBy: (kind) => kind.moderations !== undefined,
    estimate: {
      most: () => ({ promptTokens: bytesOf(texts), completionTokens: 0, units: 1 }),
      countPrompt: () => countMost(texts),
    },
    toUpstream: (kind, target) => kind.moderations!.toUpstream(body, target),
    read: async (response, kind) => {
      const read = kind.moderations!.fromUpstream(await readJson(response), body);
      const results = (read.body.results as unknown[]).map(fillResult);
      // Parts of one input are judged together, separate texts separately: a wrong assignment would let something
      // through.
      const wanted =
        Array.isArray(given.input) && given.input.every((item) => typeof item === 'string') ? texts.length : 1;
      if (results.length !== wanted)
        throw new UpstreamFault(failure(`the upstream returned ${results.length} results for ${wanted} inputs`));
      const promptTokens = await countTexts(texts);
      return {
        value: { id: `modr-${randomString(24)}`, ...read.body, model, results },
        usage: { promptTokens, completionTokens: 0, units: 1 },
      };
    },
  });
}
