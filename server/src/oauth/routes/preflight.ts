import type { Options } from '../../identity/options.ts';
import { table } from '../../lib/table.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { metadataPath } from '../resources.ts';
import { anyOrigin, base } from './shapes.ts';

/** Without and with OpenID Connect; null means that the endpoint does not exist. */
type Methods = [plain: string | null, openid: string];

const always = (methods: string): Methods => [methods, methods];
const withOpenid = (methods: string): Methods => [null, methods];

/** Endpoints that single-page applications call across origins; none accepts a cookie. */
const crossOrigin = table<Methods>({
  '/api/oauth2/token': always('POST'),
  '/api/oauth2/revoke': always('POST'),
  '/api/oauth2/userinfo': ['GET, PATCH', 'GET, POST, PATCH'],
  '/api/oauth2/.well-known/openid-configuration': always('GET'),
  '/.well-known/openid-configuration': always('GET'),
  '/.well-known/oauth-authorization-server': always('GET'),
  '/api/oauth2/jwks': withOpenid('GET'),
  '/api/oauth2/par': withOpenid('POST'),
  '/api/oauth2/device_authorization': withOpenid('POST'),
  '/api/oauth2/register': withOpenid('POST'),
  '/api/oauth2/register/{client_id}': withOpenid('GET, PUT, DELETE'),
  [metadataPath]: withOpenid('GET'),
  [`${metadataPath}/{path+}`]: withOpenid('GET'),
});

/** MCP clients send their version with every request, also during discovery. */
const allowedHeaders = [
  'authorization, content-type',
  'authorization, content-type, dpop, mcp-protocol-version',
] as const;

/** Answers CORS preflights (Fetch standard). */
export const preflightRoutes = ({ options }: { options: Options }): Route[] =>
  Object.entries(crossOrigin).map(([path, methods]) => {
    const which = () => (options.get('OAuth2OpenIDConnect') ? 1 : 0);
    return defineRoute({
      ...base,
      when: () => methods[which()] !== null,
      method: 'options',
      path,
      summary: 'CORS preflight',
      auth: 'none',
      limit: null,
      headers: { ...anyOrigin, 'access-control-max-age': '86400' },
      answers: { 204: { description: 'Allowed' } },
      handle: (call) => {
        const allowed = {
          'access-control-allow-headers': allowedHeaders[which()],
          'access-control-allow-methods': methods[which()] ?? '',
        };
        return new Response(null, { status: 204, headers: { ...call.headers, ...allowed } });
      },
    });
  });
