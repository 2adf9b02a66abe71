import { Button, Card, Skeleton, Stack } from '@mantine/core';
import { IconMessages } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type RefObject, useLayoutEffect, useRef } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { ShowMore } from '../../components/show-more.tsx';
import { t } from '../../language/words.ts';
import { toolNames } from './message-parts.ts';
import { MessageView } from './message-view.tsx';
import { historyPage, historySize } from './sessions-queries.ts';

/** Starts at the end, and keeps the scroll position when earlier messages are inserted above. */
function useKeptPlace(firstId: number | undefined): RefObject<HTMLElement | null> {
  const region = useRef<HTMLElement>(null);
  const fromEnd = useRef(0);
  useLayoutEffect(() => {
    const element = region.current;
    if (!element || firstId === undefined) return;
    element.scrollTop = element.scrollHeight - fromEnd.current;
    const remember = () => {
      fromEnd.current = element.scrollHeight - element.scrollTop;
    };
    remember();
    element.addEventListener('scroll', remember, { passive: true });
    return () => element.removeEventListener('scroll', remember);
  }, [firstId]);
  return region;
}

/** The messages, newest at the end; earlier pages are loaded on demand. */
export function History({ sessionId, total }: { sessionId: string; total: number }) {
  const query = useInfiniteQuery({
    queryKey: ['sessions', 'history', sessionId],
    queryFn: ({ pageParam, signal }) => historyPage(sessionId, pageParam, signal),
    initialPageParam: Math.max(1, Math.ceil(total / historySize)),
    getPreviousPageParam: ({ page }) => (page > 1 ? page - 1 : undefined),
    getNextPageParam: ({ page, page_size, total: all }) => (page * page_size < all ? page + 1 : undefined),
  });
  const messages = query.data?.pages.flatMap((page) => page.messages);
  const region = useKeptPlace(messages?.[0]?.id);
  if (query.error && !messages) {
    return (
      <ErrorState error={query.error} title={t('The history could not be loaded')} onRetry={() => query.refetch()} />
    );
  }
  if (!messages) {
    return (
      <Stack aria-busy="true">
        <Skeleton height={64} />
        <Skeleton height={140} />
        <Skeleton height={64} />
      </Stack>
    );
  }
  if (messages.length === 0) {
    return (
      <Card padding={0}>
        <EmptyState
          icon={IconMessages}
          title={t('No messages yet')}
          description={t('The session starts with its first message.')}
        />
      </Card>
    );
  }
  const names = toolNames(messages);
  return (
    <Card padding={0}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scroll regions must be reachable by keyboard (WCAG 2.1.1) */}
      <section ref={region} className="svc-history" tabIndex={0} aria-label={t('History')} aria-busy={query.isFetching}>
        {query.hasPreviousPage && (
          <Button
            variant="default"
            size="xs"
            mx="auto"
            loading={query.isFetchingPreviousPage}
            onClick={() => query.fetchPreviousPage()}
          >
            {t('Earlier messages')}
          </Button>
        )}
        {messages.map((message) => (
          <MessageView key={message.id} message={message} toolName={names.get(message.tool_call_id ?? '')} />
        ))}
        <ShowMore query={query} size="xs" mx="auto">
          {t('Later messages')}
        </ShowMore>
      </section>
    </Card>
  );
}
