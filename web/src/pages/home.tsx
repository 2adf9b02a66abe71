import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { PageHeader } from '../components/page-header.tsx';
import { Section } from '../components/section.tsx';
import { modelsQuery } from '../models.ts';
import { isAdmin, useUser } from '../session.ts';
import { AddProvider } from './admin-channels/add-provider.tsx';
import { Connect } from './home/connect.tsx';
import { Glance } from './home/glance.tsx';
import { onlySimulation, providersOf } from './home/providers-of.ts';
import { QuickLinks } from './home/quick-links.tsx';
import { Recent } from './home/recent.tsx';
import { WhatWorks } from './home/what-works.tsx';

/** First steps for whoever starts, the state of things for whoever comes back. */
export function HomePage() {
  const user = useUser();
  const models = useQuery(modelsQuery);
  const providers = providersOf(models.data ?? []);
  const noProvider = providers.length === 0 || onlySimulation(providers);
  const newcomer = user.request_count === 0;
  // Stays after the first provider was added, or the result would vanish with the form.
  const [adding, setAdding] = useState(false);
  if (!adding && models.data && noProvider && isAdmin(user)) setAdding(true);
  return (
    <>
      <PageHeader
        title={`Welcome, ${user.display_name || user.username}`}
        description={newcomer ? 'One address for every model. Here is how to make the first call.' : undefined}
      />
      <Stack gap="xl">
        <Glance />
        {!newcomer && <Recent />}
        <WhatWorks />
        {adding && (
          <Section title="Add a provider" description="A key is all it takes; models and prices come with it.">
            <AddProvider />
          </Section>
        )}
        <Connect />
        <QuickLinks />
      </Stack>
    </>
  );
}
