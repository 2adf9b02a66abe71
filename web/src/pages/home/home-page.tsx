import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { AddProvider } from '../../components/add-provider.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PendingOrganisations } from '../../components/pending-organisations.tsx';
import { Section } from '../../components/section.tsx';
import { t } from '../../language/words.ts';
import { modelsQuery, onlySimulation, providersOf } from '../../models.ts';
import { isAdmin, useUser } from '../../session.ts';
import { AccountSummary } from './account-summary.tsx';
import { AvailableModels } from './available-models.tsx';
import { Connect } from './connect.tsx';
import { EmptyBalance } from './empty-balance.tsx';
import { QuickLinks } from './quick-links.tsx';
import { Recent } from './recent.tsx';

/** First steps for new users, an overview for everyone else. */
export function HomePage() {
  const user = useUser();
  const models = useQuery(modelsQuery);
  const providers = providersOf(models.data ?? []);
  const noProvider = providers.length === 0 || onlySimulation(providers);
  const newcomer = user.request_count === 0;
  // Stays true after the first provider is added; otherwise the result would disappear with the form.
  const [adding, setAdding] = useState(false);
  if (!adding && models.data && noProvider && isAdmin(user)) setAdding(true);
  return (
    <>
      <PageHeader
        title={t('Welcome, {name}', { name: user.display_name || user.username })}
        description={newcomer ? t('One address for every model. Here is how to make your first call.') : undefined}
      />
      <PendingOrganisations />
      <Stack gap="xl">
        <AccountSummary />
        {user.quota <= 0 && <EmptyBalance />}
        {!newcomer && <Recent />}
        <AvailableModels />
        {adding && (
          <Section
            title={t('Add a provider')}
            description={t('Only a key is needed; models and prices are set up for you.')}
          >
            <Stack>
              <AddProvider />
              <AnchorLink to="/admin/channels" search={{ open: 'custom' }} size="sm" underline="always">
                {t('Add another provider by its address')}
              </AnchorLink>
            </Stack>
          </Section>
        )}
        <Connect />
        <QuickLinks />
      </Stack>
    </>
  );
}
