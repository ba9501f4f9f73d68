interface Name {
  readonly use?: string | null;
  readonly text?: string | null;
  readonly family?: string | null;
  readonly given?: readonly (string | null)[] | null;
}

/** The name to show: the first, or what it is made of. */
export function toDisplayName(names: readonly (Name | null)[] | null | undefined): string {
  const name = names?.find((one) => one !== null);
  if (!name) return 'No name';
  const parts = [name.family, (name.given ?? []).filter(Boolean).join(' ')].filter(Boolean);
  return parts.length === 0 ? (name.text ?? 'No name') : parts.join(', ');
}
