import { FormDialog } from '../../components/form-dialog.tsx';
import { usePost } from '../../idempotent-post.ts';
import { t } from '../../language/words.ts';
import { useCheckedForm } from '../../use-checked-form.ts';
import { OrganisationFields } from './organisation-fields.tsx';
import { ownTimeZone } from './organisation-words.ts';

const initial = { name: '', time_zone: ownTimeZone(), balance: 'own' };
type Fields = typeof initial;

const faultsOf = ({ name }: Fields): { name?: string } =>
  name.trim() === '' ? { name: t('Give the organisation a name.') } : {};

interface NewOrganisationProps {
  onClose: () => void;
  onDone: (id: number) => Promise<unknown>;
}

/** Mounted only while the dialog is open. */
export function NewOrganisation({ onClose, onDone }: NewOrganisationProps) {
  const post = usePost();
  const make = async ({ name, time_zone, balance }: Fields) => {
    const body = { name: name.trim(), time_zone, balance: balance === 'shared' ? 'shared' : 'own' } as const;
    await onDone((await post('/api/organisations', { body })).id);
  };
  const { fields, faults, set, sending } = useCheckedForm(initial, faultsOf, make);
  return (
    <FormDialog
      onClose={onClose}
      title={t('New organisation')}
      {...sending}
      failure={t('The organisation was not created')}
      submitLabel={t('Create organisation')}
    >
      <OrganisationFields
        of={fields}
        nameFault={faults.name}
        zoneNote={t('Budget days, weeks and months start in this time zone')}
        set={set}
      />
    </FormDialog>
  );
}
