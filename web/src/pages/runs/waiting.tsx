import { Button, Card, Code, Group, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { ErrorState } from '../../components/error-state.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { Section } from '../../components/section.tsx';
import { usePost } from '../../idempotent-post.ts';
import { t } from '../../language/words.ts';
import { useAct } from '../../use-act.ts';
import { type PendingCall, type RunStatus, reloadRuns } from './runs-queries.ts';

interface CallProps {
  run: RunStatus;
  call: PendingCall;
  onAnswered: () => void;
}

/** Pretty-prints JSON without changing its values; other text is shown as is. */
function argumentsOf(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text || '{}';
  }
}

function CallHead({ run, call }: Pick<CallProps, 'run' | 'call'>) {
  const task = run.plan.tasks.find(({ task_id }) => task_id === call.task_id);
  return (
    <>
      <Title order={3} size="h4" ff="monospace" className="svc-anywhere">
        {call.name}
      </Title>
      <Text size="sm" c="dimmed">
        {t('For “{task}”, with these arguments:', { task: task?.title ?? call.task_id })}
      </Text>
      <Code
        block
        className="svc-call-arguments"
        tabIndex={0}
        aria-label={t('Arguments of {tool}', { tool: call.name })}
      >
        {argumentsOf(call.arguments)}
      </Code>
    </>
  );
}

function Approval({ run, call, onAnswered }: CallProps) {
  const [note, setNote] = useState('');
  const post = usePost();
  const answer = useAct({
    mutationFn: (approved: boolean) =>
      post('/api/svc-ms/autonomous/{session_id}/approve', {
        path: { session_id: run.session_id },
        body: { tool_call_id: call.id, approved, ...(note.trim() && { note: note.trim() }) },
      }),
    onSuccess: async (_, approved) => {
      notifySuccess(
        approved ? t('Call to {tool} allowed', { tool: call.name }) : t('{tool} is not called', { tool: call.name }),
      );
      onAnswered();
      await reloadRuns();
    },
  });
  return (
    <Card component="li" withBorder>
      {/* A form, so that leaving with an unsent note asks first. Enter decides nothing: there are two answers. */}
      <Stack component="form" gap="sm" onSubmit={(event) => event.preventDefault()}>
        <CallHead run={run} call={call} />
        <TextInput
          label={t('Note')}
          description={t('Sent to the model if you refuse: the reason, or what to do instead')}
          maxLength={2000}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        {answer.error && <ErrorState error={answer.error} title={t('Your decision was not sent')} />}
        <Group>
          <Button loading={answer.isPending && answer.variables} onClick={() => answer.mutate(true)}>
            {t('Allow {tool}', { tool: call.name })}
          </Button>
          <Button
            variant="default"
            loading={answer.isPending && !answer.variables}
            onClick={() => answer.mutate(false)}
          >
            {t('Refuse {tool}', { tool: call.name })}
          </Button>
        </Group>
      </Stack>
    </Card>
  );
}

function Output({ run, call, onAnswered }: CallProps) {
  const [content, setContent] = useState('');
  const post = usePost();
  const send = useAct({
    mutationFn: () =>
      post('/api/svc-ms/autonomous/{session_id}/tool-results', {
        path: { session_id: run.session_id },
        body: { results: [{ tool_call_id: call.id, content }] },
      }),
    onSuccess: async () => {
      notifySuccess(t('Output of {tool} sent', { tool: call.name }));
      onAnswered();
      await reloadRuns();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send.mutate();
  };
  return (
    <Card component="li" withBorder>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <CallHead run={run} call={call} />
          <Textarea
            label={t('Output of {tool}', { tool: call.name })}
            description={t('The output of your tool, passed to the model as entered')}
            autosize
            minRows={2}
            maxRows={12}
            value={content}
            onChange={(event) => setContent(event.currentTarget.value)}
          />
          {send.error && <ErrorState error={send.error} title={t('The output was not sent')} />}
          <Group>
            <Button type="submit" loading={send.isPending}>
              {t('Send output')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}

/**
 * Pending approvals and tool calls, which are answered here. Focus stays in this section from one answer to the next.
 */
export function Waiting({ run, onAnswered }: { run: RunStatus; onAnswered: () => void }) {
  const { pending_approvals: approvals, pending_tool_calls: calls } = run;
  const count = approvals.length + calls.length;
  const region = useRef<HTMLDivElement>(null);
  const before = useRef(count);
  useEffect(() => {
    if (count > 0 && count < before.current) region.current?.focus();
    before.current = count;
  }, [count]);
  if (count === 0) return null;
  return (
    <div ref={region} tabIndex={-1} className="svc-run-waits">
      {approvals.length > 0 && (
        <Section title={t('Waiting for your approval')} description={t('Nothing is called until you allow it.')}>
          <Stack component="ul" className="svc-plain-list">
            {approvals.map((call) => (
              <Approval key={call.id} run={run} call={call} onAnswered={onAnswered} />
            ))}
          </Stack>
        </Section>
      )}
      {calls.length > 0 && (
        <Section
          title={t('Waiting for your tools')}
          description={t('Your program answers these calls automatically; you can also enter the results here.')}
        >
          <Stack component="ul" className="svc-plain-list">
            {calls.map((call) => (
              <Output key={call.id} run={run} call={call} onAnswered={onAnswered} />
            ))}
          </Stack>
        </Section>
      )}
    </div>
  );
}
