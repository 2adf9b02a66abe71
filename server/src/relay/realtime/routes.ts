import { z } from 'zod';
import { secretOf, socketSecretOf } from '../../identity/authenticators.ts';
import { clientSecretStart } from '../../identity/client-secrets.ts';
import { AppError } from '../../lib/errors.ts';
import { upgradeRequired } from '../../platform/http/http-call.ts';
import { defineRoute, json, type Route } from '../../platform/http/route.ts';
import { allowModel } from '../bill.ts';
import { contextOf } from '../request-context.ts';
import { relayRoute, whileClientStays } from '../routes/json-endpoint.ts';
import { isObject, type Json } from '../wire/conversation.ts';
import { missing } from '../wire/read.ts';
import {
  openSession,
  type RealtimeDeps,
  realtimePath,
  requireRealtime,
  type SocketCall,
  type Wanted,
} from './open-session.ts';

const querySchema = z.looseObject({
  model: z.string().optional(),
  deployment: z.string().optional().describe('The model, as clients of Azure name it'),
});

const defaultSeconds = 600;
const secretSchema = z
  .object({
    expires_after: z
      .object({ anchor: z.literal('created_at').optional(), seconds: z.int().min(10).max(7_200).optional() })
      .optional(),
    session: z
      .looseObject({ type: z.literal('realtime').optional(), model: z.string() })
      .describe('What sessions opened with the secret begin with, as in `session.update`'),
  })
  .meta({ id: 'RealtimeClientSecretRequest' });

const issuedSchema = z
  .object({ value: z.string(), expires_at: z.int(), session: z.looseObject({}) })
  .meta({ id: 'RealtimeClientSecret' });

export const realtimeRoutes = (deps: RealtimeDeps): Route[] => [
  defineRoute({
    ...{ tag: relayRoute.tag, limit: relayRoute.limit, errors: relayRoute.errors, auth: 'socketKey' },
    method: 'get',
    path: realtimePath,
    summary: 'A session of speech and text over a WebSocket, in OpenAI’s Realtime format',
    query: querySchema,
    answers: { 101: { type: '', description: '' } },
    handle: (call) =>
      whileClientStays(call, async () => {
        const { request } = call;
        if (request.method !== 'GET' || request.headers.get('upgrade')?.toLowerCase() !== 'websocket')
          throw upgradeRequired();
        return openSession(deps, call, wantedBy(deps, call, call.query));
      }),
  }),
  defineRoute({
    ...{ tag: relayRoute.tag, limit: relayRoute.limit, errors: relayRoute.errors, auth: 'apiKey' },
    method: 'post',
    path: `${realtimePath}/client_secrets`,
    summary: 'A short-lived secret with which a browser opens realtime sessions',
    body: secretSchema,
    answers: { 200: issuedSchema },
    handle: (call) => {
      const key = secretOf(call);
      if (!key?.startsWith('sk-'))
        throw new AppError('forbidden', 'Client secrets are made with an API key, in whose place they stand.');
      const { session, expires_after: expires } = call.body;
      const context = contextOf(call, realtimePath);
      const { name, modelId } = requireRealtime(deps, context, session.model);
      allowModel(deps, context, name, modelId);
      if (deps.catalog.resolve(session.model, context.caller.group) === null)
        throw new AppError('model_not_found', `The model '${session.model}' does not exist or cannot be used here.`, {
          param: 'session.model',
        });
      const { value, expiresAt } = deps.clientSecrets.issue(key, expires?.seconds ?? defaultSeconds, session);
      return json(call, { value, expires_at: expiresAt, session: { type: 'realtime', ...session } });
    },
  }),
];

/** A client secret is for one model, and brings what its sessions begin with. */
function wantedBy(deps: RealtimeDeps, call: SocketCall, query: z.infer<typeof querySchema>): Wanted {
  const asked = query.model ?? query.deployment ?? call.members?.model;
  const secret = socketSecretOf(call);
  const about = secret?.startsWith(clientSecretStart) ? deps.clientSecrets.read(secret).about : undefined;
  if (!isObject(about)) {
    if (!asked) throw missing('model');
    return { model: asked };
  }
  // Issued above, with the model that its schema asks for.
  const { model, ...others } = about as Json & { model: string };
  if (asked !== undefined && asked !== model)
    throw new AppError('model_not_allowed', `This client secret is for the model '${model}'.`, { param: 'model' });
  const { type: _, ...told } = others;
  return { model, ...(Object.keys(told).length > 0 && { configuration: { type: 'realtime', ...told } }) };
}
