import { Badge, Group, Stack, Text, Title } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { memo, type ReactNode } from 'react';
import { CodeBlock } from '../../components/code-block.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { told } from '../../language/reference.ts';
import { t } from '../../language/words.ts';
import type { Endpoint } from './openapi.ts';
import { Field, SchemaTree } from './schema-tree.tsx';
import { curlOf, eitherOf, type Schemas } from './schemas.ts';

const methodColors: Record<string, string> = {
  GET: 'blue',
  POST: 'teal',
  PUT: 'grape',
  PATCH: 'grape',
  DELETE: 'red',
};

const authNames: Record<string, string> = {
  session: t('Session##of login'),
  apiKey: t('API key'),
  oauth: t('Access token'),
  bearer: t('Access token'),
  client: t('Client secret'),
};

/** Short description of who may call the endpoint. */
export function authText({ auth, path }: Pick<Endpoint, 'auth' | 'path'>): string {
  if (auth.length === 0) return t('Public');
  const names = eitherOf([...new Set(auth.map((name) => authNames[name] ?? name))]);
  return /\/admin(\/|$)/.test(path) ? t('{names} (administrators only)', { names }) : names;
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <Title order={4} fz="sm" mb={4}>
        {title}
      </Title>
      {children}
    </section>
  );
}

const places = [
  { place: 'path', title: t('Path') },
  { place: 'query', title: t('Query') },
  { place: 'header', title: t('Headers') },
];

function EndpointBody({ endpoint, schemas }: { endpoint: Endpoint; schemas: Schemas }) {
  const { parameters, body, answers } = endpoint;
  const link = `${window.location.origin}/docs#${endpoint.id}`;
  return (
    <Stack className="svc-endpoint-body" gap="md">
      {endpoint.description && (
        <Text size="sm" lang={told(endpoint.description).lang}>
          {told(endpoint.description).text}
        </Text>
      )}
      <Group gap="xs">
        <Text size="sm" c="dimmed">
          {authText(endpoint)}
        </Text>
        <CopyButton value={link} label={t('Copy link to this endpoint')} />
      </Group>
      {places.map(({ place, title }) => {
        const own = parameters.filter((parameter) => parameter.in === place);
        return own.length === 0 ? null : (
          <Part key={place} title={title}>
            <ul className="svc-fields">
              {own.map(({ name, required = false, schema = {}, description }) => (
                <Field
                  key={name}
                  name={name}
                  required={required}
                  schema={description ? { ...schema, description } : schema}
                  schemas={schemas}
                />
              ))}
            </ul>
          </Part>
        );
      })}
      {body && (
        <Part title={body.type === 'application/json' ? t('Body') : t('Body ({type})', { type: body.type })}>
          <SchemaTree schema={body.schema} schemas={schemas} />
        </Part>
      )}
      {answers.map(({ status, description, types, schema }) => (
        <Part key={status} title={status === 'default' ? t('Errors') : t('Response {status}', { status })}>
          {schema && <SchemaTree schema={schema} schemas={schemas} sent={false} />}
          {(types.length > 0 || !schema) && (
            <Text size="sm" c="dimmed">
              {types.length > 0 && `${types.join(', ')}: `}
              <span lang={told(description).lang}>{told(description).text}</span>
            </Text>
          )}
        </Part>
      ))}
      <CodeBlock snippets={[{ label: 'curl', code: curlOf(endpoint, schemas, window.location.origin) }]} />
    </Stack>
  );
}

interface EndpointViewProps {
  endpoint: Endpoint;
  schemas: Schemas;
  open: boolean;
  onToggle: (id: string) => void;
}

/** One endpoint: a single line, with details when expanded. */
export const EndpointView = memo(function EndpointView({ endpoint, schemas, open, onToggle }: EndpointViewProps) {
  const { id, method, path } = endpoint;
  const summary = told(endpoint.summary);
  return (
    <article className="svc-endpoint" id={id} aria-label={`${method} ${path}`}>
      <h3 style={{ margin: 0, fontWeight: 'inherit', fontSize: 'inherit' }}>
        <button type="button" className="svc-endpoint-head" aria-expanded={open} onClick={() => onToggle(id)}>
          <IconChevronRight size={14} aria-hidden style={{ flex: 'none', rotate: open ? '90deg' : undefined }} />
          <Badge color={methodColors[method] ?? 'gray'} miw={70}>
            {method}
          </Badge>
          <span className="svc-endpoint-path">{path}</span>
          <Text span size="sm" c="dimmed" className="svc-anywhere" lang={summary.lang}>
            {summary.text}
          </Text>
        </button>
      </h3>
      {open && <EndpointBody endpoint={endpoint} schemas={schemas} />}
    </article>
  );
});
