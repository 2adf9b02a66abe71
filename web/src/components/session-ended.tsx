import { useEffect, useState } from 'react';
import { later } from '../later.tsx';
import { onSessionEnded } from '../session.ts';

const SessionEndedDialog = later('SessionEndedDialog');

/** Says that somebody is logged out, over the page as it is: a form keeps what was typed. */
export function SessionEnded() {
  const [ended, setEnded] = useState<boolean>();
  useEffect(() => onSessionEnded(() => setEnded(true)), []);
  return ended !== undefined && <SessionEndedDialog ended={ended} onBack={() => setEnded(false)} />;
}
