import { Select } from '@mantine/core';
import { ErrorState } from '../../components/error-state.tsx';
import { Section } from '../../components/section.tsx';
import { keepLanguage, openIn } from '../../language/choose.ts';
import { type Language, languages } from '../../language/languages.ts';
import { language, t } from '../../language/words.ts';
import { useUser } from '../../session.ts';
import { mayReload } from '../../unsaved-changes.ts';
import { useAct } from '../../use-act.ts';

const choices = languages.map(({ code, name }) => ({ value: code, label: name }));

/**
 * The language of emails and pages. Until the user saves one, the current language of the page is shown; saving reloads
 * the page in it.
 */
export function LanguageChoice() {
  const user = useUser();
  const keep = useAct({ mutationFn: keepLanguage, onSuccess: (_, wanted) => openIn(wanted) });
  const choose = (code: string | null) => {
    if (code && mayReload()) keep.mutate(code as Language);
  };
  return (
    <Section title={t('Language')}>
      <Select
        label={t('Language of emails and pages')}
        description={t('Used for all emails to you and for the pages in this browser')}
        data={choices}
        value={user.language ?? language}
        onChange={choose}
        allowDeselect={false}
        maw={320}
      />
      {keep.error && <ErrorState error={keep.error} title={t('The language was not saved')} />}
    </Section>
  );
}
