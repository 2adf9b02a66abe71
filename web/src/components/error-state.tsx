import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { ApiError } from '../api.ts';
import { serverText } from '../language/server-texts.ts';
import { rich, t } from '../language/words.ts';
import { queryClient, selfQuery } from '../session.ts';
import { CopyButton } from './copy-button.tsx';
import { AnchorLink, ButtonLink } from './link.tsx';

interface ErrorStateProps {
  error: unknown;
  title?: string;
  onRetry?: () => void;
}

/** Links logged-in users to the request's details. */
function RequestId({ id }: { id: string }) {
  if (queryClient.getQueryData(selfQuery.queryKey) === undefined) return <Code fz="xs">{id}</Code>;
  return (
    <AnchorLink to="/requests/$id" params={{ id }} inherit underline="always" className="svc-anywhere">
      {id}
    </AnchorLink>
  );
}

/** Where users can resolve an error, by error code. */
const waysOn: Record<string, { to: '/account' | '/credits'; label: string }> = {
  second_factor_required: { to: '/account', label: t('Set up a second factor') },
  insufficient_user_quota: { to: '/credits', label: t('Get credits') },
  storage_full: { to: '/account', label: t('View your storage') },
};

/** Shows the server's error message, with the request id for finding it in the log. */
export function ErrorState({ error, title, onRetry }: ErrorStateProps) {
  const way = error instanceof ApiError && error.code !== undefined ? waysOn[error.code] : undefined;
  const unnamed = onRetry ? t('This could not be loaded') : t('Something went wrong');
  const requestId = error instanceof ApiError ? error.requestId : null;
  return (
    <Alert color="red" variant="light" title={title ?? unnamed} icon={<IconAlertCircle aria-hidden />} role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{serverText(error instanceof Error ? error.message : String(error))}</Text>
        {requestId && (
          <Group gap={4} wrap="nowrap">
            <Text size="xs" c="dimmed">
              {rich('Request {id}', { id: <RequestId id={requestId} /> })}
            </Text>
            <CopyButton value={requestId} label={t('Copy request id')} />
          </Group>
        )}
        {way && (
          <ButtonLink to={way.to} size="xs">
            {way.label}
          </ButtonLink>
        )}
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {t('Try again')}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
