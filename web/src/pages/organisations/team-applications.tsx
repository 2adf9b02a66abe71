import { Text } from '@mantine/core';
import { IconApps } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { Column } from '../../components/data-rows.tsx';
import { actsColumn, DataTable } from '../../components/data-table.tsx';
import { ButtonLink } from '../../components/link.tsx';
import { Section } from '../../components/section.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { t } from '../../language/words.ts';
import { may, type Organisation } from '../../organisations.ts';
import { type LevelNames, placeName } from './levels.ts';
import { teamApplicationsQuery } from './organisation-queries.ts';

interface Props {
  organisation: Organisation;
  known: LevelNames;
}

type Application = { id: number; name: string; owner: { id: number }; created_at: number };

const columns = (known: LevelNames, manages: boolean): Column<Application>[] => [
  {
    key: 'name',
    header: t('Application'),
    cell: ({ name }) => (
      <Text size="sm" fw={600} title={name}>
        <bdi>{name}</bdi>
      </Text>
    ),
  },
  {
    key: 'team',
    header: t('Belongs to'),
    cell: ({ owner }) => placeName(known, { level: 'team', level_id: owner.id }),
  },
  { key: 'given', header: t('Assigned'), cell: ({ created_at }) => <TimeAgo at={created_at} /> },
  ...(manages
    ? [
        {
          ...actsColumn(),
          cell: ({ id, name }: Application) => (
            <ButtonLink
              to="/applications/$id"
              params={{ id: String(id) }}
              size="compact-sm"
              variant="default"
              aria-label={t('Manage {name}', { name })}
            >
              {t('Manage')}
            </ButtonLink>
          ),
        },
      ]
    : []),
];

/** Applications that belong to a team, so they outlive the member who registered them. */
export function TeamApplications({ organisation, known }: Props) {
  const query = useQuery(teamApplicationsQuery(organisation.id));
  return (
    <Section title={t('Applications')} description={t('OAuth applications that belong to teams.')}>
      <DataTable
        label={t('Team applications')}
        columns={columns(known, may(organisation.role, 'manage'))}
        rows={query.data}
        rowKey={({ id }) => id}
        query={query}
        minWidth={520}
        empty={{
          icon: IconApps,
          title: t('No applications'),
          description: t('Assign an application to a team when you register it, or on its page.'),
        }}
      />
    </Section>
  );
}
