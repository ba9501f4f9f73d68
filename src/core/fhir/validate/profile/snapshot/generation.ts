import type { JsonObject } from '../../../json';
import { shorten } from '../../../json/fault';
import { objectMember, objectsMember, stringMember } from '../../../terminology/members';
import type { Finding, FindingSeverity } from '../../finding';
import { MAX_FINDINGS } from '../../run';
import { readDifferential } from './differential';
import { constrain, withBase } from './constrain';
import {
  placeOf,
  type DifferentialContext,
  type GenerationFinding,
  type GeneratedStructure,
  type SharedGeneration,
} from './constraining';
import { copyNode, makeNode, readTree, type ElementNode } from './tree';

/**
 * Returns the StructureDefinition of a canonical url (`url` or `url|version`), with or without a snapshot; undefined if
 * it is not available.
 */
export type StructureSource = (canonical: string) => JsonObject | undefined | Promise<JsonObject | undefined>;

/** Limit on the elements of one generation, including those of the definitions that it uses. */
const MAX_ELEMENTS = 30_000;
/** Limit on the characters of JSON of all their definitions. */
const MAX_CHARACTERS = 32_000_000;
/** Elements that are made between two turns of the event loop: some milliseconds. */
const ELEMENTS_OF_TURN = 1_000;
/** Limit on the definitions that one generation resolves. */
const MAX_DEFINITIONS = 1_000;
/** Limit on the depth of profiles on profiles, and of profiles in profiles. */
const MAX_CHAIN = 32;

/** Thrown when a generation exceeds a limit. */
export class GenerationLimit extends Error {}

/** The state of one generation: definitions, trees, work done, findings. */
export class Generation implements SharedGeneration {
  readonly findings: Finding[] = [];
  private made = 0;
  /** Elements since the last turn of the event loop. */
  private sinceTurn = 0;
  private characters = 0;
  /** Definitions are shared, so that each is measured once. */
  private readonly sizes = new WeakMap<JsonObject, number>();
  private readonly structures = new Map<string, JsonObject | undefined>();
  /** Shared; a tree is copied before it is changed. */
  private readonly trees = new Map<JsonObject, ElementNode | undefined>();

  constructor(private readonly resolve: StructureSource) {}

  take(definition: JsonObject): void {
    this.made += 1;
    if (this.made > MAX_ELEMENTS) throw new GenerationLimit(`it has more than ${MAX_ELEMENTS} elements`);
    this.measure(definition);
  }

  /** Counts the size of a new definition. Throws GenerationLimit. */
  measure(definition: JsonObject): void {
    this.sinceTurn += 1;
    let size = this.sizes.get(definition);
    if (size === undefined) this.sizes.set(definition, (size = JSON.stringify(definition).length));
    this.characters += size;
    if (this.characters > MAX_CHARACTERS)
      throw new GenerationLimit(`it has more than ${MAX_CHARACTERS} characters`);
  }

  /** Yields to the event loop after each ELEMENTS_OF_TURN elements. */
  async pause(): Promise<void> {
    if (this.sinceTurn < ELEMENTS_OF_TURN) return;
    this.sinceTurn = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }

  report(
    { required }: GeneratedStructure,
    { rule, severity = 'error', diagnostics, expression }: GenerationFinding,
  ): void {
    if (this.findings.length >= MAX_FINDINGS) return;
    const finding: Finding =
      required === undefined
        ? { rule, severity, diagnostics, expression }
        : {
            rule,
            severity: required.isOptional ? 'warning' : severity,
            diagnostics: `In '${required.name}': ${diagnostics}`,
            expression: required.expression,
          };
    const isDuplicate = this.findings.some(
      (other) => other.expression === finding.expression && other.diagnostics === finding.diagnostics,
    );
    if (!isDuplicate) this.findings.push(finding);
  }

  async find(canonical: string): Promise<JsonObject | undefined> {
    if (this.structures.has(canonical)) return this.structures.get(canonical);
    if (this.structures.size >= MAX_DEFINITIONS) {
      throw new GenerationLimit(`it uses more than ${MAX_DEFINITIONS} definitions`);
    }
    const found = await this.resolve(canonical);
    this.structures.set(canonical, found);
    return found;
  }

  /**
   * Returns the elements of the structure of that url: its snapshot, or one generated from its differential. The tree
   * is shared and must be copied before it is changed. Undefined if there is none, which is then reported.
   *
   * @param expression the place of the url in the structure that is being generated
   */
  async treeOf(
    canonical: string,
    generated: GeneratedStructure,
    expression: string,
    severity: FindingSeverity = 'error',
  ): Promise<ElementNode | undefined> {
    const name = shorten(canonical);
    const structure = await this.find(canonical);
    if (structure === undefined) {
      const diagnostics = `The StructureDefinition '${name}' does not exist`;
      this.report(generated, { rule: 'unresolved', severity, diagnostics, expression });
      return undefined;
    }
    if (!this.trees.has(structure)) {
      const snapshot = objectMember(structure, 'snapshot');
      const url = stringMember(structure, 'url') ?? canonical;
      if (snapshot === undefined && generated.chain.includes(url)) {
        const diagnostics = `'${name}' is derived from itself`;
        this.report(generated, { rule: 'unresolved', severity, diagnostics, expression });
        return undefined;
      }
      const tree =
        snapshot === undefined
          ? await this.makeRequired(structure, { url, generated, expression, severity })
          : readTree(objectsMember(snapshot, 'element'), this);
      this.trees.set(structure, tree);
    }
    const tree = this.trees.get(structure);
    if (tree === undefined) {
      const diagnostics = `'${name}' has no snapshot that can be read, and none can be made`;
      this.report(generated, { rule: 'unresolved', severity, diagnostics, expression });
    }
    return tree;
  }

  private makeRequired(
    structure: JsonObject,
    {
      url,
      generated,
      expression,
      severity,
    }: {
      readonly url: string;
      readonly generated: GeneratedStructure;
      readonly expression: string;
      readonly severity: FindingSeverity;
    },
  ): Promise<ElementNode | undefined> {
    if (generated.chain.length >= MAX_CHAIN) {
      throw new GenerationLimit(`more than ${MAX_CHAIN} profiles are derived from each other`);
    }
    const outer = generated.required;
    const isOptional = (outer?.isOptional ?? false) || severity !== 'error';
    const required = { name: shorten(url), expression: outer?.expression ?? expression, isOptional };
    return this.makeTree(structure, { chain: [...generated.chain, url], required });
  }

  /** Generates the elements of a structure from its differential; undefined if its base is missing. */
  async makeTree(structure: JsonObject, generated: GeneratedStructure): Promise<ElementNode | undefined> {
    const typeName = rootPathOf(structure);
    const elements = objectsMember(objectMember(structure, 'differential') ?? {}, 'element');
    const base = await this.baseTree(structure, generated);
    if (base === undefined) return undefined;
    const differential = readDifferential(elements, typeName, this);
    for (const { index, reason } of differential.faults) {
      const diagnostics = `The element cannot be placed: ${reason}`;
      this.report(generated, { rule: 'profile', diagnostics, expression: placeOf(index) });
    }
    const constraining: DifferentialContext = {
      generation: this,
      generated,
      source: stringMember(structure, 'url') ?? '',
      isSpecialization: isSpecialization(structure),
    };
    await constrain(base, differential.root, typeName, constraining);
    if (constraining.isSpecialization) base.definition = withBase(base.definition, typeName);
    return base;
  }

  private async baseTree(
    structure: JsonObject,
    generated: GeneratedStructure,
  ): Promise<ElementNode | undefined> {
    const base = stringMember(structure, 'baseDefinition');
    if (base !== undefined) {
      const tree = await this.treeOf(base, generated, 'StructureDefinition.baseDefinition');
      return tree === undefined ? undefined : copyNode(tree, this);
    }
    // Element, Resource, Base, and logical models have no base.
    if (isSpecialization(structure)) return makeNode({}, this);
    this.report(generated, {
      rule: 'requiredMissing',
      diagnostics: 'A StructureDefinition that constrains another one names it as its baseDefinition',
      expression: 'StructureDefinition.baseDefinition',
    });
    return undefined;
  }
}

function isSpecialization(structure: JsonObject): boolean {
  const derivation = stringMember(structure, 'derivation');
  return (
    derivation === 'specialization' || (derivation === undefined && structure['baseDefinition'] === undefined)
  );
}

/**
 * Returns the first part of all paths of a structure: its type, or the last part of that if it is a url (logical
 * models).
 */
export function rootPathOf(structure: JsonObject): string {
  const type = stringMember(structure, 'type') ?? '';
  return type.slice(type.lastIndexOf('/') + 1);
}
