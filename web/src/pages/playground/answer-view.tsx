import { ActionIcon, Button, Group, Tooltip } from '@mantine/core';
import { IconPlayerStopFilled, IconReload, IconTerminal2 } from '@tabler/icons-react';
import { memo } from 'react';
import { CopyButton } from '../../components/copy-button.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { Markdown } from '../../components/markdown.tsx';
import { ToolCallView } from '../../components/tool-call.tsx';
import { t } from '../../language/words.ts';
import { AnswerStats } from './answer-stats.tsx';
import { type AnswerEntry, isRunning } from './conversation.ts';
import { mayDeleteLater } from './later-messages.ts';
import { PlanView } from './plan-view.tsx';
import { curlOf } from './settings.ts';

function Waiting() {
  return (
    <span className="svc-waiting" aria-hidden>
      <span />
      <span />
      <span />
    </span>
  );
}

function Reasoning({ text, open }: { text: string; open: boolean }) {
  return (
    <details className="svc-aside" open={open}>
      <summary>{t('Reasoning')}</summary>
      <div>
        <Markdown>{text}</Markdown>
      </div>
    </details>
  );
}

interface AnswerViewProps {
  answer: AnswerEntry;
  /** Absent while an answer is running, or if regenerating would remove other models' answers. */
  onRegenerate?: (id: string) => void;
  /** Whether later messages follow, which regenerating removes. */
  followed: boolean;
  /** Given only if several models answer side by side, so that each can be stopped on its own. */
  onStop?: (column: string) => void;
}

export const AnswerView = memo(function AnswerView({ answer, onRegenerate, followed, onStop }: AnswerViewProps) {
  const { content, reasoning, toolCalls, meta, error } = answer;
  const running = isRunning(answer);
  const empty = content === '' && toolCalls.length === 0;
  return (
    <article className="svc-answer" aria-label={t('Answer from {model}', { model: answer.model })} aria-busy={running}>
      {meta && <PlanView meta={meta} open={running && content === ''} />}
      {reasoning !== '' && <Reasoning text={reasoning} open={running && content === ''} />}
      {content !== '' && <Markdown>{content}</Markdown>}
      {toolCalls.map((call, index) => (
        <ToolCallView key={call.id || index} call={call} />
      ))}
      {running && empty && <Waiting />}
      {running && onStop && (
        <Button
          className="svc-answer-stop"
          variant="default"
          size="compact-xs"
          leftSection={<IconPlayerStopFilled size={12} aria-hidden />}
          aria-label={t('Stop {model}', { model: answer.model })}
          onClick={() => onStop(answer.column)}
        >
          {t('Stop')}
        </Button>
      )}
      {error && <ErrorState error={error} title={t('No response')} />}
      {!running && (
        <div className="svc-answer-foot">
          <AnswerStats answer={answer} />
          <Group gap={2} wrap="nowrap">
            {content !== '' && <CopyButton value={content} label={t('Copy answer')} />}
            <CopyButton
              value={curlOf(window.location.origin, answer.request)}
              label={t('Copy as curl')}
              icon={IconTerminal2}
            />
            {onRegenerate && (
              <Tooltip label={t('Regenerate')}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="sm"
                  aria-label={t('Regenerate')}
                  onClick={() => (!followed || mayDeleteLater()) && onRegenerate(answer.id)}
                >
                  <IconReload size={15} aria-hidden />
                </ActionIcon>
              </Tooltip>
            )}
          </Group>
        </div>
      )}
    </article>
  );
});
