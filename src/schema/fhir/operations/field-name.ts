/** Converts a code to a part of a field name: `validate-code` to `ValidateCode`. */
export function toFieldName(code: string): string {
  return code
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
