export const failures = {
  insecure: (command: string, address: string) =>
    `Browsers let nobody sign in over http, except on localhost. Open the https address of this server, or forward a port of your machine to it, such as by "${command}", and open ${address}.`,
  unreachable: 'The server cannot be reached. Check that it runs and that you are online, then try again.',
  offline: 'This machine has no network. Try again when it is connected.',
  offlineNotice:
    'This machine has no network. What you see can be old, and nothing is saved until it is connected again.',
  title: 'This did not work',
  notFound: 'There is nothing at this address.',
  signInNeeded: 'Sign in to see this',
  signInHint: 'This server answers only those who have signed in, with an account of this tenant.',
  serverSays: 'The server says:',
  notSignedIn: 'You are not signed in',
  back: 'Go back',
  notAllowed: 'You are signed in, but you may not see this. An administrator can give you the right.',
  retry: 'Try again',
  screen: 'This screen cannot be shown',
  screenHint: 'The server may have been upgraded since this page was opened. Load the page again.',
  reload: 'Load again',
} as const;
