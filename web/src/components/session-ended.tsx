import { useEffect, useState } from 'react';
import { lazyComponent } from '../lazy-components.tsx';
import { onSessionEnded } from '../session.ts';

const SessionEndedDialog = lazyComponent('SessionEndedDialog');

/** Reports an ended session over the open page, so that forms keep what was typed. */
export function SessionEnded() {
  const [ended, setEnded] = useState<boolean>();
  useEffect(() => onSessionEnded(() => setEnded(true)), []);
  return ended !== undefined && <SessionEndedDialog ended={ended} onBack={() => setEnded(false)} />;
}
