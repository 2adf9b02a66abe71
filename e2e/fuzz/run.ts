/** Sends the requests and checks every answer. */
import type { Service } from '../service.ts';
import { type ApiDocument, type Endpoint, endpointsOf, missingMembers } from './document.ts';
import { type DocumentedCheck, documentedCheck } from './documented.ts';
import { chooseEndpoint, latenessOf, type Made, makeRequest, randomOf, worldFor } from './request.ts';
import { makeWorlds, type Storage, secretsOf, type World } from './world.ts';

export interface Finding {
  what: string;
  /** With the seed, enough to repeat the request. */
  index: number;
  request: string;
  answer: string;
}

export interface Fuzzed {
  requests: number;
  statuses: Record<number, number>;
  endpoints: number;
  /** Endpoints that never answered with success. */
  unreached: string[];
  findings: Finding[];
}

/** Generous, because other work may share the machine. */
const silenceMs = 20_000;
/** Streams are read for a while only; it is enough that they start. */
const streamMs = 250;
const worldEvery = 5_250;
const concurrency = 12;

export async function fuzz(service: Service, storage: Storage, seed: number, indexes: number[]): Promise<Fuzzed> {
  const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as ApiDocument;
  const endpoints = endpointsOf(document);
  const seen: Fuzzed = { requests: 0, statuses: {}, endpoints: endpoints.length, unreached: [], findings: [] };
  const reached = new Set<Endpoint>();
  const check = documentedCheck(document);
  for (let at = 0; at < indexes.length; at += worldEvery) {
    const worlds = await makeWorlds(service, at);
    const secrets = await secretsOf(storage);
    // What others stand on ends last: the last one is sent first.
    const waiting = indexes
      .slice(at, at + worldEvery)
      .map((index) => {
        const random = randomOf(seed, index);
        return { index, random, endpoint: chooseEndpoint(endpoints, random) };
      })
      .toSorted((a, b) => latenessOf(b.endpoint) - latenessOf(a.endpoint));
    const worker = async (): Promise<void> => {
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        const { index, random, endpoint } = next;
        const world = worldFor(worlds, endpoint);
        const made = makeRequest(endpoint, world, document.components.schemas, random);
        const { status, faults, answer } = await ask(service, endpoint, made, world, secrets, check);
        seen.requests += 1;
        seen.statuses[status] = (seen.statuses[status] ?? 0) + 1;
        if (endpoint.successes.includes(status)) reached.add(endpoint);
        for (const what of faults)
          seen.findings.push({ what, index, request: tell(made), answer: answer.slice(0, 400) });
      }
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
  }
  seen.unreached = endpoints
    .filter((one) => one.successes.length > 0 && !reached.has(one))
    .map(({ method, path }) => `${method} ${path}`);
  return seen;
}

const tell = ({ method, path, headers, body, as }: Made): string => {
  const type = headers['content-type'] ?? '';
  const encoding = headers['content-encoding'] ? ` ${headers['content-encoding']}` : '';
  return `${method} ${path.slice(0, 300)} as ${as}, ${type}${encoding} ${JSON.stringify(body?.toString().slice(0, 600) ?? '')}`;
};

interface Seen {
  status: number;
  faults: string[];
  answer: string;
}

async function ask(
  service: Service,
  endpoint: Endpoint,
  made: Made,
  world: World,
  secrets: string[],
  check: DocumentedCheck,
): Promise<Seen> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), silenceMs);
  try {
    const response = await fetch(service.url + made.path, {
      method: made.method,
      headers: made.headers,
      redirect: 'manual',
      signal: controller.signal,
      ...(made.body !== undefined && { body: made.body as string }),
    });
    clearTimeout(timer);
    const answer = await textOf(response, controller);
    const faults = faultsOf(response, answer, endpoint, made, world, secrets);
    if (made.method === endpoint.method) faults.push(...check(endpoint, response, answer));
    return { status: response.status, answer, faults };
  } catch (error) {
    // Without stream_events the answer comes only when the run is over.
    const mayWait = endpoint.path.includes('/autonomous/') && String(made.body).includes('stream_events');
    const faults =
      controller.signal.aborted && mayWait ? [] : [controller.signal.aborted ? 'hang' : `no answer: ${error}`];
    return { status: 0, answer: '', faults };
  } finally {
    clearTimeout(timer);
  }
}

async function textOf(response: Response, controller: AbortController): Promise<string> {
  if (!response.headers.get('content-type')?.includes('event-stream')) return response.text();
  const timer = setTimeout(() => controller.abort(), streamMs);
  let text = '';
  try {
    const decoder = new TextDecoder();
    for await (const chunk of response.body!) text += decoder.decode(chunk, { stream: true });
  } catch {
    // Aborted by the timer above.
  }
  clearTimeout(timer);
  return text;
}

function faultsOf(
  response: Response,
  answer: string,
  endpoint: Endpoint,
  made: Made,
  world: World,
  secrets: string[],
): string[] {
  const faults: string[] = [];
  const { status, headers } = response;
  if (status >= 500 && !isUpstreamAway(answer, endpoint)) faults.push(`status ${status}`);
  if (/"internal_error"|"Internal error/.test(answer) && status < 500)
    faults.push('an internal error inside the answer');
  if (!headers.get('x-request-id')) faults.push('no x-request-id');
  // Values from the request itself may be in the answer.
  const given = `${JSON.stringify(world.credentials[made.as])} ${made.path} ${made.body}`;
  for (const secret of secrets)
    if (answer.includes(secret) && !given.includes(secret)) faults.push(`a secret: ${secret.slice(0, 12)}…`);
  const ownMethod = made.method === endpoint.method;
  if (status >= 400 && status < 500 && ownMethod && endpoint.errorMembers.length > 0) {
    const missing = missingMembers(parse(answer), endpoint.errorMembers);
    if (missing.length > 0) faults.push(`${status} without ${missing.join(', ')}`);
  }
  return faults;
}

/** Fuzzed channels and servers are unreachable, so requests that need them get 502 or 503; the demo's are always available. */
const isUpstreamAway = (answer: string, { path }: Endpoint): boolean =>
  /^\/v1(beta)?\//.test(path)
    ? /"No provider of '(?!demo\/)[^']*' (gave|is available)/.test(answer)
    : (path.endsWith('/sync-models') && answer.includes("The upstream's model list")) ||
      (/\/(tools|approve)$/.test(path) && answer.includes("The server's list of tools")) ||
      (path.endsWith('/authorize') && answer.includes('Signing in to')) ||
      (path === '/mcp/{server}' && /The server [a-z0-9-]+ failed/.test(answer));

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
