/** An order file of ICD-10-CM, which is in the public domain. */
import type { Files } from './samples';

const order = (number: number, code: string, valid: '0' | '1', short: string, long: string): string =>
  `${String(number).padStart(5, '0')} ${code.padEnd(7)} ${valid} ${short.padEnd(60)} ${long}\r\n`;

export const ICD10CM: Files = {
  'icd10cm-order-2026.txt': [
    order(1, 'A00', '0', 'Cholera', 'Cholera'),
    order(
      2,
      'A000',
      '1',
      'Cholera due to Vibrio cholerae 01, biovar cholerae',
      'Cholera due to Vibrio cholerae 01, biovar cholerae',
    ),
    order(3, 'S720', '0', 'Fracture of head and neck of femur', 'Fracture of head and neck of femur'),
    order(
      4,
      'S72001',
      '0',
      'Fracture of unspecified part of neck of right femur',
      'Fracture of unspecified part of neck of right femur',
    ),
    order(
      ...([5, 'S72001A', '1', 'Fracture of unsp part of neck of right femur, init'] as const),
      'Fracture of unspecified part of neck of right femur, initial encounter for closed fracture',
    ),
  ].join(''),
  'icd10cm-order-addenda-2026.txt': 'not read',
};
