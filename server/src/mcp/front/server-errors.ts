import { z } from 'zod';
import { parseExactly } from '../../lib/exact-json.ts';
import { streamFault } from '../answer-events.ts';
import { canBeAsked, capabilitiesOfHolder } from '../client-capabilities.ts';
import type { Params } from '../connection.ts';
import { findFault } from '../fault.ts';
import type { Exchange } from './endpoint.ts';

/** A server's JSON-RPC error. */
export interface ServerError {
  code: number;
  message: string;
  data?: unknown;
}

const written = z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() });
/** Revision 2026-07-28, Streamable HTTP: responses with these statuses may hold a JSON-RPC error. */
const refused = z.object({ status: z.union([z.literal(400), z.literal(404)]), text: z.string() });

/** Null if the server failed instead of answering with an error. */
export function serverErrorIn(error: unknown): ServerError | null {
  if (findFault(error)) return null;
  const { code, message, data } = error as Partial<ServerError>;
  if (Number.isSafeInteger(code) && code !== streamFault) return { code: code!, message: message!, data };
  const { data: refusal } = refused.safeParse(data);
  return refusal ? errorIn(refusal.text) : null;
}

function errorIn(text: string): ServerError | null {
  try {
    return z.object({ jsonrpc: z.literal('2.0'), error: written }).parse(parseExactly(text)).error;
  } catch {
    return null;
  }
}

const notFoundBefore = -32_002;
const badParams = -32_602;
const internalError = -32_603;
const capabilityMissing = -32_021;
const needsPage = -32_042;
const needed = z.object({ requiredCapabilities: z.record(z.string(), z.unknown()) });

/**
 * Revision 2026-07-28, error codes: some codes are reserved by the protocol, or were. A client of that revision would
 * read a server's use of them as our verdict on its request.
 */
export function codeFor({ newest }: Exchange, { code, data }: ServerError): number {
  if (!newest) return code;
  if (code === notFoundBefore) return badParams;
  if (code > -32_020 || code < -32_099) return code;
  return code === capabilityMissing && needed.safeParse(data).success ? code : internalError;
}

/** Revision 2025-11-25: pages that the user has to visit first. */
const pages = z.object({
  elicitations: z
    .array(z.object({ mode: z.literal('url'), message: z.string(), url: z.string() }))
    .min(1)
    .max(20),
});

/**
 * The newest revision asks for this in the result, and the client repeats its request; null if the client cannot be
 * asked.
 */
export function urlElicitationResult({ newest, holder }: Exchange, { code, data }: ServerError): Params | null {
  const { data: wanted } = newest && code === needsPage ? pages.safeParse(data) : {};
  if (!wanted) return null;
  const requests = wanted.elicitations.map((params) => ({ method: 'elicitation/create', params }));
  if (!requests.every((request) => canBeAsked(capabilitiesOfHolder(holder), request))) return null;
  const inputRequests = Object.fromEntries(requests.map((request, at) => [`page-${at + 1}`, request]));
  return { resultType: 'input_required', inputRequests };
}
