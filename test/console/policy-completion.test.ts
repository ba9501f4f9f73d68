/** What the editor proposes in the JSON of a policy. */
import { cursorAt } from '../../console/src/editor/scan';
import {
  policyOptions,
  typesAround,
  type PolicyKnowledge,
} from '../../console/src/screens/administration/policies/complete-policy';

const PATHS = ['Patient', 'Patient.id', 'Patient.contact', 'Patient.contact.name', 'Patient.deceased[x]'];
const KNOWLEDGE: PolicyKnowledge = {
  types: async () => ['Observation', 'Patient'],
  parameters: async (type) => (type === 'Patient' ? ['name', '_id'] : ['code', '_id']),
  definition: async () => ({ snapshot: { element: PATHS.map((path) => ({ path, short: path })) } }),
};

/** The names at the mark `|` in a text. */
async function namesAt(marked: string): Promise<readonly string[]> {
  const at = marked.indexOf('|');
  const text = marked.replace('|', '');
  const cursor = cursorAt(text, at);
  if (cursor === undefined) return [];
  return (await policyOptions(KNOWLEDGE, text, cursor)).map(({ name }) => name);
}

it.each([
  ['members of a policy', '{"rules": [], |', ['operations', 'hidden', 'readOnly']],
  ['members of a rule', '{"rules": [{"types": [], "|', ['interactions', 'criteria']],
  ['types', '{"rules": [{"types": ["|"]}]}', ['*', 'Observation', 'Patient']],
  ['interactions', '{"rules": [{"interactions": "|', ['r', 'rs', 'crus', 'cruds', 'cu', 'cud']],
  ['search parameters of the types', '{"rules": [{"criteria": ["|"], "types": ["Patient"]}]}', ['name=', '_id=']],
  ['those of all types of a rule', '{"rules": [{"types": ["Patient", "Observation"], "criteria": ["|', ['_id=']],
  ['the next parameter', '{"rules": [{"types": ["Patient"], "criteria": ["_id=1&|', ['_id=1&name=', '_id=1&_id=']],
  ['the types of elements', '{"hidden": ["|', ['Observation.', 'Patient.']],
  ['the elements of a type', '{"hidden": ["Patient.|', ['Patient.contact', 'Patient.deceased[x]']],
  ['the elements below one', '{"readOnly": ["Patient.contact.|', ['Patient.contact.name']],
  ['nothing elsewhere', '{"rules": [{"types": ["*"]}], "other": "|', []],
])('%s are proposed', async (_what, text, names) => {
  expect(await namesAt(text)).toEqual(names);
}); // prettier-ignore

it('the types of a rule are those of the rule around the cursor', () => {
  const text = '{"rules": [{"types": ["A"]}, {"types": ["B", "C"], "criteria": [""]}, {"types": ["D"]}]}';
  expect(typesAround(text, text.indexOf('""'))).toEqual(['B', 'C']);
});
