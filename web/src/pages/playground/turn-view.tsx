import { Text } from '@mantine/core';
import { memo } from 'react';
import { t } from '../../language/words.ts';
import { AnswerView } from './answer-view.tsx';
import type { ChatStore } from './chat-store.ts';
import { type Column, type Entry, entriesOf, isRunning, openCalls, type ToolEntry, type Turn } from './conversation.ts';
import { ToolResults } from './tool-results.tsx';
import { UserMessageView } from './user-message-view.tsx';

function ResultView({ result }: { result: ToolEntry }) {
  return (
    <div className="svc-said-item">
      <Text size="xs" c="dimmed">
        {t('Result of {name}', { name: result.name })}
      </Text>
      <div className="svc-said">{result.content || t('(empty)')}</div>
    </div>
  );
}

const isBusy = (entries: Entry[]): boolean => entries.some((entry) => entry.role === 'assistant' && isRunning(entry));

interface CellProps {
  store: ChatStore;
  column: Column;
  turn: Turn;
  /** Whether this is the last turn. */
  last: boolean;
  several: boolean;
}

/** One model's answers in this turn. */
function Cell({ store, column, turn, last, several }: CellProps) {
  const own = turn.after.filter((entry) => entry.column === column.id);
  const busy = isBusy(several ? own : store.shown().entries);
  // Regenerating removes all later turns; with several models that would also remove the others' answers.
  const regenerate = busy || (several && !last) ? undefined : store.regenerate;
  const calls = last && !busy ? openCalls(entriesOf(store.shown().entries, column.id)) : [];
  return (
    <div className="svc-chat-cell">
      {own.map((entry, index) =>
        entry.role === 'tool' ? (
          <ResultView key={entry.id} result={entry} />
        ) : (
          <AnswerView
            key={entry.id}
            answer={entry}
            onRegenerate={regenerate}
            followed={!last || index < own.length - 1}
            onStop={several ? store.stop : undefined}
          />
        ),
      )}
      {calls.length > 0 && <ToolResults key={calls[0]!.id} store={store} column={column.id} calls={calls} />}
    </div>
  );
}

interface TurnViewProps extends Omit<CellProps, 'column'> {
  columns: Column[];
  busy: boolean;
}

const sameList = <T,>(one: T[], other: T[], same: (a: T, b: T) => boolean): boolean =>
  one.length === other.length && one.every((item, index) => same(item, other[index]!));

/** Turns and columns are made anew by every render, from entries that stay the same. */
const isSame = (a: TurnViewProps, b: TurnViewProps): boolean =>
  a.store === b.store &&
  a.busy === b.busy &&
  a.last === b.last &&
  a.several === b.several &&
  a.turn.said === b.turn.said &&
  sameList(a.turn.after, b.turn.after, Object.is) &&
  sameList(a.columns, b.columns, (one, other) => one.id === other.id && one.model === other.model);

/**
 * A user message, and below it the answers side by side. Memoized: while an answer streams in, only its own turn of a
 * long chat is rendered again.
 */
export const TurnView = memo(function TurnView({ columns, busy, ...cell }: TurnViewProps) {
  return (
    <li className="svc-chat-turn">
      <UserMessageView store={cell.store} said={cell.turn.said} busy={busy} followed={!cell.last} />
      <div className="svc-chat-cells" data-columns={columns.length}>
        {columns.map((column) => (
          <Cell key={column.id} column={column} {...cell} />
        ))}
      </div>
    </li>
  );
}, isSame);
