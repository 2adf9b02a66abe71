import { ActionIcon, Menu } from '@mantine/core';
import { IconLanguage } from '@tabler/icons-react';
import { choose } from '../language/choose.ts';
import { type Language, languages } from '../language/languages.ts';
import { language, t } from '../language/words.ts';

/** Each language is listed by its own name, so that users can switch even if they cannot read the current one. */
export function LanguageMenu() {
  return (
    <Menu position="bottom-end" width={150}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('Language')}>
          <IconLanguage size={18} stroke={1.7} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup value={language} onChange={(code) => void choose(code as Language)}>
          {languages.map(({ code, name }) => (
            <Menu.RadioItem key={code} value={code} lang={code} closeMenuOnClick>
              {name}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}
