import { Anchor, Card, Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useHeadingFocus } from '../heading-focus.ts';
import { choose } from '../language/choose.ts';
import { languages } from '../language/languages.ts';
import { language } from '../language/words.ts';
import { Mark } from './mark.tsx';

interface BareFrameProps {
  title: string;
  description?: ReactNode;
  children: ReactNode;
  /** Below the card, such as a link to the other page. */
  footer?: ReactNode;
}

/** Plain links, because a menu component would be a third of these pages' script. */
function LanguageLinks() {
  return (
    <Group gap="md" mt="lg">
      {languages.map(({ code, name }) =>
        code === language ? (
          <Text key={code} size="xs" c="dimmed" lang={code} aria-current="true">
            {name}
          </Text>
        ) : (
          <Anchor key={code} component="button" type="button" size="xs" lang={code} onClick={() => void choose(code)}>
            {name}
          </Anchor>
        ),
      )}
    </Group>
  );
}

/** The layout of pages without navigation: one centred card. */
export function CenteredLayout({ title, description, children, footer }: BareFrameProps) {
  const heading = useHeadingFocus(title);
  return (
    <main className="svc-bare">
      <Mark size={40} label="svc" />
      <Title order={1} ref={heading} tabIndex={-1} className="svc-heading" ta="center" mt="md">
        {title}
      </Title>
      {description && (
        <Text c="dimmed" size="sm" ta="center" mt={4}>
          {description}
        </Text>
      )}
      <Card mt="lg" padding="xl" shadow="xs">
        {children}
      </Card>
      {footer && (
        <Text size="sm" mt="md" c="dimmed">
          {footer}
        </Text>
      )}
      <LanguageLinks />
    </main>
  );
}
