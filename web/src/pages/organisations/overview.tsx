import { Alert, Button, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconBell, IconKey } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { del, get } from '../../api.ts';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { Money } from '../../components/money.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { Section } from '../../components/section.tsx';
import { StatCard } from '../../components/stat-card.tsx';
import { StoredData } from '../../components/stored-data.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { formatNumber, formatPercent, formatQuota } from '../../format.ts';
import { rich, t } from '../../language/words.ts';
import { may, type Organisation, reloadOrganisations } from '../../organisations.ts';
import { useUser } from '../../session.ts';
import { BudgetBar, beginsAnew } from './budget-bar.tsx';
import { refuses, windowWords } from './budget-fields.ts';
import { type Level, type LevelNames, placeName } from './levels.ts';
import { LevelLimits } from './limits.tsx';
import {
  type Budget,
  budgetsQuery,
  limitsQuery,
  usageQuery,
  type Warning,
  warningsQuery,
} from './organisation-queries.ts';
import { roleWords } from './organisation-words.ts';
import { useLevelNames } from './use-level-names.ts';

interface Props {
  organisation: Organisation;
}

function Totals({ organisation }: Props) {
  const { data, isPending } = useQuery(usageQuery(organisation.id, { level: 'organisation' }, 'day'));
  const total = data?.total ?? { quota: 0, requests: 0 };
  const all = may(organisation.role, 'see_all');
  const state = { loading: isPending, failed: !data };
  const days = all ? t('Everyone, last 30 days') : t('Your keys, last 30 days');
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }}>
      {organisation.quota === null ? (
        <StatCard
          label={t('Your role')}
          value={roleWords[organisation.role].label}
          hint={roleWords[organisation.role].may}
        />
      ) : (
        <StatCard
          label={t('Balance')}
          value={<Money quota={organisation.quota} />}
          hint={
            organisation.balance === 'shared'
              ? t('Pays for all keys')
              : t('Pays for team keys; members pay for their own')
          }
        />
      )}
      <StatCard label={t('Spent')} value={<Money quota={total.quota} />} hint={days} {...state} />
      <StatCard label={t('Requests')} value={formatNumber(total.requests)} hint={days} {...state} />
    </SimpleGrid>
  );
}

/** In a new organisation all totals are zero, so show the first step instead. */
function FirstKey({ organisation: { id, role } }: Props) {
  const { data } = useQuery(usageQuery(id, { level: 'organisation' }, 'day'));
  if (data?.total.requests !== 0 || !may(role, 'use')) return null;
  return (
    <Alert variant="light" icon={<IconKey aria-hidden />}>
      {rich('No requests recently. Programs call models with a key of the organisation: <link>create a key</link>.', {
        link: (text) => (
          <AnchorLink
            to="/organisations/$id"
            params={{ id: String(id) }}
            search={{ tab: 'keys' }}
            inherit
            underline="always"
          >
            {text}
          </AnchorLink>
        ),
      })}
    </Alert>
  );
}

/** Names the budgets that currently reject requests. */
function Refusals({ organisation, budgets, known }: Props & { budgets: Budget[]; known: LevelNames }) {
  const spent = budgets.filter(refuses);
  if (spent.length === 0) return null;
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle aria-hidden />} title={t('Requests are rejected')}>
      <Stack gap={4}>
        {spent.map((budget) => (
          <Text key={budget.id} size="sm" className="svc-anywhere">
            {t('The budget of {place} ({amount} {window}) is used up. {beginsAnew}.', {
              place: placeName(known, budget),
              amount: formatQuota(budget.amount),
              window: windowWords[budget.window],
              beginsAnew: beginsAnew(budget, organisation),
            })}
          </Text>
        ))}
      </Stack>
    </Alert>
  );
}

const percent = (share: number): string => formatPercent(Math.round(share * 1000) / 10);

function WarningLine({ warning, known }: { warning: Warning; known: LevelNames }) {
  const { share, used, amount, window, created_at } = warning;
  return (
    <li>
      <Text size="sm" className="svc-anywhere">
        {t('{place}: {used} used, {share} of the budget of {amount} {window}', {
          share: percent(share),
          place: placeName(known, warning),
          amount: formatQuota(amount),
          window: windowWords[window],
          used: formatQuota(used),
        })}
      </Text>
      <Text size="xs" c="dimmed">
        <TimeAgo at={created_at} />
      </Text>
    </li>
  );
}

const shownWarnings = 10;

const levelsIn = (listed: { level: Level }[] | undefined): Level[] => [...new Set(listed?.map(({ level }) => level))];

function Budgets({ organisation }: Props) {
  const budgets = useQuery(budgetsQuery(organisation.id));
  const known = useLevelNames(organisation, levelsIn(budgets.data));
  const all = may(organisation.role, 'see_all');
  return (
    <>
      {budgets.data && <Refusals organisation={organisation} budgets={budgets.data} known={known} />}
      <Section
        title={t('Budgets')}
        description={
          all
            ? t('Usage and reset time of each budget.')
            : t('Budgets that apply to your keys, including usage by others.')
        }
      >
        {budgets.error && !budgets.data && (
          <ErrorState
            error={budgets.error}
            title={t('Budgets could not be loaded')}
            onRetry={() => budgets.refetch()}
          />
        )}
        {budgets.isPending && <Skeleton height={120} />}
        {budgets.data?.length === 0 && (
          <EmptyState title={t('No budgets')} description={t('Spending is limited only by balances and key quotas.')} />
        )}
        {budgets.data && budgets.data.length > 0 && (
          <Stack component="ul" gap="md" className="svc-plain-list" aria-label={t('Budgets')}>
            {budgets.data.map((budget) => (
              <BudgetBar key={budget.id} budget={budget} organisation={organisation} known={known} />
            ))}
          </Stack>
        )}
      </Section>
    </>
  );
}

/** Limits are otherwise shown on the budgets tab, which members do not have. */
function OwnLimits({ organisation }: Props) {
  const limits = useQuery(limitsQuery(organisation.id));
  const known = useLevelNames(organisation, levelsIn(limits.data));
  return <LevelLimits organisation={organisation} known={known} />;
}

function Warnings({ organisation }: Props) {
  const warnings = useQuery(warningsQuery(organisation.id));
  const told = warnings.data?.slice(0, shownWarnings);
  const known = useLevelNames(organisation, levelsIn(told));
  return (
    <Section title={t('Warnings')} description={t('Budget thresholds that were reached, newest first.')}>
      {warnings.error && !warnings.data && (
        <ErrorState
          error={warnings.error}
          title={t('Warnings could not be loaded')}
          onRetry={() => warnings.refetch()}
        />
      )}
      {warnings.isPending && <Skeleton height={60} />}
      {told?.length === 0 && <EmptyState icon={IconBell} title={t('No warnings')} />}
      {told && told.length > 0 && (
        <Stack component="ul" gap="sm" className="svc-plain-list" aria-label={t('Warnings')}>
          {told.map((warning) => (
            <WarningLine key={warning.id} warning={warning} known={known} />
          ))}
        </Stack>
      )}
    </Section>
  );
}

function Leave({ organisation }: Props) {
  const user = useUser();
  const navigate = useNavigate();
  const [leaving, setLeaving] = useState(false);
  const { id, name } = organisation;
  return (
    <Section
      title={t('Leave')}
      description={t('Your keys in this organisation stop working; team keys are not affected.')}
    >
      <Group>
        <Button variant="light" color="red" onClick={() => setLeaving(true)}>
          {t('Leave organisation')}
        </Button>
      </Group>
      <ConfirmDelete
        opened={leaving}
        onClose={() => setLeaving(false)}
        title={t('Leave {name}?', { name })}
        confirmLabel={t('Leave organisation')}
        onConfirm={async () => {
          await del('/api/organisations/{id}/members/{user_id}', { path: { id, user_id: user.id } });
          notifySuccess(t('You have left {name}', { name }));
          await navigate({ to: '/organisations' });
          await reloadOrganisations();
        }}
      >
        {t('You need a new invitation to rejoin. The last owner cannot leave; make someone else an owner first.')}
      </ConfirmDelete>
    </Section>
  );
}

export function Overview({ organisation }: Props) {
  return (
    <Stack gap="lg">
      <Totals organisation={organisation} />
      <FirstKey organisation={organisation} />
      <Budgets organisation={organisation} />
      {may(organisation.role, 'see_all') ? (
        <>
          <Warnings organisation={organisation} />
          <StoredData
            title={t('Storage')}
            description={t('Data stored by keys that the organisation pays for, with one shared limit.')}
            of={`organisation-${organisation.id}`}
            load={(signal) => get('/api/organisations/{id}/kept', { path: { id: organisation.id }, signal })}
            deleteResponses={
              may(organisation.role, 'manage')
                ? () => del('/api/organisations/{id}/kept/responses', { path: { id: organisation.id } })
                : undefined
            }
          />
        </>
      ) : (
        <OwnLimits organisation={organisation} />
      )}
      <Leave organisation={organisation} />
    </Stack>
  );
}
