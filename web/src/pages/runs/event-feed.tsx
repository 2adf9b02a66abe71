import { Text } from '@mantine/core';
import { memo } from 'react';
import { formatTime } from '../../format.ts';
import { t } from '../../language/words.ts';
import { useStickToBottom } from '../../use-stick-to-bottom.ts';
import type { LogLine } from './event-lines.ts';

const Line = memo(function Line({ line }: { line: LogLine }) {
  return (
    <li data-tone={line.tone} title={line.event}>
      <time dateTime={new Date(line.at * 1000).toISOString()}>{formatTime(line.at)}</time>
      <span className="svc-anywhere">{line.text}</span>
    </li>
  );
});

/** All events of the run. The newest is at the end, which stays in view. */
export function EventFeed({ lines }: { lines: LogLine[] }) {
  const { region, content } = useStickToBottom();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be reachable by keyboard (WCAG 2.1.1)
    // biome-ignore lint/a11y/useSemanticElements: the hook that follows the end needs a div
    <div ref={region} className="svc-feed" tabIndex={0} role="region" aria-label={t('Events')}>
      {lines.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('Events are kept for seven days.')}
        </Text>
      )}
      <ol ref={content}>
        {lines.map((line) => (
          <Line key={line.id} line={line} />
        ))}
      </ol>
    </div>
  );
}
