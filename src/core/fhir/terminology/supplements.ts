/**
 * Supplements: further displays, designations, properties and extensions of the concepts of a code system
 * (https://hl7.org/fhir/R4/codesystem.html#supplements). They are used where a request or a value set names them.
 */
import { type JsonObject } from '../json';
import type { ConceptRow } from './concept-set';
import { satisfiesVersion } from './business-version';
import { type CodeSystem, type Concept, isSelfOrBelow } from './code-system';
import { objectsMember, stringMember } from './members';
import { type Canonical, parseCanonical, type TerminologySource, toCanonical } from './source';

const REQUIRED_SUPPLEMENT = 'http://hl7.org/fhir/StructureDefinition/valueset-supplement';

/** The supplements that a value set requires. */
export function supplementsOf(valueSet: JsonObject): readonly Canonical[] {
  return objectsMember(valueSet, 'extension').flatMap((extension) => {
    const canonical = stringMember(extension, 'valueCanonical') ?? stringMember(extension, 'valueUri');
    return stringMember(extension, 'url') === REQUIRED_SUPPLEMENT && canonical !== undefined
      ? [parseCanonical(canonical)]
      : [];
  });
}

export interface Supplements {
  readonly found: readonly CodeSystem[];
  /** Says which one does not exist; undefined: all do. */
  readonly missing: string | undefined;
  /** The canonical of that one. */
  readonly missingCanonical: string | undefined;
}

/** Reads supplements. Cost: that of each code system. */
export async function readSupplements(
  source: TerminologySource,
  canonicals: readonly Canonical[],
): Promise<Supplements> {
  const found: CodeSystem[] = [];
  let missing: string | undefined;
  for (const { url, version } of canonicals) {
    const supplement = await source.findCodeSystem(url, version);
    if (supplement?.content === 'supplement') found.push(supplement);
    else missing ??= toCanonical(url, version);
  }
  return {
    found,
    missing: missing && `The supplement ${missing} does not exist`,
    missingCanonical: missing,
  };
}

/** Returns the code system with what those of the supplements that are for it say of its concepts. */
export function withSupplements(codeSystem: CodeSystem, supplements: readonly CodeSystem[]): CodeSystem {
  const own = supplements.filter((supplement) => isFor(supplement, codeSystem));
  if (own.length === 0) return codeSystem;
  const extend = (concept: Concept): Concept => {
    const more = own.flatMap((supplement) => elementsIn(supplement, concept.code));
    return more.length === 0 ? concept : new SupplementedConcept(concept, more);
  };
  const { concepts, stored } = codeSystem;
  const all = function* (): Generator<Concept> {
    for (const concept of concepts ?? []) yield extend(concept);
  };
  return {
    ...codeSystem,
    ...(stored === undefined
      ? {}
      : { stored: { ...stored, conceptOf: (row: ConceptRow) => extend(stored.conceptOf(row)) } }),
    concepts: concepts && { [Symbol.iterator]: all },
    supplements: [...new Set(own.map(({ url, version }) => toCanonical(url, version)))],
    propertyCodes: new Set([codeSystem, ...own].flatMap(({ propertyCodes }) => [...propertyCodes])),
    find(code) {
      const concept = codeSystem.find(code);
      return concept && extend(concept);
    },
  };
}

function isFor({ head }: CodeSystem, { url, version }: CodeSystem): boolean {
  const named = parseCanonical(stringMember(head, 'supplements') ?? '');
  return named.url === url && (named.version === undefined || satisfiesVersion(version, named.version));
}

/** What a supplement says of a code. Its display is a designation in the language of the supplement. */
function elementsIn({ head, find }: CodeSystem, code: string): readonly JsonObject[] {
  const concept = find(code);
  if (concept === undefined) return [];
  if (concept.display === undefined) return [concept.element];
  const language = stringMember(head, 'language');
  const display = { ...(language === undefined ? {} : { language }), value: concept.display };
  return [{ ...concept.element, designation: [display, ...objectsMember(concept.element, 'designation')] }];
}

const LISTS = ['designation', 'property', 'extension'] as const;

class SupplementedConcept implements Concept {
  readonly element: JsonObject;

  constructor(
    private readonly concept: Concept,
    more: readonly JsonObject[],
  ) {
    const element = { ...concept.element };
    for (const name of LISTS) {
      const all = [concept.element, ...more].flatMap((each) => objectsMember(each, name));
      if (all.length > 0) element[name] = all;
    }
    this.element = element;
  }

  get code(): string {
    return this.concept.code;
  }

  get display(): string | undefined {
    return this.concept.display;
  }

  get parents(): readonly Concept[] {
    return this.concept.parents;
  }

  get children(): readonly Concept[] {
    return this.concept.children;
  }

  get isAbstract(): boolean {
    return this.concept.isAbstract;
  }

  get isInactive(): boolean {
    return this.concept.isInactive;
  }

  get descendants(): number | undefined {
    return this.concept.descendants;
  }

  isSelfOrBelow(ancestor: Concept): boolean {
    return isSelfOrBelow(this.concept, ancestor instanceof SupplementedConcept ? ancestor.concept : ancestor);
  }
}
