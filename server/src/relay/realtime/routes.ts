import { z } from 'zod';
import { secretOf, socketSecretOf } from '../../identity/authenticators.ts';
import { clientSecretStart } from '../../identity/client-secrets.ts';
import { AppError } from '../../lib/errors.ts';
import { randomString } from '../../lib/ids.ts';
import { upgradeRequired } from '../../platform/http/http-call.ts';
import { type Call, defineRoute, json, type Route } from '../../platform/http/route.ts';
import { requireAllowedModel } from '../charge.ts';
import { contextOf } from '../request-context.ts';
import { relayRoute, whileClientStays } from '../routes/json-endpoint.ts';
import { isObject, type Json } from '../wire/conversation.ts';
import { missing } from '../wire/read.ts';
import { type RequestedSession, transcriptionModelIn } from './first-event.ts';
import { openSession, type RealtimeDeps, realtimePath, requireRealtime, type SocketCall } from './open-session.ts';

const querySchema = z.looseObject({
  model: z.string().optional(),
  deployment: z.string().optional().describe('Model name, as sent by Azure clients'),
  intent: z.string().optional().describe('`transcription`: the model only transcribes and does not speak'),
});

const expirySchema = z.object({
  anchor: z.literal('created_at').optional(),
  seconds: z.int().min(10).max(7_200).optional(),
});
const secretSchema = z
  .object({
    expires_after: expirySchema.optional(),
    session: z
      .looseObject({
        type: z.enum(['realtime', 'transcription']).optional(),
        model: z.string().optional().describe('Required unless the session type is `transcription`'),
      })
      .describe('Initial settings of sessions opened with the secret, as in `session.update`'),
  })
  .meta({ id: 'RealtimeClientSecretRequest' });

const issuedSchema = z
  .object({ value: z.string(), expires_at: z.int(), session: z.looseObject({}) })
  .meta({ id: 'RealtimeClientSecret' });

const earlierSchema = z
  .looseObject({
    client_secret: z.object({ expires_at: expirySchema.optional() }).optional(),
    input_audio_transcription: z.looseObject({ model: z.string() }),
  })
  .meta({ id: 'RealtimeTranscriptionSessionRequest' });

const sessionSchema = z
  .looseObject({ client_secret: z.object({ value: z.string(), expires_at: z.int() }) })
  .meta({ id: 'RealtimeTranscriptionSession' });

const shared = { tag: relayRoute.tag, limit: relayRoute.limit, errors: relayRoute.errors };

export const realtimeRoutes = (deps: RealtimeDeps): Route[] => [
  defineRoute({
    ...{ ...shared, auth: 'socketKey' },
    method: 'get',
    path: realtimePath,
    summary: 'Open a speech and text session over a WebSocket, in OpenAI’s Realtime format',
    query: querySchema,
    answers: { 101: { description: 'A WebSocket connection' } },
    handle: (call) =>
      whileClientStays(call, async () => {
        const { request } = call;
        if (request.method !== 'GET' || request.headers.get('upgrade')?.toLowerCase() !== 'websocket')
          throw upgradeRequired();
        return openSession(deps, call, wantedBy(deps, call, call.query));
      }),
  }),
  defineRoute({
    ...{ ...shared, auth: 'apiKey' },
    method: 'post',
    path: `${realtimePath}/client_secrets`,
    summary: 'Create a short-lived secret that a browser uses to open realtime sessions',
    body: secretSchema,
    answers: { 200: issuedSchema },
    handle: (call) => {
      const { session, expires_after: expires } = call.body;
      const { type, ...told } = { type: 'realtime' as const, ...session };
      const { value, expiresAt } = issue(deps, call, { type, ...told }, expires?.seconds);
      return json(call, { value, expires_at: expiresAt, session: { ...told, ...newSession(type), type } });
    },
  }),
  defineRoute({
    ...{ ...shared, auth: 'apiKey' },
    method: 'post',
    path: `${realtimePath}/transcription_sessions`,
    summary: 'Create a short-lived secret for transcription sessions, in the previous format',
    body: earlierSchema,
    answers: { 200: sessionSchema },
    handle: (call) => {
      const { client_secret: secret, ...session } = call.body;
      const about = { ...session, type: 'transcription' as const };
      const { value, expiresAt } = issue(deps, call, about, secret?.expires_at?.seconds);
      const told = { ...newSession('transcription'), ...session };
      return json(call, { ...told, client_secret: { value, expires_at: expiresAt } });
    },
  }),
  ...['', '/calls', '/calls/{call_id}/{act}'].map((path) =>
    defineRoute({
      ...{ ...shared, auth: 'socketKey', bodyAs: 'raw' },
      method: 'post',
      path: realtimePath + path,
      ...(path.includes('{') && { params: z.object({ call_id: z.string(), act: z.string() }) }),
      summary: 'Calls over WebRTC and SIP are not supported; requests are always rejected',
      answers: {},
      handle: () => {
        const address = `${deps.baseUrl.replace(/^http/, 'ws')}${realtimePath}?model=…`;
        throw upgradeRequired(`Calls over WebRTC and SIP are not supported. Open a WebSocket: ${address}`);
      },
    }),
  ),
];

type SessionType = 'realtime' | 'transcription';

/** What OpenAI's libraries require of a session; it is opened under an id of its vendor. */
const newSession = (type: SessionType) => ({
  id: `sess_${randomString(21)}`,
  object: type === 'realtime' ? 'realtime.session' : 'realtime.transcription_session',
});

type About = Json & { type: SessionType; model?: string | undefined };

const defaultSeconds = 600;

function issue(deps: RealtimeDeps, call: Call<'apiKey'>, about: About, seconds = defaultSeconds) {
  const key = secretOf(call);
  if (!key?.startsWith('sk-')) throw new AppError('forbidden', 'Client secrets can only be created with an API key.');
  const transcribes = about.type === 'transcription';
  const model = transcribes ? transcriptionModelIn(about) : about.model;
  const param = transcribes ? 'session.audio.input.transcription.model' : 'session.model';
  if (typeof model !== 'string') throw missing(param);
  const context = contextOf(call, realtimePath);
  const { name, modelId } = requireRealtime(deps, context, model, transcribes);
  requireAllowedModel(deps, context, name, modelId);
  if (deps.catalog.resolve(model, context.caller.group) === null)
    throw new AppError('model_not_found', `The model '${model}' does not exist or cannot be used here.`, { param });
  return deps.clientSecrets.issue(key, seconds, { ...about, model });
}

/** A client secret is for one model, and carries its initial session. */
function wantedBy(deps: RealtimeDeps, call: SocketCall, query: z.infer<typeof querySchema>): RequestedSession {
  const asked = query.model ?? query.deployment ?? call.members?.model;
  const secret = socketSecretOf(call);
  const about = secret?.startsWith(clientSecretStart) ? deps.clientSecrets.read(secret).about : undefined;
  if (!isObject(about)) {
    if (!asked) throw missing('model');
    return { model: asked, transcribes: query.intent === 'transcription' || undefined };
  }
  // Issued above, with its model.
  const { type, model, ...told } = about as About & { model: string };
  if (asked !== undefined && asked !== model)
    throw new AppError('model_not_allowed', `This client secret can only be used with the model '${model}'.`, {
      param: 'model',
    });
  const configuration = Object.keys(told).length > 0 ? told : undefined;
  return { model, transcribes: type === 'transcription', configuration };
}
