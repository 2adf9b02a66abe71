import { Badge, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { IconBell, IconEdit, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { del } from '../../api.ts';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { RowMenu } from '../../components/row-menu.tsx';
import { Section } from '../../components/section.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { formatPercent, formatQuota, formatZoned } from '../../format.ts';
import { locale, rich, t } from '../../language/words.ts';
import { LimitEditor } from './limit-editor.tsx';
import { reloadSpending, type SpendingLimit, spendingQuery, windowNames } from './spending-query.ts';
import { WarningSettings } from './warning-settings.tsx';

type Open = { act: 'new' | 'settings' } | { act: 'edit' | 'remove'; limit: SpendingLimit };

const percentOf = (share: number): number => Math.round(share * 1000) / 10;

/** When warnings are sent, and when the limit resets. */
function timesOf({ alerts, resets_at }: SpendingLimit): string {
  const list = new Intl.ListFormat(locale, { type: 'conjunction', style: 'narrow' });
  const shares = list.format(alerts.map((share) => formatPercent(percentOf(share))));
  const resetsAt = resets_at === null ? '' : formatZoned(resets_at);
  if (shares && resetsAt) return t('Warnings at {shares}. Resets {resetsAt}.', { shares, resetsAt });
  if (shares) return t('Warnings at {shares}.', { shares });
  return resetsAt && t('Resets {resetsAt}.', { resetsAt });
}

function Limit({ limit, onOpen }: { limit: SpendingLimit; onOpen: (open: Open) => void }) {
  const { window, amount, used, hard } = limit;
  const share = amount === 0 ? 100 : Math.min(100, (used / amount) * 100);
  return (
    <div>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div>
          <Group gap="xs">
            <Text size="sm" fw={600}>
              {windowNames[window]}
            </Text>
            <Badge size="sm" color={hard ? 'indigo' : 'gray'}>
              {hard ? t('Stops at limit') : t('Warns only')}
            </Badge>
          </Group>
          <Text size="sm" className="svc-number">
            {t('{used} of {amount} used', { used: formatQuota(used), amount: formatQuota(amount) })}
          </Text>
          <Text size="xs" c="dimmed">
            {timesOf(limit)}
          </Text>
        </div>
        <RowMenu
          label={t('the {window, select, day {daily} week {weekly} month {monthly} other {total}} limit', {
            window,
          })}
          acts={[
            { label: t('Change'), icon: IconEdit, onClick: () => onOpen({ act: 'edit', limit }) },
            { label: t('Remove'), icon: IconTrash, danger: true, onClick: () => onOpen({ act: 'remove', limit }) },
          ]}
        />
      </Group>
      <Progress
        mt={6}
        size={6}
        value={share}
        color={share >= 100 ? 'red' : share >= 80 ? 'orange' : 'indigo.5'}
        aria-label={t('Usage of the {window, select, day {daily} week {weekly} month {monthly} other {total}} limit', {
          window,
        })}
      />
    </div>
  );
}

/** Spending limits that users set for themselves, so that a runaway program cannot use up the whole balance. */
export function SpendingLimits() {
  const query = useQuery(spendingQuery);
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const limits = query.data?.limits ?? [];
  const last = query.data?.warnings[0];
  return (
    <Section
      title={t('Spending limits')}
      description={t(
        'Apply to all your keys, this app and the applications you allow to use models. Warnings are sent by email and shown here.',
      )}
      actions={
        query.data && (
          <Group gap="xs">
            <Button
              size="sm"
              variant="subtle"
              leftSection={<IconBell size={16} aria-hidden />}
              onClick={() => setOpen({ act: 'settings' })}
            >
              {t('Settings')}
            </Button>
            {limits.length < Object.keys(windowNames).length && (
              <Button size="sm" variant="default" onClick={() => setOpen({ act: 'new' })}>
                {t('Set a limit')}
              </Button>
            )}
          </Group>
        )
      }
    >
      {query.error && (
        <ErrorState error={query.error} title={t('Limits could not be loaded')} onRetry={() => query.refetch()} />
      )}
      {query.data && limits.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('No limits set. Requests continue until the balance is used up.')}
        </Text>
      )}
      <Stack gap="lg">
        {limits.map((limit) => (
          <Limit key={limit.window} limit={limit} onOpen={setOpen} />
        ))}
        {last && (
          <Text size="xs" c="dimmed">
            {rich('Last warning {ago}: {percent} % of {amount}.', {
              ago: <TimeAgo at={last.created_at} />,
              percent: percentOf(last.share),
              amount: formatQuota(last.amount),
            })}
          </Text>
        )}
      </Stack>
      {open?.act === 'new' && <LimitEditor taken={limits.map(({ window }) => window)} onClose={close} />}
      {open?.act === 'edit' && <LimitEditor limit={open.limit} taken={[]} onClose={close} />}
      {open?.act === 'settings' && query.data && <WarningSettings spending={query.data} onClose={close} />}
      {open?.act === 'remove' && (
        <ConfirmDelete
          opened
          onClose={close}
          title={t('Remove the {window, select, day {daily} week {weekly} month {monthly} other {total}} limit?', {
            window: open.limit.window,
          })}
          confirmLabel={t('Remove')}
          onConfirm={async () => {
            await del('/api/user/spending/{window}', { path: { window: open.limit.window } });
            await reloadSpending();
          }}
        >
          {t('Its recorded usage is deleted; a new limit starts from zero.')}
        </ConfirmDelete>
      )}
    </Section>
  );
}
