import { Button, Divider, Stack } from '@mantine/core';
import { IconBrandGithub, IconBrandGoogle, IconBrandWindows, IconKey, type TablerIcon } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { t } from '../language/words.ts';
import { startUrl, waysQuery } from '../sign-in.ts';
import { QueryFault } from './query-fault.tsx';

const icons: [part: string, icon: TablerIcon][] = [
  ['google', IconBrandGoogle],
  ['github', IconBrandGithub],
  ['microsoft', IconBrandWindows],
];
const iconOf = (slug: string): TablerIcon => icons.find(([part]) => slug.includes(part))?.[1] ?? IconKey;

interface WayButtonsProps {
  ways: { slug: string; name: string }[];
  returnTo: string;
}

export function WayButtons({ ways, returnTo }: WayButtonsProps) {
  return ways.map(({ slug, name }) => {
    const Icon = iconOf(slug);
    return (
      <Button
        key={slug}
        component="a"
        href={startUrl(slug, returnTo)}
        variant="default"
        fullWidth
        leftSection={<Icon size={18} aria-hidden />}
      >
        {t('Continue with {name}', { name })}
      </Button>
    );
  });
}

/** Alternatives to a password. Renders nothing if there are none, or while they are loading. */
export function SignInWays({ returnTo }: { returnTo: string }) {
  const query = useQuery(waysQuery);
  if (!query.data) return <QueryFault query={query} />;
  const { providers } = query.data;
  if (providers.length === 0) return null;
  return (
    <Stack mt="md">
      <Divider label={t('or')} />
      <WayButtons ways={providers} returnTo={returnTo} />
    </Stack>
  );
}
