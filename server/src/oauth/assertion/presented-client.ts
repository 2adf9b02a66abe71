import { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import { type ClientCredentials, invalidClient, readCredentials } from '../client-auth.ts';
import type { OAuthContext } from '../context.ts';
import { type Asked, assertedClient } from './assertion.ts';

/** Form fields that identify the client. */
export const clientFields = {
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
  client_assertion: z.string().optional().describe('JWT signed by the client (RFC 7523 §2.2)'),
  client_assertion_type: z.string().optional(),
};
type ClientForm = z.infer<z.ZodObject<typeof clientFields>>;

type Deps = Pick<OAuthContext, 'options'> & Parameters<typeof assertedClient>[0];
type Call = Pick<Asked, 'ip'> & { request: Request };

/** RFC 7523 §2.2. */
const jwtBearer = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

const wrong = (message: string, param: string): AppError => new AppError('invalid_request', message, { param });

/** The client a request claims, with a signature already verified; null if it names none. */
export async function presentedClient(deps: Deps, call: Call, form: ClientForm): Promise<ClientCredentials | null> {
  const authorization = call.request.headers.get('authorization');
  const assertion = deps.options.get('OAuth2OpenIDConnect') ? assertionIn(form) : null;
  if (assertion === null) return readCredentials({ authorization, ...form });
  // RFC 6749 §2.3: one way of authenticating per request.
  if (authorization !== null || form.client_secret)
    throw wrong('Send a client assertion or a client secret, not both.', 'client_assertion');
  const { request, ip } = call;
  const clientId = await assertedClient(deps, assertion, { request, ip, clientId: form.client_id });
  return { clientId, secret: null, signed: true };
}

/** The same where a client is required. */
export async function requiredClient(deps: Deps, call: Call, form: ClientForm): Promise<ClientCredentials> {
  const credentials = await presentedClient(deps, call, form);
  if (!credentials) throw invalidClient();
  return credentials;
}

/** RFC 7521 §4.2; empty parameters count as absent. */
function assertionIn({ client_assertion, client_assertion_type }: ClientForm): string | null {
  if (!client_assertion && !client_assertion_type) return null;
  if (!client_assertion) throw wrong('client_assertion is required with client_assertion_type.', 'client_assertion');
  if (!client_assertion_type)
    throw wrong('client_assertion_type is required with client_assertion.', 'client_assertion_type');
  if (client_assertion_type !== jwtBearer) throw invalidClient(`client_assertion_type must be ${jwtBearer}.`);
  return client_assertion;
}
