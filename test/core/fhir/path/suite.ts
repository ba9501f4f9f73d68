/** Reads HL7's FHIRPath test suites, an XML dialect of a few elements. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hl7CasesFolder } from '../../../support/hl7-cases-folder';

export interface SuiteCase {
  readonly group: string;
  readonly name: string;
  readonly expression: string;
  readonly input: string;
  /** `syntax`, `semantic`, `execution` or `true`: an error is expected. */
  readonly invalid: string | undefined;
  readonly isPredicate: boolean;
  readonly isOrdered: boolean;
  readonly outputs: readonly { readonly type: string; readonly text: string }[];
}

export function readSuite(name: string): SuiteCase[] {
  const xml = readFileSync(join(hl7CasesFolder('fhirpath'), name), 'utf8').replace(/<!--[^]*?-->/g, '');
  const cases: SuiteCase[] = [];
  let group = '';
  for (const [tag] of xml.matchAll(/<group\b[^>]*>|<test\b[^>]*?(?:\/>|>[^]*?<\/test>)/g)) {
    const attributes = readAttributes(tag);
    if (tag.startsWith('<group')) {
      group = attributes.get('name') ?? '';
      continue;
    }
    const expression = /<expression\b([^>]*)>([^]*?)<\/expression>/.exec(tag);
    if (!expression) continue;
    cases.push({
      group,
      name: attributes.get('name') ?? '(without name)',
      expression: decode(expression[2] ?? '').trim(),
      input: attributes.get('inputfile') ?? 'patient-example.xml',
      invalid: readAttributes(`<expression ${expression[1]}>`).get('invalid') ?? attributes.get('invalid'),
      isPredicate: attributes.get('predicate') === 'true',
      isOrdered: attributes.get('ordered') !== 'false',
      outputs: [...tag.matchAll(/<output\b([^>]*?)(?:\/>|>([^]*?)<\/output>)/g)].map((output) => ({
        type: readAttributes(`<output ${output[1]}>`).get('type') ?? '',
        text: decode(output[2] ?? ''),
      })),
    });
  }
  return cases;
}

function readAttributes(tag: string): Map<string, string> {
  const start = /^<\w+\s*([^>]*)/.exec(tag)?.[1] ?? '';
  return new Map(
    [...start.matchAll(/([\w-]+)\s*=\s*"([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      decode(value),
    ]),
  );
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function decode(text: string): string {
  return text
    .replace(/<!\[CDATA\[([^]*?)\]\]>/g, '$1')
    .replace(/&(#x?[0-9a-fA-F]+|\w+);/g, (whole, name: string) => {
      if (name.startsWith('#x')) return String.fromCodePoint(parseInt(name.slice(2), 16));
      if (name.startsWith('#')) return String.fromCodePoint(Number(name.slice(1)));
      return ENTITIES[name] ?? whole;
    });
}
