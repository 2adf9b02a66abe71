import { Badge, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { BackLink } from '../../components/back-link.tsx';
import { LoadingPage } from '../../components/loading-page.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { oneOf } from '../../filter-values.ts';
import { t } from '../../language/words.ts';
import { may, type Organisation, organisationQuery } from '../../organisations.ts';
import { useNamed } from '../../page-name.ts';
import { useUrlState } from '../../use-url-state.ts';
import { Activity } from './activity.tsx';
import { Budgets } from './budgets.tsx';
import { Keys } from './keys.tsx';
import { Members } from './members.tsx';
import { roleInWords, roleWords } from './organisation-words.ts';
import { Overview } from './overview.tsx';
import { Settings } from './settings.tsx';
import { Teams } from './teams.tsx';
import { Tools } from './tools.tsx';
import { Usage } from './usage.tsx';

interface Tab {
  value: string;
  label: string;
  show: ComponentType<{ organisation: Organisation }>;
  /** The right required to see the tab; absent if every member may. */
  right?: Parameters<typeof may>[1];
}

const tabs: Tab[] = [
  { value: 'overview', label: t('Overview'), show: Overview },
  { value: 'teams', label: t('Teams'), show: Teams },
  { value: 'members', label: t('Members'), show: Members },
  { value: 'budgets', label: t('Budgets'), show: Budgets, right: 'see_all' },
  { value: 'keys', label: t('Keys'), show: Keys },
  { value: 'tools', label: t('Tools'), show: Tools, right: 'manage' },
  { value: 'usage', label: t('Usage'), show: Usage },
  { value: 'activity', label: t('Activity'), show: Activity, right: 'manage' },
  { value: 'settings', label: t('Settings'), show: Settings, right: 'own' },
];

const urlDefaults = { tab: 'overview' };
const urlFits = { tab: oneOf(tabs) };

function Whole({ organisation }: { organisation: Organisation }) {
  const [{ tab }] = useUrlState(urlDefaults, urlFits);
  const navigate = useNavigate();
  const offered = tabs.filter(({ right }) => !right || may(organisation.role, right));
  const open = offered.find(({ value }) => value === tab) ?? offered[0]!;
  // Search parameters of one tab have no meaning in another, so drop them.
  const change = (value: string | null) =>
    navigate({ to: '.', search: value && value !== urlDefaults.tab ? { tab: value } : {}, resetScroll: false });
  return (
    <Tabs value={open.value} onChange={change} keepMounted={false}>
      <Tabs.List mb="lg" aria-label={t('Organisation sections')}>
        {offered.map(({ value, label }) => (
          <Tabs.Tab key={value} value={value} px={{ base: 'xs', sm: 'md' }}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {offered.map(({ value, show: Show }) => (
        <Tabs.Panel key={value} value={value}>
          <Show organisation={organisation} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

const back = <BackLink to="/organisations">{t('All organisations')}</BackLink>;

export function OrganisationPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const query = useQuery(organisationQuery(Number(id)));
  useNamed(query.data?.name ?? '');
  if (!query.data)
    return (
      <LoadingPage
        title={t('Organisation')}
        description={back}
        query={query}
        failure={t('The organisation could not be opened')}
        heights={[40, 240]}
      />
    );
  const { name, role } = query.data;
  return (
    <>
      <PageHeader
        title={<bdi className="svc-anywhere">{name}</bdi>}
        description={back}
        actions={<Badge color={roleWords[role].color}>{t('Your role: {role}', { role: roleInWords(role) })}</Badge>}
      />
      <Whole organisation={query.data} />
    </>
  );
}
