/** What the MCP endpoints accept and answer. */
import { z } from 'zod';
import { parseExactly } from '../../lib/exact-json.ts';
import { nothingAsked } from '../../platform/http/paging.ts';

/** The library's own limit: arguments may contain files. */
export const mostBytes = 4 * 1024 * 1024;

/** RFC 9110 §15.5.6: a 405 response lists the allowed methods. */
export const allowed = { allow: 'POST, DELETE' };

/** No tool has a longer name. */
export const longestName = 128;

const serverName = /^[a-z0-9-]{1,24}(_\d{1,15})?$/;
export const serverParams = z.object({ server: z.string().regex(serverName) });
export const isServerName = ({ server }: Record<string, string>): boolean =>
  server !== undefined && serverName.test(server);

export const shared = {
  tag: 'MCP',
  auth: 'mcp',
  errors: 'mcp',
  limit: { option: 'RateLimitMcp', by: 'principal' },
  parseJson: parseExactly,
  query: nothingAsked,
} as const;

const message = z.record(z.string(), z.unknown());
export const posted = z
  .union([message, z.array(message).min(1).max(10)])
  .describe('A JSON-RPC message, or an array of messages in revision 2025-03-26');
/** Any object is accepted as a message: errors in it are answered as JSON-RPC errors. */
export const isMessage = (body: unknown): boolean => typeof body === 'object' && body !== null && !Array.isArray(body);
export const answers = {
  200: [posted, { type: 'text/event-stream', description: 'The response, or an event stream that ends with it' }],
  202: { description: 'Accepted; no response body' },
} as const;
