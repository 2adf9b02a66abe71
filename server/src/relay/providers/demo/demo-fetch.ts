import type { z } from 'zod';
import { AppError } from '../../../lib/errors.ts';
import { table } from '../../../lib/table.ts';
import { loadTokens } from '../../../lib/tokens.ts';
import type { ModelType } from '../../../routing/candidate.ts';
import { answerSpeech, speechRequest } from './audio/speech.ts';
import { answerTranscription } from './audio/transcribe.ts';
import { complete } from './chat/complete.ts';
import { chunksOf, renderCompletion, streamChunks } from './chat/render.ts';
import { chatRequest } from './chat/request.ts';
import { answerEmbeddings, embeddingRequest } from './embed.ts';
import { answerImages, imageRequest } from './image/answer.ts';
import { demoModels, findDemoModel } from './models.ts';
import { answerModeration, moderationRequest } from './moderate.ts';
import { answerRerank, rerankRequest } from './rerank.ts';

export interface DemoRequest {
  path: string;
  /** Parsed JSON, or the form of an upload; undefined for GET. */
  body: unknown;
  stream: boolean;
  signal: AbortSignal;
}

export interface DemoOptions {
  /** Delay between two stream events; 0 in tests. The default resembles quick typing. */
  paceMs?: number;
}

interface Call extends DemoRequest {
  paceMs: number;
}

type Handler = (call: Call) => Response | Promise<Response>;

function parse<T extends z.ZodType>(schema: T, body: unknown, type: ModelType): z.infer<T> {
  const parsed = schema.safeParse(body);
  if (!parsed.success) {
    const fault = parsed.error.issues[0]!;
    const param = fault.path.join('.');
    const missing = fault.code === 'invalid_type' && fault.input === undefined;
    throw new AppError(
      missing ? 'missing_required_parameter' : 'invalid_value',
      `${param || 'body'}: ${fault.message}`,
      { param },
    );
  }
  checkModel((parsed.data as { model?: string }).model, type);
  return parsed.data;
}

function checkModel(model: string | undefined, type: ModelType): void {
  if (model === undefined || findDemoModel(model)?.type === type) return;
  throw new AppError('model_not_found', `The built-in provider has no ${type} model named ${model}.`, {
    param: 'model',
  });
}

const transcription =
  (task: 'transcribe' | 'translate'): Handler =>
  ({ body }) => {
    if (!(body instanceof FormData))
      throw new AppError('invalid_value', 'The body must be multipart/form-data.', { param: 'file' });
    const model = body.get('model');
    checkModel(typeof model === 'string' ? model : undefined, 'transcription');
    return answerTranscription(body, task);
  };

/** Draws from the prompt; the input image is ignored. */
const redraw =
  (prompt: string): Handler =>
  async ({ body, signal }) => {
    if (!(body instanceof FormData))
      throw new AppError('invalid_value', 'The body must be multipart/form-data.', { param: 'image' });
    const text = (name: string) => body.get(name) ?? undefined;
    const fields = { model: text('model'), prompt: text('prompt') ?? prompt, size: text('size') };
    const request = parse(imageRequest, { ...fields, n: Number(text('n') ?? 1) }, 'image');
    return Response.json(await answerImages(request, await loadTokens(), signal));
  };

const chat: Handler = async ({ body, stream, signal, paceMs }) => {
  const request = parse(chatRequest, body, 'chat');
  const completion = await complete(request, await loadTokens());
  if (!stream) return Response.json(renderCompletion(request.model, completion));
  return new Response(streamChunks(chunksOf(request, completion), paceMs, signal), {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
  });
};

const handlers = table<Handler>({
  '/chat/completions': chat,
  '/embeddings': async ({ body }) =>
    Response.json(await answerEmbeddings(parse(embeddingRequest, body, 'embedding'), await loadTokens())),
  '/rerank': async ({ body }) =>
    Response.json(await answerRerank(parse(rerankRequest, body, 'rerank'), await loadTokens())),
  '/moderations': async ({ body }) =>
    Response.json(await answerModeration(parse(moderationRequest, body, 'moderation'))),
  '/images/generations': async ({ body, signal }) =>
    Response.json(await answerImages(parse(imageRequest, body, 'image'), await loadTokens(), signal)),
  '/images/edits': redraw('an edit'),
  '/images/variations': redraw('a variation'),
  '/audio/speech': ({ body }) => answerSpeech(parse(speechRequest, body, 'speech')),
  '/audio/transcriptions': transcription('transcribe'),
  '/audio/translations': transcription('translate'),
  '/models': () =>
    Response.json({
      object: 'list',
      data: demoModels.map(({ id, name, type, context_length, max_output_tokens }) => {
        return { id, object: 'model', created: 0, owned_by: 'demo', name, type, context_length, max_output_tokens };
      }),
    }),
});

/** The built-in provider: answers in this process as an OpenAI-compatible upstream would over HTTP. */
export async function demoFetch(request: DemoRequest, { paceMs = 12 }: DemoOptions = {}): Promise<Response> {
  request.signal.throwIfAborted();
  const handler = handlers[request.path.replace(/^\/v1(?=\/)/, '')];
  try {
    if (!handler) throw new AppError('not_found', `The built-in provider has no endpoint at ${request.path}.`);
    return await handler({ ...request, paceMs });
  } catch (fault) {
    if (!(fault instanceof AppError)) throw fault;
    const error = {
      message: fault.message,
      type: 'invalid_request_error',
      param: fault.extras.param ?? null,
      code: fault.code,
    };
    return Response.json({ error }, { status: fault.status });
  }
}
