/** Compiles what a profile requires of the values of one element, and of the elements below them. */
import { isJsonObject, type JsonObject } from '../../json';
import { shorten } from '../../json/fault';
import type { Origin, ValueCheck } from './check';
import { compileDiscriminator, type Criterion } from './discriminator';
import { pathOf, type ProfileElement, type ProfileSlicing } from './element';
import { ElementCheck, type MemberCheck } from './element-check';
import { ProfileError, ProfileLimit } from './error';
import { constraintsAt } from './slice-constraints';
import type { Profiles } from './compiled-profile';
import type { Shape, ShapeElement, ShapeMember } from './shape';
import { SlicingCheck, type SliceCheck } from './slicing';
import { compileTargets } from './target';
import type { ElementNode, ProfileTree } from './tree';
import { ValueRules, type ElementBase } from './value-rules';

const REFERENCES: ReadonlySet<string> = new Set(['Reference', 'CodeableReference']);
const SYSTEM_TYPE = 'http://hl7.org/fhirpath/';
const BY_URL: ProfileSlicing = {
  discriminators: [{ type: 'value', path: 'url' }],
  rules: 'open',
  isOrdered: false,
};
const BY_TYPE: ProfileSlicing = {
  discriminators: [{ type: 'type', path: '$this' }],
  rules: 'open',
  isOrdered: false,
};

export class ContentCompiler {
  /** Sentences about what could not be compiled. */
  readonly problems: string[];
  private readonly rules: ValueRules;
  private made = 0;
  /** Cached, because a contentReference can lead back to a content. */
  private readonly contents = new Map<ElementNode, Map<Shape, readonly ElementCheck[]>>();

  constructor(
    private readonly tree: ProfileTree,
    private readonly profiles: Profiles,
    private readonly origin: Origin,
  ) {
    this.rules = new ValueRules(profiles, origin);
    this.problems = this.rules.problems;
  }

  compileRoot(shape: Shape): readonly ValueCheck[] {
    const { root } = this.tree;
    const { type } = this.tree;
    const base = { typeName: type, definition: undefined, place: { rootType: type }, head: undefined };
    return [...this.rules.compile(root.element, shape, base), ...this.contentChecks(root, shape)];
  }

  /** Compiles the checks of one type that the values of an element can have. */
  private memberChecks(
    node: ElementNode,
    member: ShapeMember,
    { definition, path }: ShapeElement,
    head?: ElementNode,
  ): readonly ValueCheck[] {
    if (++this.made > MAX_COMPILED) throw new ProfileLimit('it is too large to be compiled');
    const { type } = member;
    const shape = this.shapeFor(node, member);
    const rootType = shape === member.shape ? path : shape.typePath;
    const place = definition.isChoice ? { rootType, choice: type.code } : { rootType };
    const { isResource } = member;
    const typeName = isResource ? shape.structure.name : type.code;
    const base: ElementBase = { typeName, definition, place, isResource, head: head?.element };
    const checks = [...this.rules.compile(node.element, shape, base)];
    const given = node.element.types.filter(({ code }) => this.isSameType(code, member));
    if (member.isResource) checks.push(...this.resourceChecks(node));
    else if (REFERENCES.has(type.code)) {
      const check = compileTargets(given, type, this.profiles, this.origin);
      if (check) checks.push(check);
    }
    const profiles = given
      .flatMap((each) => each.profiles)
      .filter((canonical) => !this.isNamedByBase(canonical, member));
    if (profiles.length > 0) checks.push(this.profileCheck(profiles, member));
    if (node.element.contentReference === undefined) checks.push(...this.contentChecks(node, shape));
    else checks.push(...this.referredChecks(node.element.contentReference, shape));
    return checks;
  }

  /**
   * Returns the shape of the type that the profile names, if it names one for an element that can hold any resource.
   */
  private shapeFor({ element: { types } }: ElementNode, { isResource, shape }: ShapeMember): Shape {
    const [first, ...others] = isResource ? types : [];
    return (first && others.length === 0 ? this.profiles.shapes.ofType(first.code) : undefined) ?? shape;
  }

  /** True for a profile that the base names too (SimpleQuantity): its constraints are among those of the base. */
  private isNamedByBase(canonical: string, { type: { constraints } }: ShapeMember): boolean {
    if (constraints === undefined) return false;
    const given = this.profiles.tree(canonical)?.root.element.constraints ?? [];
    return constraints.every((constraint) => given.some(({ key }) => key === constraint.key));
  }

  private isSameType(code: string, { type, isResource }: ShapeMember): boolean {
    return code === type.code || code.startsWith(SYSTEM_TYPE) || isResource;
  }

  /** Checks the type of a resource, if the profile names types for an element that can hold any resource. */
  private resourceChecks(node: ElementNode): ValueCheck[] {
    const { definitions } = this.profiles;
    const types = [...new Set(node.element.types.map(({ code }) => code))];
    if (types.length === 0 || types.some((type) => definitions.structure(type)?.isAbstract === true))
      return [];
    const names = types.join(', ');
    return [
      (value, _companion, at) => {
        const type = isJsonObject(value) ? value['resourceType'] : undefined;
        if (typeof type !== 'string' || types.some((allowed) => definitions.conformsTo(type, allowed)))
          return;
        at.report(
          'profile',
          `The resource is of type ${shorten(type)}; allowed are ${shorten(names)} (${this.origin.name})`,
        );
      },
    ];
  }

  /** Checks that a value meets one of the profiles of its type. */
  private profileCheck(canonicals: readonly string[], member: ShapeMember): ValueCheck {
    const { profiles, origin } = this;
    const { shapes } = profiles;
    const names = canonicals.map(shorten).join(' or ');
    return (value, companion, at) => {
      const shape = shapes.ofValue(value, member);
      const found = canonicals.flatMap((canonical) => profiles.profile(canonical) ?? []);
      if (found.length < canonicals.length) {
        const sentence = `Conformance to ${names}, which ${origin.name} requires, was not checked: it could not be found`;
        at.report('unresolved', sentence, [], 'warning');
        return;
      }
      const [first, ...others] = found;
      if (others.length > 0) {
        for (const profile of found) {
          if (
            at.faultOf(profile, value, (quiet) => profile.checkValue(value, companion, shape, quiet)) === ''
          )
            return;
        }
        at.report('profile', `This meets none of ${names} (${origin.name})`);
      } else if (first && (!isJsonObject(value) || at.isFirstCheck(first, value))) {
        first.checkValue(value, companion, shape, at);
      }
    };
  }

  /** Combines the checks of the elements below into one. */
  private contentChecks(node: ElementNode, shape: Shape): ValueCheck[] {
    if (node.children.length === 0) return [];
    const checks = this.contentOf(node, shape);
    const ofValue = shape.structure.kind === 'primitive' ? this.primitiveChecks(node, shape) : NO_CHECKS;
    return checks.length === 0 ? [...ofValue] : [...ofValue, runElements(checks)];
  }

  /** Checks `Patient.birthDate.value`: the value of a primitive, apart from its extensions. */
  private *primitiveChecks(node: ElementNode, shape: Shape): Generator<ValueCheck> {
    const child = node.children.find(({ name }) => name === 'value');
    if (!child) return;
    const { element } = child;
    const base = {
      typeName: '',
      definition: undefined,
      place: { rootType: shape.typePath },
      head: undefined,
    };
    for (const check of this.rules.compile(
      { ...element, constraints: [], binding: undefined },
      shape,
      base,
    )) {
      yield (value, _companion, at) => {
        if (value !== undefined && value !== null) check(value, undefined, at);
      };
    }
    const [min, max] = [element.min ?? 0, element.max ?? 1];
    const path = pathOf(element);
    const { name } = this.origin;
    yield (value, _companion, at) => {
      const isThere = value !== undefined && value !== null;
      if (!isThere && min > 0)
        at.report('profile', `${path} is missing; an extension is not enough (${name})`);
      if (isThere && max === 0) at.report('profile', `${path} is not allowed; only extensions are (${name})`);
    };
  }

  /**
   * Checks the content of `{url of this profile}#Questionnaire.item`: another element of this profile, which may enclose
   * this one. Any other reference names the element of the base, whose own checks cover it, as in HL7's tools.
   */
  private referredChecks(reference: string, shape: Shape): ValueCheck[] {
    const hash = reference.indexOf('#');
    const isOwn = hash > 0 && reference.slice(0, hash) === this.tree.url;
    const node = isOwn ? this.tree.find(reference.slice(hash + 1)) : undefined;
    if (!node) return [];
    let content: ValueCheck | undefined;
    return [
      (value, companion, at) => {
        content ??= runElements(this.contentOf(node, shape));
        content(value, companion, at);
      },
    ];
  }

  private contentOf(node: ElementNode, shape: Shape): readonly ElementCheck[] {
    let ofNode = this.contents.get(node);
    if (!ofNode) this.contents.set(node, (ofNode = new Map<Shape, readonly ElementCheck[]>()));
    let checks = ofNode.get(shape);
    if (!checks) {
      checks = node.children.flatMap((child) => this.compileElement(child, shape) ?? []);
      ofNode.set(shape, checks);
    }
    return checks;
  }

  private compileElement(node: ElementNode, shape: Shape): ElementCheck | undefined {
    const { element, name } = node;
    const base = shape.element(name) ?? choiceByKey(shape, name);
    // A type of a choice may lack an element that another type has.
    if (!base) return undefined;
    const { definition } = base;
    const members = base.members.map((member): MemberCheck => {
      const isAllowed = this.isAllowed(element, member);
      return { member, isAllowed, checks: isAllowed ? this.memberChecks(node, member, base) : NO_CHECKS };
    });
    const min = (element.min ?? 0) > definition.min ? (element.min ?? 0) : 0;
    const max = element.max !== undefined && element.max < definition.max ? element.max : Infinity;
    const slicing = this.compileSlicing(node, base);
    const isIdle = members.every(({ isAllowed, checks }) => isAllowed && checks.length === 0);
    if (isIdle && min === 0 && max === Infinity && !slicing) return undefined;
    const rules = { path: pathOf(element), name, min, max, members, slicing };
    return new ElementCheck(rules, this.profiles.shapes, this.origin);
  }

  /** True if the profile allows this type of the base. */
  private isAllowed({ types, contentReference }: ProfileElement, member: ShapeMember): boolean {
    if (types.length === 0 || contentReference !== undefined || member.isResource) return true;
    return types.some(({ code }) => this.isSameType(code, member) || this.isWider(code, member));
  }

  /** True for a more general type, such as `Element` where the base has BackboneElement. */
  private isWider(code: string, { type, shape }: ShapeMember): boolean {
    return !shape.isWholeType && this.profiles.definitions.conformsTo(type.code, code);
  }

  private compileSlicing(node: ElementNode, base: ShapeElement): SlicingCheck | undefined {
    if (node.slices.length === 0) return undefined;
    const { element } = node;
    const path = pathOf(element);
    const slicing = element.slicing ?? (base.definition.isChoice ? BY_TYPE : BY_URL);
    try {
      const slices = node.slices.map((slice) => this.compileSlice(slice, node, slicing, base));
      return new SlicingCheck(slicing, slices, { path, name: node.name }, this.origin);
    } catch (thrown) {
      if (!(thrown instanceof ProfileError) || thrown instanceof ProfileLimit) throw thrown;
      this.problems.push(`The slices of ${path} are not checked (${this.origin.name}): ${thrown.message}`);
      return undefined;
    }
  }

  private compileSlice(
    slice: ElementNode,
    head: ElementNode,
    slicing: ProfileSlicing,
    base: ShapeElement,
  ): SliceCheck {
    const { element } = slice;
    const url = this.urlOf(slice, slicing);
    const criteria =
      url === undefined
        ? slicing.discriminators.flatMap((each) => compileDiscriminator(each, slice, this.profiles) ?? [])
        : [hasUrl(url)];
    const checks = new Map(
      base.members.map((member): [ShapeMember, readonly ValueCheck[]] => [
        member,
        this.isAllowed(element, member)
          ? this.memberChecks(slice, member, base, head)
          : [this.foreignTypeCheck(element, member)],
      ]),
    );
    return {
      name: element.sliceName ?? '',
      min: element.min ?? 0,
      max: element.max ?? Infinity,
      criteria,
      url,
      checksOf: (member) => checks.get(member) ?? NO_CHECKS,
      slicing: this.compileSlicing(slice, base),
    };
  }

  private foreignTypeCheck({ types, sliceName = '' }: ProfileElement, { type }: ShapeMember): ValueCheck {
    const names = shorten(types.map(({ code }) => code).join(', '));
    const sentence = `In the slice '${shorten(sliceName)}' allowed are ${names}, not ${type.code} (${this.origin.name})`;
    return (_value, _companion, at) => at.report('profile', sentence);
  }

  /** Returns the url of an extension slice, if the url alone decides which extensions are in it. */
  private urlOf(slice: ElementNode, { discriminators }: ProfileSlicing): string | undefined {
    const [discriminator, ...others] = discriminators;
    const isByUrl = discriminator?.path === 'url' && ['value', 'pattern'].includes(discriminator.type);
    if (!isByUrl || others.length > 0) return undefined;
    const [place] = constraintsAt(slice, [{ kind: 'member', name: 'url' }], this.profiles);
    const [given] = place?.values ?? [];
    if (typeof given?.value === 'string') return given.value;
    // The url of an extension is that of its definition, which may be unavailable.
    const [canonical, ...alternatives] = slice.element.types.flatMap((type) => type.profiles);
    return alternatives.length === 0 ? canonical?.replace(/\|.*/, '') : undefined;
  }
}

/** Limit on the elements and slices of one profile, once per type: some ten times those of the largest published. */
const MAX_COMPILED = 50_000;
const NO_CHECKS: readonly ValueCheck[] = [];
/** The elements of a primitive without extensions. */
const NOTHING: JsonObject = Object.freeze({});

function hasUrl(url: string): Criterion {
  return { holds: ({ value }) => isJsonObject(value) && value['url'] === url };
}

function runElements(checks: readonly ElementCheck[]): ValueCheck {
  return (value, companion, at) => {
    const source = isJsonObject(value) ? value : (companion ?? NOTHING);
    for (const check of checks) {
      if (at.isOver) return;
      check.run(source, at);
    }
  };
}

/** Finds elements of old snapshots that name one type of a choice: `valueQuantity`. */
function choiceByKey(shape: Shape, key: string): ShapeElement | undefined {
  const member = shape.member(key);
  if (!member) return undefined;
  for (const { definition, path, members } of shape.all) {
    if (members.includes(member)) return { definition, path, members: [member] };
  }
  return undefined;
}
