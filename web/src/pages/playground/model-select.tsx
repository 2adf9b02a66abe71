import { ModelPicker } from '../../components/model-picker.tsx';
import { t } from '../../language/words.ts';
import { isChat } from '../../models.ts';

interface ModelSelectProps {
  label?: string;
  value: string;
  onChange: (model: string) => void;
}

/**
 * Offers every chat model. A model from a shared link stays selected even if this user may not call it: the answer will
 * contain the error.
 */
export function ModelSelect({ label = t('Model'), value, onChange }: ModelSelectProps) {
  return <ModelPicker className="svc-chat-model" aria-label={label} fits={isChat} value={value} onChange={onChange} />;
}
