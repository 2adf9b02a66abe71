import { Badge, Button, Stack, Text } from '@mantine/core';
import { IconEdit, IconLogin, IconLogout, IconTool, IconTrash } from '@tabler/icons-react';
import type { Column } from '../../components/data-rows.tsx';
import { EnabledBadge, toggleAct } from '../../components/enabled-state.tsx';
import { menuColumn } from '../../components/menu-column.tsx';
import { NameCell } from '../../components/name-cell.tsx';
import { t } from '../../language/words.ts';
import { audiences } from './mcp-fields.ts';
import type { McpServer } from './mcp-servers.ts';

export interface McpActs {
  tools: (server: McpServer) => void;
  edit: (server: McpServer) => void;
  toggle: (server: McpServer) => void;
  /** On behalf of all members of the organisation that owns the server. */
  signIn: (server: McpServer) => void;
  signOut: (server: McpServer) => void;
  remove: (server: McpServer) => void;
}

const whoOf = ({ owner, audience, user_ids }: McpServer): string => {
  const { type, id } = owner;
  if (type === 'organisation') return t('Members of organisation {id}', { id: id! });
  if (type === 'user') return t('User {id} (owner)', { id: id! });
  if (audience !== 'users') return audiences.find(({ value }) => value === audience)!.label;
  return t('{count, plural, one {# user} other {# users}}', { count: user_ids.length });
};

const isShared = ({ owner, auth, sign_in }: McpServer): boolean =>
  owner.type === 'organisation' && auth === 'oauth' && sign_in === 'shared';

/** Who has signed in to a server on behalf of the whole organisation. */
export function signedInWords(by: McpServer['signed_in_by']): string {
  if (!by) return t('No one has signed in yet');
  return by.name === null
    ? t('Signed in by a user who no longer exists')
    : t('Signed in for everyone by {name}', { name: by.name });
}

function SharedSignIn({ by }: { by: McpServer['signed_in_by'] }) {
  if (!by) return <Badge color="orange">{signedInWords(by)}</Badge>;
  return (
    <Text size="xs" c="dimmed">
      {signedInWords(by)}
    </Text>
  );
}

const countOf = ({ tools }: McpServer): string =>
  t('{allowed} allowed{asking, plural, =0 {} one {, # requires approval} other {, # require approval}}', {
    allowed: tools.length,
    asking: tools.filter((tool) => tool.ask_first).length,
  });

export const mcpColumns = (acts: McpActs): Column<McpServer>[] => [
  {
    key: 'name',
    header: t('Server'),
    cell: ({ name, url }) => <NameCell name={name} under={url} maw={280} truncate title={url} />,
  },
  {
    key: 'status',
    header: t('Status'),
    cell: (server) => (
      <Stack gap={4} align="flex-start">
        <EnabledBadge on={server.enabled} />
        {isShared(server) && <SharedSignIn by={server.signed_in_by} />}
      </Stack>
    ),
  },
  { key: 'who', header: t('Used by'), cell: (server) => <Text size="sm">{whoOf(server)}</Text> },
  {
    key: 'tools',
    header: t('Tools'),
    cell: (server) => (
      <Stack gap={4} align="flex-start">
        <Text size="sm">{countOf(server)}</Text>
        <Button
          size="compact-sm"
          variant="default"
          aria-label={t('Tools of {name}', { name: server.name })}
          onClick={() => acts.tools(server)}
        >
          {t('Tools')}
        </Button>
      </Stack>
    ),
  },
  menuColumn(
    ({ name }) => name,
    (server) => [
      { label: t('Tools'), icon: IconTool, onClick: () => acts.tools(server) },
      { label: t('Edit'), icon: IconEdit, onClick: () => acts.edit(server) },
      ...(isShared(server)
        ? [{ label: t('Sign in for everyone'), icon: IconLogin, onClick: () => acts.signIn(server) }]
        : []),
      ...(server.signed_in_by
        ? [{ label: t('End the sign-in for everyone'), icon: IconLogout, onClick: () => acts.signOut(server) }]
        : []),
      toggleAct(server.enabled, () => acts.toggle(server)),
      { label: t('Delete'), icon: IconTrash, danger: true, onClick: () => acts.remove(server) },
    ],
  ),
];
