import { Button, Group, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ErrorState } from '../../components/error-state.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { Section } from '../../components/section.tsx';
import { formatQuota } from '../../format.ts';
import { usePost } from '../../idempotent-post.ts';
import { t } from '../../language/words.ts';
import { queryClient, selfQuery } from '../../session.ts';
import { useAct } from '../../use-act.ts';

export function RedeemCode() {
  const [code, setCode] = useState('');
  const post = usePost();
  const redeem = useAct({
    mutationFn: () => post('/api/user/redemptions', { body: { code: code.trim() } }),
    onSuccess: async ({ amount }) => {
      notifySuccess(t('{amount} added to your balance', { amount: formatQuota(amount) }));
      setCode('');
      await Promise.all([
        queryClient.invalidateQueries(selfQuery),
        queryClient.invalidateQueries({ queryKey: ['ledger'] }),
      ]);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (code.trim() !== '') redeem.mutate();
  };
  return (
    <Section title={t('Redeem a code')} description={t('Its value is added to your balance.')}>
      <form onSubmit={submit}>
        <Stack>
          {redeem.error != null && <ErrorState error={redeem.error} title={t('The code was not redeemed')} />}
          <Group align="flex-end">
            <TextInput
              label={t('Code')}
              placeholder="ABCDE-FGHJK-MNPQR-STVWX"
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
              maxLength={100}
              flex="1 1 16rem"
              value={code}
              onChange={(event) => setCode(event.currentTarget.value)}
            />
            <Button type="submit" loading={redeem.isPending} disabled={code.trim() === ''}>
              {t('Redeem')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
