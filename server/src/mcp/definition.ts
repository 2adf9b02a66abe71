import { z } from 'zod';
import { sha256Hex } from '../lib/hashing.ts';
import { inOrder } from '../lib/in-order.ts';
import { holdsHidden } from '../platform/http/shown-text.ts';
import { markProblem } from './marked-arguments.ts';
import type { AllowedTool, Further } from './store/tools.ts';

/** A tool as its server describes it. */
export interface Definition {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
  /** What clients are told besides. */
  further: Further;
  /** Of all of it: what the operator approves. */
  hash: string;
  /** Of the same without what it is drawn by, as tools were approved before that was looked at. */
  undrawnHash: string;
  /** Of description and schema alone, as tools were approved before anything else was looked at. */
  shortHash: string;
  /** Why it cannot be offered, however much it is wanted. */
  problem: string | null;
}

/** What a model is told of every tool in every request; more of it is no description. */
export const definitionLimits = {
  nameCharacters: 128,
  titleCharacters: 256,
  descriptionCharacters: 8_192,
  schemaCharacters: 32_768,
};
/** Deeper than anything written by hand, and far from where reading it again would end the process. */
const mostDepth = 32;

/** By which page of the server's a tool is drawn, and whether a model or that page calls it. */
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
  // Clients can do without these: one that is not what it should be is left out.
  title: z.string().max(definitionLimits.titleCharacters).optional().catch(undefined),
  outputSchema: z.record(z.string(), z.unknown()).optional().catch(undefined),
  // Of the extension io.modelcontextprotocol/ui; what else a server writes there is between it and its clients.
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

/** Null for what is no tool at all. `marks`: whether arguments may be marked to be repeated in headers. */
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
  // What is too large or too deep is neither kept nor walked through.
  if (problem)
    return {
      ...{ name, description: description.slice(0, 200), inputSchema: {}, further: {}, ...noHash },
      problem,
    };
  const shortHash = hashOf([description, inOrder(inputSchema)]);
  const hashWith = (more: Further): string =>
    Object.keys(more).length > 0 ? hashOf([description, inOrder(inputSchema), inOrder(more)]) : shortHash;
  const hashes = { hash: hashWith(further), undrawnHash: hashWith(undrawn), shortHash };
  return { name, description, inputSchema, further, ...hashes, problem: null };
}

/** Of what cannot be approved. */
export const noHash = { hash: '', undrawnHash: '', shortHash: '' };

type Approved = Pick<AllowedTool, 'name' | 'definition' | 'further'>;

/** The operator has approved what is told of a tool, and the server still means the same. */
export function isAsApproved(definitions: readonly Definition[], tool: Approved): boolean {
  for (const listed of definitions) if (listed.name === tool.name && isSame(listed, tool)) return true;
  return false;
}

/** By the hash of whatever was looked at when it was approved. */
function isSame({ hash, undrawnHash, shortHash, problem }: Definition, { definition, further }: Approved): boolean {
  if (problem !== null) return false;
  if (definition === hash) return true;
  return further === null ? definition === shortHash : !further._meta && definition === undrawnHash;
}

/** To whoever called all the same. */
export const notAsApproved = (tool: string): string =>
  `${tool} was not called: the server has changed or removed it since it was approved, or does not list it to clients such as this one.`;

function furtherProblemOf({ outputSchema, ...words }: Further): string | null {
  if (holdsHidden(JSON.stringify(words))) return 'its title holds characters that cannot be seen';
  if (!outputSchema) return null;
  if (isDeeper(outputSchema, mostDepth)) return `the schema of its results is nested deeper than ${mostDepth} levels`;
  const text = JSON.stringify(outputSchema);
  if (text.length > definitionLimits.schemaCharacters)
    return `the schema of its results has more than ${definitionLimits.schemaCharacters} characters`;
  return holdsHidden(text) ? 'the schema of its results holds characters that cannot be seen' : null;
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

const hashOf = (parts: unknown[]): string => sha256Hex(JSON.stringify(parts));
