/** Generates the `paths` types of the web app's client from the service's OpenAPI 3.1 document. */

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  nullable?: boolean;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  prefixItems?: Schema[];
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
}

interface Media {
  content?: Record<string, { schema?: Schema }>;
}

interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  schema?: Schema;
}

interface Operation {
  parameters?: Parameter[];
  requestBody?: Media & { required?: boolean };
  responses?: Record<string, Media>;
}

export interface OpenApiDocument {
  paths?: Record<string, object>;
  components?: { schemas?: Record<string, Schema>; parameters?: Record<string, Parameter> };
}

const methods = ['get', 'put', 'post', 'delete', 'patch'] as const;
const places = ['query', 'header', 'path', 'cookie'] as const;

const quote = (text: string): string => JSON.stringify(text);
const union = (types: string[]): string => {
  const distinct = [...new Set(types)];
  return distinct.length === 1 ? distinct[0]! : `(${distinct.join(' | ')})`;
};

function objectType(schema: Schema): string {
  const required = new Set(schema.required);
  const fields = Object.entries(schema.properties ?? {}).map(
    ([name, field]) => `${quote(name)}${required.has(name) ? '' : '?'}: ${typeOf(field)};`,
  );
  const rest = schema.additionalProperties;
  if (fields.length === 0) {
    return rest === false
      ? 'Record<string, never>'
      : `Record<string, ${typeof rest === 'object' ? typeOf(rest) : 'unknown'}>`;
  }
  const known = `{ ${fields.join(' ')} }`;
  return rest ? `(${known} & Record<string, ${typeof rest === 'object' ? typeOf(rest) : 'unknown'}>)` : known;
}

function arrayType(schema: Schema): string {
  if (schema.prefixItems) return `[${schema.prefixItems.map(typeOf).join(', ')}]`;
  return `${schema.items ? typeOf(schema.items) : 'unknown'}[]`;
}

function plainType(type: string, schema: Schema): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'number':
    case 'integer':
      return 'number';
    case 'array':
      return arrayType(schema);
    case 'object':
      return objectType(schema);
    default:
      return 'unknown';
  }
}

export function typeOf(schema: Schema): string {
  if (schema.$ref) {
    const name = schema.$ref.replace('#/components/schemas/', '');
    return `components["schemas"][${quote(name)}]`;
  }
  if (schema.nullable) return union([typeOf({ ...schema, nullable: false }), 'null']);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)));
  if (schema.allOf) {
    const own = schema.properties ? [objectType(schema)] : [];
    return `(${[...schema.allOf.map(typeOf), ...own].join(' & ')})`;
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return union(choices.map(typeOf));
  const types = schema.type ? [schema.type].flat() : schema.properties ? ['object'] : [];
  return types.length > 0 ? union(types.map((type) => plainType(type, schema))) : 'unknown';
}

const contentType = (media: Media): string => {
  const entries = Object.entries(media.content ?? {});
  if (entries.length === 0) return 'content?: never;';
  const fields = entries.map(([type, { schema }]) => `${quote(type)}: ${schema ? typeOf(schema) : 'unknown'};`);
  return `content: { ${fields.join(' ')} };`;
};

function parametersType(parameters: Parameter[]): string {
  const groups = places.map((place) => {
    const own = parameters.filter((parameter) => parameter.in === place);
    if (own.length === 0) return `${place}?: never;`;
    const fields = own.map(
      ({ name, required, schema }) => `${quote(name)}${required ? '' : '?'}: ${schema ? typeOf(schema) : 'unknown'};`,
    );
    return `${place}${own.some(({ required }) => required) ? '' : '?'}: { ${fields.join(' ')} };`;
  });
  return `parameters: { ${groups.join(' ')} };`;
}

function operationType(operation: Operation, shared: Parameter[]): string {
  const body = operation.requestBody;
  const requestBody = body
    ? `requestBody${body.required ? '' : '?'}: { ${contentType(body)} };`
    : 'requestBody?: never;';
  const responses = Object.entries(operation.responses ?? {}).map(
    ([status, media]) =>
      `${/^\d+$/.test(status) ? status : quote(status)}: { headers: Record<string, unknown>; ${contentType(media)} };`,
  );
  const parameters = parametersType([...shared, ...(operation.parameters ?? [])]);
  return `{ ${parameters} ${requestBody} responses: { ${responses.join(' ')} }; }`;
}

/** The source of a module that exports `paths` and `components`. */
export function apiTypes(document: OpenApiDocument): string {
  const resolve = (parameter: Parameter): Parameter => {
    if (!parameter.$ref) return parameter;
    const found = document.components?.parameters?.[parameter.$ref.replace('#/components/parameters/', '')];
    if (!found) throw new Error(`the document has no ${parameter.$ref}`);
    return found;
  };
  const pathLines = Object.entries(document.paths ?? {}).map(([path, item]) => {
    const { parameters = [], ...operations } = item as { parameters?: Parameter[] } & Record<string, Operation>;
    const lines = methods.map((method) => {
      const operation = (operations as Record<string, Operation | undefined>)[method];
      if (!operation) return `    ${method}?: never;`;
      const own = { ...operation, parameters: operation.parameters?.map(resolve) };
      return `    ${method}: ${operationType(own, parameters.map(resolve))};`;
    });
    return `  ${quote(path)}: {\n${lines.join('\n')}\n  };`;
  });
  const schemas = Object.entries(document.components?.schemas ?? {}).map(
    ([name, schema]) => `    ${quote(name)}: ${typeOf(schema)};`,
  );
  return [
    '// Generated by scripts/api-types.ts from the OpenAPI document. Do not edit.',
    `export interface paths {\n${pathLines.join('\n')}\n}`,
    `export interface components {\n  schemas: {\n${schemas.join('\n')}\n  };\n}`,
    '',
  ].join('\n\n');
}

if (import.meta.main) {
  const { openApiDocument } = await import('../server/src/openapi-document.ts');
  const target = new URL('../web/src/api-types.gen.ts', import.meta.url);
  await Bun.write(target, apiTypes((await openApiDocument()) as OpenApiDocument));
}
