import { Badge, Code, Stack, Text } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { formatDateTime } from '../../format.ts';
import type { Organisation } from '../../organisations.ts';
import { More } from './level-lists.tsx';
import { type Act, actsQuery } from './organisation-queries.ts';

/** By what is done, since the subject is always the same. */
const words: Record<string, string> = {
  organisation_created: 'Made the organisation',
  organisation_updated: 'Changed the organisation',
  organisation_webhook_secret_rotated: 'Renewed the webhook’s secret',
  team_created: 'Made a team',
  team_updated: 'Renamed a team',
  team_deleted: 'Deleted a team',
  team_member_added: 'Put a member into a team',
  team_member_removed: 'Took a member out of a team',
  member_invited: 'Invited somebody',
  invitation_deleted: 'Took an invitation back',
  member_joined: 'Joined',
  member_updated: 'Changed a role',
  member_removed: 'Ended a membership',
  organisation_key_created: 'Created a key',
  organisation_key_updated: 'Changed a key',
  organisation_key_deleted: 'Revoked a key',
  budget_created: 'Set a budget',
  budget_updated: 'Changed a budget',
  budget_deleted: 'Deleted a budget',
  limits_set: 'Set limits',
  limits_deleted: 'Took limits away',
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** What else was said of it, and what it changed. */
function Details({ act }: { act: Act }) {
  const told = Object.entries({ ...act.metadata, ...act.after }).filter(([, value]) => value !== null);
  if (told.length === 0) return '–';
  return (
    <Text size="sm" className="svc-anywhere">
      {told.map(([name, value]) => (
        <span key={name}>
          {name.replaceAll('_', ' ')} <Code>{textOf(value)}</Code>{' '}
        </span>
      ))}
    </Text>
  );
}

const columns: Column<Act>[] = [
  { key: 'at', header: 'Time', cell: ({ at }) => formatDateTime(at) },
  { key: 'who', header: 'Who', cell: ({ actor }) => <bdi>{actor.name || `User ${actor.id ?? '–'}`}</bdi> },
  { key: 'what', header: 'What', cell: ({ action }) => <Badge color="gray">{words[action] ?? action}</Badge> },
  { key: 'details', header: 'Details', wrap: true, cell: (act) => <Details act={act} /> },
];

/** Who changed what. */
export function Activity({ organisation }: { organisation: Organisation }) {
  const query = useInfiniteQuery(actsQuery(organisation.id));
  return (
    <Stack gap="sm">
      <DataTable
        label="Who changed what"
        columns={columns}
        rows={query.data?.pages.flatMap((page) => page.logs)}
        rowKey={({ id }) => id}
        query={query}
        minWidth={760}
        empty={<EmptyState icon={IconHistory} title="Nothing recorded" />}
      />
      <More query={query} />
    </Stack>
  );
}
