import type { ResponseFormat } from '../conversation.ts';
import { invalid, missing, optionalBoolean, optionalString, readObject, requiredString } from '../read.ts';

/** `response_format`; plain text is the default anyway. */
export function readResponseFormat(value: unknown): ResponseFormat | undefined {
  if (value === undefined || value === null) return undefined;
  const format = readObject(value, 'response_format');
  switch (requiredString(format, 'type', 'response_format')) {
    case 'text':
      return undefined;
    case 'json_object':
      return { type: 'json_object' };
    case 'json_schema': {
      const at = 'response_format.json_schema';
      if (format.json_schema === undefined) throw missing(at);
      const spec = readObject(format.json_schema, at);
      const strict = optionalBoolean(spec, 'strict', at);
      const description = optionalString(spec, 'description', at);
      return {
        type: 'json_schema',
        name: requiredString(spec, 'name', at),
        schema: spec.schema == null ? {} : readObject(spec.schema, `${at}.schema`),
        ...(strict !== undefined && { strict }),
        ...(description !== undefined && { description }),
      };
    }
    default:
      throw invalid('response_format.type', `'response_format.type' must be text, json_object or json_schema.`);
  }
}
