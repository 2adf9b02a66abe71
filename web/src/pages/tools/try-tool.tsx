import { Alert, Badge, Button, Group, Stack, Switch, Text, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { post, type Result } from '../../api.ts';
import { Code } from '../../components/code-block.tsx';
import { SideDialog } from '../../components/dialog.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { Money } from '../../components/money.tsx';
import { formatMs } from '../../format.ts';
import { serverText } from '../../language/server-texts.ts';
import { rich, t } from '../../language/words.ts';
import { queryClient } from '../../session.ts';
import { useAct } from '../../use-act.ts';
import { ArgumentInput } from './argument-inputs.tsx';
import { argumentsIn, argumentsOf, type Entered, fieldsOf } from './tool-arguments.ts';
import type { ConnectedTool } from './tools-queries.ts';

type Outcome = Result<'/api/mcp/tools/{name}/call', 'post'>;

/** The text parts of a result, for reading; the JSON below has the rest. */
function textsIn(result: Outcome['result']): string {
  const content = Array.isArray(result?.content) ? (result.content as { type?: unknown; text?: unknown }[]) : [];
  return content.flatMap((block) => (block?.type === 'text' ? [String(block.text)] : [])).join('\n');
}

function OutcomeView({ outcome }: { outcome: Outcome }) {
  const { result, error, duration_ms } = outcome;
  const failed = error !== null || result?.isError === true;
  const text = textsIn(result);
  return (
    <Stack gap="xs" component="section" aria-label={t('Result')}>
      <Group gap="xs" role="status">
        <Badge color={failed ? 'red' : 'teal'}>{failed ? t('Failed') : t('Answered')}</Badge>
        <Text size="sm" c="dimmed">
          {t('took {time}', { time: formatMs(duration_ms) })}
        </Text>
      </Group>
      {error && (
        <Alert color="red" role="alert">
          {serverText(error.message)}
        </Alert>
      )}
      {text !== '' && <Code label={t('Text of the result')} code={text} maxHeight={320} wrap />}
      <Text size="xs" fw={600}>
        {t('Raw')}
      </Text>
      <Code label={t('Raw result')} code={JSON.stringify(result ?? error, null, 2)} maxHeight={320} />
    </Stack>
  );
}

function TryForm({ tool }: { tool: ConnectedTool }) {
  const fields = fieldsOf(tool.input_schema);
  const [entered, setEntered] = useState<Entered>({});
  const [written, setWritten] = useState<string | null>(null);
  /** JSON left for the fields, which comes back unless they are changed meanwhile. */
  const [left, setLeft] = useState<{ text: string; entered: Entered } | null>(null);
  const asJson = () =>
    left?.entered === entered ? left.text : JSON.stringify(argumentsOf(fields, entered).values, null, 2);
  const [faults, setFaults] = useState<Record<string, string>>({});
  const call = useAct({
    mutationFn: (values: Record<string, unknown>) =>
      post('/api/mcp/tools/{name}/call', { path: { name: tool.offered_as }, body: { arguments: values } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['usage'] }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const byHand = written === null ? null : argumentsIn(written);
    const found = byHand
      ? { values: {}, faults: {}, ...byHand, ...('fault' in byHand && { faults: { written: byHand.fault } }) }
      : argumentsOf(fields, entered);
    setFaults(found.faults);
    if (Object.keys(found.faults).length === 0) call.mutate(found.values);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text size="sm" className="svc-plain">
          {serverText(tool.description) || t('No description.')}
        </Text>
        {tool.ask_first && (
          <Alert color="orange">
            {t('This tool requires approval. Calling it here counts as your approval, so check the arguments first.')}
          </Alert>
        )}
        {tool.price > 0 && (
          <Text size="sm">{rich('Each call costs {price}.', { price: <Money quota={tool.price} /> })}</Text>
        )}
        {written === null ? (
          fields.map((field) => (
            <ArgumentInput
              key={field.name}
              field={field}
              entered={entered}
              fault={Object.hasOwn(faults, field.name) ? faults[field.name] : undefined}
              set={(value) => setEntered((before) => ({ ...before, [field.name]: value }))}
            />
          ))
        ) : (
          <Textarea
            label={t('Arguments')}
            description={t('A JSON object, sent unchanged')}
            autosize
            minRows={4}
            maxRows={16}
            spellCheck={false}
            value={written}
            error={faults.written}
            onChange={(event) => setWritten(event.currentTarget.value)}
          />
        )}
        {written === null && fields.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('This tool takes no arguments.')}
          </Text>
        )}
        <Group justify="space-between">
          <Switch
            label={t('Enter arguments as JSON')}
            data-unmissed
            checked={written !== null}
            onChange={(event) => {
              if (written !== null) setLeft({ text: written, entered });
              setWritten(event.currentTarget.checked ? asJson() : null);
            }}
          />
          <Button type="submit" loading={call.isPending}>
            {t('Call tool')}
          </Button>
        </Group>
        {call.error && <ErrorState error={call.error} title={t('The tool was not called')} />}
        {call.data && !call.isPending && <OutcomeView outcome={call.data} />}
      </Stack>
    </form>
  );
}

/** Calls a tool by hand. Every call is real. */
export function TryTool({ tool, onClose }: { tool: ConnectedTool | null; onClose: () => void }) {
  return (
    <SideDialog
      opened={tool !== null}
      onClose={onClose}
      size="lg"
      title={t('Try {name}', { name: tool?.name ?? '' })}
      styles={{ title: { fontWeight: 600, overflowWrap: 'anywhere' } }}
    >
      {tool && <TryForm key={tool.offered_as} tool={tool} />}
    </SideDialog>
  );
}
