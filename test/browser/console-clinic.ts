/** A server in open mode with a tenant that has two patients and a practitioner, for tests of its administration. */
import type { Page } from 'playwright-core';
import { startServer, type TestServer } from '../support/server';

export const TENANT = 'clinic';

/** Path of a screen of the administration of the tenant; without `screen` that of its overview. */
export const administrationOf = (screen = ''): string =>
  `/w/system/console/administration/${TENANT}${screen}`;

export async function startClinic(environment: Readonly<Record<string, string>>): Promise<TestServer> {
  const server = await startServer({ environment: { GRAPHQL_WARM: 'r4', ...environment } });
  await server.createTenant(TENANT);
  for (const [type, id, more] of [
    ['Patient', 'ann', { name: [{ family: 'Archer', given: ['Ann'] }], birthDate: '1984-03-07' }],
    ['Patient', 'ben', { name: [{ family: 'Baker', given: ['Ben'] }], birthDate: '1990-11-21' }],
    ['Practitioner', 'doc', { name: [{ family: 'Doe', given: ['Dora'] }] }],
  ] as const) {
    const resource = { resourceType: type, id, ...more };
    const { status, text } = await server.request(
      'PUT',
      `${server.path(TENANT, 'r4')}/${type}/${id}`,
      resource,
    );
    if (status !== 201) throw new Error(text);
  }
  return server;
}

/** A text that a screen gives to copy. */
export async function readLine(page: Page, what: string): Promise<string> {
  return (await page.getByRole('group', { name: what, exact: true }).locator('pre').textContent()) ?? '';
}
