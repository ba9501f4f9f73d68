/** What one page of a record may take. */
export const RECORD_LIMITS: Readonly<
  Record<'lookedAt' | 'followed' | 'names' | 'brought' | 'carried' | 'scanned' | 'scannedCharacters', number>
> = {
  /** Resources of the record that a page of them looks at, shown or not. */
  lookedAt: 1000,
  /** Resources that are read for such a page because another one points to them. */
  followed: 2000,
  /** What has come along and is remembered by the address of the next page; by more it would be longer than some proxies allow. */
  names: 500,
  /** What one page brings along of the rest. */
  brought: 1000,
  /** Where one page does not come to the end of the record: so many are kept in the address of the next. */
  carried: 50,
  /** Resources of the record that a page of the rest looks at, and characters of their texts. */
  scanned: 50_000,
  scannedCharacters: 64_000_000,
};
