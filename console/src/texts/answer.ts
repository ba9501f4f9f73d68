export const answer = {
  entries: 'Entries',
  record: 'Record',
  request: 'Request',
  json: 'JSON',
  previous: 'Previous page',
  next: 'Next page',
  deleted: 'deleted',
  empty: 'The Bundle has no entries.',
} as const;
