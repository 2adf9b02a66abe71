import { Alert, Skeleton, Stack } from '@mantine/core';
import { IconTool } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { AddButton } from '../../components/add-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { ShowMore } from '../../components/show-more.tsx';
import { t } from '../../language/words.ts';
import { isAdmin, useUser } from '../../session.ts';
import { useStaysShown } from '../../use-typed-filter.ts';
import { useUrlState } from '../../use-url-state.ts';
import { type OpenDialog, ServerDialogs } from '../admin-mcp/server-dialogs.tsx';
import { AgentSection } from './agent-section.tsx';
import { Approvals } from './approvals.tsx';
import { ServerCard } from './server-card.tsx';
import { type ConnectedTool, type Connection, connectionsQuery, offeredQuery } from './tools-queries.ts';
import { TryTool } from './try-tool.tsx';

const defaults = { signed_in: '', not_signed_in: '', q: '' };

/** With more servers than this, a search by server or tool name is shown. */
const mostAtAGlance = 8;

/** Browsers take seconds to render some hundred servers with their tools. */
const shownAtOnce = 20;

const isMeant = ({ name, tools }: Connection, q: string): boolean =>
  [name, ...tools.map((tool) => tool.name)].some((text) => text.toLowerCase().includes(q.toLowerCase()));

/** Connected servers come first, the built-in one last. */
const ownLast = (servers: readonly Connection[]): Connection[] =>
  [...servers].sort((a, b) => Number(a.id === null) - Number(b.id === null));

/** The result of signing in to a server. The URL is not trusted: it is shown only if it matches the server's state. */
function CameBack({ servers }: { servers: readonly Connection[] }) {
  const [{ signed_in: into, not_signed_in: notInto }, set] = useUrlState(defaults);
  const asking = servers.filter(({ signed_in }) => signed_in !== null);
  const done = asking.find((server) => server.name === into && (server.signed_in || server.signed_in_by));
  const failed = asking.find(({ name }) => name === notInto);
  if (!done && !failed) return null;
  return (
    <Alert
      color={done ? 'teal' : 'orange'}
      role="status"
      withCloseButton
      closeButtonLabel={t('Close')}
      onClose={() => set({ signed_in: '', not_signed_in: '' })}
    >
      {done
        ? t('You are signed in to {name}.', { name: done.name })
        : t('Sign-in to {name} failed or was refused there.', { name: failed!.name })}
    </Alert>
  );
}

export function ToolsPage() {
  const user = useUser();
  const connections = useQuery(connectionsQuery);
  const offered = useQuery(offeredQuery);
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const [tried, setTried] = useState<ConnectedTool | null>(null);
  const [{ q }, set] = useUrlState(defaults);
  const { data, error } = connections;
  const many = data !== undefined && data.servers.length > mostAtAGlance;
  const searched = useStaysShown(many || q !== '');
  const meant = ownLast(data?.servers ?? []).filter((server) => isMeant(server, q));
  const [most, setMost] = useState(shownAtOnce);
  const more = {
    hasNextPage: meant.length > most,
    isFetchingNextPage: false,
    fetchNextPage: () => setMost(most + shownAtOnce),
  };
  return (
    <>
      <PageHeader
        title={t('Tools')}
        description={t('Tools that agents and models can use on your behalf, and the addresses for agents.')}
        actions={
          data?.may_connect && <AddButton onClick={() => setOpen({ act: 'add' })}>{t('Connect a server')}</AddButton>
        }
      />
      <Stack gap="lg">
        {data && <CameBack servers={data.servers} />}
        <Approvals />
        {error && !data && (
          <ErrorState error={error} title={t('Servers could not be loaded')} onRetry={() => connections.refetch()} />
        )}
        {!data && !error && <Skeleton height={220} />}
        {/* Above a long list of servers, since it would be hard to find below. */}
        {many && <AgentSection connections={data} />}
        {searched && <SearchInput label={t('Server or tool')} value={q} onChange={(text) => set({ q: text })} />}
        {data && meant.length === 0 && <EmptyState icon={IconTool} title={t('No matching servers or tools')} />}
        {meant.slice(0, most).map((server) => (
          <ServerCard key={server.name} server={server} offered={offered.data} onTry={setTried} setOpen={setOpen} />
        ))}
        <ShowMore query={more} mx="auto" />
        {data && !many && <AgentSection connections={data} />}
      </Stack>
      <ServerDialogs open={open} setOpen={setOpen} own={!isAdmin(user)} />
      <TryTool tool={tried} onClose={() => setTried(null)} />
    </>
  );
}
