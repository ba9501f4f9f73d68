/** The summary of a patient. */
export const summary = {
  title: 'Summary',
  sections: {
    problems: 'Problems',
    allergies: 'Allergies and intolerances',
    medications: 'Medications',
    immunizations: 'Immunizations',
    vitals: 'Vital signs',
    encounters: 'Encounters',
    documents: 'Documents',
  },
  /** "None are recorded" is no statement that there are none. */
  empty: {
    problems: 'No current problems are recorded.',
    allergies: 'No allergies are recorded. This does not say that the patient has none.',
    medications: 'No current medications are recorded.',
    immunizations: 'No immunizations are recorded.',
    vitals: 'No vital signs with numbers are recorded.',
    encounters: 'No encounters are recorded.',
    documents: 'No documents are recorded.',
  },
  columns: {
    name: 'What',
    state: 'Status',
    since: 'Since',
    on: 'On',
    criticality: 'Criticality',
    reactions: 'Reactions',
    dose: 'Dosage',
    kind: 'Kind',
  },
  refused: (types: string) => `You may not read ${types} here, so this section can be incomplete.`,
  bounded: (shown: number) => `Only the newest ${shown} are shown.`,
  boundedWithLasts: (most: number) =>
    `Of measurements before the newest ${most}, only the last value of each kind is read here: see Charts for the others.`,
  boundedValues: (most: number) =>
    `Only the newest ${most} measurements are read here. What was measured before, and not since, is missing: see Charts.`,
  all: (type: string) => `All ${type} records`,
  danger: { severe: 'severe', highRisk: 'high risk' },
  print: 'Print',
  printed: (time: string) => `Printed on ${time}`,
} as const;
