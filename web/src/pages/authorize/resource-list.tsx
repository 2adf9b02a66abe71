import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { serverText } from '../../language/server-texts.ts';
import { rich, t } from '../../language/words.ts';
import type { Asked } from './authorization.ts';

type Resource = NonNullable<Asked['resources']>[number];
type AskedServer = NonNullable<Resource['servers']>[number];

/** Longer lists are collapsed, so that the buttons stay within reach. */
const mostShown = 6;

function Tools({ tools }: { tools: AskedServer['tools'] }) {
  return (
    <Stack component="ul" gap={2} className="svc-plain-list">
      {tools.map(({ name, description }) => (
        <Text component="li" key={name} size="sm" className="svc-anywhere">
          <Text span inherit ff="monospace">
            {name}
          </Text>
          {description && (
            <Text span inherit c="dimmed">
              {' '}
              {serverText(description)}
            </Text>
          )}
        </Text>
      ))}
    </Stack>
  );
}

/** A server with the tools that the application could use. The server's descriptions are shown as plain text. */
function ServerTools({ server, all, tools }: AskedServer) {
  const count = tools.length;
  const named = { server, count, b: (text: ReactNode) => <b>{text}</b> };
  return (
    <Stack gap={2}>
      <Text size="sm" className="svc-anywhere">
        {all
          ? rich(
              '<b>{server}</b>: all tools, currently {count, plural, one {# tool} other {# tools}}, and any added later',
              named,
            )
          : rich('<b>{server}</b>: only {count, plural, one {# tool} other {# tools}}', named)}
      </Text>
      {count > mostShown ? (
        <details className="svc-more">
          <summary>{t('Show {count, plural, one {# tool} other {# tools}}', { count })}</summary>
          <Tools tools={tools} />
        </details>
      ) : (
        <Tools tools={tools} />
      )}
    </Stack>
  );
}

/** The resources that the access is limited to, by name and address; for MCP servers, with their tools. */
export function ResourceList({ resources }: { resources: Resource[] }) {
  if (resources.length === 0) return null;
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        {t('Can be used only at')}
      </Text>
      {resources.map(({ uri, name, servers }) => (
        <Stack key={uri} gap={4}>
          <Text size="sm" className="svc-anywhere">
            {serverText(name)}{' '}
            <Text span inherit c="dimmed">
              {uri}
            </Text>
          </Text>
          {servers?.map((one) => (
            <ServerTools key={one.server} {...one} />
          ))}
          {servers?.length === 0 && (
            <Text size="sm" c="dimmed">
              {t('There are currently no tools that you can use.')}
            </Text>
          )}
        </Stack>
      ))}
    </Stack>
  );
}
