import type { Client, ServerCapabilities } from '@modelcontextprotocol/client';
import { holdsHidden } from '../platform/http/shown-text.ts';
import { McpFault } from './fault.ts';

/** The server's answer to initialize. */
export interface InitializeInfo {
  /** Its name and version, and the negotiated protocol. */
  about: { name: string; version: string; protocol: string };
  capabilities: ServerCapabilities;
  instructions?: string | undefined;
}

/** Stored for every session and sent to every client, so its size is limited. */
const mostCharacters = 32 * 1024;

/** Texts with invisible characters are dropped: names are shown to users, and models would read hidden instructions. */
export function initializeInfoOf(client: Client): InitializeInfo {
  const { name = '', version = '' } = client.getServerVersion() ?? {};
  const capabilities = client.getServerCapabilities() ?? {};
  const instructions = client.getInstructions();
  if (JSON.stringify([name, version, capabilities, instructions]).length > mostCharacters)
    throw new McpFault(`its description of itself is longer than ${mostCharacters} characters`);
  const isSeen = !holdsHidden((instructions ?? '').replace(/[\n\r\t]/g, ' '));
  return {
    about: { name: seen(name), version: seen(version), protocol: client.getNegotiatedProtocolVersion() ?? '' },
    capabilities,
    instructions: isSeen ? instructions : undefined,
  };
}

const seen = (text: string): string => (holdsHidden(text) ? '' : text);
