import { z } from 'zod';
import { canonicalJson } from '../lib/canonical-json.ts';
import { sha256Hex } from '../lib/hashing.ts';
import { holdsHidden } from '../platform/http/shown-text.ts';
import { markProblem } from './marked-arguments.ts';
import type { AllowedTool, Further } from './store/tools.ts';

/** A tool as its server describes it. */
export interface Definition {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
  /** Further metadata for clients. */
  further: Further;
  /** Hash of the whole definition: what the operator approves. */
  hash: string;
  /** Hash without the UI metadata, for tools that were approved before that was part of the definition. */
  undrawnHash: string;
  /**
   * Hash of description and schema only, for tools that were approved before anything else was part of the definition.
   */
  shortHash: string;
  /** Why the tool cannot be offered, even if it is approved. */
  problem: string | null;
}

/** Definitions are sent to the model with every request, so their size is limited. */
export const definitionLimits = {
  nameCharacters: 128,
  titleCharacters: 256,
  descriptionCharacters: 8_192,
  schemaCharacters: 32_768,
};
/** Deeper than any hand-written schema, and far below the depth at which recursion would crash the process. */
const mostDepth = 32;

/** The page of the server that renders the tool, and whether a model or that page may call it. */
const drawing = z.object({
  resourceUri: z.string().startsWith('ui://').max(2_000).optional(),
  visibility: z
    .array(z.enum(['model', 'app']))
    .max(2)
    .optional(),
});

const listed = z.object({
  name: z
    .string()
    .min(1)
    .max(definitionLimits.nameCharacters)
    .refine((name) => !holdsHidden(name)),
  description: z.string().optional(),
  inputSchema: z.record(z.string(), z.unknown()),
  // Optional for clients: an invalid value is dropped, not the whole tool.
  title: z.string().max(definitionLimits.titleCharacters).optional().catch(undefined),
  outputSchema: z.record(z.string(), z.unknown()).optional().catch(undefined),
  // Only the extension io.modelcontextprotocol/ui; other metadata is not part of the definition.
  _meta: z.object({ ui: drawing }).optional().catch(undefined),
  annotations: z
    .object({
      title: z.string().max(definitionLimits.titleCharacters).optional(),
      readOnlyHint: z.boolean().optional(),
      destructiveHint: z.boolean().optional(),
      idempotentHint: z.boolean().optional(),
      openWorldHint: z.boolean().optional(),
    })
    .optional()
    .catch(undefined),
});

/** Null if it is not a tool. `marks`: whether arguments may be marked to be repeated in headers. */
export function readDefinition(given: unknown, marks: boolean): Definition | null {
  const { data } = listed.safeParse(given);
  if (!data) return null;
  const { name, description = '', inputSchema, title, outputSchema, annotations, _meta } = data;
  const undrawn: Further = {
    ...(title !== undefined && { title }),
    ...(outputSchema && { outputSchema }),
    ...(annotations && { annotations }),
  };
  const further: Further = { ...undrawn, ...(_meta && { _meta }) };
  const problem =
    problemOf(description, inputSchema) ?? furtherProblemOf(further) ?? (marks ? markProblem(inputSchema) : null);
  // A definition that is too large or too deep is neither stored nor traversed.
  if (problem)
    return {
      ...{ name, description: description.slice(0, 200), inputSchema: {}, further: {}, ...noHash },
      problem,
    };
  const shortHash = hashOf([description, canonicalJson(inputSchema)]);
  const hashWith = (more: Further): string =>
    Object.keys(more).length > 0 ? hashOf([description, canonicalJson(inputSchema), canonicalJson(more)]) : shortHash;
  const hashes = { hash: hashWith(further), undrawnHash: hashWith(undrawn), shortHash };
  return { name, description, inputSchema, further, ...hashes, problem: null };
}

/** For definitions that cannot be approved. */
export const noHash = { hash: '', undrawnHash: '', shortHash: '' };

type Approved = Pick<AllowedTool, 'name' | 'definition' | 'further'>;

/** Whether the server still describes the tool as it was approved. */
export function isAsApproved(definitions: readonly Definition[], tool: Approved): boolean {
  for (const listed of definitions) if (listed.name === tool.name && isSame(listed, tool)) return true;
  return false;
}

/** Compares the hash of the parts that existed when the tool was approved. */
function isSame({ hash, undrawnHash, shortHash, problem }: Definition, { definition, further }: Approved): boolean {
  if (problem !== null) return false;
  if (definition === hash) return true;
  return further === null ? definition === shortHash : !further._meta && definition === undrawnHash;
}

/** The answer to a caller who calls the tool anyway. */
export const notAsApproved = (tool: string): string =>
  `${tool} was not called: the server has changed or removed it since it was approved, or does not list it for this kind of client.`;

function furtherProblemOf({ outputSchema, ...words }: Further): string | null {
  if (holdsHidden(JSON.stringify(words))) return 'its title contains invisible characters';
  if (!outputSchema) return null;
  if (isDeeper(outputSchema, mostDepth)) return `its result schema is nested deeper than ${mostDepth} levels`;
  const text = JSON.stringify(outputSchema);
  if (text.length > definitionLimits.schemaCharacters)
    return `its result schema has more than ${definitionLimits.schemaCharacters} characters`;
  return holdsHidden(text) ? 'its result schema contains invisible characters' : null;
}

function problemOf(description: string, schema: Record<string, unknown>): string | null {
  if (description.length > definitionLimits.descriptionCharacters)
    return `its description has more than ${definitionLimits.descriptionCharacters} characters`;
  if (holdsHidden(description.replace(/[\n\r\t]/g, ' ')))
    return 'its description contains invisible characters, which a model would read';
  if (isDeeper(schema, mostDepth)) return `its schema is nested deeper than ${mostDepth} levels`;
  const text = JSON.stringify(schema);
  if (text.length > definitionLimits.schemaCharacters)
    return `its schema has more than ${definitionLimits.schemaCharacters} characters`;
  if (holdsHidden(text)) return 'its schema contains invisible characters, which a model would read';
  if (schema.type !== 'object') return 'its schema does not describe an object';
  return null;
}

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1)));

const hashOf = (parts: unknown[]): string => sha256Hex(JSON.stringify(parts));
