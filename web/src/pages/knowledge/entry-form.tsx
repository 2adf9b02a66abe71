import { Autocomplete, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { put } from '../../api.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { usePost } from '../../idempotent-post.ts';
import { t } from '../../language/words.ts';
import { useCheckedForm } from '../../use-checked-form.ts';
import { categoriesOf, type Entry, newestQuery, reloadKnowledge } from './knowledge-queries.ts';

type Fields = Pick<Entry, 'category' | 'title' | 'content' | 'keywords'>;
const empty: Fields = { category: '', title: '', content: '', keywords: [] };

const asks = {
  category: t('Enter a category.'),
  title: t('Enter a title.'),
  content: t('Enter the content.'),
};
type Faults = Partial<typeof asks>;

const faultsOf = (fields: Fields): Faults =>
  Object.fromEntries(Object.entries(asks).filter(([name]) => fields[name as keyof Faults].trim() === ''));

const write = async (post: ReturnType<typeof usePost>, entry: Entry | null, fields: Fields) => {
  const { category, title, content, keywords } = fields;
  const body = { category, title, content, keywords };
  if (entry) await put('/api/svc-ms/knowledge/{id}', { path: { id: entry.id }, body });
  else await post('/api/svc-ms/knowledge', { body });
};

interface EntryFormProps {
  /** Null for a new entry. */
  entry: Entry | null;
  onClose: () => void;
}

export function EntryForm({ entry, onClose }: EntryFormProps) {
  const newest = useQuery(newestQuery);
  const post = usePost();
  const { fields, faults, set, sending } = useCheckedForm<Fields, Faults>(entry ?? empty, faultsOf, async (body) => {
    await write(post, entry, body);
    notifySuccess(entry ? t('Entry saved') : t('Entry added'));
    onClose();
    await reloadKnowledge();
  });
  const { category, title, content, keywords } = fields;
  return (
    <FormDialog
      onClose={onClose}
      title={entry ? t('Edit entry') : t('Add knowledge')}
      size="lg"
      {...sending}
      failure={t('The entry was not saved')}
      submitLabel={entry ? t('Save') : t('Add entry')}
    >
      <TextInput
        label={t('Title')}
        placeholder={t('Deployments happen on Tuesdays')}
        required
        maxLength={200}
        data-autofocus
        value={title}
        onChange={(event) => set({ title: event.currentTarget.value })}
        error={faults.title}
      />
      <Autocomplete
        label={t('Category')}
        placeholder={t('preference, fact, decision…')}
        required
        maxLength={64}
        data={categoriesOf(newest.data)}
        value={category}
        onChange={(value) => set({ category: value })}
        error={faults.category}
      />
      <Textarea
        label={t('Content')}
        description={t('Use full sentences; models read this text later')}
        required
        maxLength={20_000}
        autosize
        minRows={4}
        maxRows={14}
        value={content}
        onChange={(event) => set({ content: event.currentTarget.value })}
        error={faults.content}
      />
      <TagsInput
        label={t('Keywords')}
        description={t('Words to find this entry by; press Enter after each')}
        maxTags={50}
        value={keywords}
        onChange={(words) => set({ keywords: words })}
      />
    </FormDialog>
  );
}
