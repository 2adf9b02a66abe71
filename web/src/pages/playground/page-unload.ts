let left = false;

// Browsers close connections before they unload the page: such errors are not network failures.
if (typeof window !== 'undefined')
  window.addEventListener('beforeunload', () => {
    left = true;
    // The user may have cancelled leaving.
    setTimeout(() => {
      left = false;
    }, 1_000);
  });

export const isUnloading = (): boolean => left;
