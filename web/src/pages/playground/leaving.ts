let left = false;

// The page loses its connections before it is told to go: what breaks off then was not the network's fault.
if (typeof window !== 'undefined')
  window.addEventListener('beforeunload', () => {
    left = true;
    // Whoever was asked whether to go may have stayed.
    setTimeout(() => {
      left = false;
    }, 1_000);
  });

export const isLeaving = (): boolean => left;
