/** Returns the GraphQL name of a parameter. GraphQL names have no hyphens: `address-city` is `address_city`. */
export function toArgumentName(code: string): string {
  return code.replaceAll('-', '_');
}
