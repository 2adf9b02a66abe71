import { Badge, Button, Card, Group, MultiSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { t } from '../../language/words.ts';
import { type DraftTask, withNewTask, without } from './plan-draft.ts';

interface PlanEditorProps {
  tasks: DraftTask[];
  onChange: (tasks: DraftTask[]) => void;
}

interface TaskFieldsProps {
  task: DraftTask;
  place: number;
  others: DraftTask[];
  onChange: (changes: Partial<DraftTask>) => void;
  onRemove: () => void;
}

function TaskFields({ task, place, others, onChange, onRemove }: TaskFieldsProps) {
  return (
    <Card component="li" withBorder>
      <Stack gap="xs">
        <Group justify="space-between">
          <Group gap="xs">
            <Text size="sm" fw={600}>
              {t('Task {place}', { place })}
            </Text>
            {task.done && <Badge color="teal">{t('Done')}</Badge>}
          </Group>
          <Button
            size="compact-sm"
            variant="subtle"
            color="red"
            aria-label={t('Remove task {place}', { place })}
            onClick={onRemove}
          >
            {t('Remove')}
          </Button>
        </Group>
        <TextInput
          aria-label={t('Title of task {place}', { place })}
          placeholder={t('Title')}
          maxLength={300}
          value={task.title}
          onChange={(event) => onChange({ title: event.currentTarget.value })}
        />
        <Textarea
          aria-label={t('Instruction of task {place}', { place })}
          placeholder={t('What the task should do')}
          autosize
          minRows={2}
          maxRows={8}
          maxLength={20_000}
          value={task.instruction}
          onChange={(event) => onChange({ instruction: event.currentTarget.value })}
        />
        <MultiSelect
          aria-label={t('Dependencies of task {place}', { place })}
          placeholder={task.dependsOn.length === 0 ? t('No dependencies') : undefined}
          data={others.map(({ id, title }) => ({ value: id, label: title || id }))}
          value={task.dependsOn}
          onChange={(dependsOn) => onChange({ dependsOn })}
        />
      </Stack>
    </Card>
  );
}

/** Edits the remaining plan: change, add and remove tasks. */
export function PlanEditor({ tasks, onChange }: PlanEditorProps) {
  const list = useRef<HTMLDivElement>(null);
  const count = useRef(tasks.length);
  useEffect(() => {
    // Focus the title of a newly added task.
    if (tasks.length > count.current) list.current?.querySelector<HTMLInputElement>('li:last-child input')?.focus();
    count.current = tasks.length;
  }, [tasks.length]);
  return (
    <Stack gap="sm" mt="sm">
      <Text size="sm" c="dimmed">
        {t(
          'Completed tasks with an unchanged instruction keep their result. Tasks you change run again, along with the tasks that depend on them.',
        )}
      </Text>
      <Stack component="ul" gap="sm" className="svc-plain-list" ref={list}>
        {tasks.map((task, index) => (
          <TaskFields
            key={task.id}
            task={task}
            place={index + 1}
            others={tasks.filter(({ id }) => id !== task.id)}
            onChange={(changes) =>
              onChange(tasks.map((other) => (other.id === task.id ? { ...other, ...changes } : other)))
            }
            onRemove={() => onChange(without(tasks, task.id))}
          />
        ))}
      </Stack>
      <Group>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => onChange(withNewTask(tasks))}
        >
          {t('Add task')}
        </Button>
      </Group>
    </Stack>
  );
}
