import type { Client, ServerCapabilities } from '@modelcontextprotocol/client';
import { holdsHidden } from '../platform/http/shown-text.ts';
import { McpFault } from './fault.ts';

/** What a server says of itself when it is first spoken to. */
export interface Introduction {
  /** As it calls itself, and which protocol it speaks. */
  about: { name: string; version: string; protocol: string };
  capabilities: ServerCapabilities;
  instructions?: string | undefined;
}

/** It is kept for every session, and told to every client. */
const mostCharacters = 32 * 1024;

/** What cannot be seen is not passed on: names are shown to people, and models would read it. */
export function introductionOf(client: Client): Introduction {
  const { name = '', version = '' } = client.getServerVersion() ?? {};
  const capabilities = client.getServerCapabilities() ?? {};
  const instructions = client.getInstructions();
  if (JSON.stringify([name, version, capabilities, instructions]).length > mostCharacters)
    throw new McpFault(`it says more of itself than ${mostCharacters} characters`);
  const isSeen = !holdsHidden((instructions ?? '').replace(/[\n\r\t]/g, ' '));
  return {
    about: { name: seen(name), version: seen(version), protocol: client.getNegotiatedProtocolVersion() ?? '' },
    capabilities,
    instructions: isSeen ? instructions : undefined,
  };
}

const seen = (text: string): string => (holdsHidden(text) ? '' : text);
