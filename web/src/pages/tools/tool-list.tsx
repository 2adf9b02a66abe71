import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { AnchorLink } from '../../components/link.tsx';
import { formatQuota } from '../../format.ts';
import { serverText } from '../../language/server-texts.ts';
import { t } from '../../language/words.ts';
import type { ConnectedTool, Connection } from './tools-queries.ts';

interface ToolListProps {
  server: Connection;
  /** Names of the tools offered now; undefined while unknown. */
  offered: Set<string> | undefined;
  onTry: (tool: ConnectedTool) => void;
}

/** Our own tools are always offered. */
export const isOffered = ({ id }: Connection, { offered_as }: ConnectedTool, offered: Set<string> | undefined) =>
  id === null || offered === undefined || offered.has(offered_as);

/** Number of tools shown at first; the rest is collapsed. */
const shownAtOnce = 5;

function ToolRow({ server, tool, offered, onTry }: ToolListProps & { tool: ConnectedTool }) {
  const usable = server.enabled && isOffered(server, tool, offered);
  return (
    <Group component="li" justify="space-between" align="flex-start" wrap="nowrap" gap="md">
      <Stack gap={2} miw={0} flex={1}>
        <Group gap="xs">
          <Text size="sm" fw={600} ff="monospace" className="svc-anywhere">
            {tool.name}
          </Text>
          {tool.ask_first && (
            <Badge size="sm" color="indigo">
              {t('Requires approval')}
            </Badge>
          )}
          {tool.price > 0 && (
            <Badge size="sm" color="gray" tt="none">
              {t('{price} per call', { price: formatQuota(tool.price) })}
            </Badge>
          )}
          {!usable && (
            <Badge size="sm" color="orange">
              {t('Unavailable')}
            </Badge>
          )}
        </Group>
        <Text size="sm" c="dimmed" lineClamp={2} className="svc-anywhere">
          {serverText(tool.description)}
        </Text>
        <AnchorLink
          to="/usage"
          search={{ model: `mcp/${server.name}/${tool.name}` }}
          size="xs"
          aria-label={t('Your calls to {name}', { name: tool.name })}
        >
          {t('Your calls')}
        </AnchorLink>
      </Stack>
      <Button
        size="compact-sm"
        variant="default"
        disabled={!usable}
        aria-label={t('Try {name}', { name: tool.name })}
        onClick={() => onTry(tool)}
      >
        {t('Try')}
      </Button>
    </Group>
  );
}

export function ToolList(props: ToolListProps) {
  const { server } = props;
  const { tools } = server;
  if (tools.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {server.manageable
          ? t('No tools are allowed yet. Allow some under Tools in the menu of this server.')
          : t('No tools are allowed yet. The person who connected this server has to allow some.')}
      </Text>
    );
  const rows = (some: ConnectedTool[], label: string, mt?: string) => (
    <Stack component="ul" gap="md" mt={mt} className="svc-plain-list" aria-label={label}>
      {some.map((tool) => (
        <ToolRow key={tool.name} {...props} tool={tool} />
      ))}
    </Stack>
  );
  const rest = tools.slice(shownAtOnce);
  return (
    <Stack gap="md">
      {rows(tools.slice(0, shownAtOnce), t('Tools of {name}', { name: server.name }))}
      {rest.length > 0 && (
        <details>
          <Text component="summary" size="sm" c="dimmed" style={{ cursor: 'pointer' }}>
            {t('{count} more', { count: rest.length })}
          </Text>
          {rows(rest, t('More tools of {name}', { name: server.name }), 'md')}
        </details>
      )}
    </Stack>
  );
}
