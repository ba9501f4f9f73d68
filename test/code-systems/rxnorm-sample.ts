/** A release of RxNorm, which is in the public domain, in its format. */
import type { Files } from './samples';

type Row = readonly string[];

const rrf = (...rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.join('|')}|\n`).join('');
/** @param row concept, atom, source, term type, name, suppression */
const atom = ([concept = '', id = '', source = '', type = '', name = '', suppressed = '']: Row): Row => [
  ...[
    concept,
    'ENG',
    '',
    '',
    '',
    '',
    '',
    id,
    '',
    concept,
    '',
    source,
    type,
    concept,
    name,
    '',
    suppressed,
    '4096',
  ],
];
/** `second` is what `rela` says to `first`. */
const relation = (first: string, rela: string, second: string, source = 'RXNORM'): Row => [
  ...[first, '', 'CUI', 'RO', second, '', 'CUI', rela, '1', '', source, source, '', '', '', '4096'],
];

export const RXNORM: Files = {
  'rrf/RXNCONSO.RRF': rrf(
    atom(['161', '1', 'RXNORM', 'IN', 'acetaminophen', 'N']),
    atom(['161', '2', 'MTHSPL', 'SU', 'ACETAMINOPHEN', 'N']),
    atom(['313782', '3', 'RXNORM', 'PSN', 'acetaminophen 325 MG Oral Tablet (name to prescribe)', 'N']),
    atom(['313782', '4', 'RXNORM', 'SCD', 'acetaminophen 325 MG Oral Tablet', 'N']),
    atom(['313782', '5', 'RXNORM', 'SY', 'APAP 325 MG Oral Tablet', 'N']),
    atom(['92584', '6', 'RXNORM', 'BN', 'Old Brand', 'O']),
    atom(['7', '7', 'GS', 'CD10', 'of another source', 'N']),
  ),
  'rrf/RXNREL.RRF': rrf(
    relation('161', 'has_ingredient', '313782'),
    relation('313782', 'ingredient_of', '161'),
    relation('161', 'has_active_moiety', '313782', 'MTHSPL'),
  ),
  'rrf/RXNSAT.RRF': rrf(
    ['313782', '', '', '4', 'AUI', '313782', '1', '', 'NDC', 'RXNORM', '00045049660', 'N', '4096'],
    ['313782', '', '', '4', 'AUI', '313782', '2', '', 'LABELER', 'MTHSPL', 'Somebody', 'N', '4096'],
  ),
  'rrf/RXNSTY.RRF': rrf(['313782', 'T200', 'A1.3.3', 'Clinical Drug', '', '256']),
  'rrf/RXNSAB.RRF': rrf([
    ...[
      '',
      'C4048142',
      'RXNORM_20AA_260706F',
      'RXNORM',
      'RxNorm',
      'RXNORM',
      '20AA_260706F',
      '',
      '',
      '',
      '',
      '',
    ],
    ...['', '0', '', '', '', '', '', 'ENG', 'UTF-8', 'Y', 'Y', 'RXNORM', ''],
  ]),
  'prescribe/rrf/RXNCONSO.RRF': 'not read',
};
