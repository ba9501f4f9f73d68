import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A folder of HL7's public test cases (`fhirpath`, `validator`), below the one that `HL7_CASES` names.
 *
 * **Throws** when `HL7_CASES` is unset or does not contain the folder.
 */
export function hl7CasesFolder(name: string): string {
  const root = process.env['HL7_CASES'];
  if (!root) throw new Error('HL7_CASES must name the folder of the test cases; see CONTRIBUTING.md');
  const folder = join(root, name);
  if (!existsSync(folder)) throw new Error(`${folder} does not exist; HL7_CASES is '${root}'`);
  return folder;
}
