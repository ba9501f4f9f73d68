export const editing = {
  jsonOf: (record: string) => `JSON of ${record}`,
  find: 'Find in the text',
  findNext: 'Next place',
  findPrevious: 'Previous place',
  foundNone: 'Not found',
  found: (index: number, count: number) => `${index} of ${count}`,
  foldAll: 'Fold all',
  unfoldAll: 'Unfold all',
  download: 'Download',
  copyJson: 'JSON',

  actions: 'Actions',
  edit: 'Edit',
  validate: 'Validate',
  remove: 'Delete',
  more: 'More',
  moreActions: 'More actions',
  copyLink: 'Copy the link',
  copyCurl: 'Copy as curl',
  openRaw: 'Open the raw JSON',
  unsaved: 'You have unsaved changes of this record.',
  continueEditing: 'Continue editing',

  validationTitle: (record: string) => `Validation of ${record}`,
  valid: 'The server found no faults.',
  issuesOf: { fatal: 'Fatal', error: 'Errors', warning: 'Warnings', information: 'Notes' },
  issueCount: (count: number) => (count === 1 ? '1 finding' : `${count} findings`),
  goTo: (expression: string) => `Go to ${expression}`,
  notJson: (reason: string) => `The text is not JSON: ${reason}`,
  notObject: 'The text must be one JSON object: { … }',

  editorOf: (record: string) =>
    `JSON of ${record}. Control and Space proposes names and codes, Control and S saves. Press Escape, then Tab to leave the editor.`,
  keys: 'Ctrl+Space proposes names and codes, Ctrl+S saves. Esc, then Tab leaves the editor.',
  restoredDraft: 'These are your unsaved changes from before.',
  draftIsOld: (draft: string, now: string) =>
    `You began with version ${draft}; version ${now} is the current one. Saving will show you the difference.`,
  discard: 'Discard my changes',
  unchanged: 'No changes',
  changed: 'Unsaved changes',
  create: 'Create',
  saved: (version: string) => `Version ${version} is saved.`,
  show: 'Show the record',
  hasErrors:
    'The server finds errors in this text, so it has not been saved. Correct them, or save it anyway if you know why; the server may still refuse it.',
  saveAnyway: 'Save anyway',
  refused: 'The server did not save this',

  newTitle: (type: string) => `New ${type}`,
  newHint: 'The server chooses the id, unless you write one.',
  created: (record: string) => `${record} is created.`,
  exists: (record: string) => `${record} exists already. Choose another id, or edit that record.`,

  conflictTitle: (version: string) => `Somebody else saved version ${version} meanwhile`,
  conflictDeleted: 'Somebody else deleted this record meanwhile',
  conflictText: (base: string, version: string) =>
    `You began with version ${base}. Nothing of yours is saved or lost yet. What only one of you has changed is joined (version ${version} with yours); where both have changed the same, you choose.`,
  mergeClean: 'Your changes and theirs are of different elements: they can be joined.',
  mergeOpen: (open: number, all: number) =>
    open === 0
      ? `You have chosen in all ${all === 1 ? 'places' : `${all} places`} that both of you changed.`
      : `Both of you changed the same in ${all === 1 ? '1 place' : `${all} places`}; ${open} to choose.`,
  wholeRecord: 'The whole record',
  before: 'Before:',
  both: 'Both, one after the other',
  theirChanges: (version: string) => `What version ${version} changed`,
  begunWith: 'What you began with',
  mergeResult: (version: string) => `What the joined text changes in version ${version}`,
  merged: 'Joined text',
  takeMerged: 'Put the joined text into the editor',
  conflictDeletedText:
    'Nothing of yours is lost. You can save your text as the next version; the record exists again then.',
  lookAt: (version: string) => `Look at version ${version}`,
  copyMine: 'Copy my text',
  discardMine: 'Discard my text and load this version',
  overwrite: (version: string) => `Overwrite version ${version} with my text`,
  saveDeleted: 'Save my text as the next version',
  yours: 'Your text',

  deleteTitle: (record: string) => `Delete ${record}?`,
  deleteText: 'It will not be found any more. Its history stays, and it can be restored.',
  deleteConfirm: (record: string) => `Delete ${record}`,
  deleteConflict:
    'Somebody else changed this record since you opened it. Look at the current version, then decide again.',
  deleteReferenced:
    'Other records refer to this one, and this tenant refuses to delete such records. Change or delete those first:',
} as const;
