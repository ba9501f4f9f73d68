/** The summary of a patient with more measurements than it reads one by one. */
import { screen } from '@testing-library/dom';
import SummaryTab from '../../console/src/screens/resource/summary/summary-tab';
import { render } from './render';

const ACME = { tenant: 'acme', release: 'r4' } as const;

function measured(id: string, name: string, value: number): object {
  return {
    resourceType: 'Observation',
    id,
    code: { text: name },
    effectiveDateTime: '2024-05-01',
    valueQuantity: { value, unit: 'unit' },
  };
}

const PULSE = measured('pulse', 'Heart rate', 72);
const HEIGHT = measured('height', 'Body height', 171);

/** Answers the GraphQL document with one newest measurement of many, and `$lastn` with `lastn`. */
function answer(lastn: () => Response): readonly string[] {
  const asked: string[] = [];
  globalThis.fetch = (input, init) => {
    const address = input instanceof Request ? input.url : String(input);
    asked.push(address);
    if (address.includes('$lastn')) return Promise.resolve(lastn());
    const { query = '' } = JSON.parse(typeof init?.body === 'string' ? init.body : '{}') as {
      query?: string;
    };
    const names = [...query.matchAll(/(f\d+): search\(([^)]*)\)/g)];
    const data = Object.fromEntries(
      names.map(([, field = '', words = '']) => {
        const isVitals = words.includes('vital-signs');
        const edges = isVitals ? [{ node: { json: PULSE } }] : [];
        return [field, { edges, pageInfo: { hasNextPage: isVitals, endCursor: isVitals ? 'next' : null } }];
      }),
    );
    return Promise.resolve(Response.json({ data }));
  };
  return asked;
}

it('has the last value of each kind, however many newer measurements there are', async () => {
  const entry = [PULSE, HEIGHT].map((resource) => ({ resource }));
  const asked = answer(() => Response.json({ resourceType: 'Bundle', type: 'searchset', entry }));
  render(<SummaryTab space={ACME} id="ann" />);
  expect(await screen.findByText('Body height')).toBeTruthy();
  expect(screen.getAllByText('Heart rate')).toHaveLength(1);
  expect(screen.getByText(/only the last value of each kind is read here/)).toBeTruthy();
  expect(asked.filter((address) => address.includes('$lastn'))).toEqual([
    '/w/acme/api/v1/fhir/r4/Observation/$lastn?patient=Patient/ann&category=vital-signs&status:not=entered-in-error,cancelled',
  ]);
});

it('says what is missing where the server does not choose among so many', async () => {
  const issue = [{ severity: 'error', code: 'too-costly', diagnostics: 'Too many' }];
  answer(() => Response.json({ resourceType: 'OperationOutcome', issue }, { status: 422 }));
  render(<SummaryTab space={ACME} id="ann" />);
  expect(await screen.findByText('Heart rate')).toBeTruthy();
  expect(screen.getByText(/What was measured before, and not since, is missing/)).toBeTruthy();
});
