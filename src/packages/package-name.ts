/** Names and versions of packages, as registries, manifests and requests write them. */
/** A name with a version, such as `hl7.fhir.uv.ips@2.0.0`. */
export interface PackageName {
  readonly name: string;
  /** As in dependencies: `2.0.0`, `2.0.x`, `latest`. */
  readonly version: string;
}

/** No part begins with a dot, so that a name is one or two segments of an address, and neither `.` nor `..`. */
const NAME = /^(?:@[a-z0-9_-][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/i;
const VERSION = /^[A-Za-z0-9_.+-]+$/;
/** A dependency on a second version of a package: `uscore@npm:hl7.fhir.us.core`. */
const ALIAS = /^[A-Za-z0-9_.-]{1,100}@npm:(.+)$/;
const LONGEST = 214;

/** True for the name of a package: `hl7.fhir.uv.ips`, `@scope/name`. */
export function isPackageName(text: string): boolean {
  return text.length <= LONGEST && NAME.test(text);
}

/** True for a version of a package, or a text that stands for one. */
export function isPackageVersion(text: string): boolean {
  return text.length <= LONGEST && VERSION.test(text);
}

/** True for what the name of a dependency may be: the name of a package, or an alias of one. */
export function isDependencyName(text: string): boolean {
  return isPackageName(ALIAS.exec(text)?.[1] ?? text);
}

/** Parses `NAME@VERSION`; undefined for any other text, such as the path of a file. */
export function parsePackageName(text: string): PackageName | undefined {
  const at = text.lastIndexOf('@');
  const [name, version] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  return isPackageName(name) && isPackageVersion(version) && !version.endsWith('.tgz')
    ? { name, version }
    : undefined;
}
