import { z } from 'zod';
import { asEvents } from '../../platform/http/answers.ts';
import { eventResponse } from '../../platform/http/event-stream.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { answerStream } from '../answer-stream.ts';
import type { RelayDeps } from '../deps.ts';
import { eventsOf } from '../endpoints/event-answer.ts';
import { speak } from '../endpoints/speech.ts';
import { speechEvents } from '../endpoints/speech-events.ts';
import { checkForm, transcribe, transcriptEvents } from '../endpoints/transcription.ts';
import { contextOf } from '../request-context.ts';
import { unsupported } from '../wire/read.ts';
import { failEvent } from './fail-event.ts';
import { flagIn, overrideIn } from './form-fields.ts';
import { jsonEndpoint, relayRoute, tell, whileClientStays } from './json-endpoint.ts';
import { readFormBody } from './read-body.ts';

const speechSchema = z
  .looseObject({
    model: z.string(),
    input: z.string(),
    voice: z.union([z.string(), z.looseObject({ id: z.string() })]),
    response_format: z.enum(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']).optional(),
    speed: z.number().min(0.25).max(4).optional(),
    stream_format: z.enum(['audio', 'sse']).optional(),
    provider: z.looseObject({}).optional(),
  })
  .meta({ id: 'SpeechRequest' });

const formSchema = z
  .looseObject({
    file: z.string().meta({ format: 'binary' }),
    model: z.string(),
    language: z.string().optional(),
    prompt: z.string().optional(),
    response_format: z.enum(['json', 'text', 'srt', 'verbose_json', 'vtt']).optional(),
    temperature: z.number().min(0).max(1).optional(),
    stream: z.boolean().optional(),
    'timestamp_granularities[]': z.array(z.enum(['word', 'segment'])).optional(),
  })
  .meta({ id: 'TranscriptionRequest' });

const transcriptSchema = z.looseObject({ text: z.string() }).meta({ id: 'Transcription' });

const texts = ['text/plain', 'application/x-subrip', 'text/vtt'].map((type) => ({
  type,
  description: 'Text in the requested format',
}));

export const audioRoutes = (deps: RelayDeps): Route[] => [
  jsonEndpoint({
    path: '/v1/audio/speech',
    summary: 'Generate speech from text, streamed',
    body: speechSchema,
    answer: [
      { type: 'audio/*', description: 'The audio in the requested format' },
      { type: 'text/event-stream', description: 'With `stream_format: "sse"`, server-sent events' },
    ],
    respond: async (context, body, call) => {
      const speech = await speak(deps, context, body);
      const headers = { ...call.headers, 'x-svc-provider': speech.provider };
      if (!speech.inEvents)
        return new Response(speech.body, { headers: { ...headers, 'content-type': speech.contentType } });
      const { requestId } = call;
      return eventResponse(headers, speechEvents(speech, failEvent), (error) =>
        deps.log.error({ requestId, error }, 'could not finish speech'),
      );
    },
  }),
  formRoute(deps, 'transcriptions', 'Transcribe an audio file'),
  formRoute(deps, 'translations', 'Translate an audio file into English text'),
];

function formRoute(deps: RelayDeps, endpoint: 'transcriptions' | 'translations', summary: string): Route {
  const path = `/v1/audio/${endpoint}`;
  return defineRoute({
    ...relayRoute,
    method: 'post',
    path,
    summary,
    bodyTypes: ['multipart/form-data'],
    body: formSchema,
    answers: { 200: [transcriptSchema, ...texts, ...(endpoint === 'transcriptions' ? [asEvents] : [])] },
    handle: (call) =>
      whileClientStays(call, async () => {
        const form = checkForm(await readFormBody(call));
        const context = contextOf(call, path, overrideIn(form.form));
        if (flagIn(form.fields, 'stream')) {
          if (endpoint === 'translations')
            throw unsupported('stream', 'Translations cannot be streamed. Remove `stream`.');
          const opening = eventsOf(async (tellEvent) => {
            const spoken = await transcribe(deps, context, form, endpoint, tellEvent);
            return { candidate: spoken.candidate, events: transcriptEvents(spoken) };
          }, failEvent);
          return answerStream(deps, call, opening, failEvent);
        }
        const answered = await transcribe(deps, context, form, endpoint);
        tell(call, answered);
        const { content, contentType } = answered.value;
        return new Response(content, { headers: { ...call.headers, 'content-type': contentType } });
      }),
  });
}
