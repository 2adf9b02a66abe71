import { Text } from '@mantine/core';
import { told } from '../../language/reference.ts';
import { t } from '../../language/words.ts';
import type { Schema } from './openapi.ts';
import { fieldsBelow, limitsText, resolve, type Schemas, typeText } from './schemas.ts';

interface SchemaTreeProps {
  schema: Schema;
  schemas: Schemas;
  depth?: number;
  /** Requests mark required fields, responses mark optional ones. */
  sent?: boolean;
}

/** Deeper levels are recursive or add nothing new. */
const deepest = 6;

interface FieldProps extends SchemaTreeProps {
  name: string;
  required: boolean;
}

export function Field({ name, required, schema, schemas, depth = 0, sent = true }: FieldProps) {
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
        {sent && required && (
          <Text span size="xs" c="var(--mantine-color-error)">
            {t('required')}
          </Text>
        )}
        {!sent && !required && (
          <Text span size="xs" c="dimmed">
            {t('may be absent')}
          </Text>
        )}
      </div>
      {own.description && (
        <Text size="sm" c="dimmed" lang={told(own.description).lang}>
          {told(own.description).text}
        </Text>
      )}
      {below.length > 0 && (
        <details>
          <summary>{t('{count, plural, one {# field} other {# fields}}', { count: below.length })}</summary>
          <Fields fields={below} schemas={schemas} depth={depth + 1} sent={sent} />
        </details>
      )}
    </li>
  );
}

interface FieldsProps {
  fields: ReturnType<typeof fieldsBelow>;
  schemas: Schemas;
  depth: number;
  sent: boolean;
}

function Fields({ fields, schemas, depth, sent }: FieldsProps) {
  return (
    <ul className="svc-fields">
      {fields.map((field) => (
        <Field key={field.name} {...field} schemas={schemas} depth={depth} sent={sent} />
      ))}
    </ul>
  );
}

/** The fields of a request or response body, one level at a time. */
export function SchemaTree({ schema, schemas, depth = 0, sent = true }: SchemaTreeProps) {
  const fields = fieldsBelow(schema, schemas);
  if (fields.length > 0) return <Fields fields={fields} schemas={schemas} depth={depth} sent={sent} />;
  return (
    <Text size="sm" c="dimmed">
      {typeText(schema, schemas)}
    </Text>
  );
}
