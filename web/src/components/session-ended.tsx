import { useEffect, useState } from 'react';
import { later } from '../later.tsx';
import { onSessionEnded } from '../session.ts';

const SessionEndedDialog = later('SessionEndedDialog');

/** Reports an ended session over the open page, so that forms keep what was typed. */
export function SessionEnded() {
  const [ended, setEnded] = useState<boolean>();
  useEffect(() => onSessionEnded(() => setEnded(true)), []);
  return ended !== undefined && <SessionEndedDialog ended={ended} onBack={() => setEnded(false)} />;
}
