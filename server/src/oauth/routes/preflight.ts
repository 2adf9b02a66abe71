import type { Options } from '../../identity/options.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { anyOrigin, base } from './shapes.ts';

/** Endpoints that single-page applications call across origins; none of those that a cookie opens. */
const crossOrigin: Record<string, string | ((openid: boolean) => string)> = {
  '/api/oauth2/token': 'POST',
  '/api/oauth2/revoke': 'POST',
  '/api/oauth2/userinfo': (openid) => (openid ? 'GET, POST, PATCH' : 'GET, PATCH'),
  '/api/oauth2/.well-known/openid-configuration': 'GET',
  '/.well-known/openid-configuration': 'GET',
  '/.well-known/oauth-authorization-server': 'GET',
};
/** The same, with OpenID Connect alone. */
const crossOriginOpenid = ['/api/oauth2/par', '/api/oauth2/device_authorization'];

/** The question a browser asks before such a call (Fetch standard, CORS-preflight). */
export function preflightRoutes({ options }: { options: Options }): Route[] {
  const openid = () => options.get('OAuth2OpenIDConnect');
  const preflight = (path: string, methods: (typeof crossOrigin)[string], when?: () => boolean): Route =>
    defineRoute({
      ...base,
      ...(when && { when }),
      method: 'options',
      path,
      summary: 'CORS preflight',
      auth: 'none',
      limit: null,
      headers: { ...anyOrigin, 'access-control-max-age': '86400' },
      answers: { 204: { type: 'text/plain', description: 'Allowed' } },
      handle: (call) => {
        const allowed = typeof methods === 'string' ? methods : methods(openid());
        const headers = openid() ? 'authorization, content-type, dpop' : 'authorization, content-type';
        return new Response(null, {
          status: 204,
          headers: {
            ...call.headers,
            'access-control-allow-methods': allowed,
            'access-control-allow-headers': headers,
          },
        });
      },
    });
  return [
    ...Object.entries(crossOrigin).map(([path, methods]) => preflight(path, methods)),
    ...crossOriginOpenid.map((path) => preflight(path, 'POST', openid)),
  ];
}
