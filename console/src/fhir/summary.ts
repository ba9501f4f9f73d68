/**
 * What a patient's summary shows: the sections that every summary of a patient has (hl7.org/fhir/uv/ips), each as searches
 * and columns. Records that were entered in error or that say "this is not so" are left out by the searches.
 */
import { isArray, isObject, objectsOf, textOf, type JsonObject } from '../api/json';
import { choiceText } from './choice';
import { formatValue } from './format';

export type SectionName =
  'problems' | 'allergies' | 'medications' | 'immunizations' | 'vitals' | 'encounters' | 'documents';

export type SummaryColumn = 'state' | 'since' | 'on' | 'criticality' | 'reactions' | 'dose' | 'kind';

export interface SummarySection {
  readonly name: SectionName;
  /** What its rows are, by type; each is a search of the patient's records. */
  readonly searches: readonly { readonly type: string; readonly query: string; readonly first: number }[];
  /** Criteria of `Observation/$lastn`, which finds the last value of each code where the searches do not reach back to it. */
  readonly lasts?: string;
  /** Beside the name of a record. None: the section is a table of measurements. */
  readonly columns: readonly SummaryColumn[];
}

const IN_ERROR = 'status:not=entered-in-error';
/** A record without a state is shown: nobody has said that it is over. */
const LASTS =
  'clinical-status:not=inactive,remission,resolved&verification-status:not=refuted,entered-in-error';

const VITALS = 'category=vital-signs&status:not=entered-in-error,cancelled';

export const SUMMARY: readonly SummarySection[] = [
  {
    name: 'problems',
    searches: [
      { type: 'Condition', query: `${LASTS}&_sort=-recorded-date,-onset-date,-_lastUpdated`, first: 50 },
    ],
    columns: ['state', 'since'],
  },
  {
    name: 'allergies',
    searches: [
      {
        type: 'AllergyIntolerance',
        query: `${LASTS}&_sort=criticality,-date,-onset,-_lastUpdated`,
        first: 50,
      },
    ],
    columns: ['criticality', 'reactions', 'state'],
  },
  {
    name: 'medications',
    searches: [
      { type: 'MedicationRequest', query: 'status=active,on-hold,unknown&_sort=-authoredon', first: 50 },
      {
        type: 'MedicationStatement',
        query: 'status=active,intended,on-hold,unknown&_sort=-effective',
        first: 50,
      },
    ],
    columns: ['dose', 'state', 'since'],
  },
  {
    name: 'immunizations',
    searches: [{ type: 'Immunization', query: 'status=completed&_sort=-date', first: 30 }],
    columns: ['on'],
  },
  {
    name: 'vitals',
    searches: [
      {
        type: 'Observation',
        query: `${VITALS}&_sort=-date`,
        first: 200,
      },
    ],
    lasts: VITALS,
    columns: [],
  },
  {
    name: 'encounters',
    searches: [{ type: 'Encounter', query: `${IN_ERROR}&_sort=-date`, first: 10 }],
    columns: ['kind', 'state', 'on'],
  },
  {
    name: 'documents',
    searches: [
      {
        type: 'DocumentReference',
        query: 'status:not=superseded,entered-in-error&_sort=-date',
        first: 10,
      },
    ],
    columns: ['state', 'on'],
  },
];

const codes = (value: JsonObject[string] | undefined): string =>
  isArray(value) ? value.map((each) => formatValue(each)).join(', ') : formatValue(value);

function reactionsOf(record: JsonObject): string {
  const signs = objectsOf(record['reaction']).flatMap(({ manifestation, severity }) => {
    const words = codes(manifestation);
    const how = textOf(severity);
    return words === '' ? [] : [how === undefined ? words : `${words} (${how})`];
  });
  return signs.join('; ');
}

/** The first of the dates that a record has, as a text; the elements stand in the order of what they say of it. */
function dateIn(record: JsonObject, names: readonly string[]): string {
  return names.map((name) => formatValue(record[name]) || choiceText(record, name)).find(Boolean) ?? '';
}

const CELLS: Readonly<Record<SummaryColumn, (record: JsonObject) => string>> = {
  state: (record) => formatValue(record['clinicalStatus']) || formatValue(record['status']),
  since: (record) => dateIn(record, ['onset', 'effective', 'authoredOn', 'recordedDate', 'dateAsserted']),
  on: (record) => dateIn(record, ['occurrence', 'period', 'date']),
  criticality: (record) => formatValue(record['criticality']),
  reactions: reactionsOf,
  dose: (record) => codes(record['dosageInstruction'] ?? record['dosage']),
  kind: (record) => formatValue(isObject(record['class']) ? record['class'] : undefined),
};

/** The text of a column; '' where the record does not say it. */
export function summaryCell(record: JsonObject, column: SummaryColumn): string {
  return CELLS[column](record);
}

/** What must be seen of an allergy at once: a severe reaction was seen, or one may be able to kill. */
export function dangerOf(record: JsonObject): 'severe' | 'highRisk' | undefined {
  if (objectsOf(record['reaction']).some(({ severity }) => severity === 'severe')) return 'severe';
  return record['criticality'] === 'high' ? 'highRisk' : undefined;
}
