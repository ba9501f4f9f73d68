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

/** Waits for something that happens in the background; throws after half a minute. */
export async function until(check: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 30_000;
  while (!(await check())) {
    if (Date.now() > end) throw new Error('it did not come true within half a minute');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
