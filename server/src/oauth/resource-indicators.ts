import { AppError } from '../lib/errors.ts';
import { readToolScope } from '../lib/tool-scopes.ts';
import type { OAuthContext } from './context.ts';
import type { Scope } from './scopes.ts';

/** Where a token is presented. */
export interface Audience {
  resource: string;
  /** Whether tokens without a resource are refused. */
  named: boolean;
}

/** More would not be read before consenting. */
const mostResources = 10;

const invalidTarget = (message: string): AppError => new AppError('invalid_target', message, { param: 'resource' });

/** RFC 8707 §2: the requested resources; ignored while OpenID Connect is disabled. */
export function requestedResources(
  { options, resources }: Pick<OAuthContext, 'options' | 'resources'>,
  given: string | string[] | undefined,
): string[] {
  if (!options.get('OAuth2OpenIDConnect')) return [];
  const named = [given ?? []].flat().filter((uri) => uri !== '');
  if (named.length > mostResources) throw invalidTarget(`At most ${mostResources} resources can be requested.`);
  const found = named.map((uri) => {
    const known = resources.known(uri);
    if (known === null) throw invalidTarget('resource must be the URL of a resource on this server.');
    return known;
  });
  return [...new Set(found)];
}

/** A scope that names tools requires their resource, since it has no meaning elsewhere. */
export function requireToolResources(
  { resources }: Pick<OAuthContext, 'resources'>,
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
      `The scope ${JSON.stringify(lost)} requires the URL of its server, or /mcp, as resource.`,
    );
}

/** Stored with codes and tokens, separated by spaces. */
export const storedResource = (resources: string[]): string | null =>
  resources.length === 0 ? null : resources.join(' ');

/**
 * RFC 8707 §2.2: narrows the granted resources. A grant without resources covers only what such tokens open anyway: a
 * client with a sign-in consent cannot get a token for tools the user was never asked about.
 */
export function narrowedResource(
  { resources }: Pick<OAuthContext, 'resources'>,
  granted: string | null,
  asked: string[],
): string | null {
  if (asked.length === 0) return granted;
  const most = granted === null ? asked.filter((uri) => !resources.at(uri)!.named) : granted.split(' ');
  if (!asked.every((uri) => most.includes(uri)))
    throw invalidTarget('resource was not part of the authorization request.');
  return storedResource(asked);
}

/** Whether a token is valid there. */
export const isFor = (stored: string | null, { resource, named }: Audience): boolean =>
  stored === null ? !named : stored.split(' ').includes(resource);

/** RFC 7662 §2.2: a string, or a list if there are several. */
export function audienceClaim(stored: string | null): { aud?: string | string[] } {
  if (stored === null) return {};
  const [first, ...others] = stored.split(' ');
  return { aud: others.length === 0 ? first! : [first!, ...others] };
}
