import { AppError } from '../lib/errors.ts';
import { readToolScope } from '../lib/tool-scopes.ts';
import type { Room } from './room.ts';
import type { Scope } from './scopes.ts';

/** Where a token is presented. */
export interface Audience {
  resource: string;
  /** Whether tokens that name no resource at all are refused too. */
  named: boolean;
}

/** More are a list nobody reads before agreeing. */
const mostResources = 10;

const invalidTarget = (message: string): AppError => new AppError('invalid_target', message, { param: 'resource' });

/** RFC 8707 §2: those that a request names; an unknown parameter while OpenID Connect is turned off. */
export function requestedResources(
  { options, resources }: Pick<Room, 'options' | 'resources'>,
  given: string | string[] | undefined,
): string[] {
  if (!options.get('OAuth2OpenIDConnect')) return [];
  const named = [given ?? []].flat().filter((uri) => uri !== '');
  if (named.length > mostResources) throw invalidTarget(`At most ${mostResources} resources can be named.`);
  const found = named.map((uri) => {
    const known = resources.known(uri);
    if (known === null) throw invalidTarget('resource must be the address of a resource of this server.');
    return known;
  });
  return [...new Set(found)];
}

/** Where a scope names tools, the address where these are used must be among the resources: elsewhere it says nothing. */
export function requireToolResources(
  { resources }: Pick<Room, 'resources'>,
  scopes: readonly Scope[],
  named: readonly string[],
): void {
  const servers = named.map((uri) => resources.serverAt(uri));
  const lost = scopes.find((name) => {
    const scope = readToolScope(name);
    return scope && !servers.some((server) => server === null || server === scope.server);
  });
  if (lost !== undefined)
    throw new AppError(
      'invalid_scope',
      `The scope ${JSON.stringify(lost)} needs the address of its server, or /mcp, as resource.`,
    );
}

/** As it is kept with codes and tokens; an address has no spaces. */
export const storedResource = (resources: string[]): string | null =>
  resources.length === 0 ? null : resources.join(' ');

/**
 * RFC 8707 §2.2: of what was granted as much as is asked for; never more. A grant that names nothing is for what such tokens
 * open anyway: a client that was allowed a sign-in does not make itself a token for tools that the user never heard of.
 */
export function narrowedResource(
  { resources }: Pick<Room, 'resources'>,
  granted: string | null,
  asked: string[],
): string | null {
  if (asked.length === 0) return granted;
  const most = granted === null ? asked.filter((uri) => !resources.at(uri)!.named) : granted.split(' ');
  if (!asked.every((uri) => most.includes(uri)))
    throw invalidTarget('resource was not named in the authorization request.');
  return storedResource(asked);
}

/** Whether a token may be used there. */
export const isFor = (stored: string | null, { resource, named }: Audience): boolean =>
  stored === null ? !named : stored.split(' ').includes(resource);

/** RFC 7662 §2.2: one as text, several as a list. */
export function audienceClaim(stored: string | null): { aud?: string | string[] } {
  if (stored === null) return {};
  const [first, ...others] = stored.split(' ');
  return { aud: others.length === 0 ? first! : [first!, ...others] };
}
