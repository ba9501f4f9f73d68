/** SearchParameters as tenants write them. */

/** An active one; `parts` over the rest. */
export function makeParameter(id: string, parts: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return {
    resourceType: 'SearchParameter',
    id,
    url: `http://example.org/fhir/SearchParameter/${id}`,
    name: id.replace(/[^A-Za-z0-9]/g, '_'),
    status: 'active',
    description: `Searches by ${id}`,
    code: id,
    ...parts,
  };
}
