/** The oracle on compartments, `_text` and `_content` by examples, and on the targets of chains. */
import { find } from './find';
import { Unclear } from './refusal';

const div = (text: string): object => ({
  status: 'generated',
  div: `<div xmlns="x" class="hid">${text}</div>`,
});

const data = [
  { resourceType: 'Patient', id: '1', text: div('A <b>zorbal</b> &amp; more') },
  { resourceType: 'Patient', id: '2', link: [{ other: { reference: 'Patient/1' } }] },
  { resourceType: 'Practitioner', id: 'd' },
  {
    resourceType: 'Observation',
    id: 'subject',
    subject: { reference: 'Patient/1/_history/7' },
    note: [{ text: 'Quimble, seen' }],
  },
  { resourceType: 'Observation', id: 'performer', performer: [{ reference: 'Patient/1' }] },
  { resourceType: 'Observation', id: 'other', subject: { reference: 'Patient/2' } },
  { resourceType: 'Condition', id: 'c', subject: { reference: 'Patient/1' } },
  {
    resourceType: 'Observation',
    id: 'inside',
    contained: [
      { resourceType: 'Patient', id: 'p', managingOrganization: { reference: '#o' } },
      { resourceType: 'Organization', id: 'o', name: 'Acme' },
    ],
    subject: { reference: '#p' },
  },
];

it.each([
  ['Patient/1/Observation', ['subject', 'performer']],
  ['Patient/2/Observation', ['other']],
  ['Patient/1/Observation?_id=subject', ['subject']],
  ['Patient/1/*?_type=Observation,Condition', ['subject', 'performer', 'c']],
  ['Practitioner/d/Practitioner', ['d']],
  ['Patient/1/Location', 400],
  ['Patient?_text=zorbal', ['1']],
  ['Patient?_text=ZORBAL,unseen', ['1']],
  ['Patient?_text=hid', []],
  ['Observation?_text=quimble', []],
  ['Observation?_content=quimble', ['subject']],
  ['Patient?_content=zorbal', ['1']],
  ['Observation?subject.organization.name=acme', ['inside']],
  ['Observation?subject:Patient.organization:Organization.name=acme', ['inside']],
  ['Observation?performer:Patient._has:Observation:subject:_id=subject', ['performer']],
])('%s finds %j', (query, expected) => {
  expect(find(data, query)).toEqual(expected);
});

it('generates no search by the id of a contained resource', () => {
  expect(() => find(data, 'Observation?subject:Patient._id=p')).toThrow(Unclear);
});
