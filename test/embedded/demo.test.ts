import { readDemo } from '../support/examples';
import { openSharedServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

it.each(TESTED_RELEASES)('the records of the demo are valid under %s, without a warning', async (release) => {
  const server = await openSharedServer();
  const root = server.path('system', release);
  try {
    const found = [];
    for (const { type, id, text } of readDemo()) {
      const { json } = await server.request('POST', `${root}/${type}/$validate`, text, {
        'content-type': 'application/fhir+json',
      });
      const issues = json.issue as readonly { severity: string; diagnostics: string }[];
      const bad = issues.filter(({ severity }) => severity !== 'information');
      if (bad.length > 0) found.push([id, bad]);
    }
    expect(found).toEqual([]);
  } finally {
    await server.close();
  }
});
