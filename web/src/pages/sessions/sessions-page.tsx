import { Badge, Button, Code, Group, Text } from '@mantine/core';
import { IconExternalLink, IconMessages, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { AddButton } from '../../components/add-button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { menuColumn } from '../../components/menu-column.tsx';
import { numberColumn } from '../../components/number-column.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { upTo } from '../../filter-values.ts';
import { formatNumber } from '../../format.ts';
import { rich, t } from '../../language/words.ts';
import { usePage, useUrlState } from '../../use-url-state.ts';
import { DeleteSession } from './delete-session.tsx';
import { NewSession } from './new-session.tsx';
import { pageSize, type Session, sessionsQuery } from './sessions-queries.ts';
import { Tags } from './tags.tsx';

/** The service's limit. */
const longestTag = 64;
const urlDefaults = { page: '1', tag: '' };
const urlFits = { tag: upTo(longestTag) };

interface Acts {
  open: (id: string) => void;
  remove: (id: string) => void;
  filter: (tag: string) => void;
}

const columns = ({ open, remove, filter }: Acts): Column<Session>[] => [
  {
    key: 'id',
    header: t('Session'),
    cell: ({ session_id, has_active_plan }) => (
      <Group gap={6} wrap="nowrap">
        <AnchorLink to="/sessions/$id" params={{ id: session_id }} size="sm" fw={600} maw="16rem" truncate>
          {session_id}
        </AnchorLink>
        <CopyButton value={session_id} label={t('Copy session id {id}', { id: session_id })} />
        {has_active_plan && (
          <Badge size="sm" color="indigo">
            {t('Plan in progress')}
          </Badge>
        )}
      </Group>
    ),
  },
  { key: 'tags', header: t('Tags'), cell: ({ tags }) => tags.length > 0 && <Tags tags={tags} onPick={filter} /> },
  numberColumn('messages', t('Messages'), ({ total_messages }) => formatNumber(total_messages)),
  numberColumn('tokens', t('Tokens'), ({ total_tokens }) => formatNumber(total_tokens)),
  { key: 'used', header: t('Last used'), cell: ({ last_accessed }) => <TimeAgo at={last_accessed} /> },
  menuColumn(
    ({ session_id }) => session_id,
    ({ session_id }) => [
      { label: t('Open'), icon: IconExternalLink, onClick: () => open(session_id) },
      { label: t('Delete'), icon: IconTrash, danger: true, onClick: () => remove(session_id) },
    ],
  ),
];

export function SessionsPage() {
  const [{ tag }, setUrl] = useUrlState(urlDefaults, urlFits);
  const [page, setPage] = usePage();
  const query = useQuery(sessionsQuery(page, tag));
  const navigate = useNavigate();
  const [creating, setCreating] = useState(false);
  const [removing, setRemoving] = useState<string | null>(null);
  const filter = (chosen: string) => setUrl({ tag: chosen, page: '1' });
  const button = <AddButton onClick={() => setCreating(true)}>{t('New session')}</AddButton>;
  return (
    <>
      <PageHeader
        title={t('Sessions')}
        description={rich(
          'Conversations with the orchestration model. Send the same <code>svc_ms.session_id</code> to keep the context.',
          { code: (text) => <Code>{text}</Code> },
        )}
        actions={button}
      />
      <Group mb="md">
        <SearchInput
          label={t('Tag')}
          placeholder={t('Filter by tag')}
          maxLength={longestTag}
          value={tag}
          onChange={filter}
        />
      </Group>
      <DataTable
        label={t('Sessions')}
        columns={columns({
          open: (id) => void navigate({ to: '/sessions/$id', params: { id } }),
          remove: setRemoving,
          filter,
        })}
        rows={query.data?.sessions}
        rowKey={({ session_id }) => session_id}
        query={query}
        minWidth={760}
        paging={{ page, pageSize, total: query.data?.total ?? 0, onPage: setPage }}
        empty={
          tag
            ? {
                icon: IconMessages,
                title: t('No sessions tagged “{tag}”', { tag }),
                action: (
                  <Button variant="default" onClick={() => filter('')}>
                    {t('Show all sessions')}
                  </Button>
                ),
              }
            : {
                icon: IconMessages,
                title: t('No sessions yet'),
                description: rich(
                  'A session starts with the first message to <model>svc/svc-ms</model>, from your own program or in the playground.',
                  {
                    model: (text) => (
                      <Text span ff="monospace" size="sm">
                        {text}
                      </Text>
                    ),
                  },
                ),
                action: button,
              }
        }
      />
      {creating && <NewSession onClose={() => setCreating(false)} />}
      <DeleteSession id={removing} onClose={() => setRemoving(null)} />
    </>
  );
}
