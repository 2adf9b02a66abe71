import { randomString } from '../../lib/ids.ts';
import { mapAtOnce } from '../../lib/map-at-once.ts';
import { plausibleOrCounted } from '../count-usage.ts';
import type { RelayDeps, RequestContext } from '../deps.ts';
import { targetOf } from '../dispatch.ts';
import type { ProviderKind, Target } from '../providers/kind.ts';
import { failure, isObject, type Json, UpstreamFault } from '../wire/conversation.ts';
import { fitEmbeddings } from '../wire/embeddings.ts';
import { invalid, maxInteger, missing, optionalEnum, optionalInteger, requiredString, weigh } from '../wire/read.ts';
import { type Answered, callEndpoint, readJson } from './call-endpoint.ts';
import { bytesOf, countMost, countTexts } from './count-texts.ts';

const maxInputs = 2_048;
/** Per input: 4,096 numbers of 32 digits. Bounds the answer by what was asked for. */
const vectorBytes = 131_072;
const mostAnswerBytes = (inputs: number): number => 1_048_576 + inputs * vectorBytes;

/** A text or a list of token ids. */
type Input = string | number[];

const isTokens = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => Number.isInteger(item) && item >= 0);

function readInputs(value: unknown): Input[] {
  if (value === undefined || value === null) throw missing('input');
  const list = typeof value === 'string' || isTokens(value) ? [value] : value;
  if (!Array.isArray(list))
    throw invalid('input', `'input' must be a string, an array of strings or an array of token IDs.`);
  if (list.length === 0) throw invalid('input', `'input' must not be empty.`);
  if (list.length > maxInputs) throw invalid('input', `'input' may contain at most ${maxInputs} items.`);
  const single = typeof value === 'string';
  list.forEach((item, i) => {
    if (isTokens(item) || (typeof item === 'string' && item !== '')) return;
    const param = single ? 'input' : `input[${i}]`;
    throw invalid(param, `'${param}' must be a non-empty string or an array of token IDs.`);
  });
  return list as Input[];
}

const textsOf = (inputs: Input[]): string[] => inputs.filter((input) => typeof input === 'string');
const numbersOf = (inputs: Input[]): number =>
  inputs.reduce((sum, input) => sum + (typeof input === 'string' ? 0 : input.length), 0);

/** As numbers or in base64. */
const isVector = (value: unknown): boolean =>
  Array.isArray(value) ? typeof value[0] === 'number' : typeof value === 'string' && value !== '';

/** One vector per input, in the order of the inputs: many clients ignore the indexes. */
export function placed(data: unknown[], inputs: number): Json[] {
  if (data.length !== inputs)
    throw new UpstreamFault(failure(`the upstream returned ${data.length} embeddings for ${inputs} inputs`));
  const inOrder: Json[] = new Array(inputs);
  data.forEach((item, place) => {
    const index = isObject(item) ? (item.index ?? place) : undefined;
    if (!Number.isInteger(index) || (index as number) < 0 || (index as number) >= inputs)
      throw new UpstreamFault(failure('the upstream returned an embedding for an input that was not sent'));
    if (inOrder[index as number]) throw new UpstreamFault(failure('the upstream embedded an input twice'));
    if (!isVector((item as Json).embedding))
      throw new UpstreamFault(failure('the upstream returned no vector for an input'));
    inOrder[index as number] = { ...(item as Json), index };
  });
  return inOrder;
}

/** Parallel requests for vendors that take one input each; more would be rate-limited. */
const mostAtOnce = 8;

const piecesOf = ({ embeddings }: ProviderKind, body: Json, target: Target): Json[] =>
  embeddings!.split?.(body, target) ?? [body];

type Answer = ReturnType<NonNullable<ProviderKind['embeddings']>['fromUpstream']>;

/** Joins partial answers; usage only if all of them report it. */
function joined(answers: Answer[]): Answer {
  const [first, ...more] = answers;
  if (more.length === 0) return first!;
  // Validated when each was read: a list of objects.
  const data = answers.flatMap(({ body }) => body.data as Json[]).map((item, index) => ({ ...item, index }));
  const counts = answers.map(({ usage }) => usage?.promptTokens);
  const counted = counts.every((count) => count !== undefined);
  const promptTokens = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  return { body: { ...first!.body, data }, ...(counted && { usage: { promptTokens, completionTokens: 0 } }) };
}

export async function embed(deps: RelayDeps, context: RequestContext, body: Json): Promise<Answered<Json>> {
  const model = requiredString(body, 'model');
  const inputs = readInputs(body.input);
  const format = optionalEnum(body, 'encoding_format', ['float', 'base64']) ?? 'float';
  optionalInteger(body, 'dimensions', 1, maxInteger);
  const texts = textsOf(inputs);
  const beside = numbersOf(inputs) + weigh({ ...body, input: null });
  const most = bytesOf(texts) + beside;
  return callEndpoint<Json>(deps, context, {
    type: 'embedding',
    model,
    offeredBy: (kind) => kind.embeddings !== undefined,
    estimate: {
      most: () => ({ promptTokens: most, completionTokens: 0, units: 1 }),
      countPrompt: async () => (await countMost(texts)) + beside,
    },
    toUpstream: (kind, target) => kind.embeddings!.toUpstream(piecesOf(kind, body, target)[0]!, target),
    read: async (response, kind, candidate, sent) => {
      const target = targetOf(candidate, context);
      const pieces = piecesOf(kind, body, target);
      const answers = await mapAtOnce(pieces, mostAtOnce, async (piece) => {
        const own = piece === pieces[0] ? response : await sent.askMore(kind.embeddings!.toUpstream(piece, target));
        const count = piece === body ? inputs.length : [piece.input].flat().length;
        const answer = kind.embeddings!.fromUpstream(await readJson(own, mostAnswerBytes(count)), piece);
        return { ...answer, body: { ...answer.body, data: placed(answer.body.data as unknown[], count) } };
      });
      const read = joined(answers);
      const data = await fitEmbeddings(read.body.data as Json[], format);
      const count = async () => numbersOf(inputs) + (await countTexts(texts));
      const { tokens, ...how } = await plausibleOrCounted(deps, context, read.usage?.promptTokens, most, count);
      const usage = { prompt_tokens: tokens, total_tokens: tokens };
      return {
        // Mistral's client requires an id, which OpenAI's answers lack.
        value: { object: 'list', ...read.body, id: read.body.id ?? `embd-${randomString(24)}`, data, model, usage },
        usage: { promptTokens: tokens, completionTokens: 0, units: 1, ...how },
      };
    },
  });
}
