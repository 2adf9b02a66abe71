import { JsonInput, Select, Switch, Textarea, TextInput } from '@mantine/core';
import { serverText } from '../../language/server-texts.ts';
import { t } from '../../language/words.ts';
import { type ArgumentField, choiceLabel, type Entered } from './tool-arguments.ts';

interface ArgumentInputProps {
  field: ArgumentField;
  entered: Entered;
  fault: string | undefined;
  set: (value: string | boolean) => void;
}

/** One argument. The server's description is shown below its name as plain text; for our own tools it is translated. */
export function ArgumentInput({ field, entered, fault, set }: ArgumentInputProps) {
  const { name, kind, required } = field;
  const description = serverText(field.description);
  const value = Object.hasOwn(entered, name) ? entered[name] : undefined;
  const text = typeof value === 'string' ? value : '';
  const shared = { label: name, description, required, error: fault };
  switch (kind) {
    case 'boolean':
      return (
        <Switch
          label={name}
          description={description}
          checked={value === true}
          onChange={(event) => set(event.currentTarget.checked)}
        />
      );
    case 'choice':
      return (
        <Select
          {...shared}
          data={field.choices.map((choice) => ({ value: choice, label: choiceLabel(choice) }))}
          value={text || null}
          onChange={(choice) => set(choice ?? '')}
          clearable={!required}
          clearButtonProps={{ 'aria-label': t('Clear {name}', { name }) }}
        />
      );
    case 'number':
      return (
        <TextInput
          {...shared}
          inputMode={field.whole ? 'numeric' : 'decimal'}
          value={text}
          onChange={(event) => set(event.currentTarget.value)}
        />
      );
    case 'json':
      return (
        <JsonInput {...shared} autosize minRows={2} placeholder="JSON" spellCheck={false} value={text} onChange={set} />
      );
    default:
      return (
        <Textarea
          {...shared}
          autosize
          minRows={1}
          maxRows={12}
          spellCheck={false}
          value={text}
          onChange={(event) => set(event.currentTarget.value)}
        />
      );
  }
}
