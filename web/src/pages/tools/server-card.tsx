import { Alert, Badge, Button, Group, Stack } from '@mantine/core';
import { IconEdit, IconLogin, IconLogout, IconTool, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { del, get, post, put } from '../../api.ts';
import { CopyField } from '../../components/copy-field.tsx';
import { toggleAct } from '../../components/enabled-state.tsx';
import { notifyError, notifySuccess } from '../../components/notify.ts';
import { type RowAct, RowMenu } from '../../components/row-menu.tsx';
import { Section } from '../../components/section.tsx';
import { t } from '../../language/words.ts';
import { useAct } from '../../use-act.ts';
import { ConnectAccount } from '../account/connect-account.tsx';
import { signedInWords } from '../admin-mcp/mcp-columns.tsx';
import { reloadServers } from '../admin-mcp/mcp-servers.ts';
import type { OpenDialog } from '../admin-mcp/server-dialogs.tsx';
import { isOffered, ToolList } from './tool-list.tsx';
import type { ConnectedTool, Connection } from './tools-queries.ts';

interface ServerCardProps {
  server: Connection;
  offered: Set<string> | undefined;
  onTry: (tool: ConnectedTool) => void;
  setOpen: (open: OpenDialog) => void;
}

/** The actions on a server, for its users and for those who manage it. */
function useServerActs({ id, name, enabled }: Connection, setOpen: ServerCardProps['setOpen']) {
  const path = { id: id ?? 0 };
  const signIn = useAct({
    mutationFn: () => post('/api/mcp/servers/{id}/authorize', { path }),
    onSuccess: ({ authorization_url }) => window.location.assign(authorization_url),
    onError: notifyError,
  });
  const signOut = useAct({
    mutationFn: () => del('/api/mcp/servers/{id}/authorize', { path }),
    onSuccess: () => notifySuccess(t('Signed out of {name}', { name })),
    onError: notifyError,
    onSettled: reloadServers,
  });
  const toggle = useAct({
    mutationFn: () => put('/api/mcp/servers/{id}', { path, body: { enabled: !enabled } }),
    onError: notifyError,
    onSettled: reloadServers,
  });
  // The page has only the user's view of a server; the form needs the manager's view, so load it.
  const show = useAct({
    mutationFn: async (act: 'edit' | 'tools' | 'remove') =>
      ({ act, server: await get('/api/mcp/servers/{id}', { path }) }) as const,
    onSuccess: setOpen,
    onError: notifyError,
  });
  return { signIn, signOut, toggle, show };
}

function whose({ id, own, organisation }: Connection): string {
  if (id === null) return t('Built into this service');
  if (organisation) return t('Connected for everyone in {organisation}', { organisation: organisation.name });
  return own ? t('Connected by you, only for you') : t('Connected by the operator');
}

export function ServerCard({ server, offered, onTry, setOpen }: ServerCardProps) {
  const { name, enabled, manageable, auth, signed_in: signedIn, sign_in_through: through, tools } = server;
  const forAll = signedIn === false ? server.signed_in_by : null;
  const vouched = auth === 'enterprise';
  const { signIn, signOut, toggle, show } = useServerActs(server, setOpen);
  const [connecting, setConnecting] = useState(false);
  // Through a provider this does not change who is logged in here: it connects, or reconnects, the account there.
  const signInHere = () => (through ? setConnecting(true) : signIn.mutate());
  const missing =
    enabled && (signedIn !== false || forAll) ? tools.filter((tool) => !isOffered(server, tool, offered)) : [];
  const acts: RowAct[] = [
    ...(manageable
      ? [
          { label: t('Tools'), icon: IconTool, onClick: () => show.mutate('tools') },
          { label: t('Edit'), icon: IconEdit, onClick: () => show.mutate('edit') },
          toggleAct(enabled, () => toggle.mutate()),
        ]
      : []),
    ...(forAll ? [{ label: t('Sign in for yourself'), icon: IconLogin, onClick: signInHere }] : []),
    ...(signedIn && !vouched ? [{ label: t('Sign out'), icon: IconLogout, onClick: () => signOut.mutate() }] : []),
    ...(manageable
      ? [{ label: t('Delete'), icon: IconTrash, danger: true, onClick: () => show.mutate('remove') }]
      : []),
  ];
  return (
    <Section
      title={name}
      description={whose(server)}
      actions={
        <Group gap="xs">
          {!enabled && <Badge color="gray">{t('Disabled')}</Badge>}
          {signedIn === true && <Badge color="teal">{t('Signed in')}</Badge>}
          {forAll && <Badge color="teal">{signedInWords(forAll)}</Badge>}
          {signedIn === false && !forAll && (through || !vouched) && (
            <Button
              size="compact-sm"
              leftSection={<IconLogin size={15} aria-hidden />}
              loading={signIn.isPending}
              aria-label={
                through
                  ? t('Sign in through {provider} for {name}', { name, provider: through.name })
                  : t('Sign in to {name}', { name })
              }
              onClick={signInHere}
            >
              {through ? t('Sign in through {name}', { name: through.name }) : t('Sign in')}
            </Button>
          )}
          {acts.length > 0 && <RowMenu label={name} acts={acts} />}
        </Group>
      }
    >
      <Stack>
        <CopyField label={t('Address of {name}', { name })} value={server.address} />
        {missing.length > 0 && (
          <Alert
            color="orange"
            title={t('{count, plural, one {# tool is unavailable} other {# tools are unavailable}}', {
              count: missing.length,
            })}
          >
            <Stack gap="xs" align="flex-start">
              {manageable
                ? t('The server is not responding, or its tools have changed since they were approved.')
                : t(
                    'The server is not responding, or its tools have changed since they were approved. The person who connected it has to review them.',
                  )}
              {manageable && (
                <Button
                  size="compact-sm"
                  variant="default"
                  loading={show.isPending}
                  aria-label={t('Review the tools of {name}', { name })}
                  onClick={() => show.mutate('tools')}
                >
                  {t('Review')}
                </Button>
              )}
            </Stack>
          </Alert>
        )}
        <ToolList server={server} offered={offered} onTry={onTry} />
      </Stack>
      {connecting && through && (
        <ConnectAccount provider={through} returnTo="/tools" onClose={() => setConnecting(false)} />
      )}
    </Section>
  );
}
