/** Checks extensions with available definitions, wherever they occur (https://hl7.org/fhir/R4/extensibility.html). */
import { isJsonObject, type JsonObject, type JsonValue } from '../../json';
import { shorten } from '../../json/fault';
import type { ValidationRun } from '../run';
import { isAllowedAt, placeBelow, type ExtendedElement } from './extension-context';
import { ProfileRun } from './profile-run';
import type { Profiles } from './compiled-profile';
import type { Shape, ShapeMember } from './shape';

/** Returns the urls of the definitions of all extensions in a resource, each once. Cost: one traversal, some µs. */
export function collectExtensionUrls(resource: JsonObject): Set<string> {
  const urls = new Set<string>();
  collect(resource, urls);
  return urls;
}

function collect(value: JsonValue, urls: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const each of value) collect(each, urls);
    return;
  }
  for (const name in value) {
    const member = value[name] ?? null;
    if (typeof member !== 'object') continue;
    if (isExtensionName(name) && Array.isArray(member)) {
      for (const extension of member) {
        const url = isJsonObject(extension) ? definitionOf(extension) : undefined;
        if (url !== undefined) urls.add(url);
      }
    }
    collect(member, urls);
  }
}

function isExtensionName(name: string): boolean {
  return name === 'extension' || name === 'modifierExtension';
}

/**
 * Returns the url of an extension's definition. A url without a scheme names a part of the enclosing extension, whose
 * definition describes it.
 */
function definitionOf(extension: JsonObject): string | undefined {
  const url = extension['url'];
  return typeof url === 'string' && url.includes(':') ? url : undefined;
}

/**
 * Checks all extensions of the resource for which `run` was made that have a definition in `profiles`. Extensions that
 * a profile checked in the same run are skipped. Cost: one traversal of the resource, and the checks.
 */
export function checkExtensions(resource: JsonObject, run: ValidationRun, profiles: Profiles): void {
  const shape = profiles.shapes.ofResource(resource);
  if (shape) new ExtensionWalk(ProfileRun.of(run), profiles).object(resource, shape, placeOf(shape));
}

class ExtensionWalk {
  constructor(
    private readonly at: ProfileRun,
    private readonly profiles: Profiles,
  ) {}

  object(source: JsonObject, shape: Shape, place: ExtendedElement): void {
    for (const key in source) {
      const value = source[key];
      if (typeof value !== 'object' || value === null || this.at.isOver) continue;
      const member = shape.member(key);
      if (member) {
        if (!member.isPrimitive) this.values(value, { member, source, place });
      } else if (key.startsWith('_')) {
        const primitive = shape.member(key.slice(1));
        if (primitive?.isPrimitive === true) this.values(value, { member: primitive, source, place });
      }
    }
  }

  /** Visits objects of a complex type, or the companions of primitives. */
  private values(value: JsonValue, of: MemberOf): void {
    this.at.push(of.member.step);
    if (!Array.isArray(value)) this.value(value, of);
    else {
      value.forEach((each, index) => {
        if (!isJsonObject(each)) return;
        this.at.push(index);
        this.value(each, of);
        this.at.pop();
      });
    }
    this.at.pop();
  }

  private value(value: JsonValue, { member, source, place }: MemberOf): void {
    if (!isJsonObject(value)) return;
    const { shapes } = this.profiles;
    if (member.isResource) {
      const shape = shapes.ofValue(value, member);
      this.at.inResource(value, member.key, source, () => this.object(value, shape, placeOf(shape)));
      return;
    }
    if (member.type.code === 'Extension') {
      this.extension(value, member, place);
      const url = value['url'];
      this.object(value, member.shape, {
        type: 'Extension',
        paths: ['Extension'],
        url: typeof url === 'string' ? url : undefined,
      });
      return;
    }
    const isChoice = member.step !== member.key;
    const name = isChoice ? member.step.slice(0, member.step.indexOf('.')) : member.key;
    const definedAt = member.shape.isWholeType ? undefined : member.shape.typePath;
    this.object(
      value,
      member.shape,
      placeBelow(place, { name, type: member.type.code, isChoice, definedAt }),
    );
  }

  private extension(value: JsonObject, { key, shape }: ShapeMember, place: ExtendedElement): void {
    const url = definitionOf(value);
    const profile = url === undefined ? undefined : this.profiles.profile(url);
    if (!profile) return;
    if (!isAllowedAt(profile.contexts, place, this.profiles.definitions)) {
      const allowed = profile.contexts.map(({ expression }) => expression).join(', ');
      const sentence = `The extension ${shorten(profile.url)} is not for ${shorten(place.paths[0] ?? place.type)}; it is for ${shorten(allowed)}`;
      // Examples of the specification break this.
      this.at.report('profile', sentence, [], 'warning');
    }
    if (!this.at.isFirstCheck(profile, value)) return;
    const isModifier = key === 'modifierExtension';
    if (profile.isModifier !== isModifier) {
      const right = profile.isModifier ? 'modifierExtension' : 'extension';
      this.at.report(
        'profile',
        `The extension ${shorten(profile.url)} must be in '${right}', not in '${key}'`,
      );
    }
    profile.checkValue(value, undefined, shape, this.at);
  }
}

/** A member of the object at a place. */
interface MemberOf {
  readonly member: ShapeMember;
  readonly source: JsonObject;
  readonly place: ExtendedElement;
}

function placeOf({ structure: { name } }: Shape): ExtendedElement {
  return { type: name, paths: [name], url: undefined };
}
