import { Text } from '@mantine/core';
import type { Schema } from './openapi.ts';
import { fieldsBelow, limitsText, resolve, type Schemas, typeText } from './schemas.ts';

interface SchemaTreeProps {
  schema: Schema;
  schemas: Schemas;
  depth?: number;
}

/** Deeper than this a document turns in circles or says nothing new. */
const deepest = 6;

interface FieldProps extends SchemaTreeProps {
  name: string;
  required: boolean;
}

export function Field({ name, required, schema, schemas, depth = 0 }: FieldProps) {
  const own = resolve(schema, schemas);
  const below = depth < deepest ? fieldsBelow(schema, schemas) : [];
  const limits = limitsText(own);
  return (
    <li className="svc-field">
      <div className="svc-field-line">
        <code>{name}</code>
        <Text span size="xs" c="dimmed">
          {typeText(schema, schemas)}
          {limits && `, ${limits}`}
        </Text>
        {required && (
          <Text span size="xs" c="var(--mantine-color-error)">
            required
          </Text>
        )}
      </div>
      {own.description && (
        <Text size="sm" c="dimmed">
          {own.description}
        </Text>
      )}
      {below.length > 0 && (
        <details>
          <summary>
            {below.length} {below.length === 1 ? 'field' : 'fields'}
          </summary>
          <Fields fields={below} schemas={schemas} depth={depth + 1} />
        </details>
      )}
    </li>
  );
}

interface FieldsProps {
  fields: ReturnType<typeof fieldsBelow>;
  schemas: Schemas;
  depth: number;
}

function Fields({ fields, schemas, depth }: FieldsProps) {
  return (
    <ul className="svc-fields">
      {fields.map((field) => (
        <Field key={field.name} {...field} schemas={schemas} depth={depth} />
      ))}
    </ul>
  );
}

/** What a body or an answer holds, a level at a time. */
export function SchemaTree({ schema, schemas, depth = 0 }: SchemaTreeProps) {
  const fields = fieldsBelow(schema, schemas);
  if (fields.length > 0) return <Fields fields={fields} schemas={schemas} depth={depth} />;
  return (
    <Text size="sm" c="dimmed">
      {typeText(schema, schemas)}
    </Text>
  );
}
