import { randomString } from '../../../lib/ids.ts';
import { objectsIn } from '../../../lib/is-object.ts';
import type { Usage } from '../../../lib/money.ts';
import { type Citation, mostLetters, readGrounding, readSources } from '../../wire/citations.ts';
import {
  type Answer,
  type Delta,
  type Finish,
  failure,
  isObject,
  type Json,
  type Part,
  UpstreamFault,
} from '../../wire/conversation.ts';
import { readGeminiFinish } from '../../wire/gemini/finish.ts';
import { readGeminiPart } from '../../wire/gemini/read-part.ts';
import { readGeminiUsage } from '../../wire/gemini/usage.ts';
import type { SearchPart } from '../../wire/search.ts';
import { readEmbeddedError, undone } from '../kind/errors.ts';

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Finish reasons caused by tools or the conversation: another candidate may succeed. */
const broken = new Set([
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MALFORMED_RESPONSE',
]);

/** Gemini's calls have no ids, or repeated ones; clients need unique ones. */
const callId = (): string => `call_${randomString(20)}`;

const readPart = (part: Json): Part[] => readGeminiPart(part, callId);

interface Pages {
  grounding?: unknown;
  sources?: unknown;
}

interface Piece {
  parts: Part[];
  finish?: Finish;
  /** Pages that the text cites or quotes. */
  pages?: Pages;
}

const candidatesOf = ({ candidates }: Json): readonly Json[] => objectsIn(candidates);

function readCandidate(json: Json, isMain: (candidate: Json) => boolean): Piece {
  if (json.error != null) throw new UpstreamFault(readEmbeddedError(json));
  const feedback = isObject(json.promptFeedback) ? json.promptFeedback : {};
  const candidate = candidatesOf(json).find(isMain);
  if (candidate === undefined)
    return feedback.blockReason == null ? { parts: [] } : { parts: [], finish: 'content_filter' };
  const content = isObject(candidate.content) ? candidate.content : {};
  const parts = objectsIn(content.parts).flatMap(readPart);
  const reason = text(candidate.finishReason);
  if (broken.has(reason)) throw new UpstreamFault(undone(`the upstream ended its response with ${reason}`));
  const { groundingMetadata: grounding, citationMetadata: sources } = candidate;
  const pages = { ...(isObject(grounding) && { grounding }), ...(isObject(sources) && { sources }) };
  return { parts, pages, ...(reason !== '' && { finish: readGeminiFinish(reason) }) };
}

export function fromGemini(json: unknown): Answer {
  if (!isObject(json)) throw new UpstreamFault(failure('the upstream response is not a JSON object'));
  const { parts, finish, pages } = readCandidate(json, () => true);
  if (finish === undefined) throw new UpstreamFault(failure('the upstream returned an incomplete candidate'));
  const search = searchIn(pages, json);
  const usage = withSearches(readGeminiUsage(json.usageMetadata), search, json);
  const calls = parts.some((part) => part.type === 'tool_call');
  return {
    id: text(json.responseId),
    model: text(json.modelVersion),
    parts: [...withCitations(joinTexts(parts), pages), ...search],
    finish: calls && finish === 'stop' ? 'tool_calls' : finish,
    reasoningFormat: 'google-gemini-v1',
    source: { format: 'gemini', body: json },
    ...(usage && { usage }),
  };
}

/** Joins adjacent texts; a signature without text joins the thought before it. */
function joinTexts(parts: Part[]): Part[] {
  const out: Part[] = [];
  for (const part of parts) {
    const last = out.at(-1);
    if (part.type === 'text' && last?.type === 'text') last.text += part.text;
    else if (part.type === 'thinking' && last?.type === 'thinking' && last.signature === undefined) {
      last.text += part.text;
      if (part.signature !== undefined) last.signature = part.signature;
    } else out.push({ ...part });
  }
  return out;
}

const readPages = ({ grounding, sources }: Pages, said: string): Citation[] => [
  ...readGrounding(grounding, said),
  ...readSources(sources, said),
];

function withCitations(parts: Part[], pages: Pages = {}): Part[] {
  const cited = readPages(pages, parts.map((part) => (part.type === 'text' ? part.text : '')).join(''));
  const last = cited.length > 0 ? parts.findLastIndex(({ type }) => type === 'text') : -1;
  return parts.map((part, i) => (i === last && part.type === 'text' ? { ...part, cited } : part));
}

/** All searches of one answer. */
function searchIn({ grounding }: Pages = {}, { responseId }: Json): SearchPart[] {
  const { webSearchQueries: asked, groundingChunks: chunks } = isObject(grounding) ? grounding : {};
  const queries = Array.isArray(asked) ? asked.map(text).filter((query) => query !== '') : [];
  const webs = (Array.isArray(chunks) ? chunks : []).map((chunk) => (isObject(chunk) ? chunk.web : undefined));
  const pages = webs.filter(isObject).map(({ uri, title }) => ({ url: text(uri), title: text(title) }));
  return queries.length > 0 ? [{ type: 'search', id: `ws_${text(responseId)}`, queries, pages }] : [];
}

/** Models before 3 are billed per answer with searches, later ones per query. */
function withSearches(usage: Usage | undefined, [search]: SearchPart[], { modelVersion }: Json): Usage | undefined {
  if (!usage || !search) return usage;
  return { ...usage, searches: /gemini-[12]\b/.test(text(modelVersion)) ? 1 : search.queries.length };
}

/** Parses the chunks of one stream; calls arrive whole. */
export function geminiDecoder(): (json: Json) => Delta[] {
  let said = '';
  let pages: Pages = {};
  let started = false;
  let calls = 0;
  const further = new Set<unknown>();
  let main: { index: unknown } | undefined;

  /** The first candidate received, whatever its index: an index does not tell how many there are. */
  function isMain({ index = 0 }: Json): boolean {
    main ??= { index };
    return main.index === index;
  }

  /** Other candidates only count as started and ended: a client that asked for several gets them unparsed. */
  function readFurther(candidate: Json): Delta[] {
    const begun: Delta[] = further.has(candidate.index) ? [] : [{ type: 'choice' }];
    further.add(candidate.index);
    const reason = text(candidate.finishReason);
    return reason === '' ? begun : [...begun, { type: 'finish', finish: readGeminiFinish(reason) }];
  }

  function deltasOf(part: Part): Delta[] {
    if (part.type === 'text') {
      if (said.length < mostLetters) said += part.text;
      return [{ type: 'text', text: part.text }];
    }
    if (part.type === 'thinking') {
      const thought: Delta[] = part.text === '' ? [] : [{ type: 'thinking', text: part.text }];
      return part.signature === undefined ? thought : [...thought, { type: 'signature', signature: part.signature }];
    }
    if (part.type === 'image') return [part];
    if (part.type !== 'tool_call') return [];
    const index = calls++;
    const signed = part.signature === undefined ? {} : { signature: part.signature };
    return [
      { type: 'tool_start', index, id: part.id, name: part.name, ...signed },
      { type: 'tool_args', index, args: part.arguments },
    ];
  }

  return (json) => {
    let piece: Piece;
    try {
      piece = readCandidate(json, isMain);
    } catch (error) {
      if (error instanceof UpstreamFault) return [{ type: 'error', error: error.error }];
      throw error;
    }
    const out: Delta[] = started ? [] : [{ type: 'start', id: text(json.responseId), model: text(json.modelVersion) }];
    started = true;
    out.push(
      ...piece.parts.flatMap(deltasOf),
      ...candidatesOf(json)
        .filter((one) => !isMain(one))
        .flatMap(readFurther),
    );
    // Repeated with every chunk, each time with more.
    pages = { ...pages, ...piece.pages };
    const search = searchIn(pages, json);
    const usage = withSearches(readGeminiUsage(json.usageMetadata), search, json);
    if (usage) out.push({ type: 'usage', usage });
    if (piece.finish) out.push(...readPages(pages, said), ...search);
    if (piece.finish)
      out.push({ type: 'finish', finish: calls > 0 && piece.finish === 'stop' ? 'tool_calls' : piece.finish });
    return out;
  };
}
