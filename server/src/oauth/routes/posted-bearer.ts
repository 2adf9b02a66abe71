import { AppError } from '../../lib/errors.ts';
import { receive } from '../../platform/http/body.ts';
import { parseForm } from '../../platform/http/form.ts';
import { formType, mediaTypeOf } from '../../platform/http/parse.ts';
import type { Call } from '../../platform/http/route.ts';
import { type BearerPrincipal, identifyBearer, identifyToken, noToken } from '../bearer.ts';
import type { OAuthContext } from '../context.ts';
import type { Audience } from '../resource-indicators.ts';

const maxBytes = 16_384;

/**
 * RFC 6750 §2.2: a token in a form instead of the header. Several libraries send it so to userinfo when they use POST
 * (OpenID Connect Core §5.3.1); nothing else accepts it.
 */
export async function identifyPosted(deps: OAuthContext, call: Call, audience: Audience): Promise<BearerPrincipal> {
  const { request } = call;
  const type = mediaTypeOf(request.headers.get('content-type') ?? '');
  const posted = type === formType ? await postedToken(call) : undefined;
  const inHeader = request.headers.has('authorization');
  if (inHeader && posted)
    throw new AppError('invalid_request', 'Send the access token once, in the header or the form.');
  if (inHeader) return identifyBearer(deps, request, audience);
  if (!posted) throw noToken();
  return identifyToken(deps, posted, audience);
}

async function postedToken(call: Call): Promise<string | undefined> {
  const bytes = await receive(call, maxBytes);
  const { access_token } = parseForm(Buffer.from(bytes).toString('utf8'));
  return typeof access_token === 'string' ? access_token : undefined;
}
