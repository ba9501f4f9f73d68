/** Texts of the screens of policies. */
export const administrationPolicies = {
  intro:
    'A policy restricts clients beyond their scopes: to types, to records that match a search, and to elements. A client without policies is restricted by its scopes alone.',
  caption: 'Policies of this tenant',
  empty: 'There is no policy yet.',
  name: 'Name',
  newName: 'Name of the new policy',
  newNameHint: '1 to 64 of A-Z, a-z, 0-9, and . _ -',
  open: 'New policy',
  rules: 'Rules',
  rule: (interactions: string, types: string, criteria: string) =>
    `${interactions} on ${types}${criteria === '' ? '' : ` where ${criteria}`}`,
  more: (count: number) => `and ${count} more types`,
  usedBy: 'Used by',
  nobody: 'Nobody',
  hidden: 'Hidden elements',
  definition: 'Definition',
  definitionHint:
    'JSON; Ctrl-Space proposes what may stand at the cursor. The server checks types, searches, elements and operations before it stores a policy. A change applies within 2 seconds, also to tokens that exist.',
  isNew: 'This policy does not exist yet.',
  examples: 'Begin with an example',
  exampleNames: {
    ward: 'Laboratory results only',
    own: 'Encounters of the person who signs in',
    hidden: 'Everything without notes and contacts',
    read: 'Read everything, change nothing',
  },
  notJson: (reason: string) => `This is not JSON: ${reason}`,
  conflictTitle: 'Somebody else has changed this policy',
  conflict: 'It was not saved. Copy what you have written if you need it, then load the policy as it is now.',
  load: 'Load the policy as it is now',
  remove: 'Remove the policy',
  removeTitle: (name: string) => `Remove the policy ${name}?`,
  removeWords: 'A client that refers to a policy which does not exist is not allowed anything by it.',
} as const;
