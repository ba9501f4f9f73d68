// Writes test/core/fhir/terminology/published-expansions.json: the number and a digest of the codes of each value set that
// HL7 publishes expanded, so that the tests have this oracle without 48 MB of packages.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RELEASES, installPackages, readPackage } from './definitions/packages.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

function addCodes(contains, codes) {
  for (const element of contains ?? []) {
    if (element.code !== undefined) codes.add(`${element.system} ${element.code}`);
    addCodes(element.contains, codes);
  }
  return codes;
}

installPackages();

const published = {};
for (const release of RELEASES) {
  const digests = {};
  for (const { resource } of readPackage(release.expansions)) {
    const codes = [...addCodes(resource.expansion?.contains, new Set())].sort();
    const digest = createHash('sha256').update(codes.join('\n')).digest('hex').slice(0, 32);
    digests[resource.url] = { codes: codes.length, digest };
  }
  published[release.name] = digests;
}
const file = join(root, 'test/core/fhir/terminology/published-expansions.json');
writeFileSync(file, `${JSON.stringify(published, null, 1)}\n`);
