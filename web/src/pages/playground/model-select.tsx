import { ModelPicker } from '../../components/model-picker.tsx';
import { t } from '../../language/words.ts';
import { isChat } from '../../models.ts';

interface ModelSelectProps {
  label?: string;
  value: string;
  onChange: (model: string) => void;
}

/** Every chat model. One named by a shared address stays chosen, also when this user may not call it: the answer will say so. */
export function ModelSelect({ label = t('Model'), value, onChange }: ModelSelectProps) {
  return <ModelPicker className="svc-chat-model" aria-label={label} fits={isChat} value={value} onChange={onChange} />;
}
