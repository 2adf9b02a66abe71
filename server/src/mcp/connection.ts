import type { CallToolResult, Tool } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { McpFault } from './fault.ts';
import { type GuardedTarget, guardedFetch } from './guarded-fetch.ts';
import { type Listing, readListing } from './listing.ts';

/** One server, spoken to. */
export interface Connection {
  /** As it calls itself, and which protocol it speaks. */
  about: { name: string; version: string; protocol: string };
  list(signal: AbortSignal): Promise<Listing>;
  call(tool: Called, args: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult>;
  close(): Promise<void>;
}

export interface Called {
  name: string;
  inputSchema: Record<string, unknown>;
}

export interface Target extends GuardedTarget {
  name: string;
}

const us = { name: 'svc', version: '1' };
/** A farewell is a courtesy: nobody waits long for it. */
const farewellMs = 2_000;

/** Each tool is read by itself, so that one that is none does not hide the others. */
const page = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

/** Rejects when `signal` aborts, whatever the work does. */
export const within = <T>(signal: AbortSignal, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const giveUp = () => reject(new McpFault('it did not answer in time'));
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });

/** Speaks the newest protocol that the server does; servers of before are told apart by one question first. */
export async function connect(target: Target, signal: AbortSignal): Promise<Connection> {
  const fetch = guardedFetch(target);
  // Loaded by the first call: most installations connect nothing, and its schemas take a while to build.
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const transport = new StreamableHTTPClientTransport(new URL(target.url), {
    fetch,
    requestInit: { redirect: 'manual' },
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 1_000,
      maxReconnectionDelay: 1_000,
      reconnectionDelayGrowFactor: 1,
    },
  });
  // Asking for input means that the call is made again, which here nobody could answer for.
  const client = new Client(us, { versionNegotiation: { mode: 'auto' }, inputRequired: { autoFulfill: false } });
  const asked = (by: AbortSignal) => ({ signal: by, timeout: target.timeoutMs });
  try {
    await within(signal, client.connect(transport, asked(signal)));
  } catch (error) {
    await client.close().catch(() => {});
    throw error;
  }
  const { name = '', version = '' } = client.getServerVersion() ?? {};
  return {
    about: { name, version, protocol: client.getNegotiatedProtocolVersion() ?? '' },
    list: async (by) => {
      if (!client.getServerCapabilities()?.tools) return { definitions: [], cut: false };
      const one = (cursor: string | undefined) =>
        client.request({ method: 'tools/list', params: cursor === undefined ? {} : { cursor } }, page, asked(by));
      return within(by, readListing(target.name, one));
    },
    call: (tool, args, by) => {
      // With the definition given, the library asks for none itself, and calls once.
      const toolDefinition = { name: tool.name, inputSchema: tool.inputSchema } as Tool;
      return within(by, client.callTool({ name: tool.name, arguments: args }, { ...asked(by), toolDefinition }));
    },
    close: async () => {
      const farewell = transport.terminateSession();
      await within(AbortSignal.timeout(farewellMs), farewell).catch(() => {});
      await client.close().catch(() => {});
    },
  };
}
