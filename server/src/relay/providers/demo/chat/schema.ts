/** The part of JSON Schema that structured output and tools use; anything else is ignored. */
export interface Schema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  format?: string;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  $ref?: string;
  $defs?: Record<string, Schema>;
  definitions?: Record<string, Schema>;
}

/** Limits self-referencing schemas, which have no instance or take very long: a string is used instead. */
const mostSteps = 64;

/** Follows references and picks a branch, so that a plain type remains. */
export function resolve(schema: Schema, root: Schema, steps = { left: mostSteps }): Schema {
  steps.left -= 1;
  if (steps.left < 0) return { type: 'string' };
  if (schema.$ref) {
    const target = schema.$ref === '#' ? root : pointer(schema.$ref, root);
    return target ? resolve(target, root, steps) : { type: 'string' };
  }
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches?.length) {
    const real = branches.find((branch) => branch.type !== 'null') ?? branches[0]!;
    return resolve({ ...without(schema), ...real }, root, steps);
  }
  if (schema.allOf?.length) {
    const merged = schema.allOf.map((one) => resolve(one, root, steps)).reduce(merge, { ...schema, allOf: undefined });
    return resolve(merged, root, steps);
  }
  return schema;
}

const without = ({ anyOf: _any, oneOf: _one, ...rest }: Schema): Schema => rest;

const merge = (a: Schema, b: Schema): Schema => ({
  ...a,
  ...b,
  properties: { ...a.properties, ...b.properties },
  required: [...(a.required ?? []), ...(b.required ?? [])],
});

function pointer(reference: string, root: Schema): Schema | undefined {
  let at: unknown = root;
  for (const step of reference.replace(/^#\//, '').split('/')) {
    const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    at = at !== null && typeof at === 'object' ? (at as Record<string, unknown>)[key] : undefined;
  }
  return at as Schema | undefined;
}

export function typeOf(schema: Schema): string {
  const named = Array.isArray(schema.type) ? (schema.type.find((one) => one !== 'null') ?? 'null') : schema.type;
  if (named) return named;
  if (schema.properties) return 'object';
  return schema.items ? 'array' : 'string';
}
