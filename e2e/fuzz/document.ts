/** The endpoints that the OpenAPI document describes. */
import type { Schema } from './sample.ts';

export interface Endpoint {
  method: string;
  path: string;
  pathParameters: { name: string; schema: Schema }[];
  queryParameters: { name: string; schema: Schema; required: boolean }[];
  /** By media type. */
  bodies: [type: string, schema: Schema][];
  /** Names of accepted security schemes; empty if it is public. */
  security: string[];
  /** Which statuses mean that it did what was asked; none if it always refuses. */
  successes: number[];
  /** Required members of its error bodies, as paths such as `error.message`. */
  errorMembers: string[];
}

interface Operation {
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  security?: Record<string, unknown>[];
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

export function endpointsOf(document: ApiDocument): Endpoint[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const parameters = operation.parameters ?? [];
      const error = operation.responses.default?.content?.['application/json']?.schema;
      return {
        method: method.toUpperCase(),
        path,
        pathParameters: parameters.filter((parameter) => parameter.in === 'path'),
        queryParameters: parameters
          .filter((parameter) => parameter.in === 'query')
          .map(({ name, schema, required = false }) => ({ name, schema, required })),
        bodies: Object.entries(operation.requestBody?.content ?? {}).map(([type, { schema }]) => [type, schema]),
        security: (operation.security ?? []).flatMap((scheme) => Object.keys(scheme)),
        successes: Object.keys(operation.responses)
          .map(Number)
          .filter((status) => status >= 200 && status < 400),
        errorMembers: error ? requiredMembers(error, document.components.schemas) : [],
      };
    }),
  );
}

function requiredMembers(schema: Schema, schemas: Record<string, Schema>, prefix = ''): string[] {
  const real = schema.$ref ? schemas[schema.$ref.split('/').at(-1)!]! : schema;
  return (real.required ?? []).flatMap((name) => {
    const member = real.properties?.[name] ?? {};
    const below = requiredMembers(member, schemas, `${prefix}${name}.`);
    return below.length > 0 ? below : [`${prefix}${name}`];
  });
}

/** Which members of its endpoint's error format a body lacks. */
export function missingMembers(body: unknown, members: string[]): string[] {
  return members.filter((path) => {
    let value = body;
    for (const name of path.split('.')) value = (value as Record<string, unknown> | null | undefined)?.[name];
    return value === undefined;
  });
}
