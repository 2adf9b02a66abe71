import { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import { defineRoute, json, type Route } from '../../platform/http/route.ts';
import type { OAuthContext } from '../context.ts';
import { metadataPath } from '../resources.ts';
import { allowedNow, isScope } from '../scopes.ts';
import { anyOrigin, base } from './shapes.ts';

const metadataSchema = z.object({
  resource: z.string(),
  resource_name: z.string(),
  authorization_servers: z.array(z.string()),
  scopes_supported: z.array(z.string()),
  bearer_methods_supported: z.array(z.string()),
});

type Deps = Pick<OAuthContext, 'options' | 'resources' | 'baseUrl'>;

/** RFC 9728 §2: for clients that only know a resource's address. */
function metadataOf({ options, resources, baseUrl }: Deps, path: string): z.infer<typeof metadataSchema> {
  const rule = resources.at(path);
  if (!rule) throw new AppError('not_found', 'There is no such resource.');
  const global = options.get('OAuth2AllowedScopes');
  const allowed = allowedNow(global, global);
  return {
    resource: `${baseUrl}${path}`,
    resource_name: rule.name,
    authorization_servers: [baseUrl],
    scopes_supported: resources.scopesAt(path).filter((name) => isScope(name) && allowed.has(name)),
    bearer_methods_supported: ['header'],
  };
}

export function protectedResourceRoutes(room: Deps): Route[] {
  const shared = {
    ...base,
    when: () => room.options.get('OAuth2OpenIDConnect'),
    method: 'get',
    auth: 'none',
    limit: null,
    headers: { ...anyOrigin, 'cache-control': 'public, max-age=300' },
    answers: { 200: metadataSchema },
  } as const;
  return [
    defineRoute({
      ...shared,
      path: metadataPath,
      summary: 'Get the protected resource metadata of the account API, including its authorization server',
      handle: (call) => json(call, metadataOf(room, '')),
    }),
    defineRoute({
      ...shared,
      path: `${metadataPath}/{path+}`,
      summary: 'Get the protected resource metadata of another resource by its path: v1, mcp, mcp/{server}',
      params: z.object({ path: z.string().max(200) }),
      handle: (call) => json(call, metadataOf(room, `/${call.params.path}`)),
    }),
  ];
}
