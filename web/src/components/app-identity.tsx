import { Anchor, Avatar, Badge, Group, Stack, Text } from '@mantine/core';
import { IconRosetteDiscountCheck } from '@tabler/icons-react';
import { t } from '../language/words.ts';

const webUrl = (text: string): URL | null => {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) ? url : null;
};

export function VerifiedBadge() {
  return (
    <Badge
      color="teal"
      size="sm"
      leftSection={<IconRosetteDiscountCheck size={13} aria-hidden />}
      title={t('Verified by the operators of this service')}
    >
      {t('Verified')}
    </Badge>
  );
}

/** A link that shows the host it leads to. */
export function HostLink({ href }: { href: string }) {
  const url = webUrl(href);
  if (!url) return null;
  return (
    <Anchor
      href={url.href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      size="sm"
      underline="always"
      className="svc-anywhere"
    >
      {url.host}
    </Anchor>
  );
}

interface AppIdentityProps {
  name: string;
  logoUrl: string;
  homepageUrl?: string;
  /** Host of the client metadata document, if the application was not registered here. */
  host?: string | undefined;
  verified: boolean;
  size?: number;
}

/** An application's name, logo and homepage, and whether the operators have verified it. */
export function AppIdentity({ name, logoUrl, homepageUrl = '', host, verified, size = 36 }: AppIdentityProps) {
  // The content security policy allows images over https only.
  const logo = webUrl(logoUrl)?.protocol === 'https:' ? logoUrl : null;
  return (
    <Group gap="sm" wrap="nowrap">
      <Avatar src={logo} size={size} radius="md" color="indigo" alt="" aria-hidden>
        {[...name.trim()][0]?.toUpperCase()}
      </Avatar>
      <Stack gap={0} miw={0}>
        <Group gap={6}>
          <Text size="sm" fw={600} className="svc-anywhere">
            {name}
          </Text>
          {verified && <VerifiedBadge />}
        </Group>
        {host ? (
          <Text size="sm" c="dimmed" className="svc-anywhere">
            {t('from {host}', { host })}
          </Text>
        ) : (
          <HostLink href={homepageUrl} />
        )}
      </Stack>
    </Group>
  );
}

export function ApplicationStatus({ status, ownerDisabled }: { status: number; ownerDisabled?: boolean }) {
  if (status === 1 && ownerDisabled) return <Badge color="orange">{t('Owner disabled')}</Badge>;
  return <Badge color={status === 1 ? 'teal' : 'red'}>{status === 1 ? t('Active') : t('Suspended')}</Badge>;
}

/** The service stores them as a JSON list. */
export const redirectUrisOf = ({ redirect_uris }: { redirect_uris: string }): string[] => {
  const list: unknown = JSON.parse(redirect_uris);
  return Array.isArray(list) ? list.map(String) : [];
};
