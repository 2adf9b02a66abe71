/** The service's OpenAPI document, arranged for reading. */
import { told } from '../../language/reference.ts';
import { t } from '../../language/words.ts';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  example?: unknown;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
}

export interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
}

interface Media {
  description?: string;
  required?: boolean;
  content?: Record<string, { schema?: Schema }>;
}

interface Operation {
  summary?: string;
  description?: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: Media;
  responses?: Record<string, Media>;
}

export interface Document {
  info: { title: string; version: string; description?: string };
  servers?: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components?: {
    schemas?: Record<string, Schema>;
    parameters?: Record<string, Parameter>;
    securitySchemes?: Record<string, { type: string; scheme?: string; description?: string }>;
  };
}

export interface Endpoint {
  /** The URL's fragment: `post-/v1/chat/completions`. */
  id: string;
  method: string;
  path: string;
  /** The untranslated tag, by which groups are sorted; `groupName` translates it. */
  tag: string;
  /** Untranslated; `told` translates it. */
  summary: string;
  description?: string;
  /** Names of the security schemes, any one of which is sufficient; empty: no authentication. */
  auth: string[];
  parameters: Parameter[];
  body?: { type: string; schema: Schema; required: boolean };
  /** `schema`: of JSON; `types`: what else it may be. */
  answers: { status: string; description: string; types: string[]; schema?: Schema }[];
}

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** SCIM has its own type. */
const isJson = (type: string): boolean => /^application\/(\w+\+)?json$/.test(type);

const firstContent = (media: Media | undefined) => Object.entries(media?.content ?? {})[0];

function bodyOf(media: Media | undefined): Endpoint['body'] {
  const json = media?.content?.['application/json']?.schema;
  const [type, content] = json ? ['application/json', { schema: json }] : (firstContent(media) ?? []);
  return type && content?.schema ? { type, schema: content.schema, required: media?.required ?? false } : undefined;
}

function endpointOf(document: Document, path: string, method: string, operation: Operation): Endpoint {
  const resolve = (parameter: Parameter): Parameter =>
    (parameter.$ref && document.components?.parameters?.[parameter.$ref.split('/').at(-1) ?? '']) || parameter;
  return {
    id: `${method}-${path}`,
    method: method.toUpperCase(),
    path,
    tag: operation.tags?.[0] ?? t('Other'),
    summary: operation.summary ?? '',
    description: operation.description,
    auth: operation.security?.flatMap((one) => Object.keys(one)) ?? [],
    parameters: operation.parameters?.map(resolve) ?? [],
    body: bodyOf(operation.requestBody),
    answers: Object.entries(operation.responses ?? {}).map(([status, media]) => {
      const content = Object.entries(media.content ?? {});
      const schema = content.find(([type]) => isJson(type))?.[1].schema;
      const types = content.map(([type]) => type).filter((type) => !isJson(type));
      return { status, description: media.description ?? '', types, schema };
    }),
  };
}

export const endpointsOf = (document: Document): Endpoint[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      return operation ? [endpointOf(document, path, method, operation)] : [];
    }),
  );

export function groupName(tag: string): string {
  const name = `${tag}##tag`;
  const { text } = told(name);
  return text === name ? tag : text;
}

/** Matches endpoints that contain every word in their method, path, summary or group, in either language. */
export function search(endpoints: Endpoint[], text: string): Endpoint[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return endpoints.filter(({ method, path, summary, tag }) => {
    const hay = `${method} ${path} ${summary} ${told(summary).text} ${tag} ${groupName(tag)}`.toLowerCase();
    return words.every((word) => hay.includes(word));
  });
}

/** The most used groups come first; the rest keep the document's order. */
const firstTags = ['Relay'];

export function byTag(endpoints: Endpoint[]): [string, Endpoint[]][] {
  const groups = [...Map.groupBy(endpoints, ({ tag }) => tag)];
  const place = (tag: string) => (firstTags.includes(tag) ? firstTags.indexOf(tag) : firstTags.length);
  return groups.sort(([a], [b]) => place(a) - place(b));
}
