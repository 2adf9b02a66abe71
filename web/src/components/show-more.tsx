import { Button, type ButtonProps } from '@mantine/core';
import { t } from '../language/words.ts';

interface ShowMoreProps extends ButtonProps {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
}

/** Loads the next page of a list; nothing once all of it is shown. */
export function ShowMore({ query, children = t('Show more'), ...button }: ShowMoreProps) {
  if (!query.hasNextPage) return null;
  return (
    <Button variant="default" loading={query.isFetchingNextPage} onClick={() => query.fetchNextPage()} {...button}>
      {children}
    </Button>
  );
}
