import { z } from 'zod';
import { sha256Hex } from '../lib/hashing.ts';
import { holdsHidden } from '../platform/http/shown-text.ts';

/** A tool as its server describes it. */
export interface Definition {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
  /** Of description and schema: what the operator approves. */
  hash: string;
  /** Why it cannot be offered, however much it is wanted. */
  problem: string | null;
}

/** What a model is told of every tool in every request; more of it is no description. */
export const definitionLimits = { nameCharacters: 128, descriptionCharacters: 8_192, schemaCharacters: 32_768 };
/** Deeper than anything written by hand, and far from where reading it again would end the process. */
const mostDepth = 32;

const listed = z.object({
  name: z
    .string()
    .min(1)
    .max(definitionLimits.nameCharacters)
    .refine((name) => !holdsHidden(name)),
  description: z.string().optional(),
  inputSchema: z.record(z.string(), z.unknown()),
});

/** Null for what is no tool at all. */
export function readDefinition(given: unknown): Definition | null {
  const { data } = listed.safeParse(given);
  if (!data) return null;
  const { name, description = '', inputSchema } = data;
  const problem = problemOf(description, inputSchema);
  // What is too large or too deep is neither kept nor walked through.
  if (problem) return { name, description: description.slice(0, 200), inputSchema: {}, hash: '', problem };
  return { name, description, inputSchema, hash: hashOf(description, inputSchema), problem: null };
}

function problemOf(description: string, schema: Record<string, unknown>): string | null {
  if (description.length > definitionLimits.descriptionCharacters)
    return `its description has more than ${definitionLimits.descriptionCharacters} characters`;
  if (holdsHidden(description.replace(/[\n\r\t]/g, ' ')))
    return 'its description holds characters that cannot be seen, which a model would read';
  if (isDeeper(schema, mostDepth)) return `its schema is nested deeper than ${mostDepth} levels`;
  const text = JSON.stringify(schema);
  if (text.length > definitionLimits.schemaCharacters)
    return `its schema has more than ${definitionLimits.schemaCharacters} characters`;
  if (holdsHidden(text)) return 'its schema holds characters that cannot be seen, which a model would read';
  if (schema.type !== 'object') return 'its schema is not that of an object';
  return null;
}

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1)));

const hashOf = (description: string, schema: Record<string, unknown>): string =>
  sha256Hex(JSON.stringify([description, inOrder(schema)]));

/** The same schema, written in another order, is the same schema. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  // Pairs, since an object would put members named by numbers first again.
  return members.map(([name, member]) => [name, inOrder(member)]);
}
