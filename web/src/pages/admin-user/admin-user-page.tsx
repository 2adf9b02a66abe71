import { Badge, Group, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { calledOf, kindOf } from '../../account-name.ts';
import { BackLink } from '../../components/back-link.tsx';
import { LoadingPage } from '../../components/loading-page.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { RowMenu } from '../../components/row-menu.tsx';
import { oneOf } from '../../filter-values.ts';
import { rich, t } from '../../language/words.ts';
import { useNamed } from '../../page-name.ts';
import { useUrlState } from '../../use-url-state.ts';
import { useUserActs } from '../admin-users/user-acts.tsx';
import { isDeleted } from '../admin-users/user-state.ts';
import { personQuery } from '../admin-users/users-queries.ts';
import type { PartProps } from './part-props.ts';
import { PersonApplications } from './person-applications.tsx';
import { PersonAudit } from './person-audit.tsx';
import { PersonKeys } from './person-keys.tsx';
import { PersonOverview } from './person-overview.tsx';
import { PersonSessions } from './person-sessions.tsx';
import { PersonUsage } from './person-usage.tsx';

const back = <BackLink to="/admin/users">{t('All users')}</BackLink>;

const parts: Record<string, { label: string; Part: ComponentType<PartProps> }> = {
  overview: { label: t('Overview'), Part: PersonOverview },
  usage: { label: t('Usage'), Part: PersonUsage },
  keys: { label: t('Keys'), Part: PersonKeys },
  applications: { label: t('Applications'), Part: PersonApplications },
  sessions: { label: t('Sessions##login'), Part: PersonSessions },
  audit: { label: t('Audit'), Part: PersonAudit },
};
const defaults = { tab: 'overview', page: '1' };
const fits = { tab: oneOf(Object.keys(parts)) };

export function AdminUserPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const query = useQuery(personQuery(Number(id)));
  const [{ tab }, set] = useUrlState(defaults, fits);
  const acts = useUserActs();
  useNamed(query.data ? query.data.user.display_name || query.data.user.username : '');
  if (!query.data)
    return (
      <LoadingPage
        title={t('User')}
        description={back}
        query={query}
        failure={t('The user could not be opened')}
        heights={[40, 320]}
      />
    );
  const person = query.data;
  const { user } = person;
  return (
    <>
      <PageHeader
        title={
          <Group component="span" gap="sm" className="svc-anywhere">
            <bdi>{user.display_name || user.username}</bdi>
            {user.status !== 1 && <Badge color="gray">{isDeleted(user) ? t('Deleted') : t('Disabled')}</Badge>}
          </Group>
        }
        description={rich('{back} · {username} · id {id}', { back, username: kindOf(user), id: user.id })}
        actions={!isDeleted(user) && <RowMenu label={calledOf(user)} acts={acts.actsOf(user)} />}
      />
      <Tabs value={tab} onChange={(next) => set({ tab: next ?? 'overview', page: '1' })} keepMounted={false}>
        <Tabs.List mb="lg">
          {Object.entries(parts).map(([value, { label }]) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {Object.entries(parts).map(([value, { Part }]) => (
          <Tabs.Panel key={value} value={value}>
            <Part person={person} acts={acts} />
          </Tabs.Panel>
        ))}
      </Tabs>
      {acts.dialogs}
    </>
  );
}
