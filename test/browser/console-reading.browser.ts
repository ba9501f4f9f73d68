/// <reference lib="dom" />
/** A record in the console on the data of the quick start: read, compared, changed and deleted. Pictures of the docs come from here. */
import type { TestServer } from '../support/server';
import { FHIR, IDA, openExamples, type Examples } from './console-examples';
import { findBarriers, heading, retype, tab, takePicture } from './console-page';

const GLUCOSE = 'Glucose [Mass/volume] in Blood';

let server: TestServer;
let onScreen: Examples['onScreen'];
let close: Examples['close'];
beforeAll(async () => {
  ({ server, onScreen, close } = await openExamples());
});
afterAll(() => close());

/** A change by a program. */
async function patch(path: string, operations: readonly object[]): Promise<void> {
  const { status, text } = await server.request('PATCH', path, operations, {
    'content-type': 'application/json-patch+json',
  });
  if (status !== 200) throw new Error(text);
}

it('a patient begins with a summary, which prints without anything to click', () =>
  onScreen(IDA, async ({ page }) => {
    const region = (name: string) => page.getByRole('region', { name, exact: true });
    await region('Problems').getByRole('link', { name: 'Diabetes mellitus type 2' }).waitFor();
    await region('Vital signs').getByRole('row').nth(1).waitFor();
    await region('Immunizations').getByText('No immunizations are recorded.').waitFor();
    await takePicture(page, 'summary');
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('navigation').isVisible()).toBe(false);
    expect(await page.getByRole('tablist').isVisible()).toBe(false);
    expect(await page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false);
    expect(await page.getByRole('button', { name: /^Copy/ }).count()).toBe(0);
    expect(await heading(page, 'Ida Anders').isVisible()).toBe(true);
    expect(await page.getByText(/^Printed on /).isVisible()).toBe(true);
  }));

it('a patient is read with labels, names of references, timeline and JSON with all digits', () =>
  onScreen(IDA, async ({ page }) => {
    await heading(page, 'Ida Anders').waitFor();
    await tab(page, 'Read').click();
    await page.getByRole('link', { name: 'Andiron Demo Clinic' }).waitFor();
    await takePicture(page, 'patient');
    await tab(page, 'Timeline').click();
    await page.getByRole('link', { name: GLUCOSE }).first().waitFor();
    await takePicture(page, 'timeline');
    await tab(page, 'References').click();
    await heading(page, 'Condition through subject', 3).waitFor();
    await page.getByRole('link', { name: 'Diabetes mellitus type 2' }).click();
    await heading(page, /Diabetes mellitus type 2/).waitFor();
    await page.goto(`${server.base}${FHIR}/Observation/demo-ida-hba1c-1#json`);
    await page.getByText('8.').first().waitFor();
    const { text } = await server.request('GET', `${FHIR}/Observation/demo-ida-hba1c-1`);
    const [, value = ''] = /"value":([\d.]+)/.exec(text) ?? [];
    await page.getByText(value).first().waitFor();
  }));

it('a person finds the glucose of a patient as a chart and as a table', () =>
  onScreen(IDA, async ({ page }) => {
    await tab(page, 'Charts').click();
    await page.getByRole('searchbox', { name: 'Find a measurement' }).fill('glucose');
    await page.getByRole('link', { name: GLUCOSE }).click();
    await page.getByRole('img', { name: `${GLUCOSE} over time, in mg/dL` }).waitFor();
    await takePicture(page, 'chart');
    await page.locator('.recharts-line-dot').nth(1).hover();
    await page.getByText('160.0 mg/dL').waitFor();
    await page.getByRole('button', { name: 'Show the values as a table' }).click();
    // 52 values and the head.
    await page.getByRole('row').nth(52).waitFor();
    await page.getByText('160.0').first().waitFor();
  }));

it('a person sees who changed what, compares two versions and restores one', async () => {
  await patch(`${FHIR}/Patient/demo-jonas`, [
    { op: 'replace', path: '/birthDate', value: '1917-11-30' },
    { op: 'replace', path: '/address/0/city', value: 'Odense C' },
  ]);
  await onScreen(`${FHIR}/Patient/demo-jonas`, async ({ page }) => {
    await tab(page, 'History').click();
    const versions = page.getByRole('table', { name: 'Versions, newest first' });
    await versions.getByRole('row', { name: /^Version 2 current .* birthDate/ }).waitFor();
    await page
      .getByRole('table', { name: /compar|differ|change/i })
      .getByText('1917')
      .first()
      .waitFor();
    await takePicture(page, 'history');
    await versions
      .getByRole('row', { name: /^Version 1 / })
      .getByRole('button', { name: /Restore/ })
      .click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Restore/ })
      .click();
    await versions.getByRole('row', { name: /^Version 3 current/ }).waitFor();
  });
  const { json } = await server.request('GET', `${FHIR}/Patient/demo-jonas`);
  expect(json).toMatchObject({ birthDate: '1971-11-30', meta: { versionId: '3' } });
});

it('a person who looks at a record learns at once that somebody else has saved it', () =>
  onScreen(FHIR, async ({ page }) => {
    const path = `${FHIR}/Observation/demo-ida-hba1c-2`;
    const bar = page.getByRole('status').filter({ hasText: 'Version 2 was saved' });
    const watching = page.waitForResponse((response) => response.url().endsWith('/stream'));
    await page.goto(server.base + path);
    await watching;
    await page.getByText('Version 1, updated').waitFor();
    await patch(path, [{ op: 'replace', path: '/status', value: 'amended' }]);
    await bar.getByRole('button', { name: 'Show it' }).click();
    await page.getByText('Version 2, updated').waitFor();
    await bar.waitFor({ state: 'detached' });
  }));

it('a machine without a network is told so in words, and what failed can be tried again', () =>
  onScreen(IDA, async ({ page }) => {
    const problem = page.getByRole('link', { name: 'Diabetes mellitus type 2' });
    await problem.waitFor();
    await page.context().setOffline(true);
    await page.getByText('What you see can be old').waitFor();
    await problem.click();
    await page.getByText('This machine has no network. Try again').first().waitFor();
    await page.context().setOffline(false);
    await page.getByText('What you see can be old').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await heading(page, /Diabetes mellitus type 2/).waitFor();
  }));

it('a deleted record says so, and comes back', async () => {
  const path = `${FHIR}/Observation/demo-defne-weight-1`;
  await onScreen(path, async ({ page }) => {
    await page.getByRole('button', { name: 'Delete' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Delete/ })
      .click();
    await page
      .getByRole('button', { name: /Restore/ })
      .first()
      .waitFor();
    expect((await server.request('GET', path)).status).toBe(410);
    await page.reload();
    await page
      .getByRole('button', { name: /Restore/ })
      .first()
      .click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Restore/ })
      .click();
    await tab(page, 'Read').waitFor();
  });
  expect((await server.request('GET', path)).status).toBe(200);
});

it('a record to which others refer is not deleted where the tenant forbids it, and the dialog names them', async () => {
  await server.app.core.tenants.create('kept', { 'referential-integrity': 'on-write-and-delete' });
  const kept = '/w/kept/api/v1/fhir/r4';
  const basic = {
    resourceType: 'Basic',
    id: 'note',
    code: { text: 'a note' },
    subject: { reference: 'Patient/ann' },
  };
  for (const resource of [{ resourceType: 'Patient', id: 'ann' }, basic])
    await server.request('PUT', `${kept}/${resource.resourceType}/${resource.id}`, resource);
  await onScreen(`${kept}/Patient/ann`, async ({ page }) => {
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: /Delete/ }).click();
    const refusal = dialog.getByRole('alert');
    await refusal.getByText('Basic/note').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await heading(page, /ann/).waitFor();
  });
});

it('an edit is validated, stays over a reload, and is joined with the change of somebody else', async () => {
  const path = `${FHIR}/Patient/demo-defne`;
  await onScreen(path, async ({ page }) => {
    await page.getByRole('link', { name: 'Edit' }).click();
    const editor = page.getByRole('textbox', { name: /^JSON of Patient\/demo-defne/ });
    const before = JSON.stringify((await server.request('GET', path)).json, undefined, 2);
    await retype(page, editor, before.replace('"female"', '"femal"'));
    await page.getByRole('tabpanel').getByRole('button', { name: 'Validate' }).click();
    await page.getByText('Patient.gender').first().waitFor();
    await takePicture(page, 'edit');
    await retype(page, editor, before.replace('"Vejle"', '"Kolding"'));
    page.on('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByText('These are your unsaved changes from before.').waitFor();
    await patch(path, [
      { op: 'replace', path: '/active', value: false },
      { op: 'replace', path: '/address/0/city', value: 'Odense' },
    ]);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const conflict = page.getByRole('alert');
    await conflict.getByText('Both of you changed the same in 1 place; 1 to choose.').waitFor();
    const take = conflict.getByRole('button', { name: 'Put the joined text into the editor' });
    expect(await take.isDisabled()).toBe(true);
    await conflict.getByRole('radio', { name: 'Your text' }).check();
    await takePicture(page, 'conflict');
    expect(await findBarriers(page)).toEqual([]);
    await take.click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Version 3 is saved.').waitFor();
  });
  expect((await server.request('GET', path)).json).toMatchObject({
    ...{ meta: { versionId: '3' }, active: false, address: [{ city: 'Kolding' }] },
  });
});
