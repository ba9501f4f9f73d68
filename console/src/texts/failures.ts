export const failures = {
  unreachable: 'The server cannot be reached. Check that it runs and that you are online, then try again.',
  title: 'This did not work',
  notFound: 'There is nothing at this address.',
  signInNeeded: 'Sign in to see this.',
  notAllowed: 'You are signed in, but you may not see this. An administrator can give you the right.',
  retry: 'Try again',
} as const;
