/** Limits for one page of a record. */
export const RECORD_LIMITS: Readonly<
  Record<
    | 'read'
    | 'followed'
    | 'names'
    | 'included'
    | 'carried'
    | 'scanned'
    | 'scannedCharacters'
    | 'members'
    | 'parts'
    | 'membersOfGroup'
    | 'membersOfExport'
    | 'charactersOfMember'
    | 'groups',
    number
  >
> = {
  /** Resources of the record that a page reads, shown or not. */
  read: 1000,
  /** Resources that such a page reads because others refer to them. */
  followed: 2000,
  /** Names of included resources in a cursor; with more, its URL would be too long for some proxies. */
  names: 500,
  /** Resources that one page of the rest includes. */
  included: 1000,
  /** Candidates in the cursor of a page that has not reached the end of the record. */
  carried: 50,
  /** Resources of the record that a page of the rest scans, and characters of their texts. */
  scanned: 50_000,
  scannedCharacters: 64_000_000,
  /** Members of a Group whose records are read together, and how often a page does so: a statement for each type. */
  members: 25,
  parts: 8,
  /** Entries of `member` of a Group, and of those in it, whose record can be read page by page; each page reads them. */
  membersOfGroup: 100_000,
  /** The same for an export, which reads them once. */
  membersOfExport: 1_000_000,
  /** Characters that the Groups may have for each such entry of the limit: a Group may be long without members. */
  charactersOfMember: 640,
  /** Groups inside of a Group; each is a read. */
  groups: 1_000,
};
