import { t } from '../language/words.ts';

/** The first thing that the keyboard reaches: past the head and the navigation. */
export const SkipLink = () => (
  <a className="svc-skip" href="#main">
    {t('Skip to content')}
  </a>
);
