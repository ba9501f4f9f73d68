/**
 * Prints how many packages `npm ci` has installed and the disk space that they take, in all and without those for development
 * (`npm ci --omit=dev`); fails above the limits. A megabyte is 1,000,000 bytes, in whole blocks of the file system.
 */
import { lstat, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const LIMITS = [
  { what: 'a checkout', packages: 900, megabytes: 800, isPart: () => true },
  {
    what: 'production, with its PostgreSQL',
    megabytes: 160,
    isPart: ({ dev, devOptional }) => !dev && !devOptional,
  },
];
const BLOCK_BYTES = 512;

/** The bytes of a package without the packages inside of it. */
async function bytesOf(folder) {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.name === 'node_modules') continue;
    bytes += (await lstat(file)).blocks * BLOCK_BYTES;
    if (entry.isDirectory()) bytes += await bytesOf(file);
  }
  return bytes;
}

// npm writes down here what it has installed on this platform.
const { packages } = JSON.parse(await readFile(path.join(root, 'node_modules/.package-lock.json'), 'utf8'));
const installed = [];
for (const [folder, entry] of Object.entries(packages))
  if (!entry.link) installed.push({ folder, entry, bytes: await bytesOf(path.join(root, folder)) });

for (const { what, packages: most = Infinity, megabytes, isPart } of LIMITS) {
  const parts = installed.filter(({ entry }) => isPart(entry));
  const size = parts.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6;
  console.log(`${what}: ${parts.length} packages, ${size.toFixed(0)} MB`);
  if (parts.length <= most && size <= megabytes) continue;
  console.error(
    `${what}: at most ${most === Infinity ? '' : `${most} packages and `}${megabytes} MB are allowed. The largest are:`,
  );
  const largest = parts.sort((one, other) => other.bytes - one.bytes).slice(0, 20);
  for (const { folder, bytes } of largest)
    console.error(`  ${(bytes / 1e6).toFixed(1).padStart(6)} MB  ${folder}`);
  process.exitCode = 1;
}
