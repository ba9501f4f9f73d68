interface Name {
  readonly use?: string | null;
  readonly text?: string | null;
  readonly family?: string | null;
  readonly given?: readonly (string | null)[] | null;
}

/** Returns the name to show: the text of the first name, or its parts. */
export function toDisplayName(names: readonly (Name | null)[] | null | undefined): string {
  const name = names?.find((one) => one !== null);
  if (!name) return 'No name';
  const parts = [name.family, (name.given ?? []).filter(Boolean).join(' ')].filter(Boolean);
  return parts.length === 0 ? (name.text ?? 'No name') : parts.join(', ');
}
