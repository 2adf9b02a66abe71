import type { Candidate } from '../routing/candidate.ts';
import { type Conversation, isObject, type Json, type Part } from './wire/conversation.ts';
import { unsupported } from './wire/read.ts';

/** Cloud storage, and the disk of an upstream. */
const isStored = (address: string): boolean => /^\s*(gs|s3|file):/i.test(address);
const isAddress = (name: string): boolean => /(ur[il]|file_?id|video|audio|image)$/i.test(name);
/** What people, models and functions write may name anything. */
const words = new Set(['text', 'args', 'response', 'parameters', 'parametersJsonSchema', 'labels']);

/** The first member that is the address of something stored, or a list of addresses. */
function storedIn(value: unknown, name = ''): string | undefined {
  if (typeof value === 'string') return isAddress(name) && isStored(value) ? name : undefined;
  if (Array.isArray(value)) return firstOf(value, (item) => storedIn(item, name));
  if (!isObject(value)) return undefined;
  for (const member in value) {
    const found = words.has(member) ? undefined : storedIn(value[member], member);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** In a part, and in the media of a tool's result. */
function storedInPart(part: Part): string | undefined {
  if (part.type === 'raw') return storedIn(part.value);
  if (part.type === 'tool_result') return firstOf(part.content, storedInPart);
  if (part.type !== 'image' && part.type !== 'file') return undefined;
  if ('url' in part.source) return isStored(part.source.url) ? 'url' : undefined;
  return 'fileId' in part.source && isStored(part.source.fileId) ? 'file_id' : undefined;
}

/** In a body of Google's format, sent as it is: it also says where results are written and which corpora are read. */
const storedInGoogle = (body: Json): string | undefined =>
  Array.isArray(body.tools) && body.tools.some((tool) => isObject(tool) && tool.retrieval != null)
    ? 'retrieval'
    : storedIn(body);

/**
 * Upstreams open what is in cloud storage with the rights of the credential. With the operator's, every user could read
 * and write whatever its account reaches; with their own, only what is theirs. A team's is its managers': with it
 * members, who do not even see it, could read what their company keeps from them.
 */
export function refuseStored({ via }: Candidate, { turns, source }: Conversation): void {
  if (via?.own && !via.entrusted) return;
  const found =
    source?.format === 'gemini'
      ? storedInGoogle(source.body)
      : firstOf(turns, ({ parts }) => firstOf(parts, storedInPart));
  if (found !== undefined)
    throw unsupported(
      found,
      `'${found}' refers to data that is stored in the provider's account. Send the data or a web address, or use your own provider key.`,
    );
}

function firstOf<T>(items: readonly T[], look: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = look(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
