/** The API reference in Chinese. Nothing else needs it, so it comes with that page. */
import account from './account.ts';
import administration from './administration.ts';
import callers from './callers.ts';
import fields from './fields.ts';
import models from './models.ts';
import oauth from './oauth.ts';
import organisations from './organisations.ts';
import workFields from './work-fields.ts';

const words: Record<string, string> = {
  ...account,
  ...administration,
  ...callers,
  ...fields,
  ...models,
  ...oauth,
  ...organisations,
  ...workFields,
};

export default words;
