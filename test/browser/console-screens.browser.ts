/// <reference lib="dom" />
/** Every screen of the console on the data of the quick start, for people with a screen reader, a keyboard or a phone. */
import { FHIR, IDA, openExamples, type Examples } from './console-examples';
import { findBarriers, findCut, findHiddenFocus, isTooWide, openConsole } from './console-page';

let examples: Examples;
beforeAll(async () => {
  examples = await openExamples();
});
afterAll(() => examples.close());

const SCREENS = {
  start: '/',
  types: FHIR,
  search: `${FHIR}/Patient?name=a`,
  observations: `${FHIR}/Observation?_count=20`,
  summary: IDA,
  reading: `${IDA}#read`,
  timeline: `${IDA}#timeline`,
  measurements: `${IDA}#charts`,
  chart: `${IDA}#charts/http%3A%2F%2Floinc.org%7C2339-0`,
  references: `${IDA}#references`,
  history: `${IDA}#history`,
  JSON: `${IDA}#json`,
  editor: `${IDA}#edit`,
  'a new record': `${FHIR}/Patient#new`,
  'a large record': `${FHIR}/Bundle/father`,
  terminology: '/w/system/console/r4/terminology',
  'the REST console': '/w/system/console/r4/rest',
  'a code system': '/w/system/console/r4/terminology/CodeSystem/administrative-gender',
  'a value set': '/w/system/console/r4/terminology/ValueSet/administrative-gender',
  'a code that is not loaded': '/w/system/console/r4/terminology?system=http%3A%2F%2Floinc.org&code=8867-4',
  server: '/w/system/console/server',
  'searches and limits': '/w/system/console/server/searches',
  'all Subscriptions': '/w/system/console/server/subscriptions',
  'all jobs': '/w/system/console/server/jobs',
  'settings in force': '/w/system/console/server/settings',
  answer: `${FHIR}/_history?_count=3`,
  'a missing record': `${FHIR}/Patient/nobody`,
};

it.each(Object.entries(SCREENS))(
  'people with a screen reader or a phone can use: %s',
  async (_name, path) => {
    const desk = { viewport: { width: 1280, height: 860 } };
    for (const options of [
      { ...desk, colorScheme: 'light' },
      { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
    ] as const) {
      const shown = await openConsole(examples.browser, examples.server.base, options);
      try {
        await shown.goTo(path);
        await shown.settle();
        expect(await findBarriers(shown.page)).toEqual([]);
        expect(await isTooWide(shown.page)).toBe(false);
        if (options.colorScheme === 'dark') expect(await findCut(shown.page)).toEqual([]);
        if (options.colorScheme === 'light') expect(await findHiddenFocus(shown.page)).toEqual([]);
        expect(shown.faults).toEqual([]);
      } finally {
        await shown.close();
      }
    }
  },
);
